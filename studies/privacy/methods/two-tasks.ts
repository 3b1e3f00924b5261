/**
 * Two tasks of Eigenveil, one after the other: the first releases a mean, the second has ranges around that mean and releases components.
 *
 * Proof note. The second task depends on the first by its noisy mean alone, a function of what was released. Both share one budget
 * by the precision of their noise, see shared/privacy/src/calibration/two-tasks.ts. Rows around the mean are clipped to
 * half of C: they are shorter than rows around the middle of their ranges, so that the noise of the same budget is a quarter.
 */

import {
  type Budget,
  partOfBudget,
  type RandomSource,
  restOfBudget,
  SHARE_OF_MEAN,
} from '@eigenveil/privacy';
import { featuresOf } from './matrix.ts';
import type { PcaMethod, PcaSetting, Site } from './method.ts';
import { type Draws, SERVERS_APART, stageComponents, stageMean, stageMethod, stageRelease } from './stage.ts';

/** The ε of both tasks, by budget: each takes thousands of exponentials. */
const split = new Map<string, readonly [first: number, second: number]>();

function epsilonsOf(budget: Budget): readonly [first: number, second: number] {
  if (budget.epsilon === Infinity) return [Infinity, Infinity];
  const key = `${budget.epsilon} ${budget.dpDelta}`;
  const known = split.get(key);
  if (known !== undefined) return known;
  const first = partOfBudget(budget, SHARE_OF_MEAN);
  const both = [first, restOfBudget(budget, { ...budget, epsilon: first })] as const;
  split.set(key, both);
  return both;
}

/** The rows less the mean that a first task releases, which is moved into the ranges; as they are where that task gives up. */
function aroundMean(source: RandomSource, sites: readonly Site[], setting: PcaSetting, draws: Draws): Site[] {
  const dimension = featuresOf(sites);
  // 1/√d is the end of a feature's range.
  const end = 1 / Math.sqrt(dimension);
  const inside = (x: number) => Math.max(-end, Math.min(end, x));
  const mean = stageMean(stageRelease(source, sites, setting, draws).noisy, dimension, setting)?.map(inside);
  if (mean === undefined) return [...sites];
  return sites.map((site) => site.map((row) => row.map((x, i) => x - mean[i]!)));
}

const method = (draws: Draws, named: Pick<PcaMethod, 'name' | 'title'>, trust: string): PcaMethod =>
  stageMethod({
    ...{ ...named, trust },
    reference: 'two tasks of this project: ranges of the second around the mean that the first releases',
    remarks:
      'Three tenths of the precision (1/σ²) for the mean, the rest for the components; both together keep (ε, δ). Owners contribute twice.',
    run: (source, sites, setting) => {
      const [first, second] = epsilonsOf(setting);
      const around = aroundMean(source, sites, { ...setting, epsilon: first }, draws);
      const clipped = { ...setting, epsilon: second, clippingNorm: setting.clippingNorm / 2 };
      const { noisy } = stageRelease(source, around, clipped, draws);
      return stageComponents(noisy, featuresOf(sites), setting.components);
    },
  });

export const eigenveilAroundOne = method(
  1,
  { name: 'eigenveil-around-one', title: 'Eigenveil around a private mean, one server’s noise' },
  'the two servers not to join, and nobody to show the CSP the results',
);
export const eigenveilAround = method(
  2,
  { name: 'eigenveil-around', title: 'Eigenveil around a private mean' },
  SERVERS_APART,
);
