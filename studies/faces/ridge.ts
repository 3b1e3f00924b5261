/** Measures what ρ does to DCA and MDR: the same splits for each value of it, and for the default of the code that accompanies the book. */
import { distinct, type Figure, mean, spread } from '../instrument/figure.ts';
import { defineStudy, type Fact } from '../instrument/study.ts';
import { bookRidges, dcaComponents, mdrComponents, signalsOf, within } from './components.ts';
import { KINDS } from './dimensions.ts';
import { FACE_SETS, type FaceSet, type FaceSetName, loadFaces, loadSets, madeUpOf } from './faces.ts';
import { ITERATIONS } from './hidden.ts';
import { type Asked, partsOfSplits, RIDGE, recordsOf, SIGNAL_RIDGE, type Trial, trialOf } from './trials.ts';

/** The values go from the listing's to the largest eigenvalue of S_W of glasses. */
export const SWEPT = [RIDGE, 1e4, 1e6, 1e7, 1e8, 1e9];
const DEFAULT = 'default';
/** Splits, and of them in a case. */
const SPLITS = {
  quick: { yale: [1, 1], olivetti: [1, 1], glasses: [1, 1] },
  full: { yale: [20, 10], olivetti: [4, 2], glasses: [8, 2] },
} as const;
const EXPECTED: Readonly<Record<string, number>> = { yale: 5, olivetti: 30, glasses: 60 };
const MEAN = { digits: 1 } as const;
const ACCURACY = spread('accuracy', MEAN);
const MISSING = mean('centred', { digits: 0, grouped: true });

const told = (utility: string, method: string, rho: string, label: string): Fact => ({
  where: { set: 'glasses', utility, method, rho, told: label },
  figure: ACCURACY,
});
const missing = (utility: string, method: string, rho: string): Fact => ({
  where: { set: 'glasses', utility, method, rho, told: utility },
  figure: MISSING,
});
const yale = (rho: string, figure: Figure): Fact => ({
  where: { set: 'yale', method: 'dca', rho },
  figure,
});

