/** The number of rounds of iterations that stop at a threshold, with noise and without: columns, table and facts of the study of captured energy. */
import type { RandomSource } from '@eigenveil/privacy';
import { beside, type Figure, least, mean, most, spread } from '../instrument/figure.ts';
import type { Fact, TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { MOST_ROUNDS, type PcaMethod, type PcaSetting, type Site } from './methods/index.ts';

const THRESHOLDED = 'balcan';
const ITERATED = { method: THRESHOLDED };

/** A run of a method, and what is seen of its rounds: nothing where it is no iteration with a threshold. */
export function runOf(
  method: PcaMethod,
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
): { readonly found: number[][] | undefined; readonly seen: Tidy } {
  let seen: Tidy = {};
  const found = method.run(source, sites, setting, (rounds) => {
    if (method.name === THRESHOLDED) seen = { rounds, stopped: rounds < MOST_ROUNDS ? 1 : 0 };
  });
  return { found, seen };
}

/** The rounds that the same iteration takes where no noise keeps it from settling. */
export function roundsWithoutNoise(
  method: PcaMethod,
  source: RandomSource,
  sites: readonly Site[],
  setting: PcaSetting,
): Tidy {
  if (method.name !== THRESHOLDED) return {};
  const { rounds } = runOf(method, source, sites, { ...setting, epsilon: Infinity }).seen;
  return { free: rounds! };
}

const stopped: Figure = mean('stopped', { percent: true, digits: 0, unit: '%' });
const stoppedAt = (epsilon: number): Fact => ({
  where: { ...ITERATED, epsilon },
  figure: mean('stopped', { percent: true, digits: 0 }),
});

export const ROUNDS_TABLE: TableOf = {
  caption: `Noisy power with a threshold: rounds of at most ${MOST_ROUNDS}, mean ± standard deviation, and in how many runs the threshold ended them; and the fewest and most rounds without noise`,
  where: ITERATED,
  rows: ['dataset', 'sites'],
  across: {
    column: 'epsilon',
    cell: beside(' / ', spread('rounds', { digits: 1 }), stopped),
  },
  cells: {
    'without noise': beside(' to ', least('free', { digits: 0 }), most('free', { digits: 0 })),
  },
};

export const ROUNDS_FACTS: Readonly<Record<string, Fact>> = {
  fewestRounds: { where: ITERATED, figure: least('free', { digits: 0 }) },
  mostRounds: { where: ITERATED, figure: most('free', { digits: 0 }) },
  stoppedAtTenth: stoppedAt(0.1),
  stoppedAtOne: stoppedAt(1),
  stoppedAtThree: stoppedAt(3),
  stoppedAtTen: stoppedAt(10),
};
