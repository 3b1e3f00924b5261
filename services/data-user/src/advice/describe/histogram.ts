/**
 * A histogram task and its result in words: what noise its counts take, how far quantiles are known, and a
 * table of bins.
 */
import {
  edgesOf,
  type HistogramParameters,
  histogramsOf,
  releaseNoiseOf,
  strategyOf,
  sumsOf,
} from '@eigenveil/methods';
import { CONFIDENCE } from '@eigenveil/projection/portable';
import { averageError, noiseMoments, quantileError, toNumber } from '@eigenveil/release';
import { csvLine } from '@eigenveil/statistics/owner';
import type { Task, TaskProposal } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { describeHead, type ToldResult } from './result.ts';

const SERVERS = 2;

/**
 * Says what is expected of the counts, exactly and before anybody contributes.
 * @throws ERR_DP_PARAMETER
 */
export function describeHistogram(task: TaskProposal): string[] {
  const { method } = task;
  if (method.kind !== 'histogram') return [];
  const strategy = strategyOf(method);
  const noise = releaseNoiseOf(task);
  const { variance } = noiseMoments(noise, SERVERS);
  const deviation = (error: number) => Math.sqrt(variance * error).toPrecision(3);
  const average = (workload: 'ranges' | 'prefixes' | 'counts') =>
    deviation(toNumber(averageError(strategy, workload)));
  const median = Math.sqrt(variance * quantileError(strategy, strategy.bins / 2, 0.5));
  const tree = method.fanouts === undefined ? '' : ` of fan-outs ${method.fanouts.join(', ')}`;
  const largest = Math.max(...histogramsOf(task).map(({ features }) => features.length));
  return [
    `${sumsOf(task)} sums of counts by the strategy ${method.strategy}${tree}; each server adds ${noise.kind === 'laplace' ? 'discrete Laplace' : 'rounded Gaussian'} noise of deviation ${Math.sqrt(variance / SERVERS).toPrecision(3)} to each`,
    `the noise of both makes counts deviate on average: of a bin by ${average('counts')} cells, of a range by ${average('ranges')}, of a prefix by ${average('prefixes')}`,
    `with that noise the median is known to one part in a hundred of the rows from about ${Math.ceil((100 * median) / largest).toLocaleString('en-US')} rows on, the quantiles 0.005 and 0.995 to half their tails from about ${Math.ceil((400 * median) / largest).toLocaleString('en-US')}`,
  ];
}

/** The private number of rows, and of each histogram its quantiles. */
export function describeHistogramResult(result: ToldResult): string {
  const { histograms = [], privateRows } = result.projection;
  return [
    ...describeHead(result),
    '',
    ...(privateRows === undefined
      ? []
      : [
          `about ${Math.round(privateRows.rows)} rows, with noise of deviation ${privateRows.deviation.toPrecision(3)}`,
        ]),
    `quantiles, each the upper edge of the bin that it lies in, with an interval of confidence ${CONFIDENCE} for the noise:`,
    ...histograms.flatMap(({ name, quantiles, unreadable }) => [
      `${name}${quantiles.length === 0 ? ': too few rows for this noise' : ''} (cells that are no number: ${unreadable})`,
      ...quantiles.map(
        ({ q, value, from, to }) => `  ${`${q}`.padEnd(6)} ${shown(value)}  [${shown(from)}, ${shown(to)}]`,
      ),
    ]),
  ].join('\n');
}

/** A line per bin: histogram, its edges, and the restored count. */
export function csvOfHistograms(
  task: Task,
  method: HistogramParameters,
  { histograms = [] }: Projection,
): string {
  const all = histogramsOf(task);
  const lines = histograms.flatMap(({ name, counts, unreadable }, h) => {
    const edges = edgesOf(method, all[h]!);
    return [
      ...counts.map((count, i) => [name, edges[i]!, edges[i + 1]!, count]),
      [name, '', '', unreadable], // cells that are no number
    ];
  });
  return [['histogram', 'from', 'to', 'count'], ...lines].map(csvLine).join('\n');
}

const shown = (value: number) => `${Number(value.toPrecision(6))}`;
