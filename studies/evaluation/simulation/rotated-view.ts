/** Views of the data user in a PCA by `rotated`: real ones, and those that the simulator of docs/rotated.md makes for the same code of the data user. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  answerRotated,
  askRotated,
  dealtLattice,
  drawNoise,
  drawSecrets,
  haarOrthogonal,
  type Matrix,
  MessageStream,
  memoryChannelPair,
  multiplySigned,
  PCA_PRODUCTS,
  RandomBits,
  ROTATED_MESSAGE,
  type RotatedParameters,
  type RotationSecrets,
  readRing,
  refineVectors,
  rotatedParameters,
  standardNormal,
  symmetricMatrix,
  traceOf,
  transpose,
  type UserLattice,
  upperEntries,
  upperOf,
  writeRing,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { AT_ONCE, added } from './data-user-run.ts';
import { OWNERS, type SmallTask, sharesOf } from './inputs.ts';

export interface RotatedView {
  /** M, upper triangle, in units of 2^−2f. */
  readonly upper: readonly bigint[];
  /** The flooded answer, d × components, in units of 2^−2f. */
  readonly answer: Matrix;
  readonly result: FlatResult;
}

/** Runs the data user with these products, and whoever plays the CSP. */
async function runDataUser(
  { task, program }: SmallTask,
  shares: readonly bigint[],
  products: () => UserLattice,
  csp: (stream: MessageStream) => Promise<unknown>,
): Promise<FlatResult> {
  const [left, right] = memoryChannelPair().map((channel) => new MessageStream(channel));
  const [result] = await Promise.all([
    askRotated(right!, products, { task, program }, { shares, pace: AT_ONCE }),
    csp(left!),
  ]);
  return result;
}

/** `got` is what the data user got of each product. */
function opened({ task }: SmallTask, got: readonly Matrix[], result: FlatResult): RotatedView {
  const { ringBits, vectorRingBits } = rotatedParameters(task);
  return {
    upper: added(upperOf(got[PCA_PRODUCTS.matrix]!), got[PCA_PRODUCTS.noise]!.flat(), ringBits),
    answer: got[PCA_PRODUCTS.vectors]!.map((row) => row.map((entry) => BigInt.asIntN(vectorRingBits, entry))),
    result,
  };
}

/** `spoil` changes what the CSP has drawn. */
export async function realRotated(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
  spoil: (secrets: RotationSecrets, parameters: RotatedParameters) => RotationSecrets,
): Promise<RotatedView> {
  const { components } = small.program;
  const shares = sharesOf(small, statistics, draws);
  const { csp, user, log } = dealtLattice(draws.source);
  const own = { shares: shares.csp, verifiedOwners: OWNERS, markAnswered: async () => undefined };
  const result = await runDataUser(small, shares.dataUser, user, (stream) =>
    answerRotated(stream, csp, small, own, (parameters) =>
      spoil(drawSecrets(parameters, components, new RandomBits(draws.source)), parameters),
    ),
  );
  return opened(
    small,
    log.map(({ got }) => got),
    result,
  );
}

/** Fraction bits of W beyond f: its rounding must not show where the real P's does not. */
const MORE_BITS = 64;

/** What the ideal functionality makes of T: W, the spectrum of T with its noise in the same units as M, and the eigenvectors, which it keeps. */
interface Turned {
  /** Fraction bits of W and U. */
  readonly bits: number;
  readonly W: Matrix;
  readonly U: Matrix;
  /** M, upper triangle, as the simulator makes it of W and the spectrum alone. */
  readonly matrix: readonly bigint[];
}

export function turnedScatter(
  T: Matrix,
  {
    features: d,
    rotationBits: f,
    noiseBits,
    maskBits,
  }: Pick<RotatedParameters, 'features' | 'rotationBits' | 'noiseBits' | 'maskBits'>,
  random: RandomBits,
): Turned {
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
  const matrix = upperEntries(d, (i, j) => {
    const exact = W[i]!.reduce((sum, w, l) => sum + w * spectrum[l]! * W[j]![l]!, 0n);
    return (exact >> BigInt(2 * bits)) + random.integer(maskBits);
  });
  return { bits, W, U, matrix };
}

/** A CSP without shares: products give uniform numbers, and what it opens is what the functionality gives. */
export async function simulatedRotated(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
): Promise<RotatedView> {
  const parameters = rotatedParameters(small.task);
  const { features: d, ringBits, vectorRingBits, rotationBits: f, directionBits, floodBits } = parameters;
  const random = new RandomBits(draws.source);
  const { bits, U, W, matrix } = turnedScatter(wholeScatter(statistics), parameters, random);
  const Q = statistics.labellings[0]!.reduce((sum, { M }) => sum + M, 0n);
  const shares = sharesOf(small, statistics, draws).dataUser;
  const got: Matrix[] = [];
  const vectorsOf = (asked: Matrix): Matrix => {
    const directions = asked.map((row) => row.map((entry) => BigInt.asIntN(vectorRingBits, entry)));
    const turned = multiplySigned(multiplySigned(U, transpose(W)), directions);
    const shift = BigInt(2 * bits + directionBits - 2 * f);
    return turned.map((row) =>
      row.map((entry) =>
        BigInt.asUintN(vectorRingBits, (entry >> shift) + standardNormal(random, floodBits)),
      ),
    );
  };
  /** M, less the data user's share of the noise. */
  const matrixOf = (): Matrix => {
    const noise = got[PCA_PRODUCTS.noise]!.flat();
    return symmetricMatrix(
      matrix.map((entry, e) => BigInt.asUintN(ringBits, entry - noise[e]!)),
      d,
    );
  };
  const products = (): UserLattice => async (plan) => ({
    async multiply(asked) {
      const made = asked.map(({ product, factor }) => {
        const { rows, columns, ringBits: ring } = plan.products[product]!;
        if (product === PCA_PRODUCTS.matrix) return matrixOf();
        if (product === PCA_PRODUCTS.vectors) return vectorsOf(factor);
        return Array.from({ length: rows }, () =>
          Array.from({ length: columns }, () => random.integer(ring)),
        );
      });
      got.push(...made);
      return made.map((one) => one.map((row) => [...row]));
    },
  });
  const result = await runDataUser(small, shares, products, async (stream) => {
    await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    const own = shares.at(-2)!; // before the number of owners
    writeRing(stream, ROTATED_MESSAGE.declared, [BigInt.asUintN(ringBits, Q - own)], ringBits);
    await stream.flush();
  });
  return opened(small, got, result);
}
