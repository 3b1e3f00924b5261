/** The data user of `rotated` in one process with whoever plays the CSP, and all that it sees. Its code is the real one. */
import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { type Channel, systemClock } from '@eigenveil/two-party';
import {
  type answerPencil,
  type askPencil,
  type Correlator,
  clearProducts,
  decodeShares,
  type Matrix,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  type RandomBits,
  recorded,
  writeRing,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { OWNERS, type SmallTask, sharesOf } from './inputs.ts';

/** Its next byte need not wait: no time is looked at here. */
export const AT_ONCE = { milliseconds: 0, clock: systemClock };

/** What the data user gets of products and puts into them, call by call. */
interface Watched {
  readonly shares: readonly (readonly Matrix[])[];
  readonly asked: readonly (readonly Matrix[])[];
}

function watching(correlator: Correlator): Watched & { readonly correlator: Correlator } {
  const shares: Matrix[][] = [];
  const asked: Matrix[][] = [];
  return {
    shares,
    asked,
    correlator: {
      async multiply(products) {
        const matrices: Matrix[] = [];
        asked.push(matrices);
        const got = await correlator.multiply(
          products.map((product) => {
            const { matrix } = product;
            if (!('from' in matrix)) {
              matrices.push(matrix);
              return product;
            }
            const from = (earlier: readonly Matrix[]) => {
              const made = matrix.from(earlier);
              matrices.push(made);
              return made;
            };
            return { ...product, matrix: { ...matrix, from } };
          }),
        );
        shares.push(got);
        return got;
      },
    },
  };
}

/** A correlator whose shares are uniform, with nobody at the other end: what products are to the data user. */
function uniformProducts(random: RandomBits): Correlator {
  return {
    async multiply(products) {
      const shares: bigint[][][] = [];
      for (const { matrix: given, rows, ringBits, part } of products) {
        const matrix = 'from' in given ? given.from(shares) : given;
        shares.push(
          Array.from({ length: rows }, (_, i) =>
            matrix[0]!.map((__, j) => (part === 'upper' && j < i ? 0n : random.integer(ringBits))),
          ),
        );
      }
      return shares;
    },
  };
}

export interface Seen extends Watched {
  readonly result: FlatResult;
  /** The elements of the first message of a type from the CSP. */
  message(type: number, ringBits: number): bigint[];
}

/** Runs the data user, and whoever plays the CSP. */
async function runDataUser(
  ask: typeof askPencil,
  { task, program }: SmallTask,
  { shares, correlator }: { readonly shares: readonly bigint[]; readonly correlator: Correlator },
  csp: (stream: MessageStream, watched: Watched) => Promise<unknown>,
): Promise<Seen> {
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const line: Channel = recorded(left, frames, (frame) => frame);
  const watched = watching(correlator);
  const [result] = await Promise.all([
    ask(
      new MessageStream(right),
      async () => watched.correlator,
      { task, program },
      { shares, pace: AT_ONCE },
    ),
    csp(new MessageStream(line), watched),
  ]);
  const messages = messagesOf(frames);
  return {
    result,
    shares: watched.shares,
    asked: watched.asked,
    message(type, bits) {
      const { payload } = messages.find((it) => it.type === type)!;
      return [...decodeShares({ length: payload.length / Math.ceil(bits / 8), bits }, payload)];
    },
  };
}

type Ask = typeof askPencil;
type AtCsp = Parameters<typeof answerPencil>;

/** A real run: `answer` is the CSP's code, given who chooses and what the CSP has. Products are dealt. */
export function realRun(
  ask: Ask,
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  answer: (stream: MessageStream, setUp: AtCsp[1], own: AtCsp[3]) => Promise<unknown>,
): Promise<Seen> {
  const shares = sharesOf(small, statistics, draws);
  const { chooser, correlator } = clearProducts(draws.source);
  const csp = { shares: shares.csp, verifiedOwners: OWNERS, markAnswered: async () => undefined };
  return runDataUser(ask, small, { shares: shares.dataUser, correlator }, (stream) =>
    answer(stream, async () => chooser, csp),
  );
}

/** What somebody in the place of the CSP has who has no shares: the line, and what the data user puts into products. */
interface Playing extends Watched {
  readonly stream: MessageStream;
  /** The data user's shares, its random tape: minus its blinding. */
  readonly own: readonly bigint[];
  /** Sends what makes up these values with the data user's share of them. */
  send(type: number, values: readonly bigint[], theirs: readonly bigint[], ringBits: number): Promise<void>;
  /** Waits until the data user has its shares of so many exchanges. */
  exchanged(count: number): Promise<void>;
}

/** A simulated run: \`play\` stands in the place of the CSP, and products are uniform. */
export function simulatedRun(
  ask: Ask,
  small: SmallTask,
  statistics: Statistics,
  { draws, random }: { readonly draws: Draws; readonly random: RandomBits },
  play: (playing: Playing) => Promise<void>,
): Promise<Seen> {
  const own = sharesOf(small, statistics, draws).dataUser;
  const dataUser = { shares: own, correlator: uniformProducts(random) };
  return runDataUser(ask, small, dataUser, (stream, watched) =>
    play({
      ...watched,
      ...{ stream, own },
      async send(type, values, theirs, ringBits) {
        const less = values.map((value, e) => BigInt.asUintN(ringBits, value - theirs[e]!));
        writeRing(stream, type, less, ringBits);
        await stream.flush();
      },
      // The data user computes in turns of the same event loop.
      async exchanged(count) {
        while (watched.shares.length !== count) await new Promise<void>((resolve) => setImmediate(resolve));
      },
    }),
  );
}

/** What two lists of shares add up to. */
export const added = (own: readonly bigint[], theirs: readonly bigint[], ringBits: number): bigint[] =>
  own.map((share, e) => BigInt.asIntN(ringBits, share + theirs[e]!));

/** As many in a row as there are columns. */
export const inRows = (entries: readonly bigint[], columns: number): bigint[][] =>
  Array.from({ length: entries.length / columns }, (_, i) => entries.slice(i * columns, (i + 1) * columns));
