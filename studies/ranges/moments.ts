/**
 * The expected mean of R squared errors, and its exact standard error, for answers that are linear in the coefficients' noise.
 *
 * Let x be noise, its entries independent with variance κ₂ and fourth cumulant κ₄, and M symmetric. Then E xᵀMx = κ₂ tr M and
 * Var xᵀMx = 2 κ₂² tr M² + κ₄ Σ M_cc². The squared error of one answer wᵀx has M = wwᵀ: κ₂ V and 2 κ₂² V² + κ₄ Σ w_c⁴ with V = Σ w_c². The mean over all
 * intervals of squared errors has M = BᵀWB, W the mean of 1_I 1_Iᵀ: with the prefix sums S of a vector of bins (S_0 = 0),
 * Σ_I (S_to − S_from)² = (N + 1) Σ S² − (Σ S)². tr M² = tr (WΣ)² with Σ = BBᵀ, and M_cc is the mean over intervals of column c of B.
 *
 * B is taken from `restore`, a unit vector at a time, which shares nothing with the closed forms that are compared.
 */
import {
  coefficientCount,
  commonHeight,
  covarianceByHeight,
  restore,
  type Strategy,
  toNumber,
} from '@eigenveil/release';

/** Column c of B: what a unit of noise on coefficient c adds to each bin. */
export function columnsOf(strategy: Strategy): number[][] {
  const count = coefficientCount(strategy);
  return Array.from({ length: count }, (_, c) => {
    const unit = new Array<number>(count).fill(0);
    unit[c] = 1;
    return restore(strategy, unit);
  });
}

/** Σ over all intervals of a vector's squared sums, over their number. */
export function meanSquareOverIntervals(bins: readonly number[]): number {
  const n = bins.length;
  let [prefix, sum, squares] = [0, 0, 0];
  for (const value of bins) {
    prefix += value;
    sum += prefix;
    squares += prefix * prefix;
  }
  return (2 * ((n + 1) * squares - sum * sum)) / (n * (n + 1));
}

/** The moments in units of κ₂ and of κ₂² and κ₄. */
interface QuadraticForm {
  /** tr M. */
  readonly trace: number;
  /** tr M². */
  readonly square: number;
  /** Σ M_cc². */
  readonly diagonal: number;
}

/** The form of the squared error of the sum over an interval. */
export function formOfInterval(
  columns: readonly (readonly number[])[],
  { from, to }: { readonly from: number; readonly to: number },
): QuadraticForm {
  let [trace, diagonal] = [0, 0];
  for (const column of columns) {
    let weight = 0;
    for (let i = from; i < to; i += 1) weight += column[i]!;
    trace += weight ** 2;
    diagonal += weight ** 4;
  }
  return { trace, square: trace ** 2, diagonal };
}

/** The form of the mean over all intervals of squared errors. */
export function formOfAverage(strategy: Strategy, columns: readonly (readonly number[])[]): QuadraticForm {
  const own = columns.map(meanSquareOverIntervals);
  const { bins } = strategy;
  const phi = covarianceByHeight(strategy).map(toNumber);
  const product = Array.from({ length: bins }, (_, i) =>
    weighed(Float64Array.from({ length: bins }, (_unused, j) => phi[commonHeight(strategy, i, j)]!)),
  );
  let square = 0;
  for (let i = 0; i < bins; i += 1) {
    for (let j = 0; j < bins; j += 1) square += product[i]![j]! * product[j]![i]!;
  }
  return {
    trace: own.reduce((sum, value) => sum + value, 0),
    square,
    diagonal: own.reduce((sum, value) => sum + value ** 2, 0),
  };
}

/** W x. */
function weighed(x: Float64Array): Float64Array {
  const n = x.length;
  const prefixes = new Float64Array(n);
  let [prefix, sum] = [0, 0];
  x.forEach((value, i) => {
    prefix += value;
    prefixes[i] = prefix;
    sum += prefix;
  });
  const result = new Float64Array(n);
  let behind = 0;
  for (let i = n - 1; i >= 0; i -= 1) {
    behind += (n + 1) * prefixes[i]! - sum;
    result[i] = (2 * behind) / (n * (n + 1));
  }
  return result;
}

/** The mean of this number of repetitions: its expected value, and its standard error. */
export function expectedMean(
  { trace, square, diagonal }: QuadraticForm,
  { variance, fourthCumulant }: { readonly variance: number; readonly fourthCumulant: number },
  repetitions: number,
): { readonly mean: number; readonly error: number } {
  const spread = 2 * variance ** 2 * square + fourthCumulant * diagonal;
  return { mean: variance * trace, error: Math.sqrt(spread / repetitions) };
}