export const ridge = defineStudy({
  id: 'faces/ridge',
  plan: async ({ scale, own }) => {
    const sets = await loadSets(FACE_SETS, own);
    const cases = sets.flatMap(({ name, set }) =>
      Object.keys(set.labels).flatMap((utility) =>
        partsOfSplits(SPLITS[scale][name]).map((part) => ({
          set: set.name,
          utility,
          ...part,
          ridges: SWEPT.join(' '),
          iterations: ITERATIONS,
          kind: set.kind,
        })),
      ),
    );
    const omissions = madeUpOf(
      sets.map(({ set }) => set),
      'ρ',
    );
    return { cases, omissions };
  },
  titleOf: ({ set, utility, from, to }) => `ρ on ${set}, ${utility} of use, splits ${from} to ${to}`,
  expectedSeconds: ({ set, from, to }) => (EXPECTED[set] ?? 5) * (to - from + 1),
  async measure({ set: name, utility, from, to }, { own }) {
    const set = await loadFaces(name as FaceSetName, own);
    const asked: Asked[] = [];
    for (let split = from; split <= to; split += 1) {
      const trial = trialOf(set, set.labels[utility]!, 'random', split);
      for (const { components, ...of } of componentsOf(trial, set, utility))
        for (const told of Object.keys(set.labels))
          asked.push({
            of: { split, told, ...of },
            trial,
            labels: set.labels[told]!,
            components,
            dimensions: [components.vectors.length],
            iterations: ITERATIONS,
            withErrors: true,
          });
    }
    return recordsOf(asked);
  },
  columns: {
    kind: { values: KINDS },
    method: { values: { dca: 'DCA', mdr: 'MDR' } },
    ridge: { title: 'ρ' },
    rho: { title: 'ρ' },
  },
  frames: {
    questions: (records) =>
      records.map((record) => ({ ...record, question: `${record.told} told`, series: seriesOf(record) })),
  },
  tables: {
    swept: {
      caption: '{set}{kind}, {utility} of use: accuracy in percent for each label, over ρ',
      of: 'questions',
      each: ['set', 'kind', 'utility'],
      rows: ['method', 'rho'],
      across: { column: 'question', cell: ACCURACY },
      cells: {
        'error of reconstruction, centred': mean('centred', MEAN),
        'mean ρ': mean('ridge', { power: true }),
        splits: distinct('split'),
      },
    },
  },
  charts: {
    swept: {
      caption:
        '{set}{kind}, {utility} of use: accuracy in percent over ρ; whiskers are a standard deviation to either side',
      of: 'questions',
      where: ({ rho }) => rho !== DEFAULT,
      each: ['set', 'kind', 'utility'],
      mark: 'line',
      x: { column: 'ridge', scale: 'log' },
      y: { figure: spread('accuracy'), title: 'accuracy in percent' },
      colour: 'series',
    },
  },
  facts: {
    tells: told('glasses', 'mdr', DEFAULT, 'glasses'),
    hides: told('glasses', 'mdr', DEFAULT, 'identity'),
    tellsAtTen: told('glasses', 'mdr', `${RIDGE}`, 'glasses'),
    dcaTells: told('glasses', 'dca', DEFAULT, 'glasses'),
    dcaHides: told('glasses', 'dca', DEFAULT, 'identity'),
    tellsWho: told('identity', 'mdr', DEFAULT, 'identity'),
    hidesGlasses: told('identity', 'mdr', DEFAULT, 'glasses'),
    missingOfGlasses: missing('glasses', 'mdr', DEFAULT),
    missingOfIdentity: missing('identity', 'mdr', DEFAULT),
    defaultOfGlasses: {
      where: { set: 'glasses', utility: 'glasses', rho: DEFAULT },
      figure: mean('ridge', { power: true, digits: 1 }),
    },
    defaultOfIdentity: {
      where: { set: 'glasses', utility: 'identity', rho: DEFAULT },
      figure: mean('ridge', { power: true, digits: 1 }),
    },
    tellsAtBest: told('glasses', 'mdr', '10000000', 'glasses'),
    tellsAtMost: told('glasses', 'mdr', '1000000000', 'glasses'),
    yaleDcaAtTen: yale(`${RIDGE}`, ACCURACY),
    yaleDcaAtDefault: yale(DEFAULT, ACCURACY),
    yaleDcaAtMost: yale('1000000000', ACCURACY),
    yaleDcaMissingAtTen: yale(`${RIDGE}`, MISSING),
    yaleDcaMissingAtMost: yale('1000000000', MISSING),
  },
  holds: {
    oneWithoutTheOther: (fact) =>
      fact('tells') > fact('tellsAtTen') + 20 && fact('tells') > 85 && fact('hides') < 10,
  },
  words: new URL('ridge.md', import.meta.url),
});

const seriesOf = ({ method, told }: Readonly<Record<string, unknown>>) =>
  `${String(method).toUpperCase()}, ${told} told`;

/** DCA, and MDR where there is a second label, with each ρ and as many components as distinguish the classes of use. */
function componentsOf({ span, split: { train } }: Trial, { labels }: FaceSet, utility: string) {
  const use = labels[utility]!;
  const [, secret] = Object.entries(labels).find(([label]) => label !== utility) ?? [];
  const signals = signalsOf(span, train, use);
  const ridges = [
    ...SWEPT.map((value) => ({ rho: `${value}`, ridge: value, signalRidge: SIGNAL_RIDGE })),
    { rho: DEFAULT, ...bookRidges(span, train, use) },
  ];
  return ridges.flatMap(({ rho, ...given }) => {
    const dca = dcaComponents(span, train, use, given);
    const of = { rho, ridge: given.ridge };
    return [
      { method: 'dca', ...of, components: within(dca, 0, signals) },
      ...(secret === undefined
        ? []
        : [
            {
              method: 'mdr',
              ...of,
              components: mdrComponents(span, train, { utility: use, privacy: secret }, given.ridge),
            },
          ]),
    ];
  });
}
