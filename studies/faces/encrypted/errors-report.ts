/** What rows that were reduced through the services lead back, beside the clear ones: curves and tables, and never a face. */
import { MISSING } from '../../instrument/quantities.ts';
import type { Block, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { left, meanAndSpread, right, text } from '../../privacy/report/cells.ts';
import { ERROR_TITLES } from '../report.ts';
import {
  armsOf,
  type Case,
  COMPARED,
  type Compared,
  casesOf,
  curves,
  DIMENSIONS,
  METHODS,
  measuredAt,
  samplesAt,
  titleOf,
} from './cases.ts';
import { ARMS, RAISED_SIGNAL_RIDGE, seriesOf } from './suite.ts';

const SHOWN = {
  centred: ERROR_TITLES.centred,
  heldOut: ERROR_TITLES.heldOut,
  listing: ERROR_TITLES.listing,
  rebuilt: 'centred, by the projection’s own inverse',
} as const;

/** Of the centred errors of the same splits: the arm's less the reference's, over the reference's; undefined where no split has both. */
export function relativeDifference(
  own: readonly Measurement[],
  { reference, arm }: Pick<Compared, 'reference' | 'arm'>,
  k: number,
): number | undefined {
  const sums = own.reduce(
    (sum, { series }) => {
      const [of, to] = [series[seriesOf(arm, k, 'centred')], series[seriesOf(reference, k, 'centred')]];
      if (of === undefined || to === undefined) return sum;
      return { arm: sum.arm + of.samples[0]!, reference: sum.reference + to.samples[0]! };
    },
    { arm: 0, reference: 0 },
  );
  return sums.reference === 0 ? undefined : sums.arm / sums.reference - 1;
}

export function errorsReport(measurements: readonly Measurement[]): Section[] {
  const cases = casesOf(measurements).filter((of) => measuredAt(of, 'pca', 'centred').length > 0);
  if (cases.length === 0) return [];
  return [
    {
      title: 'Errors of reconstruction through the services, beside the clear ones',
      blocks: [
        text(
          'Mean over all rows of the length of what is missing of a row that is led back to pixels from its first components, in grey levels of all pixels together: of smaller faces it is less. **Centred**: with the mean of the training rows taken off and put back. **As the listing**: not centred, and row i of the set compared with another face. Both are of the study’s own function, whose inverse is least squares from components to pixels, through the chain; it has the vectors from the reduced rows. **By the projection’s own inverse**: rows as `Projector.inverseTransform` leads them back from all components of a result through the services.',
        ),
        text(
          `DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}: components after those that tell people apart are in the order of the least within-class scatter; with the study’s ρ′ = −0.05, which the other clear arms of DCA have, of the most. Of 39 dimensions none is beyond the training rows, unlike of all pixels.`,
        ),
        ...cases.flatMap((of): Block[] => [
          {
            kind: 'heading',
            name: `encrypted-errors-${of.set}-${of.side}`,
            title: `${titleOf(of)} pixels: errors`,
          },
          ...METHODS.filter((method) => measuredAt(of, method, 'centred').length > 0).flatMap(
            (method): Block[] => [
              curves(of, method, 'centred', {
                name: 'encrypted-errors',
                quantity: 'mean centred error in grey levels',
              }),
              errorsTable(of, method),
            ],
          ),
          differences(of),
        ]),
      ],
    },
  ];
}

function errorsTable(of: Case, method: (typeof METHODS)[number]): Table {
  const dimensions = measuredAt(of, method, 'centred');
  const whats = Object.keys(SHOWN) as (keyof typeof SHOWN)[];
  return {
    kind: 'table',
    caption: `${titleOf(of)}: mean error of reconstruction in grey levels over components`,
    columns: [left('reduced by'), left('error'), right('splits'), ...dimensions.map((k) => right(`${k}`))],
    rows: whats.flatMap((what) =>
      armsOf(method).flatMap((arm) => {
        const found = dimensions.map((k) => samplesAt(of, arm, k, what));
        const splits = Math.max(0, ...found.map(({ length }) => length));
        return splits === 0 ? [] : [[ARMS[arm], SHOWN[what], `${splits}`, ...found.map(meanAndSpread)]];
      }),
    ),
  };
}

// Errors are kept with four digits after the point, so that two may be equal.
const signed = (value: number): string =>
  value === 0 ? '0' : `${value < 0 ? '−' : '+'}${Math.abs(value).toExponential(0)}`.replace('e-', 'e−');

function differences(of: Case): Table {
  const rows = COMPARED.map((compared) => ({
    compared,
    found: DIMENSIONS.map((k) => relativeDifference(of.own, compared, k)),
  })).filter(({ found }) => found.some((it) => it !== undefined));
  const at = [...DIMENSIONS.keys()].filter((i) => rows.some(({ found }) => found[i] !== undefined));
  return {
    kind: 'table',
    caption: `${titleOf(of)}: by how much centred errors differ, as a part of the reference’s, by components`,
    columns: [left('compared'), ...at.map((i) => right(`${DIMENSIONS[i]}`))],
    rows: rows.map(({ compared, found }) => [
      compared.title,
      ...at.map((i) => (found[i] === undefined ? MISSING : signed(found[i]))),
    ]),
  };
}

/** How far the services' errors are off the clear sketch's. */
export function errorsHighlights(measurements: readonly Measurement[]): string[] {
  return COMPARED.filter(({ arm }) => arm.endsWith('services')).flatMap((compared) => {
    const found = casesOf(measurements).flatMap(({ own }) =>
      compared.dimensions.flatMap((k) => relativeDifference(own, compared, k) ?? []),
    );
    if (found.length === 0) return [];
    const largest = Math.max(...found.map(Math.abs));
    return [
      `Centred errors of reconstruction of ${compared.title}: ${found.length} points, which differ by ${largest.toExponential(0).replace('e-', 'e−')} of the error at most.`,
    ];
  });
}
