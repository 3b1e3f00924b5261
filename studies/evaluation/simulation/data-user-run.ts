/** The data user of `rotated` in one process with whoever plays the CSP, and all that it sees. Its code is the real one. */
import type { FlatResult } from '@eigenveil/methods';
import { type Channel, systemClock } from '@eigenveil/two-party';
import {
  type askRotated,
  type Correlator,
  decodeShares,
  type Matrix,
  MessageStream,
  memoryChannelPair,
  messagesOf,
  type RandomBits,
  recorded,
  writeRing,
} from '@eigenveil/two-party/insides';
import type { SmallTask } from './inputs.ts';

/** Its next byte need not wait: no time is looked at here. */
export const AT_ONCE = { milliseconds: 0, clock: systemClock };

/** What the data user gets of products and puts into them, call by call. */
export interface Watched {
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
export function uniformProducts(random: RandomBits): Correlator {
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

/** Runs the data user, and whoever plays the CSP, which may look at what the data user puts into products. */
export async function runDataUser(
  ask: typeof askRotated,
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

/** What two lists of shares add up to. */
export const added = (own: readonly bigint[], theirs: readonly bigint[], ringBits: number): bigint[] =>
  own.map((share, e) => BigInt.asIntN(ringBits, share + theirs[e]!));

/** Sends what makes up these values with the data user's share of them. */
export function sender(stream: MessageStream) {
  return async (type: number, values: readonly bigint[], theirs: readonly bigint[], ringBits: number) => {
    const less = values.map((value, e) => BigInt.asUintN(ringBits, value - theirs[e]!));
    writeRing(stream, type, less, ringBits);
    await stream.flush();
  };
}

/** As many in a row as there are columns. */
export const inRows = (entries: readonly bigint[], columns: number): bigint[][] =>
  Array.from({ length: entries.length / columns }, (_, i) => entries.slice(i * columns, (i + 1) * columns));

/** The data user computes in turns of the same event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
}
