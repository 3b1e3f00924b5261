/** Accuracy of an SVM on faces reduced by PCA and DCA, and errors of faces led back, over numbers of components. */
import { distinct, type Figure, least, mean, spread, where } from '../instrument/figure.ts';
import { defineStudy, type Fact } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { againstBook, BOOK_METHODS, besideBook } from './book.ts';
import { dcaComponents, pcaComponents } from './components.ts';
import { FACE_SETS, type FaceSet, type FaceSetName, loadFaces, madeUpOf } from './faces.ts';
import type { Errors } from './reconstruction.ts';
import {
  type Asked,
  dimensionsOf,
  ITERATIONS,
  partsOfSplits,
  RIDGES,
  recordsOf,
  type Splitting,
  toldOf,
  trialOf,
} from './trials.ts';

/** The dimensions include those of its one run (5, 14, 50, 160), and 39, as many as distinguish the people of Olivetti. All pixels are the last, which are not here. */
export const BOOK_DIMENSIONS = [2, 5, 8, 10, 14, 39, 50, 160, 1000, 2000, 3000];
const DIMENSIONS = { quick: [2, 5, 14, 50, 160], full: BOOK_DIMENSIONS };
const METHODS = ['pca', 'dca'] as const;
/** Titles of errors of reconstruction. */
export const ERRORS: Readonly<Record<keyof Errors, string>> = {
  listing: 'as the listing',
  uncentred: 'not centred, each row with itself',
  centred: 'centred',
  heldOut: 'centred, held-out rows alone',
};
/** The text behind the name of a set in captions. */
export const KINDS = { faces: '', 'made-up faces': ' (made up: these are no faces)', 'own rows': '' };
const SPLITTING_VALUES = { random: 'at random' };

/** Splits, and of them in a case. */
const SPLITS = {
  quick: { yale: [3, 3], olivetti: [1, 1], glasses: [2, 2], own: [1, 1] },
  full: { yale: [165, 11], olivetti: [30, 2], glasses: [50, 10], own: [30, 2] },
} as const;
/** Seconds that a split is expected to take. */
const EXPECTED: Readonly<Record<string, number>> = { yale: 20, olivetti: 120, glasses: 30 };

const KINDS_OF_SPLITS: readonly { readonly name: FaceSetName; readonly splitting: Splitting }[] = [
  ...FACE_SETS.map((name) => ({ name, splitting: 'random' as const })),
  { name: 'glasses', splitting: 'by person' },
];

/** Records of errors in the long form: one for each error. */
export function errorsOf(records: readonly Tidy[], titles: Readonly<Record<string, string>>): Tidy[] {
  return records.flatMap((record) =>
    Object.keys(titles).flatMap((error) =>
      record[error] === undefined ? [] : [{ ...record, error, greyLevels: record[error] }],
    ),
  );
}

const fact = (of: Tidy, figure: Figure): Fact => ({ where: { splitting: 'random', ...of }, figure });
/** Facts named after each k. */
const facts = (name: string, of: Tidy, figure: Figure, ...dimensions: readonly number[]) =>
  Object.fromEntries(dimensions.map((k) => [`${name}${k}`, fact({ ...of, k }, figure)]));
const percent = spread('accuracy', { digits: 1 });
const whole = { digits: 0, grouped: true } as const;
const [ofPca, ofDca] = METHODS.map((method) => ({ set: 'yale', method }));

/** By how many points DCA is right more often, on the same splits. */
const lead: Figure = (records) => {
  const [pca, dca] = METHODS.map((method) => where({ method }, mean('accuracy'))(records).value);
  return mean('lead', { digits: 1 })(pca === undefined || dca === undefined ? [] : [{ lead: dca - pca }]);
};

