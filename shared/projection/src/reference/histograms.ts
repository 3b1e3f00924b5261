/**
 * Computes what follows from the noisy sums of a histogram task: counts of bins, quantiles with their
 * intervals, and the number of rows. Post-processing: no row is looked at.
 */
import {
  type Counted,
  edgesOf,
  type HistogramParameters,
  histogramsOf,
  LINEAR_RING_BITS,
  type ReleasedHistogram,
  releaseNoiseOf,
  SERVERS,
  strategyOf,
  sumsOf,
} from '@eigenveil/methods';
import {
  coefficientCount,
  intervalError,
  noiseMoments,
  privateQuantile,
  restore,
  toNumber,
} from '@eigenveil/release';
import type { StatisticsTask } from '@eigenveil/task';
import { type AgreedTask, type ClaimedProjection, expect, isSame } from '../claims/claimed.ts';
import { checkCount, OPENED, type Reference } from './form.ts';
import { forecastOfHistograms } from './histogram-forecast.ts';

/** The quantiles that a result has. */
export const QUANTILES = [0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995] as const;
/** The confidence of each quantile's interval by itself. */
export const CONFIDENCE = 0.95;

export const histogramReference = (method: HistogramParameters): Reference => ({
  ...OPENED,
  fromSums: (task, sums) => releaseOf(method, task, sums),
  check: (task, claimed) => checkRelease(method, task, claimed),
  /** All quantiles of all histograms, and sums at the end of the ring. */
  longest(task, longest) {
    const all = histogramsOf(task);
    const sums = sumsOf({ ...task, method }) / all.length - 1;
    const numbers = (count: number, value: number) => new Array<number>(count).fill(value);
    const sum = -(2 ** (LINEAR_RING_BITS - 1));
    return {
      histograms: all.map(({ name }) => ({
        name,
        coefficients: numbers(sums, sum),
        unreadable: sum,
        counts: numbers(2 ** method.height, longest),
        quantiles: QUANTILES.map((q) => ({ q, value: longest, from: longest, to: longest })),
      })),
      privateRows: { rows: longest, deviation: longest },
    };
  },
  forecast: (task) => forecastOfHistograms(method, task),
  withoutVectors: 'it has counts, and no vectors',
});

/** Checks that a ring can hold the sums; everything else follows from them. */
function checkRelease(
  method: HistogramParameters,
  task: AgreedTask,
  { histograms, privateRows }: ClaimedProjection,
): void {
  const most = 2 ** (LINEAR_RING_BITS - 1);
  const sums = (histograms ?? []).flatMap(({ coefficients, unreadable }) => [...coefficients, unreadable]);
  expect(
    sums.every((value) => Number.isInteger(value) && value >= -most && value < most),
    'histograms',
    'integers',
  );
  expect(sums.length === sumsOf(task), 'histograms', 'all sums of the task');
  const follows = releaseOf(method, task, sums.map(BigInt));
  expect(isSame(histograms, follows.histograms), 'histograms', 'what follows from their coefficients');
  expect(isSame(privateRows, follows.privateRows), 'privateRows', 'what follows from the coefficients');
}

/**
 * Every row is in each histogram once per feature of it, so that all sums together give the number of rows:
 * their mean over d features, with a variance of that of the sum of all bins and of one count, per histogram,
 * over d².
 * @param sums of each histogram the strategy's, and then that of cells that are no number; signed
 * @throws ERR_PROGRAM_INVALID for another number of sums, ERR_DP_PARAMETER
 */
function releaseOf(method: HistogramParameters, task: StatisticsTask, sums: readonly bigint[]): Counted {
  const strategy = strategyOf(method);
  const noise = releaseNoiseOf(task);
  const size = coefficientCount(strategy) + 1;
  const all = histogramsOf(task);
  checkCount(sums, all.length * size);
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
