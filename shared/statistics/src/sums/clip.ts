/** Scales rows of integers down to a length, exactly: what a guarantee about rows of that length rests on. */

/** The squared length of a row. Exact below 2^53, which 2^13 cells of 2^20 reach. */
export function squaredLength(row: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < row.length; i += 1) sum += row[i]! * row[i]!;
  return sum;
}

/**
 * Scales a row down in place, unless its squared length is at most the bound: to one of nearly its direction that is, rounded towards zero.
 * Returns whether it did. Bounds must be below 2^50, as they are for a thousand features of 20 fraction bits.
 *
 * Doubles do no harm: a scaled cell is too large by a factor of at most 1 + 3.1·2^-53 before it is rounded, so the squared length ends up at most
 * at bound · (1 + 6.3·2^-53) < bound + 1, and it is an integer. The accumulator looks again.
 */
export function clipRow(row: number[] | Float64Array, squaredBound: number): boolean {
  const length = squaredLength(row);
  if (length <= squaredBound) return false;
  const factor = Math.sqrt(squaredBound / length);
  for (let i = 0; i < row.length; i += 1) row[i] = Math.trunc(row[i]! * factor) + 0;
  return true;
}
