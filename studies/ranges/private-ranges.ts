/**
 * Ranges of features from noisy histograms, in the clear: what a histogram task gives before a projection, for experiments.
 *
 * The outer domain is public: the same for all who would write a task without knowing more. In one stage the whole budget goes to 2^10 bins. In two, half of it goes to 2^5 coarse bins of the outer domain, half to 2^5 bins
 * between the coarse ends: as fine, with noise for lower trees, but each half the budget. A release that is too noisy for the rows gives no range,
 * and its budget is spent: the outer domain stays, or what the coarse stage found.
 */
import {
  calibrateRelease,
  coefficientsOf,
  privateRange,
  type ReleaseBudget,
  restore,
} from '@eigenveil/release';
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Range } from '../instrument/own-data.ts';
import type { Row } from '../privacy/methods/method.ts';
import { fastSampler } from './draws.ts';
import { bestStrategy } from './quantiles.ts';
import { SERVERS } from './settings.ts';

/** A share of a range's width that is added at each end, within the outer domain: a quantile is not an end. */
const WIDENED = 0.1;
const ASKED = { lower: 0.005, upper: 0.995 } as const;
const ONE_STAGE = 10;
const STAGE = 5;

export type Stages = 'one stage' | 'coarse, then fine';

/** Each release of the way spends one of these; in all the budget. */
export function budgetsOf(stages: Stages, budget: Required<ReleaseBudget>): Required<ReleaseBudget>[] {
  if (stages === 'one stage') return [budget];
  const half = { epsilon: budget.epsilon / 2, dpDelta: budget.dpDelta / 2 };
  return [half, half];
}

/**
 * @param seed of the noise of both servers
 * @returns ranges; `refused` where every release was too noisy for the rows, so that they are the outer domains
 */
export function privateRanges(
  rows: readonly Row[],
  outer: readonly Range[],
  of: { readonly stages: Stages; readonly budget: Required<ReleaseBudget>; readonly seed: string },
): { readonly ranges: readonly Range[]; readonly refused: boolean } {
  const ways =
    of.stages === 'one stage'
      ? [{ height: ONE_STAGE, seed: of.seed }]
      : ['coarse', 'fine'].map((name) => ({ height: STAGE, seed: `${of.seed} ${name}` }));
  let [ranges, refused] = [outer, true];
  for (const [i, budget] of budgetsOf(of.stages, of.budget).entries()) {
    const found = stage(rows, ranges, { ...ways[i]!, budget });
    if (found !== undefined || i === 0)
      ranges = (found ?? outer).map((range, j) => widened(range, outer[j]!));
    refused &&= found === undefined;
  }
  return { ranges, refused };
}

/** The ranges that one release of all features gives; undefined where it is too noisy. */
function stage(
  rows: readonly Row[],
  domains: readonly Range[],
  of: { readonly height: number; readonly budget: ReleaseBudget; readonly seed: string },
): Range[] | undefined {
  const { height, budget, seed } = of;
  const strategy = bestStrategy(budget, height);
  const noise = calibrateRelease(strategy, { features: domains.length, neighbours: 'add-remove', budget });
  const draws = Array.from({ length: SERVERS }, (_, i) => fastSampler(noise, `${seed} ${i}`));
  const histograms = domains.map((domain, j) => {
    const counts = new Array<bigint>(strategy.bins).fill(0n);
    for (const row of rows) counts[binOf(row[j]!, domain, strategy.bins)]! += 1n;
    const noisy = coefficientsOf(strategy, counts).map((value) =>
      draws.reduce((sum, draw) => sum + draw(), Number(value)),
    );
    return { strategy, noise, servers: SERVERS, counts: restore(strategy, noisy) };
  });
  // Every histogram has each row once.
  const count = mean(histograms.map(({ counts }) => counts.reduce((sum, bin) => sum + bin, 0)));
  const found = histograms.map((histogram, j) => {
    const edges = privateRange(histogram, { ...ASKED, rows: count });
    const at = (edge: number) => valueAt(edge, domains[j]!, strategy.bins);
    return edges && ([at(edges.from), at(edges.to)] as const);
  });
  return found.every((range) => range !== undefined) ? found : undefined;
}

/** Values beyond the domain are in its first or last bin. */
const binOf = (value: number, [least, largest]: Range, bins: number): number =>
  largest > least
    ? Math.min(bins - 1, Math.max(0, Math.floor(((value - least) / (largest - least)) * bins)))
    : 0;

const valueAt = (edge: number, [least, largest]: Range, bins: number): number =>
  least + ((largest - least) * edge) / bins;

function widened([least, largest]: Range, outer: Range): Range {
  const by = WIDENED * (largest - least);
  return [Math.max(outer[0], least - by), Math.min(outer[1], largest + by)];
}
