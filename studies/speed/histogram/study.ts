/** A private histogram of many features from the proposal to the result. */

import { type Figure, median, only } from '../../instrument/figure.ts';
import { setting, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { type HistogramCase, measureHistogram } from './measure.ts';

const number = (
  name: string,
  says: string,
  [least, most]: readonly [number, number],
  quick: number,
  full: number,
) => setting({ name, says, parse: wholeNumber(least, most), quick, full });
const FEATURES = number('features', 'each with bins of its own', [1, 100], 2, 34);
const HEIGHT = number('height', 'h, of 2^h bins for each feature', [2, 12], 4, 10);
const OWNERS = number('owners', 'who contribute', [1, 100], 2, 10);
const ROWS = number('rows', 'of each owner', [1, 1_000_000], 100, 1000);
const RUNS = number('runs', 'one after the other, each with processes of its own', [1, 100], 1, 1);

const seconds = (column: string): Figure => median(column, { unit: 's' });
const bytes = (column: string): Figure => median(column, { unit: 'bytes' });

export const histogram = defineStudy<HistogramCase & { readonly run: number } & Tidy>({
  id: 'speed/histogram',
  isApart: true,
  settings: [FEATURES, HEIGHT, OWNERS, ROWS, RUNS],
  plan: ({ settings }) => {
    const size = {
      ...{ features: settings.of(FEATURES), height: settings.of(HEIGHT), owners: settings.of(OWNERS) },
      rowsPerOwner: settings.of(ROWS),
    };
    return { cases: Array.from({ length: settings.of(RUNS) }, (_, i) => ({ ...size, run: i + 1 })) };
  },
  titleOf: ({ run }) => `run ${run}`,
  expectedSeconds: ({ features, height, owners }) => 5 + (features * 2 ** height * owners) / 2e4,
  async measure({ run: _, ...size }) {
    return [{ bins: 2 ** size.height, ...(await measureHistogram(size)) }];
  },
  tables: {
    costs: {
      caption: 'From the proposal to the result, medians of the runs',
      rows: ['features', 'bins', 'owners', 'sums'],
      cells: {
        'in all': seconds('seconds'),
        owners: seconds('contributeSeconds'),
        servers: seconds('computeSeconds'),
        'of it public wait': only('publicWaitSeconds', { unit: 's' }),
        'sent by each': only('contributionBytes', { unit: 'bytes' }),
        'memory, CSP': bytes('cspPeakMemoryBytes'),
        'memory, data user': bytes('dataUserPeakMemoryBytes'),
      },
    },
  },
  words: new URL('histogram.md', import.meta.url),
});
