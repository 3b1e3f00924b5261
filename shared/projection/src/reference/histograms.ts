/**
 * Computes what follows from the noisy sums of a histogram task: counts of bins, quantiles with their
 * intervals, and the number of rows. Post-processing: no row is looked at.
 */
import {
  type Counted,
  edgesOf,
  histogramsOf,
  type ReleasedHistogram,
  releaseNoiseOf,
  strategyOf,
} from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import {
  coefficientCount,
  intervalError,
  noiseMoments,
  privateQuantile,
  restore,
  toNumber,
} from '@eigenveil/release';
import type { StatisticsTask } from '@eigenveil/task';
import { PROJECTION_CODES } from '../codes.ts';

/** The quantiles that a result has. */
export const QUANTILES = [0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995] as const;
/** The confidence of each quantile's interval by itself. */
export const CONFIDENCE = 0.95;
/** Both add the noise of the whole budget. */
const SERVERS = 2;

/**
 * Every row is in each histogram once per feature of it, so that all sums together give the number of rows:
 * their mean over d features, with a variance of that of the sum of all bins and of one count, per histogram,
 * over d².
 * @param sums of each histogram the strategy's, and then that of cells that are no number; signed
 * @throws ERR_PROGRAM_INVALID for another task or number of sums, ERR_DP_PARAMETER
 */
export function releaseOf(task: StatisticsTask, sums: readonly bigint[]): Counted {
  const { method } = task;
  if (method.kind !== 'histogram')
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `"method" expected histogram, got ${method.kind}`,
    );
  const strategy = strategyOf(method);
  const noise = releaseNoiseOf(task);
  const size = coefficientCount(strategy) + 1;
  const all = histogramsOf(task);
  if (sums.length !== all.length * size)
    throw new CodedError(
      PROJECTION_CODES.ERR_PROGRAM_INVALID,
      `expected ${all.length * size} sums, got ${sums.length}`,
    );
  const histograms = all.map((histogram, h): ReleasedHistogram => {
    const own = sums.slice(h * size, (h + 1) * size).map(Number);
    const coefficients = own.slice(0, -1);
    const counts = restore(strategy, coefficients);
    const edges = edgesOf(method, histogram);
    const noisy = { strategy, noise, servers: SERVERS, counts };
    const quantiles = QUANTILES.flatMap((q) => {
      const found = privateQuantile(noisy, { q, confidence: CONFIDENCE });
      if (found === undefined) return [];
      const { estimate, least, largest } = found;
      return [{ q, value: edges[estimate]!, from: edges[least - 1]!, to: edges[largest]! }];
    });
    return { name: histogram.name, coefficients, unreadable: own.at(-1)!, counts, quantiles };
  });
  const total = histograms.reduce(
    (sum, { counts, unreadable }) => sum + counts.reduce((part, count) => part + count, unreadable),
    0,
  );
  const d = task.features.length;
  const ofBins = toNumber(intervalError(strategy, { from: 0, to: strategy.bins }));
  const variance = noiseMoments(noise, SERVERS).variance * (ofBins + 1) * histograms.length;
  return {
    kind: 'counts',
    histograms,
    privateRows: { rows: total / d, deviation: Math.sqrt(variance) / d },
  };
}
