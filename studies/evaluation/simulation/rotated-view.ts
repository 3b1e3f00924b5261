/** Views of the data user in a PCA by `rotated`: real ones, and those that the simulator of docs/arguments/rotated.md makes for the same code of the data user. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  answerRotated,
  askRotated,
  drawNoise,
  drawSecrets,
  haarOrthogonal,
  inRing,
  type Matrix,
  multiplySigned,
  PCA_PRODUCTS,
  RandomBits,
  type RotatedParameters,
  type RotationSecrets,
  refineVectors,
  rotatedParameters,
  standardNormal,
  symmetricMatrix,
  traceOf,
  transpose,
  upperEntries,
  upperOf,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { added, lessNoise, realRun, type Seen, signed, simulatedRun } from './data-user-run.ts';
import type { SmallTask } from './inputs.ts';

export interface RotatedView {
  /** M, upper triangle, in units of 2^−2f. */
  readonly upper: readonly bigint[];
  /** The flooded answer, d × components, in units of 2^−2f. */
  readonly answer: Matrix;
  readonly result: FlatResult;
}

function opened({ task }: SmallTask, { got, result }: Seen): RotatedView {
  const { ringBits, vectorRingBits } = rotatedParameters(task);
  return {
    upper: added(upperOf(got[PCA_PRODUCTS.matrix]!), got[PCA_PRODUCTS.noise]!.flat(), ringBits),
    answer: signed(got[PCA_PRODUCTS.vectors]!, vectorRingBits),
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
  const seen = await realRun(askRotated, small, statistics, draws, (stream, lattice, own) =>
    answerRotated(stream, lattice, small, own, (parameters) =>
      spoil(drawSecrets(parameters, components, new RandomBits(draws.source)), parameters),
    ),
  );
  return opened(small, seen);
}

/** Fraction bits of W beyond f: its rounding must not show where the real P's does not. */
const MORE_BITS = 64;

/** The values that the ideal functionality makes of T: W, the spectrum of T with its noise in the same units as M, and the eigenvectors, which it keeps. */
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
  const { ringBits, vectorRingBits, rotationBits: f, directionBits, floodBits } = parameters;
  const random = new RandomBits(draws.source);
  const { bits, U, W, matrix } = turnedScatter(wholeScatter(statistics), parameters, random);
  const vectorsOf = (asked: Matrix): Matrix => {
    const turned = multiplySigned(multiplySigned(U, transpose(W)), signed(asked, vectorRingBits));
    const shift = BigInt(2 * bits + directionBits - 2 * f);
    return inRing(
      turned.map((row) => row.map((entry) => (entry >> shift) + standardNormal(random, floodBits))),
      vectorRingBits,
    );
  };
  const setting = { draws, random, ringBits };
  const seen = await simulatedRun(askRotated, small, statistics, setting, (product, { put, got }) => {
    if (product === PCA_PRODUCTS.matrix) return lessNoise(matrix, got[PCA_PRODUCTS.noise]!, ringBits);
    return product === PCA_PRODUCTS.vectors ? vectorsOf(put[product]!) : undefined;
  });
  return opened(small, seen);
}
