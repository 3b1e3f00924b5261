/** The Kolmogorov-Smirnov tests: whether samples come from one distribution, or from the uniform one. */

/** The largest distance between the distribution functions of two samples. */
export function distanceBetween(a: readonly number[], b: readonly number[]): number {
  const points = [...a, ...b];
  return Math.max(...points.map((x) => Math.abs(shareUpTo(a, x) - shareUpTo(b, x))));
}

/** The same between a sample and the uniform distribution on [0, 1]. */
export function distanceFromUniform(sample: readonly number[]): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const clamp = (x: number) => Math.min(1, Math.max(0, x));
  return Math.max(
    ...sorted.map((x, i) => Math.max((i + 1) / sorted.length - clamp(x), clamp(x) - i / sorted.length)),
  );
}

/**
 * What the distance exceeds with the given probability although there is no difference, for samples as large as these
 * (one size for the test against the uniform distribution).
 */
export function criticalDistance(probability: number, ...sizes: readonly number[]): number {
  const variance = sizes.reduce((sum, size) => sum + 1 / size, 0);
  return Math.sqrt((-Math.log(probability / 2) / 2) * variance);
}

function shareUpTo(sample: readonly number[], x: number): number {
  return sample.filter((value) => value <= x).length / sample.length;
}
