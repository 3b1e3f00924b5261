/** Figures of docs/privacy-comparison.md from the tables of its kept report, whose samples are not kept. */
import type { Table } from '@eigenveil/studies/instrument/report/document';
import type { Sentence } from '@eigenveil/studies/instrument/report/written-figures';
import { withPlaces } from '@eigenveil/studies/instrument/report/written-figures';
import { cellsIn, readText } from './kept.ts';

/** The tables of a report in Markdown: a caption in bold letters, a header, a line of dashes, and rows. */
function tablesIn(markdown: string): Table[] {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('\\', ''));
  return markdown.split('\n\n').flatMap((block, i, blocks) => {
    const caption = /^\*\*(.*)\*\*$/.exec(blocks[i - 1] ?? '')?.[1];
    if (caption === undefined || !block.startsWith('| ')) return [];
    const [header, , ...rows] = block.trim().split('\n').map(cells);
    const columns = header!.map((title) => ({ title, align: 'left' }) as const);
    return [{ kind: 'table', caption, columns, rows }];
  });
}

/** Our methods: the name in the document, and the one in the report. */
const OURS = [
  ['one task', 'Eigenveil'],
  ['around a private mean', 'Eigenveil around a private mean'],
  ['the same, noise of the CSP alone', 'Eigenveil around a private mean, one server’s noise'],
] as const;
const OTHERS = [
  ['ELFedPCA, corrected', '5 growing'],
  ['ELFedPCA, repaired', '10 equal'],
  ['noisy power', '5 growing'],
  ['LGM, per node', '10 equal'],
  ['DPdisPCA, recalibrated', '10 equal'],
  ['noisy power, threshold', '5 growing'],
] as const;
const PUBLISHED = [
  ['noisy rows', 'noisy rows, Eigenveil’s projection'],
  ['noisy rows, random', 'noisy rows, random directions'],
  ['synthetic rows', 'synthetic rows, Eigenveil’s projection'],
  ['synthetic rows, random', 'synthetic rows, random directions'],
] as const;
const SETS = ['iris', 'pima', 'australian', 'optdigits'];
const OTHER_SETS = ['breast_cancer', 'german', 'ionosphere', 'wisdm_walk_user'];

/** A row of a table of the document: its first cells as they stand there, and the others with places for their figures. */
function rowOf(first: readonly string[], others: readonly string[]): Sentence {
  const { says, figures } = withPlaces(others.join(' | '));
  return { says: `| ${first.join(' | ')} | ${says} |`, figures };
}

