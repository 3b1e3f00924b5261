/** The test of whether what the CSP decrypts in real runs is uniform, as blinding makes it. */

import { distanceFromUniform } from '@eigenveil/testbed/goodness/kolmogorov';
import { Draws } from '../draws.ts';
import type { Test, Unworded } from '../experiment.ts';
import { LEVELS } from '../judging/verdicts.ts';
import { lineChart } from '../shown.ts';
import { honestRuns, type RecordedRun, TOGETHER, tooLong } from './runs.ts';
import { widthsOf } from './widths.ts';

export const BLINDED: Unworded = {
  id: 'views-csp-slots',
  kind: 'attack',
  attacker: 'CSP',
  secret: 'pooled statistics',
  expectation: 'holds',
  claims: ['S-11', 'S-72'],
  unit: 'run',
  together: TOGETHER,
  omits: tooLong,
  scenes: ['pima'],
  async run(setting) {
    return uniformity(await honestRuns(setting), new Draws(setting.seed), LEVELS[setting.effort] / CASES);
  },
};

/** Shares of its range by which blinding falls short in controls. */
const SHORT = [0.05, 0.1, 0.2, 0.3, 0.5, 0.7];
const DRAWN = 200;
/** Holm's first step divides a run's level by about this number. */
const CASES = 100;
const POWER = 0.8;

/**
 * The slots of a run are blinded by draws of their own, so each is a number of its own, whatever the statistics are. p and the interval are
 * by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart (1990), which holds for any number of slots; σ bits of blinding add
 * nothing that this number of slots could show.
 */
function uniformity(runs: readonly RecordedRun[], draws: Draws, level: number): Test {
  const slots = runs.flatMap(fractionsOf);
  const value = distanceFromUniform(slots);
  const radius = Math.sqrt(Math.log(2 / 0.05) / (2 * slots.length));
  const powers = SHORT.map((short) => ({
    short,
    power: powerOf(short, slots.length, draws.of(short), level),
  }));
  const [least] = powers.filter(({ power }) => power >= POWER);
  return {
    kind: 'test',
    p: chanceOf(value, slots.length),
    n: runs.length,
    distance: { value, low: Math.max(0, value - radius), high: Math.min(1, value + radius) },
    detectable: least && { leak: 'blinding that leaves out this share of its range', size: least.short },
    facts: { slots: slots.length },
    blocks: [
      lineChart(
        {
          name: 'views-csp-slots',
          caption: `Power of the test at level ${level} with ${slots.length} slots, by the share of its range that blinding leaves out.`,
        },
        'share of the range left out',
        'power',
        [{ name: 'power', points: powers.map(({ short, power }) => ({ x: short, y: power })) }],
      ),
    ],
  };
}

/** Slots as parts of the range that blinding must have. */
function fractionsOf({ csp, task }: RecordedRun): number[] {
  const widths = widthsOf(task);
  const slots = csp.opened.find(({ name }) => name === 'blinded slots')?.values ?? [];
  return slots.map((slot, i) => Number(slot) / 2 ** widths[i]!);
}

const chanceOf = (distance: number, n: number) => Math.min(1, 2 * Math.exp(-2 * n * distance ** 2));

function powerOf(short: number, n: number, draws: Draws, level: number): number {
  let found = 0;
  for (let i = 0; i < DRAWN; i++) {
    const sample = Array.from({ length: n }, () => (1 - short) * draws.uniform());
    if (chanceOf(distanceFromUniform(sample), n) <= level) found += 1;
  }
  return found / DRAWN;
}
