/** Scales rows of integers down to a length, exactly: what a guarantee about rows of that length rests on. */

/** The squared length of a row. Exact below 2^53, which 2^13 cells of 2^20 reach. */
export function squaredLength(row: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < row.length; i += 1) sum += row[i]! * row[i]!;
  return sum;
}

/**
 * The row if its squared length is at most the bound, else one of nearly its direction that is: scaled down and rounded towards zero. Bounds must be
 * below 2^50, as they are for a thousand features of 20 fraction bits.
 *
 * Doubles do no harm: a scaled cell is too large by a factor of at most 1 + 3.1·2^-53 before it is rounded, so the squared length ends up at most
 * at bound · (1 + 6.3·2^-53) < bound + 1, and it is an integer. The accumulator looks again.
 */
export function clipRow(row: readonly number[], squaredBound: number): readonly number[] {
  const length = squaredLength(row);
  if (length <= squaredBound) return row;
  const factor = Math.sqrt(squaredBound / length);
  return row.map((cell) => Math.trunc(cell * factor) + 0);
}
