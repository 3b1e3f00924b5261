/** Views of the data user in a PCA by `rotated`: real ones, and those that the simulator of docs/rotated.md makes for the same code of the data user. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import {
  answerRotated,
  askRotated,
  drawNoise,
  drawSecrets,
  haarOrthogonal,
  type Matrix,
  matrixShareOfUser,
  multiplySigned,
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
  upperEntries,
} from '@eigenveil/two-party/insides';
import type { Draws } from '../draws.ts';
import { wholeScatter } from '../whole-scatter.ts';
import { added, inRows, realRun, type Seen, simulatedRun } from './data-user-run.ts';
import type { SmallTask } from './inputs.ts';

export interface RotatedView {
  /** M, upper triangle, in units of 2^−2f. */
  readonly upper: readonly bigint[];
  /** The flooded answer, d × components, in units of 2^−2f. */
  readonly answer: Matrix;
  readonly result: FlatResult;
}

function opened({ task }: SmallTask, seen: Seen): RotatedView {
  const { ringBits, vectorRingBits, features: d } = rotatedParameters(task);
  const [first, second] = seen.shares;
  const vectors = seen.message(ROTATED_MESSAGE.vectors, vectorRingBits);
  return {
    upper: added(
      matrixShareOfUser(first!.slice(2)),
      seen.message(ROTATED_MESSAGE.matrix, ringBits),
      ringBits,
    ),
    answer: inRows(added(second![0]!.flat(), vectors, vectorRingBits), vectors.length / d),
    result: seen.result,
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
  const seen = await realRun(askRotated, small, statistics, draws, (stream, setUp, csp) =>
    answerRotated(stream, setUp, small, csp, (parameters) =>
      spoil(drawSecrets(parameters, components, new RandomBits(draws.source)), parameters),
    ),
  );
  return opened(small, seen);
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

/** A CSP without shares: it has what the functionality gives, and sends that less the data user's shares. */
export async function simulatedRotated(
  small: SmallTask,
  statistics: Statistics,
  draws: Draws,
): Promise<RotatedView> {
  const parameters = rotatedParameters(small.task);
  const { ringBits, vectorRingBits, rotationBits: f, directionBits, floodBits } = parameters;
  const random = new RandomBits(draws.source);
  const { bits, U, W, matrix } = turnedScatter(wholeScatter(statistics), parameters, random);
  const Q = statistics.labellings[0]!.reduce((sum, { M }) => sum + M, 0n);
  const seen = await simulatedRun(askRotated, small, statistics, { draws, random }, async (playing) => {
    const { stream, own, shares, asked, send, exchanged } = playing;
    await readRing(stream, ROTATED_MESSAGE.owners, 1, ringBits);
    await send(ROTATED_MESSAGE.declared, [Q], [own.at(-2)!], ringBits); // before the number of owners
    await exchanged(1);
    await send(ROTATED_MESSAGE.matrix, matrix, matrixShareOfUser(shares[0]!.slice(2)), ringBits);
    await exchanged(2);
    const directions = asked[1]![0]!.map((row) => row.map((entry) => BigInt.asIntN(vectorRingBits, entry)));
    const turned = multiplySigned(multiplySigned(U, transpose(W)), directions).flat();
    const shift = BigInt(2 * bits + directionBits - 2 * f);
    const answer = turned.map((entry) => (entry >> shift) + standardNormal(random, floodBits));
    await send(ROTATED_MESSAGE.vectors, answer, shares[1]![0]!.flat(), vectorRingBits);
  });
  return opened(small, seen);
}
