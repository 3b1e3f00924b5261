/** MDR: one label shall be told from reduced rows and the other not; beside projections that hide nothing. */
import { CodedError } from '@eigenveil/platform';
import { STUDY_CODES } from '../instrument/codes.ts';
import { distinct, spread } from '../instrument/figure.ts';
import { defineStudy, type Fact } from '../instrument/study.ts';
import {
  bookRidges,
  type Components,
  dcaComponents,
  mdrComponents,
  pcaComponents,
  type Ridges,
  signalsOf,
  within,
} from './components.ts';
import { KINDS } from './dimensions.ts';
import { type FaceSet, loadFaces, madeUpOf } from './faces.ts';
import {
  type Asked,
  partsOfSplits,
  RIDGE,
  RIDGES,
  recordsOf,
  type Splitting,
  type Trial,
  trialOf,
} from './trials.ts';

const SET = 'glasses';
/** Fewer iterations than elsewhere do: no number of iterations distinguishes 55 people by one number. */
export const ITERATIONS = 2000;

/** The means by which rows are reduced. */
const ARMS = {
  all: 'all pixels',
  pca: 'PCA, as many',
  dca: 'DCA of the label of use, ρ = 10',
  dcaDefault: 'DCA of the label of use, ρ = 0.02·λ_max(S_W)',
  mdr: 'MDR, ρ = 10',
  mdrDefault: 'MDR, ρ = 0.02·λ_max(S_W)',
  rest: 'DCA of the private label, less its leading components',
};

const told = (
  utility: string,
  arm: keyof typeof ARMS,
  label: string,
  splitting: Splitting = 'random',
): Fact => ({
  where: { utility, splitting, arm, told: label },
  figure: spread('accuracy', { digits: 1 }),
});

