/** The number of rows, which quotients of whole numbers show: a declared mean, or T and Q together. */

/** A released mean, in grains from the start of the grid, so that sums of rows are whole numbers. */
interface ReleasedMean {
  readonly grains: readonly number[];
  /** The most that has been cut off. */
  readonly cut: number;
  /** Deviation of the noise on sums, in grains. */
  readonly noise: number;
}

/** The probability of each number of rows up to a bound, where all were as likely before: sums are whole numbers up to noise and what is cut off. */
export function likelyRows({ grains, cut, noise }: ReleasedMean, most: number): number[] {
  const logarithms = Array.from({ length: most }, (_, q) => {
    const deviation = Math.hypot(noise, (q + 1) * cut, LEAST_DEVIATION);
    return grains.reduce((sum, value) => sum + Math.log(wrappedNormal((q + 1) * value, deviation)), 0);
  });
  const largest = Math.max(...logarithms);
  const weights = logarithms.map((logarithm) => Math.exp(logarithm - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The least deviation of doubles. */
const LEAST_DEVIATION = 1e-6;
const FARTHEST = 5;

/** The density of a number's distance from a whole number, which is around 0 with a deviation. */
function wrappedNormal(value: number, deviation: number): number {
  let density = Number.MIN_VALUE;
  for (let turn = -FARTHEST; turn <= FARTHEST; turn += 1)
    density += Math.exp(-(((value - Math.round(value) + turn) / deviation) ** 2) / 2);
  return density / deviation;
}

/** The likeliest. Of multiples, which make whole numbers of the same mean, it is the least: more is cut off a larger sum. */
export function foundRows(mean: ReleasedMean, most: number): number {
  const likely = likelyRows(mean, most);
  return 1 + likely.indexOf(Math.max(...likely));
}

/** T and Q without a divisor, or their least multiple of which T_ii = n_i (Q − n_i) has whole solutions. */
export function leastMultiple(
  T: readonly number[],
  Q: number,
  diagonal: readonly number[],
  most: number,
): { T: number[]; Q: number } {
  const divisor = [...T, Q].reduce((a, b) => greatestDivisor(Math.abs(a), Math.abs(b)), 0) || 1;
  const multiple = (factor: number) => ({
    T: T.map((entry) => (entry / divisor) * factor),
    Q: (Q / divisor) * factor,
  });
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
