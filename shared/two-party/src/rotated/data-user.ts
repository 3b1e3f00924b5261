/** The data user's side of the `rotated` protocol: docs/rotated.md has the steps by the same numbers. */
import type { Components } from '@eigenveil/projection';
import type { Program, StatisticsTask } from '@eigenveil/task';
import type { MessageStream } from '../channel/message-stream.ts';
import type { DataUserInput } from '../protocol.ts';
import { decomposeMatrix, finishDecomposition } from './decomposition.ts';
import { holdToPace, paceOf, toTheEnd } from './hold.ts';
import { addDiagonal, inRing, type Matrix } from './matrices.ts';
import { opened, openVectors, ROTATED_MESSAGE, readRing, sendOwners } from './messages.ts';
import { type RotatedParameters, rotatedParameters } from './parameters.ts';
import { type StatisticsShares, statisticsShares } from './shares.ts';
import { standardPace } from './standard-pace.ts';
import {
  type Correlator,
  matrixShareOfUser,
  rotatingCorrelations,
  scatterCorrelations,
  scatterShareOfUser,
} from './steps.ts';

/**
 * The data user's run to its end.
 * @throws ERR_NO_SAMPLES, ERR_FULL_RANK and ERR_ROTATION_CHECK, when the channel is closed: whatever M holds,
 *   the messages are the same, and so is their time
 * @throws as the stream and the products
 */
export async function askRotated(
  stream: MessageStream,
  products: () => Promise<Correlator>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = rotatedParameters(task);
  const { features: d, ringBits } = parameters;
  const own = statisticsShares(task, input.shares, ringBits);
  await sendOwners(stream, own.owners, ringBits);
  const correlator = await products();
  const withMean = program.outputs.includes('mean');
  const declared = await readRing(stream, ROTATED_MESSAGE.declared, withMean ? 1 + d : 1, ringBits);
  const [Q, ...sums] = opened(withMean ? [own.Q, ...own.sums] : [own.Q], declared, ringBits);
  const rotated = await shareMatrix(correlator, own, Q!, parameters);
  const statistics = { Q: Q!, V: withMean ? sums : undefined };
  return openRotated(stream, correlator, rotated, statistics, { task, program }, input);
}

/** From this server's share of M, upper triangle, to the end: steps 3 and 4. */
export async function openRotated(
  stream: MessageStream,
  correlator: Correlator,
  rotated: readonly bigint[],
  statistics: { readonly Q: bigint; readonly V: readonly bigint[] | undefined },
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  input: DataUserInput,
): Promise<Components> {
  const parameters = rotatedParameters(task);
  const { features: d, ringBits } = parameters;
  const theirs = await readRing(stream, ROTATED_MESSAGE.matrix, rotated.length, ringBits);
  holdToPace(stream, paceOf(input, standardPace(d, program.components)));
  const { found, vectors } = await toTheEnd(stream, input, async () => {
    await input.answer?.noteMatrix();
    const M = opened(rotated, theirs, ringBits);
    const found = decomposeMatrix(M, statistics.Q, task, program, parameters);
    return { found, vectors: await rotateBack(stream, correlator, found.directions, parameters) };
  });
  return finishDecomposition(found, vectors, statistics, program, parameters);
}

/** Steps 1 and 2: the data user's share of M, upper triangle. */
async function shareMatrix(
  correlator: Correlator,
  own: StatisticsShares,
  Q: bigint,
  parameters: RotatedParameters,
): Promise<bigint[]> {
  const raise = own.V.map(() => Q * parameters.raise);
  const scatterOf = (shares: readonly Matrix[]) =>
    addDiagonal(scatterShareOfUser(own, Q, shares, parameters), raise, parameters.ringBits);
  const [, , ...rotating] = await correlator.multiply([
    ...scatterCorrelations(own, Q, parameters),
    ...rotatingCorrelations(scatterOf, 2, parameters),
  ]);
  return matrixShareOfUser(rotating);
}

/** Step 4: Pᵀ A with the flood and in units of it, d × components. */
async function rotateBack(
  stream: MessageStream,
  correlator: Correlator,
  directions: Matrix,
  { features: d, rotationBits, vectorRingBits: ringBits, floodBits }: RotatedParameters,
): Promise<bigint[][]> {
  const matrix = inRing(directions, ringBits);
  const [product] = await correlator.multiply([{ matrix, rows: d, entryBits: rotationBits + 1, ringBits }]);
  return openVectors(stream, product!, { ringBits, floodBits });
}
