/**
 * Cuts what is released where a task has a floor: no number has more digits than the noise leaves meaningful.
 */
import { methodOf, type Result } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { cutTo, type Program, RELEASED_BITS } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';

/** Returns the result with every number cut as `ReleasedFraction` says; as it is without a floor. */
export function asReleased<Of extends Result>(
  { method, floor }: Pick<Program, 'method' | 'floor'>,
  result: Of,
): Of {
  if (floor === undefined) return result;
  const { scatter, variances: ofVariances, mean: ofMean } = floor.released;
  const { mean, trace, spectrum, variances } = result;
  const to = (bits: number) => (value: number) => cutTo(value, bits);
  const { decomposes } = methodOf({ method });
  const ofScatter = (values: readonly number[]) =>
    decomposes === 'correlation' ? cutToLargest(values) : values.map(to(scatter));
  const own = (): Partial<Result> => {
    if (result.kind === 'components')
      return {
        vectors: result.vectors.map(cutToLargest),
        eigenvalues:
          decomposes === 'pencil' ? cutToLargest(result.eigenvalues) : ofScatter(result.eigenvalues),
      };
    if (result.kind === 'counts') return {};
    const { weights, intercept } = result.regression;
    return { regression: { weights: cutToLargest(weights), intercept: cutTo(intercept, ofMean) } };
  };
  return {
    ...result,
    ...own(),
    ...(mean && { mean: mean.map(to(ofMean)) }),
    ...(trace !== undefined && { trace: cutTo(trace, scatter) }),
    ...(spectrum && { spectrum: ofScatter(spectrum) }),
    ...(variances && { variances: variances.map(to(ofVariances)) }),
  };
}

export function noComponents(got: string): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_PROGRAM_INVALID,
    `"method" expected one that decomposes, got ${got}`,
  );
}

/** Cuts to 2^−RELEASED_BITS of the power of two above the largest magnitude. */
function cutToLargest(values: readonly number[]): number[] {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (largest === 0) return [...values];
  const bits = RELEASED_BITS - Math.ceil(Math.log2(largest));
  return values.map((value) => cutTo(value, bits));
}
