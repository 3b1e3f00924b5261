/** The CSP's side of the `rotated` protocol: docs/rotated.md has the steps by the same numbers. */

import type { Program, StatisticsTask } from '@eigenveil/task';
import { isTellable } from '../channel/abort.ts';
import type { MessageStream } from '../channel/message-stream.ts';
import { TwoPartyError } from '../errors.ts';
import { multiplyMatrices, traceOf, transpose, upperProduct } from './matrices.ts';
import { ROTATED_MESSAGE, readRing, writeRing } from './messages.ts';
import { type RotatedParameters, rotatedParameters } from './parameters.ts';
import type { Chooser } from './products.ts';
import { type RotationSecrets, upperEntries } from './secrets.ts';
import { type StatisticsShares, scatterShare, statisticsShares } from './shares.ts';

export interface AnswerInput {
  /** One per value of the flat statistics, modulo 2^ℓ; those of R and V as unblinded, without reduction. */
  readonly shares: readonly bigint[];
  readonly verifiedOwners: number;
  /** Called once, before the first byte that depends on the secrets, or before a refusal is told: see CspInput. */
  readonly markAnswered: () => Promise<void>;
}

/**
 * Runs one answer to its end. `products` is called for after the owners were checked; it and `secrets` must be drawn for this answer alone.
 * @throws TwoPartyError ERR_OWNER_COUNT when the opened number of owners is not the verified one, or is below the minimum
 * @throws whatever `markAnswered` throws, and the errors of the stream and of the products
 */
export async function answerRotated(
  stream: MessageStream,
  products: () => Promise<Chooser>,
  { task, program }: { readonly task: StatisticsTask; readonly program: Program },
  { shares, verifiedOwners, markAnswered }: AnswerInput,
  draw: (parameters: RotatedParameters) => RotationSecrets,
): Promise<void> {
  await closedByFaults(markAnswered, async (mark) => {
    const parameters = rotatedParameters(task);
    const { ringBits } = parameters;
    const secrets = draw(parameters); // while the data user prepares its base transfers
    const own = statisticsShares(task, shares, ringBits);
    const [owners] = await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    checkOwners(BigInt.asUintN(ringBits, own.owners + owners!), verifiedOwners, program.minimumOwners);

    const chooser = await products();
    const declared = program.outputs.includes('mean') ? [own.Q, ...own.V] : [own.Q];
    writeRing(stream, ROTATED_MESSAGE.declared, declared, ringBits);
    await stream.flush();
    const matrix = await shareMatrix(chooser, own, secrets, parameters);
    await mark();
    writeRing(stream, ROTATED_MESSAGE.matrix, matrix, ringBits);
    await stream.flush();

    const vectors = await shareVectors(chooser, secrets, program.components, parameters);
    writeRing(stream, ROTATED_MESSAGE.vectors, vectors.flat(), parameters.vectorRingBits);
    await stream.flush();
  });
}

/**
 * A failure that may depend on the shares ends the task like an answer. They are the same in every attempt, and what the data user
 * sends decides what is asked of them: by trying again it would learn them bit by bit. The check of a product fails for wrong guesses
 * at digits. The number of owners stands in an aggregate that may have been made so that another value overflows into it.
 */
async function closedByFaults(
  markAnswered: () => Promise<void>,
  run: (mark: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let marked: Promise<void> | undefined;
  const mark = () => {
    marked ??= markAnswered();
    return marked;
  };
  try {
    await run(mark);
  } catch (error) {
    if (!isTellable(error)) await mark();
    throw error;
  }
}

/** A data user that has aggregated what it got knows the number, so that the refusal tells it nothing. */
function checkOwners(owners: bigint, verified: number, minimum: number): void {
  if (owners !== BigInt(verified)) {
    throw new TwoPartyError(
      'ERR_OWNER_COUNT',
      'the encrypted number of owners differs from the verified records',
    );
  }
  if (verified < minimum) {
    throw new TwoPartyError(
      'ERR_OWNER_COUNT',
      `expected records of at least ${minimum} owners, got ${verified}`,
    );
  }
}

/**
 * Steps 1 and 2: the CSP's share of M, upper triangle. Shares of R and V are taken as the short integers that they are: a bit more for the
 * sign, which products expect.
 */
async function shareMatrix(
  chooser: Chooser,
  { R, V }: StatisticsShares,
  { rotation, noise, mask }: RotationSecrets,
  { features: d, ringBits, shareBits, rotationBits, noiseEntryBits }: RotatedParameters,
): Promise<bigint[]> {
  const column = (values: readonly bigint[], bits: number) => {
    if (values.some((value) => value >> BigInt(bits) !== 0n)) {
      throw new RangeError(`"shares" expected at most ${bits} bits of an unblinded value, got more`);
    }
    return { matrix: values.map((value) => [value]), entryBits: bits + 1, ringBits };
  };
  const rotating = { matrix: rotation, entryBits: rotationBits + 1, columns: d, ringBits };
  const [mixed, scaledR, once, scaled, twice] = await chooser.multiply([
    { ...column(V, shareBits.V), columns: d },
    { ...column(R, shareBits.R), columns: 1 },
    rotating,
    { matrix: noise.map((entry) => [entry]), entryBits: noiseEntryBits, columns: 1, ringBits },
    { ...rotating, part: 'upper' },
  ]);
  const scatter = scatterShare(scaledR!.flat(), mixed!, V, ringBits);
  const half = multiplyMatrices(rotation, scatter, ringBits).map((row, i) =>
    row.map((entry, j) => entry + once![i]![j]!),
  );
  const local = upperProduct(rotation, half, ringBits);
  const trace = traceOf(scatter);
  return upperEntries(d, (i, j) => twice![i]![j]!).map((entry, e) =>
    BigInt.asUintN(ringBits, entry + local[e]! + scaled![e]![0]! + noise[e]! * trace + mask[e]!),
  );
}

/** Step 4: the CSP's share of Pᵀ A with the flood. */
async function shareVectors(
  chooser: Chooser,
  { rotation, flood }: RotationSecrets,
  components: number,
  { rotationBits, vectorRingBits: ringBits }: RotatedParameters,
): Promise<bigint[][]> {
  const [product] = await chooser.multiply([
    {
      matrix: transpose(rotation),
      entryBits: rotationBits + 1,
      columns: components,
      ringBits,
    },
  ]);
  return product!.map((row, i) => row.map((entry, j) => BigInt.asUintN(ringBits, entry + flood[i]![j]!)));
}
