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
import type { Range } from '../instrument/own-data.ts';
import { fastSampler } from './draws.ts';
import { bestStrategy } from './quantiles.ts';
import { privateRows } from './references.ts';
import { SERVERS } from './settings.ts';

/** Of a range's width, added at each end, within the outer domain: a quantile is not an end. */
const WIDENED = 0.1;
const ASKED = { lower: 0.005, upper: 0.995 } as const;
const ONE_STAGE = 10;
const STAGE = 5;

export type Stages = 'one stage' | 'coarse, then fine';

interface FoundRanges {
  readonly ranges: readonly Range[];
  /** Every release was too noisy for the rows, so that these are the outer domains. */
  readonly refused: boolean;
}

/** What each release of the way spends; in all the budget. */
export function budgetsOf(stages: Stages, budget: Required<ReleaseBudget>): Required<ReleaseBudget>[] {
  if (stages === 'one stage') return [budget];
  const half = { epsilon: budget.epsilon / 2, dpDelta: budget.dpDelta / 2 };
  return [half, half];
}

/** @param seed of the noise of both servers */
export function privateRanges(
  rows: readonly (readonly number[])[],
  outer: readonly Range[],
  of: { readonly stages: Stages; readonly budget: Required<ReleaseBudget>; readonly seed: string },
): FoundRanges {
  const { stages, seed } = of;
  const [first, second] = budgetsOf(stages, of.budget);
  if (second === undefined) {
    const found = stage(rows, outer, { height: ONE_STAGE, budget: first!, seed });
    return {
      ranges: (found ?? outer).map((range, j) => widened(range, outer[j]!)),
      refused: found === undefined,
    };
  }
  const coarse = stage(rows, outer, { height: STAGE, budget: first!, seed: `${seed} coarse` });
  const inner = (coarse ?? outer).map((range, j) => widened(range, outer[j]!));
  const fine = stage(rows, inner, { height: STAGE, budget: second, seed: `${seed} fine` });
  return {
    ranges: fine === undefined ? inner : fine.map((range, j) => widened(range, outer[j]!)),
    refused: coarse === undefined && fine === undefined,
  };
}

/** The ranges that one release of all features gives; undefined where it is too noisy. */
function stage(
  rows: readonly (readonly number[])[],
  domains: readonly Range[],
  {
    height,
    budget,
    seed,
  }: { readonly height: number; readonly budget: ReleaseBudget; readonly seed: string },
): Range[] | undefined {
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
  const { rows: count } = privateRows(histograms);
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
