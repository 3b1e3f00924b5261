/** The number of rows from a declared mean: sums of rows are whole numbers, and quotients of them show their denominator. */

/**
 * The numbers of rows, up to a bound, for which each sum is a whole number.
 * @param means of numbers that are whole, such as values less the start of their grid in units of their grain
 * @param cut what such a mean is wrong by, at most
 */
export function rowsThatFit(means: readonly number[], most: number, cut: number): number[] {
  const fits = (rows: number) =>
    means.every((value) => Math.abs(rows * value - Math.round(rows * value)) <= rows * cut);
  return Array.from({ length: most }, (_, i) => i + 1).filter(fits);
}

/** T and Q without a divisor, or their least multiple of which T_ii = n_i (Q − n_i) has whole solutions. */
export function leastMultiple(T: readonly number[], Q: number, diagonal: readonly number[], most: number): { T: number[]; Q: number } {
  const divisor = [...T, Q].reduce((a, b) => greatestDivisor(Math.abs(a), Math.abs(b)), 0) || 1;
  const multiple = (factor: number) => ({ T: T.map((entry) => (entry / divisor) * factor), Q: (Q / divisor) * factor });
  for (let factor = 1; factor * Math.abs(Q / divisor) <= most; factor += 1) {
    const own = multiple(factor);
    const roots = diagonal.map((place) => Math.sqrt(own.Q ** 2 - 4 * own.T[place]!));
    if (roots.every((root) => Number.isInteger(root) && (own.Q - root) % 2 === 0)) return own;
  }
  return multiple(1);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
