/** The statistics of samples in benchmark reports: medians with quartiles, paired ratios, and exponents fitted on log-log axes. */
import jstat from '@eigenveil/testbed/goodness/jstat';
import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { quantile } from '@eigenveil/testbed/goodness/quantile';

export { quantile };

/** Median and quartiles, in the unit of the samples. */
interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/**
 * Median and quartiles by linear interpolation between order statistics (Hyndman and Fan, "Sample quantiles in statistical
 * packages", 1996, definition 7).
 * @throws RangeError without samples, or with one that is not finite
 */
export function summarise(samples: readonly number[]): Summary {
  return {
    median: median(samples),
    low: quantile(samples, 0.25),
    high: quantile(samples, 0.75),
    count: samples.length,
  };
}

/**
 * The middle sample, the mean of the two middle ones for an even number.
 * @throws as `summarise`
 */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/**
 * Summary of the ratios of samples taken in the same repetition: load that hits both contestants of a repetition cancels.
 * @throws RangeError when there are not as many samples on both sides
 */
export function summariseRatios(numerators: readonly number[], denominators: readonly number[]): Summary {
  if (numerators.length !== denominators.length) {
    throw new RangeError(
      `"denominators" expected ${numerators.length} samples as "numerators" has, got ${denominators.length}`,
    );
  }
  return summarise(numerators.map((value, i) => value / denominators[i]!));
}

export interface Moments {
  readonly mean: number;
  /** The deviation of a sample: the squares are divided by one less than their number. Undefined for a single sample. */
  readonly deviation: number | undefined;
}

/** Undefined without samples. */
export function momentsOf(samples: readonly number[]): Moments | undefined {
  if (samples.length === 0) return undefined;
  const mean = meanOf(samples);
  const squares = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
  return { mean, deviation: samples.length > 1 ? Math.sqrt(squares / (samples.length - 1)) : undefined };
}

/** y ≈ factor · x^exponent. */
interface PowerLaw {
  readonly exponent: number;
  /** Ends of the 95 % confidence interval of the exponent; infinite where two points leave no degree of freedom. */
  readonly low: number;
  readonly high: number;
  readonly factor: number;
}

/**
 * Least squares on logarithms, with Student's t interval for the slope (independent residuals of equal variance assumed).
 * @throws RangeError unless at least two different positive x with positive y are given
 */
export function fitPowerLaw(points: readonly { readonly x: number; readonly y: number }[]): PowerLaw {
  if (points.some(({ x, y }) => !(x > 0 && y > 0)))
    throw new RangeError('"points" expected positive x and y');
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (of: (point: { x: number; y: number }) => number) =>
    logs.reduce((sum, point) => sum + of(point), 0) / logs.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const sumOf = (of: (dx: number, dy: number) => number) =>
    logs.reduce((sum, { x, y }) => sum + of(x - meanX, y - meanY), 0);
  const squares = sumOf((dx) => dx * dx);
  if (!(squares > 0)) throw new RangeError('"points" expected at least two different x');
  const exponent = sumOf((dx, dy) => dx * dy) / squares;
  const freedom = logs.length - 2;
  const residual = sumOf((dx, dy) => (dy - exponent * dx) ** 2);
  const margin =
    freedom === 0
      ? Number.POSITIVE_INFINITY
      : jstat.studentt.inv(0.975, freedom) * Math.sqrt(residual / freedom / squares);
  return {
    exponent,
    low: exponent - margin,
    high: exponent + margin,
    factor: Math.exp(meanY - exponent * meanX),
  };
}
