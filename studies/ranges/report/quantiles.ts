/** Sections of the report: quantiles beside a trusted curator's, their intervals, and the monotone projection. */
import { MISSING, significant } from '../../instrument/quantities.ts';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { left, right, text } from '../../privacy/report/cells.ts';
import {
  CONFIDENCE,
  FEATURES,
  findQuantiles,
  MECHANISMS,
  QUANTILE_EPSILONS,
  QUANTILES,
  type QuantileCase,
  rankFact,
  SHAPES,
  SIZES,
} from '../quantiles.ts';
import { DP_DELTA } from '../settings.ts';

type Measured = readonly Measurement[];
const NOISY = ['Laplace', 'Gaussian'] as const;

interface Found extends QuantileCase {
  readonly unit: Measurement;
}

const foundIn = (measurements: Measured): Found[] =>
  SHAPES.flatMap((shape) =>
    FEATURES.flatMap((features) =>
      SIZES.flatMap((rows) =>
        QUANTILE_EPSILONS.flatMap((epsilon) => {
          const of = { shape, features, rows, epsilon };
          const unit = findQuantiles(measurements, of);
          return unit === undefined ? [] : [{ ...of, unit }];
        }),
      ),
    ),
  );

const meanIn = ({ unit }: Found, name: string): number | undefined => {
  const mean = unit.facts[name];
  return mean === undefined ? undefined : Number(mean);
};
const shown = (value: number | undefined, digits = 2): string => value?.toFixed(digits) ?? MISSING;

/** Of all intervals of a mechanism, those that had the true edge. */
function coverage(found: readonly Found[], mechanism: string): { held: number; asked: number } {
  const asked = found.map(({ unit }) => Number(unit.parameters.repetitions));
  const held = found.map((it, i) => asked[i]! * (meanIn(it, `${mechanism} held`) ?? 0));
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return { held: total(held), asked: total(asked) * QUANTILES.length };
}

/** Of all intervals of a mechanism in a run, those that had the true edge. */
export const coverageIn = (measurements: Measured, mechanism: (typeof NOISY)[number]) =>
  coverage(foundIn(measurements), mechanism);

export function quantilesHighlights(measurements: Measured): string[] {
  if (foundIn(measurements).length === 0) return [];
  return NOISY.map((mechanism) => {
    const { held, asked } = coverageIn(measurements, mechanism);
    return `Intervals of quantiles, ${mechanism} noise: ${((100 * held) / asked).toFixed(1)} % of ${asked} have the true edge; ${100 * CONFIDENCE} % are promised.`;
  });
}

export function quantilesReport(measurements: Measured): Section[] {
  const found = foundIn(measurements);
  if (found.length === 0) return [];
  const cells = ({ shape, features, rows, epsilon }: Found) => [
    shape,
    `${features}`,
    rows.toLocaleString('en'),
    `${epsilon}`,
  ];
  const columns = [left('rows'), right('features'), right('number'), right('ε')];
  return [
    {
      title: 'Quantiles, beside a trusted curator',
      blocks: [
        text(
          `How far estimates lie from their quantile, in percent of the rows, mean over the quantiles ${QUANTILES.join(', ')} and over repetitions, at N = 1,024 bins. The curator sees the rows, to a sixteenth of a bin: approximate quantiles by the exponential mechanism (Kaplan, Schnapp and Stemmer, 2022), pure ε, ε/10 for each of ten features. The histograms have both servers' noise, with δ = ${DP_DELTA} where it is Gaussian, and tell every other quantile and count as well. Intervals of ${100 * CONFIDENCE} % are each for its own quantile.`,
        ),
        {
          kind: 'table',
          caption: `Rank error in percent of the rows; how many intervals have the true edge, and how much of the rows they span`,
          columns: [
            ...columns,
            ...MECHANISMS.map(right),
            ...NOISY.flatMap((mechanism) => [right(`${mechanism}: held, %`), right('span, %')]),
          ],
          rows: found.map((it) => [
            ...cells(it),
            ...MECHANISMS.map((mechanism) => shown(meanIn(it, rankFact(mechanism)))),
            ...NOISY.flatMap((mechanism) => {
              const { held, asked } = coverage([it], mechanism);
              return [shown((100 * held) / asked, 1), shown(meanIn(it, `${mechanism} width`), 1)];
            }),
          ]),
        },
      ],
    },
    {
      title: 'What the monotone projection changes',
      blocks: [
        text(
          'Deviations in rows before and after noisy cumulative counts are made monotone and non-negative: roots of mean squares over all prefixes, and over all bins. On prefixes it never does harm, which is proven; the gain is large where bins are empty or few rows stand against much noise, and vanishes where every bin is full. Bins are only differences: nothing is proven of them, and theirs is what is measured.',
        ),
        effectTable(found, columns, cells),
      ],
    },
  ];
}

function effectTable(
  found: readonly Found[],
  columns: readonly ReturnType<typeof left>[],
  cells: (it: Found) => string[],
): Block {
  const root = (it: Found, name: string) => {
    const mean = meanIn(it, name);
    return mean === undefined ? MISSING : significant(Math.sqrt(mean));
  };
  return {
    kind: 'table',
    caption: 'Deviation in rows, before → after',
    columns: [...columns, ...NOISY.flatMap((mechanism) => [right(`${mechanism}: prefixes`), right('bins')])],
    rows: found.map((it) => [
      ...cells(it),
      ...NOISY.flatMap((mechanism) =>
        ['prefixes', 'bins'].map(
          (what) => `${root(it, `${mechanism} ${what} before`)} → ${root(it, `${mechanism} ${what} after`)}`,
        ),
      ),
    ]),
  };
}
