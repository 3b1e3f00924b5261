/** Scales rows of integers down to a length, exactly: what a guarantee about rows of that length rests on. */

/** The squared length of a row. Exact below 2^53, which 2^13 cells of 2^20 reach. */
export function squaredLength(row: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < row.length; i += 1) sum += row[i]! * row[i]!;
  return sum;
}

/**
 * The row if its squared length is at most the bound, else one of nearly its direction that is: scaled down and rounded towards zero. A double
 * may be rounded up to the next integer on the way, so the length is checked in integers and the largest cell made smaller until it holds.
 */
export function clipRow(row: readonly number[], squaredBound: number): readonly number[] {
  const length = squaredLength(row);
  if (length <= squaredBound) return row;
  const factor = Math.sqrt(squaredBound / length);
  const clipped = row.map((cell) => Math.trunc(cell * factor) + 0);
  while (squaredLength(clipped) > squaredBound) {
    const largest = clipped.reduce(
      (best, cell, i) => (Math.abs(cell) > Math.abs(clipped[best]!) ? i : best),
      0,
    );
    clipped[largest]! -= Math.sign(clipped[largest]!);
  }
  return clipped;
}