export const dimensions = defineStudy({
  id: 'faces/dimensions',
  plan: async ({ scale, own }) => {
    const cases: { readonly begins: number; readonly one: Tidy & ReturnType<typeof caseOf> }[] = [];
    const sets: FaceSet[] = [];
    for (const { name, splitting } of own ? KINDS_OF_SPLITS.slice(0, 1) : KINDS_OF_SPLITS) {
      const set = await loadFaces(name, own);
      if (!sets.includes(set)) sets.push(set);
      const [splits, each] = SPLITS[scale][own ? 'own' : name];
      const dimensions = dimensionsOf(set, DIMENSIONS[scale]).join(' ');
      for (const part of partsOfSplits([splits, each]))
        cases.push({
          begins: (part.from - 1) / splits,
          one: caseOf(set, { splitting, ...part, dimensions }),
        });
    }
    // All sets go on together, so that a run that is interrupted has some splits of each.
    const inTurn = cases.sort((one, other) => one.begins - other.begins).map(({ one }) => one);
    return { cases: inTurn, omissions: madeUpOf(sets, 'numbers of components') };
  },
  titleOf: ({ set, splitting, from, to }) => `${set}, split ${splitting}, ${from} to ${to}`,
  expectedSeconds: ({ set, from, to }) => (EXPECTED[set] ?? 30) * (to - from + 1),
  async *measure({ set: name, splitting, from, to, dimensions }, { own }) {
    const set = await loadFaces(name as FaceSetName, own);
    const labels = toldOf(set);
    const asked: Asked[] = [];
    for (let split = from; split <= to; split += 1) {
      const trial = trialOf(set, labels, splitting, split);
      const components = {
        pca: pcaComponents(trial.span),
        dca: dcaComponents(trial.span, trial.split.train, labels, RIDGES),
      };
      for (const method of METHODS)
        asked.push({
          of: { split, method },
          trial,
          components: components[method],
          dimensions: dimensions.split(' ').map(Number),
          withErrors: true,
        });
    }
    yield* await recordsOf(asked);
    const ranks = asked.map(({ trial }) => trial.span.rank);
    yield { leastRank: Math.min(...ranks), mostRank: Math.max(...ranks) };
  },
  columns: {
    kind: { values: KINDS },
    splitting: { values: SPLITTING_VALUES },
    method: { values: { pca: 'PCA', dca: 'DCA', ...BOOK_METHODS } },
    error: { values: ERRORS },
    k: { title: 'components' },
  },
  frames: {
    accuracy: (records) => besideBook(records.filter(({ accuracy }) => accuracy !== undefined)),
    errors: (records) => errorsOf(besideBook(records), ERRORS),
    curves: (records) =>
      errorsOf(records, { listing: ERRORS.listing, centred: ERRORS.centred }).map((record) => ({
        ...record,
        curve: `${String(record.method).toUpperCase()}, ${ERRORS[record.error as keyof Errors]}`,
      })),
    againstBook,
  },
  tables: {
    accuracy: {
      caption: '{set}{kind}, split {splitting}: accuracy in percent over components',
      of: 'accuracy',
      each: ['set', 'splitting', 'kind'],
      rows: ['method'],
      across: { column: 'k', cell: percent },
      cells: { splits: distinct('split') },
    },
    errors: {
      caption: '{set}{kind}, split {splitting}: mean error of reconstruction in grey levels over components',
      of: 'errors',
      each: ['set', 'splitting', 'kind'],
      rows: ['method', 'error'],
      across: { column: 'k', cell: spread('greyLevels', { digits: 1 }) },
    },
  },
  charts: {
    accuracy: {
      caption:
        '{set}{kind}, split {splitting}: accuracy in percent over components; whiskers are a standard deviation to either side',
      where: ({ accuracy }) => accuracy !== undefined,
      each: ['set', 'splitting', 'kind'],
      mark: 'line',
      x: { column: 'k', scale: 'category' },
      y: { figure: spread('accuracy'), title: 'accuracy in percent' },
      colour: 'method',
    },
    errors: {
      caption:
        '{set}{kind}, split {splitting}: mean error of reconstruction in grey levels over components, as the listing computes it and centred',
      of: 'curves',
      each: ['set', 'splitting', 'kind'],
      mark: 'line',
      x: { column: 'k', scale: 'category' },
      y: { figure: spread('greyLevels'), title: 'mean error in grey levels' },
      colour: 'curve',
    },
  },
  facts: {
    ...facts('yalePca', ofPca!, percent, 5, 14, 50, 160),
    ...facts('yaleDca', ofDca!, percent, 5, 10, 14),
    ...facts('yaleLead', { set: 'yale' }, lead, 14, 50),
    ...facts('olivettiPca', { set: 'olivetti', method: 'pca' }, percent, 5, 14, 50),
    ...facts('olivettiDca', { set: 'olivetti', method: 'dca' }, percent, 5, 14, 50),
    ...facts('glassesPca', { set: 'glasses', method: 'pca' }, percent, 5, 50),
    ...facts('glassesDca', { set: 'glasses', method: 'dca' }, percent, 2),
    ...facts('strangersPca', { set: 'glasses', splitting: 'by person', method: 'pca' }, percent, 5, 50),
    ...facts('strangersDca', { set: 'glasses', splitting: 'by person', method: 'dca' }, percent, 2),
    ...facts('listingPca', ofPca!, spread('listing', whole), 5, 14, 50, 160),
    ...facts('listingDca', ofDca!, spread('listing', whole), 5, 14, 50, 160),
    ...facts('centredPca', ofPca!, mean('centred', whole), 5, 14, 50, 160),
    ...facts('centredDca', ofDca!, mean('centred', whole), 5, 14, 50, 160),
    ...facts('glassesCentredPca', { set: 'glasses', method: 'pca' }, mean('centred', whole), 5, 14, 160),
    ...facts('glassesCentredDca', { set: 'glasses', method: 'dca' }, mean('centred', whole), 5, 14, 160),
    ...facts('olivettiCentredDca', { set: 'olivetti', method: 'dca' }, mean('centred', whole), 160, 1000),
    ...Object.fromEntries(
      [
        ['pca', 5],
        ['pca', 14],
        ['pca', 50],
        ['pca', 160],
        ['dca', 5],
        ['dca', 14],
      ].map(([method, k]) => [
        `asBook${method === 'pca' ? 'Pca' : 'Dca'}${k}`,
        {
          of: 'againstBook',
          where: { method: method!, k: k! },
          figure: mean('asGood', { percent: true, digits: 0 }),
        },
      ]),
    ),
    yaleRank: fact({ set: 'yale' }, least('leastRank', { digits: 0 })),
  },
  holds: {
    dcaNeedsFewer: (fact) => fact('yaleDca14') > fact('yalePca50'),
    onlyOthersGrow: (fact) =>
      fact('listingPca160') > fact('listingPca5') && fact('centredPca160') < fact('centredPca5') / 10,
  },
  words: new URL('dimensions.md', import.meta.url),
});

function caseOf(
  { name, kind }: FaceSet,
  of: {
    readonly splitting: Splitting;
    readonly from: number;
    readonly to: number;
    readonly dimensions: string;
  },
) {
  return { set: name, ...of, ...RIDGES, iterations: ITERATIONS, kind };
}
