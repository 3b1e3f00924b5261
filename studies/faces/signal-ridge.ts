/** Whether accuracy and reconstruction by DCA depend on ρ′: the same splits for each value of it. */
import { distinct, least, mean, most, spread, where } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dcaComponents } from './components.ts';
import { KINDS } from './dimensions.ts';
import { loadFaces, madeUpOf } from './faces.ts';
import { dimensionsOf, ITERATIONS, partsOfSplits, RIDGE, recordsOf, toldOf, trialOf } from './trials.ts';

export const SIGNAL_RIDGES = [-0.05, -0.01, -0.001, 0, 0.001, 0.01, 0.05];
/** All signal components of 15 people, and the book's number. */
const DIMENSIONS = [14, 160];
const SET = 'yale';

const centredAt = (signalRidge: number, k: number) => ({
  where: { signalRidge, k },
  figure: spread('centred', { digits: 1, grouped: true }),
});

export const signalRidge = defineStudy({
  id: 'faces/signal-ridge',
  plan: async ({ scale, own }) => {
    const set = await loadFaces(SET, own);
    const [splits, each] = scale === 'quick' ? [2, 2] : [30, 10];
    const dimensions = own ? dimensionsOf(set, [new Set(own.labels).size - 1]) : DIMENSIONS;
    const cases = partsOfSplits(splits, each).map((part) => ({
      set: set.name,
      ...part,
      ridge: RIDGE,
      signalRidges: SIGNAL_RIDGES.join(' '),
      dimensions: dimensions.join(' '),
      iterations: ITERATIONS,
      kind: set.kind,
    }));
    return { cases, omissions: madeUpOf([set], 'ρ′') };
  },
  titleOf: ({ set, from, to }) => `ρ′ on ${set}, splits ${from} to ${to}`,
  expectedSeconds: ({ from, to }) => 10 * (to - from + 1),
  async measure({ from, to, dimensions }, { own }) {
    const set = await loadFaces(SET, own);
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
    means: (records) =>
      [...Map.groupBy(records, ({ signalRidge, k }) => `${signalRidge} ${k}`).values()].map(
        (own): Tidy => ({ accuracy: mean('accuracy')(own).value! }),
      ),
  },
  tables: {
    values: {
      caption:
        '{set}{kind}, {k} components of DCA: accuracy in percent, and mean errors of reconstruction in grey levels, the same splits for each ρ′',
      each: ['set', 'kind', 'k'],
      rows: ['signalRidge'],
      cells: {
        accuracy: spread('accuracy', { digits: 1 }),
        'error as the listing': spread('listing', { digits: 1 }),
        'error centred': spread('centred', { digits: 1 }),
        splits: distinct('split'),
      },
    },
  },
  facts: {
    accuracy: { where: { signalRidge: 0, k: 14 }, figure: spread('accuracy', { digits: 1 }) },
    leastAccuracy: { of: 'means', figure: least('accuracy', { digits: 1 }) },
    mostAccuracy: { of: 'means', figure: most('accuracy', { digits: 1 }) },
    few: centredAt(0.001, 14),
    manyUpToZero: centredAt(0, 160),
    manyAboveZero: centredAt(0.001, 160),
    values: { figure: where({ k: 14 }, distinct('signalRidge')) },
  },
  holds: {
    sameAccuracy: (fact) => fact('leastAccuracy') === fact('mostAccuracy'),
    signDecides: (fact) =>
      fact('manyAboveZero') > 0.99 * fact('few') && fact('manyUpToZero') < 0.1 * fact('few'),
  },
  words: new URL('signal-ridge.md', import.meta.url),
});
