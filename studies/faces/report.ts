/** The report of `npm run study:faces`: curves and tables beside the book's figures, and never a face. */

import { MISSING } from '../instrument/quantities.ts';
import type { Axis, Block, Line, Section, Table } from '../instrument/report/document.ts';
import type { Measurement } from '../instrument/unit.ts';
import { left, meanAndSpread, right, text } from '../privacy/report/cells.ts';
import { momentsOf } from '../speed/accuracy/scores.ts';
import {
  DIMENSIONS,
  DIMENSIONS_CASES,
  type DimensionsCase,
  ERRORS,
  METHODS,
  samplesOf,
  seriesOf,
} from './dimensions.ts';
import { ARMS, hiddenSeries, LABELS, otherLabel } from './hidden.ts';
import { methodAt, SIGNAL_DIMENSIONS, SIGNAL_RIDGES } from './signal-ridge.ts';
import { SOLVER_ARMS, SOLVER_DIMENSIONS } from './solver.ts';
import { SPLITTINGS, type Splitting } from './trials.ts';

/** Of section 9.3: one run's figures on Yale. */
const BOOK_DIMENSIONS = [5, 14, 50, 160];
const BOOK = {
  accuracy: { pca: [58.8, 82.4, 94.1, 94.1], dca: [88.2, 94.1, 94.1, 94.1] },
  listing: { pca: [3987.9, 4048.2, 4142, 4190.1], dca: [7157, 7164.3, 6710.2, 4189.3] },
} as const;

export const ERROR_TITLES = {
  listing: 'as the listing',
  uncentred: 'not centred, each row with itself',
  centred: 'centred',
  heldOut: 'centred, held-out rows alone',
} as const;

const caseTitle = ({ set, splitting }: DimensionsCase): string =>
  set === 'glasses' ? `glasses, split ${splitting === 'random' ? 'at random' : splitting}` : set;

const nameOf = ({ set, splitting }: DimensionsCase): string => `${set}-${splitting.replace(' ', '-')}`;

const dimensionsMeasured = (measurements: readonly Measurement[], of: DimensionsCase): number[] =>
  DIMENSIONS.filter((k) => samplesOf(measurements, { ...of }, seriesOf('pca', k, 'accuracy')).length > 0);

/** Where a set was not there, all of its figures are of made-up faces. */
export function madeUpWarning(measurements: readonly Measurement[]): string[] {
  const sets = new Set(
    measurements
      .filter(({ parameters }) => parameters.madeUp === 'yes')
      .map(({ parameters }) => parameters.set),
  );
  return sets.size === 0
    ? []
    : [
        `**These are not faces**: ${[...sets].join(', ')} are not in the folder EIGENVEIL_DATA, and what stands here in their place is made up from a seed. Such figures say that the code runs, and nothing of the book's.`,
      ];
}

export function dimensionsReport(measurements: readonly Measurement[]): Section[] {
  const cases = DIMENSIONS_CASES.filter((of) => dimensionsMeasured(measurements, of).length > 0);
  if (cases.length === 0) return [];
  return [
    {
      title: 'Accuracy over the number of components',
      blocks: [
        text(
          'Share of the test rows that an SVM is right about, in percent: mean ± standard deviation over splits, which share rows, so that it says how much one run can be off and not how well the mean is known. It is learnt on reduced rows as they are, in grey levels; kernel, C and γ are chosen by 3-fold cross-validation in the training rows, and of equals the first: linear before RBF, the least C before others. Yale and Olivetti: who it is. Glasses: whether glasses are worn; split by person, nobody is in both parts, nor in two folds.',
        ),
        ...cases.flatMap((of): Block[] => accuracyBlocks(measurements, of)),
      ],
    },
    {
      title: 'Errors of reconstruction',
      blocks: [
        text(
          'Mean over all rows of the length of what is missing, in grey levels of all pixels together. **As the listing**: rows are not centred, and row i of the set is compared with what comes back of row i of “training rows, then test rows”, which is another face. **Not centred, each row with itself** mends the order alone. **Centred** is what one would mean: both with the mean of the training rows taken off and put back.',
        ),
        ...cases
          .filter(({ set }) => set !== 'glasses')
          .flatMap((of): Block[] => errorBlocks(measurements, of)),
      ],
    },
  ];
}

const AXIS: Axis = { title: 'components', scale: 'category' };

