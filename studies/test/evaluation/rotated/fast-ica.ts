/** Independent components by the symmetric fixed-point algorithm (Hyvärinen, "Fast and robust fixed-point algorithms for ICA", IEEE TNN 1999). */
import { symmetricEigen } from '@eigenveil/projection';
import { type Doubles, times, transposed } from '@eigenveil/two-party/insides';
import { diagonal } from './instances.ts';

const ROUNDS = 25;

/** matrix^exponent of a symmetric one. */
function power(matrix: Doubles, exponent: number): number[][] {
  const { values, vectors } = symmetricEigen(matrix);
  return times(times(transposed(vectors), diagonal(values.map((x) => x ** exponent))), vectors);
}

/** Directions of unit length, as many as columns, along which the rows look independent and not normal. */
export function independentDirections(rows: Doubles): number[][] {
  const n = rows.length;
  const mean = rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[j]! / n, 0));
  const centred = rows.map((row) => row.map((x, j) => x - mean[j]!));
  const covariance = times(transposed(centred), centred).map((row) => row.map((x) => x / n));
  const whitening = power(covariance, -0.5);
  const white = times(centred, whitening);
  let W: Doubles = diagonal(mean.map(() => 1));
  for (let round = 0; round < ROUNDS; round += 1) {
    const along = times(white, transposed(W)).map((row) => row.map(Math.tanh));
    const slopes = W.map((_, i) => along.reduce((sum, row) => sum + (1 - row[i]! ** 2) / n, 0));
    const next = times(transposed(along), white).map((row, i) =>
      row.map((x, j) => x / n - slopes[i]! * W[i]![j]!),
    );
    W = times(power(times(next, transposed(next)), -0.5), next);
  }
  return times(W, whitening).map((row) => row.map((x) => x / Math.hypot(...row)));
}
