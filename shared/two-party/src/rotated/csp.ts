/** The CSP's side of the `rotated` protocol: docs/rotated.md has the steps by the same numbers. */

import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { CspInput } from '../protocol.ts';
import { closedByFaults, openOwners, sendMarkedMatrix } from './closing.ts';
import { transpose } from './matrices.ts';
import { declare, sendVectors } from './messages.ts';
import { type RotatedParameters, rotatedParameters } from './parameters.ts';
import { fixed, type RotationSecrets } from './secrets.ts';
import { type StatisticsShares, statisticsShares } from './shares.ts';
import {
  type Chooser,
  matrixShareOfCsp,
  rotatingChoices,
  scatterChoices,
  scatterShareOfCsp,
} from './steps.ts';

/**
 * Runs one answer to its end. Shares are modulo 2^ℓ, those of R and V as unblinded, without reduction. `products` is called for after the owners were checked; it and `secrets` must be drawn for this answer alone.
 * @throws ERR_OWNER_COUNT when the opened number of owners is not the verified one, or is below the minimum
 * @throws as `markAnswered`, the stream and the products
 */
export async function answerRotated(
  stream: MessageStream,
  products: () => Promise<Chooser>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: CspInput,
  draw: (parameters: RotatedParameters) => RotationSecrets,
): Promise<void> {
  await closedByFaults(input, async (mark) => {
    const parameters = rotatedParameters(task);
    const { ringBits } = parameters;
    const secrets = fixed(stream, draw(parameters)); // while the data user prepares its base transfers
    const own = statisticsShares(task, input.shares, ringBits);
    await openOwners(stream, own.owners, ringBits, input, program);

    const chooser = await products();
    const declared = program.outputs.includes('mean') ? [own.Q, ...own.sums] : [own.Q];
    await declare(stream, declared, ringBits);
    const matrix = await shareMatrix(chooser, own, secrets, parameters);
    await sendMarkedMatrix(stream, mark, matrix, ringBits);

    await rotateBack(stream, chooser, secrets, program.components, parameters);
  });
}

/** Steps 1 and 2: the CSP's share of M, upper triangle. */
async function shareMatrix(
  chooser: Chooser,
  own: StatisticsShares,
  secrets: RotationSecrets,
  parameters: RotatedParameters,
): Promise<bigint[]> {
  const [mixed, scaled, ...rotating] = await chooser.multiply([
    ...scatterChoices(own, parameters),
    ...rotatingChoices(secrets, parameters),
  ]);
  const scatter = scatterShareOfCsp(own, [mixed!, scaled!], parameters);
  return matrixShareOfCsp(scatter, rotating, secrets, parameters);
}

/** Step 4: the CSP's share of Pᵀ A with the flood, d × components. */
export async function rotateBack(
  stream: MessageStream,
  chooser: Chooser,
  { rotation, flood }: RotationSecrets,
  components: number,
  { rotationBits, vectorRingBits: ringBits }: RotatedParameters,
): Promise<void> {
  const matrix = transpose(rotation);
  const [product] = await chooser.multiply([
    { matrix, entryBits: rotationBits + 1, columns: components, ringBits },
  ]);
  await sendVectors(stream, product!, flood, ringBits);
}
