/** What comes out of a decomposition. */

export interface Decomposition {
  /** One vector per component over the scaled features: length 1, its entry of largest magnitude positive. */
  readonly vectors: number[][];
  /** Per component, descending, of the undivided scatter of features in [-1, 1]. */
  readonly eigenvalues: number[];
  /** Per component whether a computation of limited precision found an eigenpair; absent where nothing is in doubt. */
  readonly converged?: boolean[];
  /** Per scaled feature, in [-1, 1]. */
  readonly mean?: number[];
  /** Trace of the total scatter. */
  readonly trace?: number;
  readonly sampleCount?: number;
  /** All eigenvalues of the total scatter, descending. */
  readonly spectrum?: number[];
}
