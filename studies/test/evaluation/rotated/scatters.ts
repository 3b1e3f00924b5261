/** Scatter matrices of rows, and how far a guess is. */
import {
  type Matrix,
  type RotatedParameters,
  rotatedParameters,
  settingOf,
  symmetricMatrix,
} from '@eigenveil/two-party/insides';

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

export const relativeError = (guess: readonly (readonly number[])[], T: Matrix) =>
  Math.hypot(...guess.flatMap((row, i) => row.map((x, j) => x - Number(T[i]![j]!)))) /
  Math.hypot(...T.flat().map(Number));
