/** Scatter matrices of rows, what the data user opens of them, and how far a guess is. */
import { type Matrix, symmetricMatrix } from '../../src/rotated/matrices.ts';
import { type RotatedParameters, rotatedParameters } from '../../src/rotated/parameters.ts';
import type { RotationSecrets } from '../../src/rotated/secrets.ts';
import { settingOf } from './settings.ts';
import { view } from './views.ts';

/** T of a task over these rows. */
export function scatterOf(rows: readonly (readonly number[])[]): {
  T: Matrix;
  parameters: RotatedParameters;
} {
  const { statistics, task } = settingOf({ rows, components: 1 });
  const { V, M } = statistics.labellings[0]![0]!;
  const R = symmetricMatrix(statistics.R, V.length);
  return {
    T: R.map((row, i) => row.map((entry, j) => M * entry - V[i]! * V[j]!)),
    parameters: rotatedParameters(task),
  };
}

export const doubles = (matrix: Matrix, scale: number) =>
  matrix.map((row) => row.map((entry) => Number(entry) / scale));

/** The data user's M in units of T, without the mean of the mask. */
export function opened(T: Matrix, secrets: RotationSecrets, { rotationBits, maskBits }: RotatedParameters) {
  const upper = view(T, secrets).map((entry) => entry - (1n << BigInt(maskBits - 1)));
  return doubles(symmetricMatrix(upper, T.length), 2 ** (2 * rotationBits));
}

export const relativeError = (guess: readonly (readonly number[])[], T: Matrix) =>
  Math.hypot(...guess.flatMap((row, i) => row.map((x, j) => x - Number(T[i]![j]!)))) /
  Math.hypot(...T.flat().map(Number));
