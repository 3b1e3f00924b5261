/**
 * Quantiles from noisy histograms beside those of a curator who is trusted with the rows, on the same rows; whether their intervals hold what they promise; and
 * what the monotone projection changes.
 *
 * Fixed before any sample was taken: rows of two shapes, three numbers of rows, three ε, one feature or ten. Of ten features the curator has ε/10 for each, and
 * the histograms a joint sensitivity; one of them is looked at.
 */

import {
  calibrateRelease,
  chooseStrategy,
  coefficientsOf,
  monotoneCumulative,
  type NoisyHistogram,
  privateQuantile,
  type ReleaseBudget,
  restore,
  type Strategy,
} from '@eigenveil/release';
import type { Measurement, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { approximateQuantiles } from './approximate-quantiles.ts';
import { exactSampler, uniform } from './draws.ts';
import { countsOf } from './references.ts';
import { DP_DELTA, LARGEST_HEIGHT, SERVERS } from './settings.ts';

const NAME = 'quantiles';
const BINS = 2 ** LARGEST_HEIGHT;
/** The curator has the rows themselves: bins so much finer, of which an answer is told to a bin of the others. */
const FINER = 16;
export const QUANTILES = [0.005, 0.25, 0.5, 0.75, 0.995] as const;
export const CONFIDENCE = 0.95;
/** Log-normal rows of median 1 on a domain of 0 to 100: most are in a twentieth of the bins. */
export const SHAPES = ['skewed', 'uniform'] as const;
export const SIZES: readonly number[] = [1000, 10_000, 100_000];
export const QUANTILE_EPSILONS: readonly number[] = [0.1, 1, 10];
export const FEATURES: readonly number[] = [1, 10];
export const MECHANISMS = ['Laplace', 'Gaussian', 'trusted curator'] as const;
export type Mechanism = (typeof MECHANISMS)[number];

export interface QuantileCase {
  readonly shape: (typeof SHAPES)[number];
  readonly rows: number;
  readonly epsilon: number;
  readonly features: number;
}

/** Means over repetitions, as facts. */
export const rankFact = (mechanism: Mechanism): string => `${mechanism} rank`;
export const findQuantiles = (measurements: readonly Measurement[], of: QuantileCase) =>
  measurements.find(({ id }) => id === idOf(of));
const idOf = ({ shape, rows, epsilon, features }: QuantileCase) =>
  `${NAME}/${shape}/${rows}/${features}/${epsilon}`;

export function quantilesSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'quantiles and their intervals beside a trusted curator’s, and the monotone projection',
    plan: async (scale) => {
      const quick = scale === 'quick';
      const cases = SHAPES.flatMap((shape) =>
        (quick ? [1000, 10_000] : SIZES).flatMap((rows) =>
          FEATURES.flatMap((features) =>
            (quick ? [1] : QUANTILE_EPSILONS).map((epsilon) => ({ shape, rows, epsilon, features })),
          ),
        ),
      );
      return {
        units: cases.map((of) => unitOf(of, quick ? 10 : 100)),
        omissions: quick
          ? [{ what: 'quantiles, 100,000 rows and ε other than 1', why: 'left to the full run' }]
          : [],
      };
    },
    ...reporting,
  };
}

function unitOf(of: QuantileCase, repetitions: number): Unit {
  return {
    id: idOf(of),
    title: `quantiles, ${of.shape}, ${of.rows} rows, ε = ${of.epsilon}, ${of.features} features`,
    parameters: { ...of, repetitions, version: 1 },
    expectedSeconds: 0.05 * repetitions,
    measure: () => measure(of, repetitions),
  };
}

/** Counts of bins, of the same rows for all ε and mechanisms, and for any number of bins. */
export function countsOfShape(shape: QuantileCase['shape'], rows: number, bins = BINS): number[] {
  const next = uniform(`ranges rows ${shape} ${rows}`);
  const counts = new Array<number>(bins).fill(0);
  for (let i = 0; i < rows; i += 1) {
    const normal = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
    const value = shape === 'skewed' ? Math.exp(normal) / 100 : next();
    counts[Math.min(bins - 1, Math.floor(value * bins))]! += 1;
  }
  return counts;
}