function linesOf(
  measurements: readonly Measurement[],
  of: DimensionsCase,
  what: 'accuracy' | 'listing' | 'centred',
  title: (method: string) => string,
): Line[] {
  return METHODS.map((method) => ({
    name: title(method.toUpperCase()),
    style: 'solid',
    points: dimensionsMeasured(measurements, of).flatMap((k) => {
      const moments = momentsOf(samplesOf(measurements, { ...of }, seriesOf(method, k, what)));
      if (moments === undefined) return [];
      const { mean, deviation = 0 } = moments;
      return [{ x: k, y: mean, low: mean - deviation, high: mean + deviation }];
    }),
  }));
}

function accuracyBlocks(measurements: readonly Measurement[], of: DimensionsCase): Block[] {
  const dimensions = dimensionsMeasured(measurements, of);
  const splits = samplesOf(measurements, { ...of }, seriesOf('pca', dimensions[0]!, 'accuracy')).length;
  const caption = `${caseTitle(of)}: accuracy in percent over components; splits: ${splits}`;
  return [
    {
      kind: 'chart',
      name: `accuracy-${nameOf(of)}`,
      caption: `${caption}; whiskers are a standard deviation to either side`,
      drawing: {
        kind: 'lines',
        x: AXIS,
        y: { title: 'accuracy in percent', scale: 'linear' },
        lines: linesOf(measurements, of, 'accuracy', (method) => method),
      },
    },
    {
      kind: 'table',
      caption,
      columns: [left('method'), ...dimensions.map((k) => right(`${k}`))],
      rows: [
        ...METHODS.map((method) => [
          method.toUpperCase(),
          ...dimensions.map((k) =>
            meanAndSpread(samplesOf(measurements, { ...of }, seriesOf(method, k, 'accuracy'))),
          ),
        ]),
        ...bookRows(of, dimensions, 'accuracy'),
      ],
    },
  ];
}

function bookRows(
  { set }: DimensionsCase,
  dimensions: readonly number[],
  what: keyof typeof BOOK,
): string[][] {
  if (set !== 'yale') return [];
  return METHODS.map((method) => [
    `${method.toUpperCase()}, one run of the book`,
    ...(what === 'listing' ? [ERROR_TITLES.listing] : []),
    ...dimensions.map((k) => BOOK[what][method][BOOK_DIMENSIONS.indexOf(k)]?.toFixed(1) ?? ''),
  ]);
}

function errorBlocks(measurements: readonly Measurement[], of: DimensionsCase): Block[] {
  const dimensions = dimensionsMeasured(measurements, of);
  return [
    {
      kind: 'chart',
      name: `errors-${nameOf(of)}`,
      caption: `${caseTitle(of)}: mean error of reconstruction in grey levels over components, as the listing computes it and centred`,
      drawing: {
        kind: 'lines',
        x: AXIS,
        y: { title: 'mean error in grey levels', scale: 'linear' },
        lines: [
          ...linesOf(measurements, of, 'listing', (method) => `${method}, as the listing`),
          ...linesOf(measurements, of, 'centred', (method) => `${method}, centred`),
        ],
      },
    },
    {
      kind: 'table',
      caption: `${caseTitle(of)}: mean error of reconstruction in grey levels`,
      columns: [left('method'), left('error'), ...dimensions.map((k) => right(`${k}`))],
      rows: [
        ...METHODS.flatMap((method) =>
          ERRORS.map((error) => [
            method.toUpperCase(),
            ERROR_TITLES[error],
            ...dimensions.map((k) =>
              meanAndSpread(samplesOf(measurements, { ...of }, seriesOf(method, k, error))),
            ),
          ]),
        ),
        ...bookRows(of, dimensions, 'listing'),
      ],
    },
  ];
}

export function signalRidgeReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const cell = (signalRidge: number, k: number, what: 'accuracy' | (typeof ERRORS)[number]) =>
    meanAndSpread(samplesOf(measurements, {}, seriesOf(methodAt(signalRidge), k, what)));
  const table: Table = {
    kind: 'table',
    caption:
      'Yale, DCA: accuracy in percent, and mean errors of reconstruction in grey levels, the same splits for each ρ′',
    columns: [
      right('ρ′'),
      ...SIGNAL_DIMENSIONS.flatMap((k) => [
        right(`accuracy, ${k}`),
        right(`error as the listing, ${k}`),
        right(`error centred, ${k}`),
      ]),
    ],
    rows: SIGNAL_RIDGES.map((signalRidge) => [
      `${signalRidge}`.replace('-', '−'),
      ...SIGNAL_DIMENSIONS.flatMap((k) => [
        cell(signalRidge, k, 'accuracy'),
        cell(signalRidge, k, 'listing'),
        cell(signalRidge, k, 'centred'),
      ]),
    ]),
  };
  return [
    {
      title: 'Whether it depends on ρ′',
      blocks: [
        text(
          'An eigenvalue β of S_W + ρI comes to 1 + ρ′/β beyond the K − 1 leading components. So **ρ′ moves vectors by next to nothing, and its sign decides their order**: below 0 the directions of most within-class scatter come first and what is beyond the training rows last; above 0 what is beyond them comes right after the leading ones, and 160 components lead back hardly more of a face than 14 do. At ρ′ = 0 all of these eigenvalues are equal and the listing leaves their order to rounding; here it is the order below 0.',
        ),
        table,
      ],
    },
  ];
}

