/** Histograms in words, with how far quantiles are known, and as a table of bins. */
import { type Counted, methodOf } from '@eigenveil/methods';
import { csvLine } from '@eigenveil/statistics/owner';
import { CONFIDENCE } from '../reference/histograms.ts';
import type { Telling, Told } from './form.ts';

export const COUNTS_TOLD: Telling = {
  noun: 'a histogram',
  /** The private number of rows, and of each histogram its quantiles. */
  lines({ projection: { histograms, privateRows } }: Told<Counted>) {
    return [
      `about ${Math.round(privateRows.rows)} rows, with noise of deviation ${privateRows.deviation.toPrecision(3)}`,
      `quantiles, each the upper edge of the bin that it lies in, with an interval of confidence ${CONFIDENCE} for the noise:`,
      ...histograms.flatMap(({ name, quantiles, unreadable }) => [
        `${name}${quantiles.length === 0 ? ': too few rows for this noise' : ''} (cells that are no number: ${unreadable})`,
        ...quantiles.map(
          ({ q, value, from, to }) => `  ${`${q}`.padEnd(6)} ${shown(value)}  [${shown(from)}, ${shown(to)}]`,
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
