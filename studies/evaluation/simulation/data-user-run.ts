/** The data user of `rotated` in one process with whoever plays the CSP, and all that it sees. Its code is the real one. */
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { placesOf } from '@eigenveil/task';
import { systemClock } from '@eigenveil/two-party';
import {
  type answerPencil,
  type askPencil,
  dealtLattice,
  type Matrix,
  MessageStream,
  memoryChannelPair,
  type RandomBits,
  ROTATED_MESSAGE,
  readRing,
  symmetricMatrix,
  type UserLattice,
  writeRing,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { OWNERS, type SmallTask, sharesOf } from './inputs.ts';

/** Its next byte need not wait: no time is looked at here. */
export const AT_ONCE = { milliseconds: 0, clock: systemClock };

/** The values that the data user puts into products and gets of them, by their numbers. */
interface Watched {
  readonly put: readonly Matrix[];
  readonly got: readonly Matrix[];
}

export interface Seen extends Watched {
  readonly result: FlatResult;
}

/** The data user's code: of a PCA, or of a pencil. */
type Ask = typeof askPencil;
type AtCsp = Parameters<typeof answerPencil>;

/** Runs the data user with these products, and whoever plays the CSP. */
async function runDataUser(
  ask: Ask,
  { task, program }: SmallTask,
  shares: readonly bigint[],
  products: () => UserLattice,
  csp: (stream: MessageStream) => Promise<unknown>,
): Promise<FlatResult> {
  const [left, right] = memoryChannelPair().map((channel) => new MessageStream(channel));
  const [result] = await Promise.all([
    ask(right!, products, { task, program }, { shares, pace: AT_ONCE }),
    csp(left!),
  ]);
  return result;
}

/** A real run: `answer` is the CSP's code, given its end of products, which are dealt, and what it has. */
export async function realRun(
  ask: Ask,
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  answer: (stream: MessageStream, lattice: AtCsp[1], own: AtCsp[3]) => Promise<unknown>,
): Promise<Seen> {
  const shares = sharesOf(small, statistics, draws);
  const { csp, user, log } = dealtLattice(draws.source, { isExact: true });
  const own = { shares: shares.csp, verifiedOwners: OWNERS, markAnswered: async () => undefined };
  const result = await runDataUser(ask, small, shares.dataUser, user, (stream) => answer(stream, csp, own));
  return { put: log.map((product) => product.user), got: log.map(({ got }) => got), result };
}

/**
 * A simulated run: nobody has the CSP's shares. Products give uniform numbers, except for those that `openedBy` makes, and the numbers
 * of rows are those that the functionality gives.
 */
export async function simulatedRun(
  ask: Ask,
  small: SmallTask,
  statistics: Statistics,
  {
    draws,
    random,
    ringBits,
  }: { readonly draws: Draws; readonly random: RandomBits; readonly ringBits: number },
  openedBy: (product: number, watched: Watched) => Matrix | undefined,
): Promise<Seen> {
  const shares = sharesOf(small, statistics, draws).dataUser;
  const [put, got]: [Matrix[], Matrix[]] = [[], []];
  const products = (): UserLattice => async (plan) => ({
    async multiply(asked) {
      const from = got.length;
      for (const { product, factor } of asked) {
        put.push(factor);
        const { rows, columns, ringBits: ring } = plan.products[product]!;
        const uniform = () =>
          Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.integer(ring)));
        got.push(openedBy(product, { put, got }) ?? uniform());
      }
      return got.slice(from).map((one) => one.map((row) => [...row]));
    },
  });
  const result = await runDataUser(ask, small, shares, products, async (stream) => {
    await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    const places = placesOf(small.task).labellings[0]!.map(({ M }) => M.from);
    const declared = statistics.labellings[0]!.map(({ M }, k) =>
      BigInt.asUintN(ringBits, M - shares[places[k]!]!),
    );
    writeRing(stream, ROTATED_MESSAGE.declared, declared, ringBits);
    await stream.flush();
  });
  return { put, got, result };
}

/** The sum of two lists of shares. */
export const added = (own: readonly bigint[], theirs: readonly bigint[], ringBits: number): bigint[] =>
  own.map((share, e) => BigInt.asIntN(ringBits, share + theirs[e]!));

/** Elements of a ring as the integers nearest 0. */
export const signed = (matrix: Matrix, ringBits: number): bigint[][] =>
  matrix.map((row) => row.map((entry) => BigInt.asIntN(ringBits, entry)));

/** The value of the product that opens M, from M's upper triangle and the data user's share of the noise. */
export const lessNoise = (upper: readonly bigint[], noise: Matrix, ringBits: number): Matrix =>
  symmetricMatrix(
    noise.map(([share], e) => BigInt.asUintN(ringBits, upper[e]! - share!)),
    Math.floor(Math.sqrt(2 * upper.length)),
  );
