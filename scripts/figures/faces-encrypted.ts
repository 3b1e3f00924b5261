/** Figures of docs/faces.md about tasks that went through the services. */

import { encryptedHighlights } from '@eigenveil/studies/faces/encrypted/report';
import { facesReport } from '@eigenveil/studies/faces/suites';
import { MISSING } from '@eigenveil/studies/instrument/quantities';
import type { Report } from '@eigenveil/studies/instrument/report/document';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { cellsOf, readBench, tablesOf, textOf } from './kept.ts';

const SIDES = ['16', '32', '64'];
const TITLES = ['yale', 'olivetti'].flatMap((set) => SIDES.map((side) => `${set}, ${side} × ${side}`));
const SERVICES = [
  'services beside the clear sketch, PCA',
  'services beside the clear chain of a sketch, DCA',
  'services beside the clear chain of a sketch, DCA with ρ′ = 0.05',
];

/** The row of the document's table of errors, as it names it and as the report does, and the numbers of components that it has. */
const ERRORS = [
  ['PCA, exact, in the clear | {} | {} | | {} |', 'PCA, exact, in the clear', ['5', '14', '39']],
  [
    'PCA by a sketch, through the services | {} | {} | | {} |',
    'PCA by a sketch, through the services',
    ['5', '14', '39'],
  ],
  [
    'DCA on it, ρ′ = −0.05, in the clear | {} | {} | {} | |',
    'sketch, then DCA, in the clear',
    ['5', '14', '29'],
  ],
  [
    'DCA on it, ρ′ = 0, through the services | {} | {} | | |',
    'sketch, then DCA, through the services',
    ['5', '14'],
  ],
  [
    'DCA on it, ρ′ = 0.05, through services | {} | {} | {} | |',
    'sketch, then DCA with ρ′ = 0.05, through the services',
    ['5', '14', '29'],
  ],
] as const;

const ascii = (figure: string): string => figure.replaceAll('−', '-');
const mean = (cell: string): string => cell.split(' ± ')[0]!;
const ends = (values: readonly number[], digits: number): string[] =>
  [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));

export async function ofEncryptedFaces(): Promise<Sentence[]> {
  const data = await readBench('faces-encrypted');
  const report = facesReport(data);
  const through = data.measurements.filter(({ facts }) => facts['pca two-party'] !== undefined);
  const told = encryptedHighlights(data.measurements);
  const within = (title: string): string[] =>
    told
      .map((line) => line.match(new RegExp(`^Accuracy of ${title}: (\\d+) of (\\d+) points`)))
      .find((match) => match !== null)!
      .slice(1);
  const differ = (title: string): string =>
    ascii(
      told
        .map((line) => line.match(new RegExp(`of ${title}: \\d+ points, which differ by (\\S+)`))?.[1])
        .find((figure) => figure !== undefined)!,
    );
  const errors = cellsOf(
    report,
    'yale, 16 × 16: mean error of reconstruction in grey levels over components',
  );
  const differing = cellsOf(report, 'yale, 64 × 64: by how much centred errors differ');
  const below = cellsOf(report, 'olivetti, 16 × 16: mean difference in percentage points by components');
  const exact = differencesOf(report, ['DCA on exact PCA beside DCA on pixels']).filter(
    ({ isWithin }) => !isWithin,
  );
  const better = exact.flatMap(({ points }) => (points > 0 ? [points] : []));
  return [
    {
      says: 'is of a full run: {} units, of which {} go through the services',
      figures: [data.measurements.length, through.length].map(String),
    },
    ofServices(report),
    {
      says: "differ from the clear sketch's by at most {} of themselves for PCA, and by {} for DCA",
      figures: [differ(SERVICES[0]!), differ(SERVICES[1]!)],
    },
    {
      says: '{} of {} points within noise, over {} splits ({} at 64 × 64)',
      figures: [
        ...within('sketch beside exact PCA'),
        ...['yale, 16 × 16', 'yale, 64 × 64'].map((title) =>
          cellsOf(report, `${title}: accuracy in percent over components`)(
            ['PCA, exact, in the clear'],
            'splits',
          ),
        ),
      ],
    },
    {
      says: 'of Yale at 64 × 64 pixels by {} of themselves at 14 components and by {} at 39',
      figures: ['14', '39'].map((k) => ascii(differing(['sketch beside exact PCA'], k)).replace('+', '')),
    },
    {
      says: 'DCA on a sketch beside DCA on exact PCA: {} of {} within; Olivetti with 2 components at 16 × 16 is {} points below',
      figures: [
        ...within('DCA on a sketch beside DCA on exact PCA'),
        Math.abs(pointsOf(below(['DCA on a sketch beside DCA on exact PCA'], '2'))).toFixed(1),
      ],
    },
    {
      says: 'DCA on exact PCA beside DCA on pixels: {} of {}; of the others {} are better, by {} to {} points',
      figures: [...within('DCA on exact PCA beside DCA on pixels'), `${better.length}`, ...ends(better, 0)],
    },
    ...ERRORS.map(([says, row, columns]) => ({
      says: `| ${says}`,
      figures: columns.map((k) => mean(errors([row, 'centred'], k))),
    })),
    ...ofTasks(report),
  ];
}

/** Accuracy through the services, beside the clear one by the same Ω. */
function ofServices(report: Report): Sentence {
  const points = differencesOf(report, SERVICES);
  const same = points.filter((one) => one.points === 0).length;
  const beyond = points.filter(({ isWithin }) => !isWithin).length;
  return {
    says: '{} of {} points are those of the clear sketch to the last row, for PCA, DCA and DCA with ρ′ = 0.05; {} differ by less than the margin. **{} are beyond it**',
    figures: [same, points.length, points.length - same - beyond, beyond].map(String),
  };
}

interface Difference {
  readonly points: number;
  readonly isWithin: boolean;
}

/** Returns the number at the beginning of a cell such as `−1.3 (6.7): within`. */
const pointsOf = (cell: string): number => Number.parseFloat(ascii(cell));

function differencesOf(report: Report, rows: readonly string[]): Difference[] {
  return TITLES.flatMap((title) => tablesOf(report, `${title}: mean difference in percentage points`))
    .flatMap((table) => table.rows)
    .filter(([row]) => rows.some((one) => one === row))
    .flatMap(([, , ...cells]) => cells.map(textOf).filter((cell) => cell !== MISSING))
    .map((cell) => ({ points: pointsOf(cell), isWithin: cell.endsWith('within') }));
}

/** Returns the sentences on how far reduced rows are off, from the table of all tasks that went through the services. */
function ofTasks(report: Report): Sentence[] {
  const [table] = tablesOf(report, 'Tasks through the services');
  const at = (title: string) => table!.columns.findIndex((column) => column.title === title);
  const [set, side, task, difference] = [at('set'), at('side'), at('task'), at('difference')];
  const cells = (name: string, of?: string, size?: string): string[] =>
    table!.rows
      .filter((row) => (of === undefined || row[set] === of) && (size === undefined || row[side] === size))
      .filter((row) => name === '' || row[task] === name)
      .map((row) => String(row[difference]));
  const all = cells('').map(Number);
  const [least, most] = [Math.min(...all), Math.max(...all)].map((value) => value.toExponential(0));
  return [
    {
      says: 'Reduced rows differ there by {} of the largest entry at most',
      figures: cells('PCA', 'yale', '64'),
    },
    { says: 'reduced rows then differ by {} to {} of the largest entry', figures: [least!, most!] },
  ];
}
