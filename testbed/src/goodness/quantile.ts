/** Quantiles of samples, by linear interpolation between order statistics (Hyndman and Fan, "Sample quantiles in statistical packages", 1996, definition 7). */

/** @throws RangeError without samples, or with one that is not finite */
export function quantile(samples: readonly number[], probability: number): number {
  if (samples.length === 0) throw new RangeError('"samples" expected at least one, got none');
  if (!samples.every(Number.isFinite)) throw new RangeError('"samples" expected finite numbers');
  const sorted = samples.toSorted((a, b) => a - b);
  const at = probability * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.ceil(at);
  return sorted[below]! + (at - below) * (sorted[above]! - sorted[below]!);
}
