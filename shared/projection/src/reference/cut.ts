/** Cuts numbers that are released where a task has a floor: none has more digits than the noise leaves meaningful. */
import type { Result } from '@eigenveil/methods';
import { cutTo, RELEASED_BITS, type ReleasedFraction } from '@eigenveil/task';

type Cut = (values: readonly number[]) => number[];

/** Makes a cut to this number of fraction bits. */
export const toBits =
  (bits: number): Cut =>
  (values) =>
    values.map((value) => cutTo(value, bits));

/** Cuts to 2^−RELEASED_BITS of the power of two above the largest magnitude. */
export const toLargest: Cut = (values) => {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (largest === 0) return [...values];
  return toBits(RELEASED_BITS - Math.ceil(Math.log2(largest)))(values);
};

/** Returns the declared outputs with every number cut; those that a result does not have stay away. */
export function cutOutputs(
  { mean, trace, spectrum, variances }: Pick<Result, 'mean' | 'trace' | 'spectrum' | 'variances'>,
  released: ReleasedFraction,
  ofSpectrum: Cut = toBits(released.scatter),
): Pick<Result, 'mean' | 'trace' | 'spectrum' | 'variances'> {
  return {
    ...(mean && { mean: toBits(released.mean)(mean) }),
    ...(trace !== undefined && { trace: cutTo(trace, released.scatter) }),
    ...(spectrum && { spectrum: ofSpectrum(spectrum) }),
    ...(variances && { variances: toBits(released.variances)(variances) }),
  };
}
