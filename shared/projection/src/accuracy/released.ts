/**
 * Cuts a decomposition to what is released where a task has a floor: no number has more digits than the noise
 * leaves meaningful.
 */
import { cutTo, isStandardised, type Program, RELEASED_BITS } from '@eigenveil/task';
import type { Decomposition } from '../reference/decomposition.ts';

/** The decomposition with every number cut as `ReleasedFraction` says; as it is without a floor. */
export function asReleased(
  { method, floor }: Pick<Program, 'method' | 'floor'>,
  decomposition: Decomposition,
): Decomposition {
  if (floor === undefined) return decomposition;
  const { scatter, variances: ofVariances, mean: ofMean } = floor.released;
  const { vectors, eigenvalues, mean, trace, spectrum, variances, regression } = decomposition;
  const to = (bits: number) => (value: number) => cutTo(value, bits);
  const isCorrelation = isStandardised(method);
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
