/** The dependence of accuracy and reconstruction by DCA on ρ′: the same splits for each value of it. */
import { distinct, mean, most, spread, where } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dcaComponents } from './components.ts';
import { BOOK_DIMENSIONS, KINDS } from './dimensions.ts';
import { type FaceSetName, loadFaces, loadSets, madeUpOf } from './faces.ts';
import { dimensionsOf, ITERATIONS, partsOfSplits, RIDGE, recordsOf, toldOf, trialOf } from './trials.ts';

export const SIGNAL_RIDGES = [-0.05, -0.01, -0.001, 0, 0.001, 0.01, 0.05];
/** All signal components of 15 people, and the book's number. */
const QUICK = [14, 160];
const SETS = ['yale', 'olivetti'] as const;
/** Splits, and of them in a case. */
const SPLITS = {
  quick: { yale: [2, 2], olivetti: [1, 1] },
  full: { yale: [20, 5], olivetti: [3, 1] },
} as const;
const EXPECTED: Readonly<Record<string, number>> = { yale: 40, olivetti: 300 };

const centredAt = (signalRidge: number, k: number, set = 'yale') => ({
  where: { set, signalRidge, k },
  figure: spread('centred', { digits: 1, grouped: true }),
});

export const signalRidge = defineStudy({
  id: 'faces/signal-ridge',
  plan: async ({ scale, own }) => {
    const sets = await loadSets(scale === 'quick' ? SETS.slice(0, 1) : SETS, own);
    const cases = sets.flatMap(({ name, set }) => {
      const usual = scale === 'quick' ? QUICK : BOOK_DIMENSIONS;
      const dimensions = own ? dimensionsOf(set, [new Set(own.labels).size - 1]) : usual;
      return partsOfSplits(SPLITS[scale][name]).map((part) => ({
        set: set.name,
        ...part,
        ridge: RIDGE,
        signalRidges: SIGNAL_RIDGES.join(' '),
        dimensions: dimensions.join(' '),
        iterations: ITERATIONS,
        kind: set.kind,
      }));
    });
    const omissions = madeUpOf(
      sets.map(({ set }) => set),
      'ρ′',
    );
    return { cases, omissions };
  },
  titleOf: ({ set, from, to }) => `ρ′ on ${set}, splits ${from} to ${to}`,
  expectedSeconds: ({ set, from, to }) => (EXPECTED[set] ?? 40) * (to - from + 1),
  async measure({ set: name, from, to, dimensions }, { own }) {
    const set = await loadFaces(name as FaceSetName, own);
    const asked = Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((split) => {
      const trial = trialOf(set, toldOf(set), 'random', split);
      return SIGNAL_RIDGES.map((signalRidge) => ({
        of: { split, signalRidge },
        trial,
        components: dcaComponents(trial.span, trial.split.train, trial.labels, { ridge: RIDGE, signalRidge }),
        dimensions: dimensions.split(' ').map(Number),
        withErrors: true,
      }));
    });
    return recordsOf(asked);
  },
  columns: {
    kind: { values: KINDS },
    signalRidge: {
      title: 'ρ′',
      values: Object.fromEntries(SIGNAL_RIDGES.map((value) => [value, `${value}`.replace('-', '−')])),
    },
    k: { title: 'components' },
  },
  frames: {
    /** Says by how much the mean accuracies of all ρ′ differ. */
    apart: (records) =>
      [...Map.groupBy(records, ({ set, k }) => `${set} ${k}`).values()].map((own): Tidy => {
        const means = SIGNAL_RIDGES.map((rho) => where({ signalRidge: rho }, mean('accuracy'))(own).value!);
        return { set: own[0]!.set!, k: own[0]!.k!, apart: Math.max(...means) - Math.min(...means) };
      }),
  },
  tables: {
    accuracy: {
      caption: '{set}{kind}: accuracy in percent over components of DCA, the same splits for each ρ′',
      each: ['set', 'kind'],
      rows: ['signalRidge'],
      across: { column: 'k', cell: spread('accuracy', { digits: 1 }) },
      cells: { splits: distinct('split') },
    },
    errors: {
      caption:
        '{set}{kind}: mean error of reconstruction in grey levels over components of DCA, centred, the same splits for each ρ′',
      each: ['set', 'kind'],
      rows: ['signalRidge'],
      across: { column: 'k', cell: mean('centred', { digits: 1, grouped: true }) },
    },
  },
  facts: {
    accuracy: { where: { set: 'yale', signalRidge: 0, k: 14 }, figure: spread('accuracy', { digits: 1 }) },
    yaleApart: { of: 'apart', where: { set: 'yale', k: 14 }, figure: most('apart', { digits: 1 }) },
    mostApart: { of: 'apart', figure: most('apart', { digits: 1 }) },
    few: centredAt(0.001, 14),
    manyUpToZero: centredAt(0, 160),
    manyAboveZero: centredAt(0.001, 160),
    olivettiUpToZero: centredAt(0, 160, 'olivetti'),
    olivettiAboveZero: centredAt(0.001, 160, 'olivetti'),
    values: { where: { set: 'yale', k: 14 }, figure: distinct('signalRidge') },
  },
  holds: {
    sameAccuracy: (fact) => fact('yaleApart') === 0,
    signDecides: (fact) =>
      fact('manyAboveZero') > 0.99 * fact('few') && fact('manyUpToZero') < 0.1 * fact('few'),
  },
  words: new URL('signal-ridge.md', import.meta.url),
});
