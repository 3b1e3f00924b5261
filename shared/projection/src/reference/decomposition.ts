/** The result of a decomposition. */
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
