/**
 * The result of a decomposition, and what is released of it where a task has a floor: no number has more digits than
 * the noise leaves meaningful.
 */

import { methodOf } from '@eigenveil/methods';
import { cutTo, type Program, RELEASED_BITS } from '@eigenveil/task';
import type { ReleasedHistogram } from './histograms.ts';
import type { Regression } from './ridge.ts';

export interface Decomposition {
  /**
   * One vector per component over the scaled features, its entry of largest magnitude positive. Length 1; of
   * a correlation matrix such a one with each entry over its feature's standard deviation.
   */
  readonly vectors: number[][];
  /**
   * One eigenvalue per component, descending, of the undivided scatter of features in [-1, 1], or of its
   * correlation matrix.
   */
  readonly eigenvalues: number[];
  /**
   * True for each component of which a computation of limited precision found an eigenpair; absent where
   * nothing is in doubt.
   */
  readonly converged?: boolean[];
  /** One mean per scaled feature, in [-1, 1]. */
  readonly mean?: number[];
  /** Trace of the total scatter; of a correlation matrix the number of features with variance. */
  readonly trace?: number;
  readonly sampleCount?: number;
  /** One number per scaled feature, over rows: of features that were standardised. */
  readonly variances?: number[];
  /**
   * All eigenvalues of the same matrix, descending; of MDR those of the sum of both between-class scatters.
   */
  readonly spectrum?: number[];
  /** Numbers of rows, per labelling and class. */
  readonly classCounts?: number[][];
  /** The result of a task of ridge, which has no vectors. */
  readonly regression?: Regression;
  /** The result of a histogram task, which has no vectors: the counts with both servers' noise. */
  readonly histograms?: ReleasedHistogram[];
  /** The number of rows by these counts, and the deviation of its noise. */
  readonly privateRows?: { readonly rows: number; readonly deviation: number };
}

/** The decomposition with every number cut as `ReleasedFraction` says; as it is without a floor. */
export function asReleased(
  { method, floor }: Pick<Program, 'method' | 'floor'>,
  decomposition: Decomposition,
): Decomposition {
  if (floor === undefined) return decomposition;
  const { scatter, variances: ofVariances, mean: ofMean } = floor.released;
  const { vectors, eigenvalues, mean, trace, spectrum, variances, regression } = decomposition;
  const to = (bits: number) => (value: number) => cutTo(value, bits);
  const isCorrelation = methodOf({ method }).decomposes === 'correlation';
  const ofScatter = (values: readonly number[]) =>
    isCorrelation ? cutToLargest(values) : values.map(to(scatter));
  return {
    ...decomposition,
    vectors: vectors.map(cutToLargest),
    eigenvalues: method.kind === 'pca' ? ofScatter(eigenvalues) : cutToLargest(eigenvalues),
    ...(mean && { mean: mean.map(to(ofMean)) }),
    ...(trace !== undefined && { trace: cutTo(trace, scatter) }),
    ...(spectrum && { spectrum: ofScatter(spectrum) }),
    ...(variances && { variances: variances.map(to(ofVariances)) }),
    ...(regression && {
      regression: {
        weights: cutToLargest(regression.weights),
        intercept: cutTo(regression.intercept, ofMean),
      },
    }),
  };
}

/** Cuts to 2^−RELEASED_BITS of the power of two above the largest magnitude. */
function cutToLargest(values: readonly number[]): number[] {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (largest === 0) return [...values];
  const bits = RELEASED_BITS - Math.ceil(Math.log2(largest));
  return values.map((value) => cutTo(value, bits));
}
