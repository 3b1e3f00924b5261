/** Histograms in words, with how far quantiles are known, and as a table of bins. */
import { type Counted, histogramsOf, methodOf } from '@eigenveil/methods';
import { csvLine } from '@eigenveil/statistics/owner';
import { CONFIDENCE } from '../reference/histograms.ts';
import type { Telling, Told } from './form.ts';

/** The words in place of a quantile of which noise leaves nothing. */
export const UNKNOWN_QUANTILE = 'not known: with this noise it may lie anywhere in the range';

type Histogram = ReturnType<typeof histogramsOf>[number];
type Quantile = Counted['histograms'][number]['quantiles'][number];

/** Returns whether a quantile says something: an interval as wide as the range, which is public, says nothing. */
export function isKnownQuantile(
  { from, to }: Pick<Quantile, 'from' | 'to'>,
  { min, max }: Pick<Histogram, 'min' | 'max'>,
): boolean {
  return from > min || to < max;
}

export const COUNTS_TOLD: Telling = {
  noun: 'a histogram',
  /** The private number of rows, and of each histogram its quantiles. */
  lines({ task, projection: { histograms, privateRows } }: Told<Counted>) {
    const counted = histogramsOf(task);
    return [
      `about ${Math.round(privateRows.rows)} rows, with noise of deviation ${privateRows.deviation.toPrecision(3)}`,
      `quantiles, each the upper edge of the bin that it lies in, with an interval of confidence ${CONFIDENCE} for the noise:`,
      ...histograms.flatMap(({ name, quantiles, unreadable }, h) => [
        `${name}${quantiles.length === 0 ? ': too few rows for this noise' : ''} (cells that are no number: ${unreadable})`,
        ...quantiles.map(
          (it) =>
            `  ${`${it.q}`.padEnd(6)} ${isKnownQuantile(it, counted[h]!) ? `${shown(it.value)}  [${shown(it.from)}, ${shown(it.to)}]` : UNKNOWN_QUANTILE}`,
        ),
      ]),
    ];
  },
  /** A line per bin: histogram, its edges, and the restored count. */
  csv({ task, projection }: Told<Counted>) {
    const { counts: all } = methodOf(task).sums(task);
    const lines = projection.histograms.flatMap(({ name, counts, unreadable }, h) => {
      const edges = all[h]!.edges();
      return [
        ...counts.map((count, i) => [name, edges[i]!, edges[i + 1]!, count]),
        [name, '', '', unreadable], // cells that are no number
      ];
    });
    return [['histogram', 'from', 'to', 'count'], ...lines].map(csvLine).join('\n');
  },
  size: ({ histograms: { length } }: Counted) => `${length} ${length === 1 ? 'histogram' : 'histograms'}`,
  summary: ({ histograms, privateRows }: Counted) => ({ histograms: histograms.length, privateRows }),
  rows: undefined,
};

const shown = (value: number) => `${Number(value.toPrecision(6))}`;