export async function ofPrivacyComparison(): Promise<Sentence[]> {
  const tables = tablesIn(await readText('docs/privacy-comparison/report.md'));
  const cellsOf = (caption: string) => cellsIn(tables, caption);
  const aim = cellsOf('The aim');
  const beside = cellsOf('Eigenveil beside each method');
  const published = cellsOf('Weighted F1 less that of the most frequent class, in points');
  const mean = (of: string, against: string) => beside([of, against], 'mean, ε ≥ 0.5');
  /** `−7.7 [−13.5, −2.0]; 0` is told as `−7.7, ahead 0`. */
  const ahead = (cell: string) => cell.replace(/ \[.*\];/, ', ahead');
  const sentence = (says: string, ...cells: string[]): Sentence => ({
    says,
    figures: cells.flatMap((cell) => withPlaces(cell).figures),
  });
  const served = cellsOf('The largest number of features at which Laplace noise');
  const overSites = cellsOf('Captured energy in percent at ε = 1, 2 components, mean ± standard deviation');
  const captured = (set: string, method: string, sites: string) =>
    overSites([set, method], sites).split(' ± ')[0]!;
  const kept = (set: string, sites: string) =>
    cellsOf('ε that is kept by methods')([set, 'ELFedPCA, as published'], sites);
  const three = ['iris', 'pima', 'ionosphere'];
  const accuracy = cellsOf('Accuracy with Eigenveil less that with another method');
  const twoTasks = (against: string) => accuracy(['Eigenveil around a private mean', against], 'ε = 1');
  return [
    ...OURS.map(([told, of]) =>
      rowOf(
        [told],
        ['ahead', 'not behind', 'open', 'behind'].map((verdict) => aim([of], verdict)),
      ),
    ),
    ...OTHERS.map(([against, at]) =>
      rowOf(
        [against, at],
        OURS.map(([, of]) => mean(of, against)),
      ),
    ),
    ...PUBLISHED.map(([told, of]) =>
      rowOf(
        [told],
        ['0.1', '1', '3', '10'].map((epsilon) => ahead(published([of], `ε = ${epsilon}`))),
      ),
    ),
    ...[...SETS, ...OTHER_SETS].flatMap((set) => {
      const cell = cellsOf(`${set}: captured energy of 2 components in percent, Eigenveil`);
      const half = 'C = 1/√3';
      return ['0.5', '1', '3'].map((epsilon) =>
        rowOf(
          [set, epsilon],
          [
            ...['never', 'C = 0.5', half].map((norm) => cell(['Eigenveil', epsilon], norm)),
            cell(['Eigenveil, one server’s noise', epsilon], half),
            ...OURS.slice(1).map(([, of]) => cell([of, epsilon], half)),
          ],
        ),
      );
    }),
    sentence(
      'HPDP is behind two tasks on average by {} points [{}, {}], open',
      mean(OURS[1][1], 'HPDP').replace('+', ''),
    ),
    sentence(
      "{} points [{}, {}] on average, not behind in {} cases of 40, open in {}. Both servers' costs what noise drawn twice costs: {} [{}, {}]",
      mean('Eigenveil, one server’s noise', 'central Gaussian'),
      beside(['Eigenveil, one server’s noise', 'central Gaussian'], 'not behind'),
      beside(['Eigenveil, one server’s noise', 'central Gaussian'], 'open'),
      mean('Eigenveil', 'central Gaussian, drawn twice'),
    ),
    sentence(
      'that is worth {} points [{}, {}]',
      mean('Eigenveil, one server’s noise', 'central Gaussian, one deviation').replace('+', ''),
    ),
    sentence(
      'Laplace noise is less up to d = {} at ε = 0.1, {} at 0.5 and 1, {} at 3 and {} at 10',
      ...['0.1', '1', '3', '10'].map((epsilon) => served([epsilon], 'than both servers’')),
    ),
    sentence(
      'it captures {} % on iris, {} on pima and {} on ionosphere',
      ...three.map((set) => captured(set, 'ELFedPCA, as published', '10 sites')),
    ),
    sentence(
      'a row then has ε = {}, {} and {} (on ten equal sites {})',
      ...[...three.map((set) => kept(set, '10 sites')), kept('ionosphere', '10 equal sites')].map((value) =>
        Number(value).toFixed(0),
      ),
    ),
    sentence(
      'it is {}, {} and {}; on ten equal sites {}, {} and {}, about',
      ...['10 sites', '10 equal sites'].flatMap((sites) =>
        three.map((set) => captured(set, 'ELFedPCA, repaired', sites)),
      ),
    ),
    sentence(
      'accuracy is {} points [{}, {}] above that with random ones at ε = 1, and {} [{}, {}] below that with ELFedPCA corrected',
      twoTasks('random directions').replace('+', ''),
      ...negated(twoTasks('ELFedPCA, corrected')),
    ),
  ];
}

/** The figures of a difference the other way round: `−3.5 [−10.7, +3.8]` is 3.5, −3.8 and +10.7. */
function negated(cell: string): string[] {
  const [middle, low, high] = withPlaces(cell).figures.map((figure) =>
    figure.startsWith('−') ? figure.replace('−', '+') : figure.replace('+', '−'),
  );
  return [middle!.replace('+', ''), high!, low!];
}