export function solverReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const samples = (name: string, k: number) => samplesOf(measurements, {}, seriesOf(name, k, 'accuracy'));
  return [
    {
      title: 'What the machine has to do with it',
      blocks: [
        text(
          'On few components classes overlap, and rows are in the thousands of grey levels, so that even the least C of the grid is far beyond what a solver reaches within its bound on iterations. There accuracy depends on the bound; with rows divided by one number, so that their variance is 1 on average, the same grid is within reach.',
        ),
        {
          kind: 'table',
          caption: `Yale: accuracy in percent; splits: ${samples(SOLVER_ARMS[0]!.name, SOLVER_DIMENSIONS[0]!).length}`,
          columns: [left('machine'), ...SOLVER_DIMENSIONS.map((k) => right(`${k} components`))],
          rows: SOLVER_ARMS.filter(({ name }) => samples(name, SOLVER_DIMENSIONS[0]!).length > 0).map(
            ({ name }) => [name, ...SOLVER_DIMENSIONS.map((k) => meanAndSpread(samples(name, k)))],
          ),
        },
      ],
    },
  ];
}

export function hiddenReport(measurements: readonly Measurement[]): Section[] {
  if (measurements.length === 0) return [];
  const columns = LABELS.flatMap((utility) =>
    SPLITTINGS.flatMap((splitting) =>
      [utility, otherLabel(utility)].map((told) => ({ utility, splitting, told })),
    ),
  );
  const cellsOf = (
    of: { readonly utility: string; readonly splitting: Splitting },
    arm: string,
    told: (typeof LABELS)[number],
  ) => samplesOf(measurements, { utility: of.utility, splitting: of.splitting }, hiddenSeries(arm, told));
  const shown = columns.filter((of) => cellsOf(of, 'mdr', of.told).length > 0);
  return [
    {
      title: 'MDR: glasses or identity',
      blocks: [
        text(
          'The 300 faces of 55 people of which half wear glasses. One label is of use and the other private; rows are reduced by as many components as the label of use has (glasses 1, identity 54), and an SVM is told either label. All pixels: every direction that the training rows span. Cells are accuracy in percent, mean ± standard deviation over splits. Chance is 50 % for glasses and about 2 % for identity.',
        ),
        {
          kind: 'table',
          caption: 'Accuracy in percent for each label, by what rows are reduced by',
          columns: [
            left('reduced by'),
            ...shown.map(({ utility, splitting, told }) =>
              right(`of use: ${utility}; told: ${told}${splitting === 'random' ? '' : ', split by person'}`),
            ),
          ],
          rows: ARMS.map(({ name, title }) => [
            title,
            ...shown.map((of) => {
              const samples = cellsOf(of, name, of.told);
              return samples.length === 0 ? MISSING : meanAndSpread(samples);
            }),
          ]),
        },
      ],
    },
  ];
}

/** What a hurried reader should take away. */
export function dimensionsHighlights(measurements: readonly Measurement[]): string[] {
  const yale = { set: 'yale', splitting: 'random', madeUp: 'no' };
  const mean = (series: string) => momentsOf(samplesOf(measurements, yale, series))?.mean;
  const [pca, dca, few, many] = [
    mean(seriesOf('pca', 14, 'accuracy')),
    mean(seriesOf('dca', 14, 'accuracy')),
    mean(seriesOf('pca', 5, 'listing')),
    mean(seriesOf('pca', 160, 'listing')),
  ];
  const [rightFew, rightMany] = [mean(seriesOf('pca', 5, 'centred')), mean(seriesOf('pca', 160, 'centred'))];
  if (!pca || !dca || !few || !many || !rightFew || !rightMany) return [];
  return [
    `Yale, 14 components: DCA ${dca.toFixed(1)} %, PCA ${pca.toFixed(1)} % (the book: about 91 % for DCA).`,
    `The listing's error of PCA grows with the number of components (${few.toFixed(0)} at 5, ${many.toFixed(0)} at 160) because it compares different faces; centred, and each with itself, it falls from ${rightFew.toFixed(0)} to ${rightMany.toFixed(0)}.`,
  ];
}