async function measure(of: QuantileCase, repetitions: number): Promise<UnitResult> {
  const { rows, epsilon, features } = of;
  const counts = countsOfShape(of.shape, rows);
  const cumulative = cumulated(counts);
  const exact = QUANTILES.map((q) => cumulative.findIndex((value) => value >= q * rows) + 1);
  const sums: Record<string, number> = {};
  const push = (name: string, value: number) => {
    sums[name] = (sums[name] ?? 0) + value;
  };
  for (const mechanism of ['Laplace', 'Gaussian'] as const) {
    const budget = mechanism === 'Laplace' ? { epsilon } : { epsilon, dpDelta: DP_DELTA };
    const strategy = bestStrategy(budget);
    const noise = calibrateRelease(strategy, { features, neighbours: 'add-remove', budget });
    const draws = Array.from({ length: SERVERS }, (_, i) =>
      exactSampler(noise, `${idOf(of)} ${mechanism} ${i}`),
    );
    const coefficients = coefficientsOf(strategy, counts.map(BigInt)).map(Number);
    for (let run = 0; run < repetitions; run += 1) {
      const noisy = restore(
        strategy,
        coefficients.map((value) => draws.reduce((sum, draw) => sum + draw(), value)),
      );
      const histogram = { strategy, noise, servers: SERVERS, counts: noisy };
      const found = intervalsOf(histogram, cumulative, exact);
      push(rankFact(mechanism), found.rank);
      push(`${mechanism} held`, found.held);
      push(`${mechanism} width`, found.width);
      const projected = monotoneCumulative(noisy);
      push(`${mechanism} prefixes before`, meanSquare(cumulated(noisy), cumulative));
      push(`${mechanism} prefixes after`, meanSquare(projected, cumulative));
      push(`${mechanism} bins before`, meanSquare(noisy, counts));
      push(`${mechanism} bins after`, meanSquare(countsOf(projected), counts));
      if (run % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const next = uniform(`${idOf(of)} curator`);
  const fine = countsOfShape(of.shape, rows, FINER * BINS);
  for (let run = 0; run < repetitions; run += 1) {
    const edges = approximateQuantiles(next, fine, QUANTILES, epsilon / features);
    const coarse = edges.map((edge) => Math.ceil(edge / FINER));
    push(rankFact('trusted curator'), meanRank(coarse, cumulative));
    if (run % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const facts = Object.entries(sums).map(([name, sum]) => [name, Number((sum / repetitions).toPrecision(6))]);
  return { series: {}, facts: Object.fromEntries(facts) };
}

const chosen = new Map<string, Strategy>();
/** For prefixes at N = 1,024. The same for every ε: noise has the same deviation for all but a factor. */
export function bestStrategy(budget: ReleaseBudget, height = LARGEST_HEIGHT): Strategy {
  const kind = `${budget.dpDelta === undefined ? 'laplace' : 'gaussian'} ${height}`;
  const of = {
    height,
    features: 1,
    neighbours: 'add-remove',
    servers: SERVERS,
    workload: 'prefixes',
  } as const;
  const nominal = budget.dpDelta === undefined ? { epsilon: 0.1 } : { epsilon: 0.1, dpDelta: DP_DELTA };
  const best = chosen.get(kind) ?? chooseStrategy({ ...of, budget: nominal })[0]!.strategy;
  chosen.set(kind, best);
  return best;
}

/** How far estimates are off, in percent of the rows; how many intervals have the true edge; and how much of the rows they span. */
function intervalsOf(
  histogram: NoisyHistogram,
  cumulative: readonly number[],
  exact: readonly number[],
): { readonly rank: number; readonly held: number; readonly width: number } {
  const rows = cumulative.at(-1)!;
  const found = QUANTILES.map(
    (q) =>
      privateQuantile(histogram, { q, confidence: CONFIDENCE }) ?? {
        estimate: BINS,
        least: 1,
        largest: BINS,
      },
  );
  const spans = found.map(
    ({ least, largest }) => cumulative[largest - 1]! - (least > 1 ? cumulative[least - 2]! : 0),
  );
  return {
    rank: meanRank(
      found.map(({ estimate }) => estimate),
      cumulative,
    ),
    held: found.filter(({ least, largest }, i) => least <= exact[i]! && exact[i]! <= largest).length,
    width: (100 * spans.reduce((sum, span) => sum + span, 0)) / spans.length / rows,
  };
}

/** The rows between an edge and the quantile that it stands for; none where the quantile lies in its bin. */
function meanRank(edges: readonly number[], cumulative: readonly number[]): number {
  const rows = cumulative.at(-1)!;
  const off = edges.map((edge, i) => {
    const wanted = QUANTILES[i]! * rows;
    const [above, below] = [cumulative[edge - 1]!, edge > 1 ? cumulative[edge - 2]! : 0];
    return Math.max(0, wanted - above, below - wanted);
  });
  return (100 * off.reduce((sum, value) => sum + value, 0)) / off.length / rows;
}

function cumulated(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

const meanSquare = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / a.length;