export const hidden = defineStudy({
  id: 'faces/hidden',
  plan: async ({ scale, own }) => {
    if (own !== undefined && own.privateLabels === undefined)
      throw new CodedError(
        STUDY_CODES.ERR_STUDY_DATA,
        '"faces/hidden" measures whether one label is told from reduced rows and another is not: expected "--private-label COLUMN" beside "--label", or "--only dimensions,all-rows,solver,signal-ridge,ridge"',
      );
    const set = await loadFaces(SET, own);
    // People who are not among the training rows cannot be told from others.
    const kinds: readonly (readonly [utility: string, splitting: Splitting])[] = Object.keys(
      set.labels,
    ).flatMap((utility) => [
      [utility, 'random'] as const,
      ...(utility === 'glasses' ? [[utility, 'by person'] as const] : []),
    ]);
    const cases = kinds.flatMap(([utility, splitting]) =>
      partsOfSplits(scale === 'quick' ? [1, 1] : [20, 5]).map((part) => ({
        set: set.name,
        utility,
        splitting,
        ...part,
        ...RIDGES,
        iterations: ITERATIONS,
        kind: set.kind,
      })),
    );
    return { cases, omissions: madeUpOf([set], 'MDR') };
  },
  titleOf: ({ utility, splitting, from, to }) => `MDR for ${utility}, split ${splitting}, ${from} to ${to}`,
  expectedSeconds: ({ splitting, from, to }) => (splitting === 'random' ? 40 : 10) * (to - from + 1),
  async measure({ utility, splitting, from, to }, { own }) {
    const set = await loadFaces(SET, own);
    const labels = splitting === 'random' ? Object.keys(set.labels) : [utility];
    const asked: Asked[] = [];
    for (let split = from; split <= to; split += 1) {
      const trial = trialOf(set, set.labels[utility]!, splitting, split);
      for (const { arm, components } of armsOf(trial, set, utility))
        for (const told of labels)
          asked.push({
            of: { split, arm, told },
            trial,
            labels: set.labels[told]!,
            components,
            dimensions: [components.vectors.length],
            iterations: ITERATIONS,
          });
    }
    return recordsOf(asked);
  },
  columns: { arm: { title: 'reduced by', values: ARMS }, kind: { values: KINDS } },
  frames: {
    questions: (records) =>
      records.map((record) => ({
        ...record,
        question: `of use: ${record.utility}; told: ${record.told}${record.splitting === 'random' ? '' : ', split by person'}`,
      })),
  },
  tables: {
    told: {
      caption: '{set}{kind}: accuracy in percent for each label, by what rows are reduced by',
      of: 'questions',
      each: ['set', 'kind'],
      rows: ['arm'],
      across: { column: 'question', cell: spread('accuracy', { digits: 1 }) },
      cells: { splits: distinct('split') },
    },
  },
  facts: {
    tells: told('glasses', 'mdr', 'glasses'),
    hides: told('glasses', 'mdr', 'identity'),
    tellsAtDefault: told('glasses', 'mdrDefault', 'glasses'),
    hidesAtDefault: told('glasses', 'mdrDefault', 'identity'),
    tellsStrangersAtDefault: told('glasses', 'mdrDefault', 'glasses', 'by person'),
    dcaTellsStrangers: told('glasses', 'dca', 'glasses', 'by person'),
    tellsWhoAtDefault: told('identity', 'mdrDefault', 'identity'),
    hidesGlassesAtDefault: told('identity', 'mdrDefault', 'glasses'),
    dcaTells: told('glasses', 'dca', 'glasses'),
    dcaHides: told('glasses', 'dca', 'identity'),
    dcaTellsAtDefault: told('glasses', 'dcaDefault', 'glasses'),
    dcaHidesAtDefault: told('glasses', 'dcaDefault', 'identity'),
    tellsWho: told('identity', 'mdr', 'identity'),
    hidesGlasses: told('identity', 'mdr', 'glasses'),
    allTellWho: told('identity', 'all', 'identity'),
    allTellGlasses: told('identity', 'all', 'glasses'),
    dcaTellsWho: told('identity', 'dca', 'identity'),
    dcaHidesGlasses: told('identity', 'dca', 'glasses'),
  },
  holds: {
    tellsNeither: (fact) => fact('hides') < 10 && fact('tells') < fact('dcaTells') - 20,
    tellsOne: (fact) => fact('hidesAtDefault') < 10 && fact('tellsAtDefault') > fact('tells') + 20,
    dcaDoesAsWell: (fact) =>
      fact('dcaTells') > fact('tellsAtDefault') - 5 && fact('dcaHides') <= fact('hidesAtDefault'),
    hidesLess: (fact) =>
      fact('hidesGlasses') < fact('allTellGlasses') &&
      fact('hidesGlasses') > fact('dcaHidesGlasses') &&
      fact('tellsWho') < fact('dcaTellsWho'),
  },
  words: new URL('hidden.md', import.meta.url),
});

/** Within the span of the training rows alone: a component beyond it tells nothing that was learnt. Arms without any component are left out. */
function armsOf({ span, split: { train } }: Trial, { labels }: FaceSet, utility: string) {
  const use = labels[utility]!;
  const [, secret] = Object.entries(labels).find(([label]) => label !== utility)!;
  const dca = (of: readonly number[], ridges: Ridges = RIDGES) => dcaComponents(span, train, of, ridges);
  const mdr = (ridge: number) => mdrComponents(span, train, { utility: use, privacy: secret }, ridge);
  const usual = bookRidges(span, train, use);
  const k = signalsOf(span, train, use);
  const all = pcaComponents(span);
  const arms: readonly (readonly [arm: keyof typeof ARMS, Components])[] = [
    ['all', within(all, 0, span.rank)],
    ['pca', within(all, 0, k)],
    ['dca', within(dca(use), 0, k)],
    ['dcaDefault', within(dca(use, usual), 0, k)],
    ['mdr', mdr(RIDGE)],
    ['mdrDefault', mdr(usual.ridge)],
    ['rest', within(dca(secret), signalsOf(span, train, secret), span.rank)],
  ];
  return arms.flatMap(([arm, components]) => (components.vectors.length === 0 ? [] : [{ arm, components }]));
}
