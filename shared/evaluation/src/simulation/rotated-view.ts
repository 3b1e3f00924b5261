/** Views of the data user in a PCA by `rotated`: real ones, and those that the simulator of docs/rotated.md makes for the same code of the data user. */
import { type Decomposition, symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  askRotated,
  type Channel,
  MessageStream,
  memoryChannelPair,
  ROTATED_MESSAGE,
  systemClock,
} from '@eigenveil/two-party';
import {
  answerRotated,
  type Correlator,
  clearProducts,
  decodeShares,
  drawNoise,
  drawSecrets,
  haarOrthogonal,
  type Matrix,
  type Message,
  matrixShareOfUser,
  messagesOf,
  multiplySigned,
  RandomBits,
  type RotatedParameters,
  type RotationSecrets,
  readRing,
  recorded,
  refineVectors,
  rotatedParameters,
  standardNormal,
  symmetricMatrix,
  traceOf,
  transpose,
  upperEntries,
  writeRing,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { OWNERS, type SmallTask, sharesOf } from './inputs.ts';

export interface RotatedView {
  /** M, upper triangle, in units of 2^−2f. */
  readonly upper: readonly bigint[];
  /** The flooded answer, d × components, in units of 2^−2f. */
  readonly answer: Matrix;
  readonly result: Decomposition;
}

/** Its next byte need not wait: no time is looked at here. */
export const AT_ONCE = { milliseconds: 0, clock: systemClock };

/** T = Q R − V Vᵀ: what the ideal functionality has. */
export function scatterOf({ R, labellings }: Statistics): bigint[][] {
  const { V, M } = labellings[0]!.reduce((a, b) => ({ V: a.V.map((v, i) => v + b.V[i]!), M: a.M + b.M }));
  return symmetricMatrix(R, V.length).map((row, i) => row.map((entry, j) => M * entry - V[i]! * V[j]!));
}

/** Everything that an end gets of products, in order. */
export function watching(correlator: Correlator): {
  correlator: Correlator;
  shares: Matrix[][];
  asked: Matrix[][];
} {
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

/** Runs the data user against whoever plays the CSP, and keeps what came. */
export async function viewed(
  { task, program }: SmallTask,
  dataUser: { readonly shares: readonly bigint[]; readonly correlator: Correlator },
  csp: (stream: MessageStream, watched: ReturnType<typeof watching>) => Promise<unknown>,
): Promise<RotatedView> {
  const { ringBits, vectorRingBits, features: d } = rotatedParameters(task);
  const [left, right] = memoryChannelPair();
  const frames: Uint8Array[] = [];
  const line: Channel = recorded(left, frames, (frame) => frame);
  const watched = watching(dataUser.correlator);
  const input = { shares: dataUser.shares, pace: AT_ONCE };
  const [result] = await Promise.all([
    askRotated(new MessageStream(right), async () => watched.correlator, { task, program }, input),
    csp(new MessageStream(line), watched),
  ]);
  const messages = messagesOf(frames);
  const message = (type: number, bits: number) => elementsOf(messages.find((it) => it.type === type)!, bits);
  const [first, second] = watched.shares;
  const theirs = message(ROTATED_MESSAGE.matrix, ringBits);
  const vectors = message(ROTATED_MESSAGE.vectors, vectorRingBits);
  const k = vectors.length / d;
  return {
    upper: matrixShareOfUser(first!.slice(2)).map((share, e) => BigInt.asIntN(ringBits, share + theirs[e]!)),
    answer: second![0]!.map((row, i) =>
      row.map((share, j) => BigInt.asIntN(vectorRingBits, share + vectors[i * k + j]!)),
    ),
    result,
  };
}

/** Elements of a ring, as writeRing() has written them. */
export function elementsOf({ payload }: Message, bits: number): bigint[] {
  return decodeShares(new Array<number>(payload.length / Math.ceil(bits / 8)).fill(bits), payload);
}

/** `spoil` changes what the CSP has drawn. */
export function realRotated(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  spoil: (secrets: RotationSecrets, parameters: RotatedParameters) => RotationSecrets = (secrets) => secrets,
): Promise<RotatedView> {
  const { task, program } = small;
  const shares = sharesOf(small, statistics, draws);
  const { chooser, correlator } = clearProducts(draws.source);
  const csp = { shares: shares.csp, verifiedOwners: OWNERS, markAnswered: async () => undefined };
  return viewed(small, { shares: shares.dataUser, correlator }, (stream) =>
    answerRotated(
      stream,
      async () => chooser,
      { task, program },
      csp,
      (parameters) =>
        spoil(drawSecrets(parameters, program.components, new RandomBits(draws.source)), parameters),
    ),
  );
}

/** Fraction bits of W beyond f: its rounding must not show where the real P's does not. */
const MORE_BITS = 64;

/** The ideal functionality: Q, the spectrum D′ of T with its noise, W, and one answer to directions. */
function ideal(statistics: Statistics, parameters: RotatedParameters, random: RandomBits) {
  const { features: d, rotationBits: f, noiseBits, floodBits, directionBits } = parameters;
  const T = scatterOf(statistics);
  const trace = traceOf(T);
  const noise = symmetricMatrix(drawNoise(d, noiseBits, random), d);
  const noisy = T.map((row, i) => row.map((entry, j) => (entry << BigInt(2 * f)) + noise[i]![j]! * trace));
  const pairs = symmetricEigen(noisy.map((row) => row.map(Number)));
  const bits = f + MORE_BITS;
  const U = refineVectors(noisy, pairs, d, bits);
  const spectrum = transpose(U).map((u) => {
    const [[quotient]] = multiplySigned([u], multiplySigned(noisy, transpose([u]))) as [[bigint]];
    return quotient >> BigInt(2 * bits);
  });
  const W = haarOrthogonal(d, bits, random);
  return {
    bits,
    Q: statistics.labellings[0]!.reduce((sum, { M }) => sum + M, 0n),
    spectrum,
    W,
    answer: (directions: Matrix) => {
      const turned = multiplySigned(multiplySigned(U, transpose(W)), directions);
      const shift = BigInt(2 * bits + directionBits - 2 * f);
      return turned.map((row) => row.map((entry) => (entry >> shift) + standardNormal(random, floodBits)));
    },
  };
}

/** A CSP without shares: it has what the functionality gives, and sends that less the data user's shares. */
export function simulatedRotated(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
): Promise<RotatedView> {
  const parameters = rotatedParameters(small.task);
  const { ringBits, vectorRingBits, maskBits, features: d } = parameters;
  const random = new RandomBits(draws.source);
  const given = ideal(statistics, parameters, random);
  const own = sharesOf(small, statistics, draws).dataUser; // its random tape: minus its blinding
  const correlator = uniformProducts(random);
  return viewed(small, { shares: own, correlator }, async (stream, { shares, asked }) => {
    await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    const ownQ = own[own.length - 2]!; // before the number of owners
    writeRing(stream, ROTATED_MESSAGE.declared, [BigInt.asUintN(ringBits, given.Q - ownQ)], ringBits);
    await stream.flush();
    await until(() => shares.length === 1);
    const { W, spectrum, bits } = given;
    const matrix = upperEntries(d, (i, j) => {
      const exact = W[i]!.reduce((sum, w, l) => sum + w * spectrum[l]! * W[j]![l]!, 0n);
      return (exact >> BigInt(2 * bits)) + random.integer(maskBits);
    });
    const minus = (values: readonly bigint[], theirs: readonly bigint[], ring: number) =>
      values.map((value, e) => BigInt.asUintN(ring, value - theirs[e]!));
    const first = minus(matrix, matrixShareOfUser(shares[0]!.slice(2)), ringBits);
    writeRing(stream, ROTATED_MESSAGE.matrix, first, ringBits);
    await stream.flush();
    await until(() => shares.length === 2);
    const directions = asked[1]![0]!.map((row) => row.map((entry) => BigInt.asIntN(vectorRingBits, entry)));
    const answer = given.answer(directions).flat();
    writeRing(
      stream,
      ROTATED_MESSAGE.vectors,
      minus(answer, shares[1]![0]!.flat(), vectorRingBits),
      vectorRingBits,
    );
    await stream.flush();
  });
}

/** The data user computes in turns of the same event loop. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve));
}
