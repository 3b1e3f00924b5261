/** Forecasts the noise of the counts of a histogram task, and how far quantiles will be known. */
import {
  type HistogramParameters,
  histogramsOf,
  releaseNoiseOf,
  SERVERS,
  strategyOf,
  sumsOf,
} from '@eigenveil/methods';
import { averageError, noiseMoments, quantileError, toNumber } from '@eigenveil/release';
import type { ForecastTask } from './form.ts';

/**
 * Says what is expected of the counts, exactly and before anybody contributes.
 * @throws ERR_DP_PARAMETER
 */
export function forecastOfHistograms(method: HistogramParameters, task: ForecastTask): string[] {
  const strategy = strategyOf(method);
  const noise = releaseNoiseOf({ ...task, method });
  const { variance } = noiseMoments(noise, SERVERS);
  const deviation = (error: number) => Math.sqrt(variance * error).toPrecision(3);
  const average = (workload: 'ranges' | 'prefixes' | 'counts') =>
    deviation(toNumber(averageError(strategy, workload)));
  const median = Math.sqrt(variance * quantileError(strategy, strategy.bins / 2, 0.5));
  const tree = method.fanouts === undefined ? '' : ` of fan-outs ${method.fanouts.join(', ')}`;
  const largest = Math.max(...histogramsOf(task).map(({ features }) => features.length));
  return [
    `${sumsOf({ ...task, method })} sums of counts by the strategy ${method.strategy}${tree}; each server adds ${noise.kind === 'laplace' ? 'discrete Laplace' : 'rounded Gaussian'} noise of deviation ${Math.sqrt(variance / SERVERS).toPrecision(3)} to each`,
    `the noise of both makes counts deviate on average: of a bin by ${average('counts')} cells, of a range by ${average('ranges')}, of a prefix by ${average('prefixes')}`,
    `with that noise the median is known to one part in a hundred of the rows from about ${Math.ceil((100 * median) / largest).toLocaleString('en-US')} rows on, the quantiles 0.005 and 0.995 to half their tails from about ${Math.ceil((400 * median) / largest).toLocaleString('en-US')}`,
  ];
}
