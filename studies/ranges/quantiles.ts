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
import { normal } from '@eigenveil/testbed/random';
import { beside, type Figure, mean, only, samplesOf, where } from '../instrument/figure.ts';
import { significant } from '../instrument/quantities.ts';
import { defineStudy, grid } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { approximateQuantiles } from './approximate-quantiles.ts';
import { exactSampler, uniform } from './draws.ts';
import { DP_DELTA, LARGEST_HEIGHT, SERVERS } from './settings.ts';

const BINS = 2 ** LARGEST_HEIGHT;
/** The curator has the rows themselves: bins that are this number of times finer, of which an answer is told to a bin of the others. */
const FINER = 16;
const QUANTILES = [0.005, 0.25, 0.5, 0.75, 0.995] as const;
const CONFIDENCE = 0.95;
/** Log-normal rows of median 1 on a domain of 0 to 100: most are in a twentieth of the bins. */
const SHAPES = ['skewed', 'uniform'] as const;
type Shape = (typeof SHAPES)[number];
const SIZES = [1000, 10_000, 100_000];
const NOISY = ['Laplace', 'Gaussian'] as const;
const CURATOR = 'trusted curator';

interface QuantileCase {
  readonly shape: Shape;
  readonly rows: number;
  readonly epsilon: number;
  readonly features: number;
}
const seedOf = ({ shape, rows, epsilon, features }: QuantileCase) =>
  `quantiles/${shape}/${rows}/${features}/${epsilon}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The share of all intervals that had the true edge, in percent. */
const coverage: Figure = (records) => {
  const held = samplesOf(records, 'held');
  const repetitions = samplesOf(
    records.filter((record) => record.held !== undefined),
    'repetitions',
  );
  const share = sum(held.map((count, i) => count * repetitions[i]!)) / sum(repetitions) / QUANTILES.length;
  return mean('share', { digits: 1, percent: true })(held.length === 0 ? [] : [{ share }]);
};
/** The root of a mean square. */
const root =
  (column: string, tell = significant): Figure =>
  (records) => {
    const { value, text } = mean(column)(records);
    return value === undefined ? { value, text } : { value: Math.sqrt(value), text: tell(Math.sqrt(value)) };
  };
const effect = (mechanism: string, of: string): Figure =>
  where({ mechanism }, beside(' → ', root(`${of}Before`), root(`${of}After`)));

const CASE = ['shape', 'features', 'rows', 'epsilon'];
const shown = { rows: 10_000, features: 1, epsilon: 1, mechanism: 'Laplace' };
/** A deviation before and after the projection. */
const effectOf = (name: string, shape: Shape, of: 'prefixes' | 'bins', tell?: (value: number) => string) => ({
  [`${name}Before`]: { where: { ...shown, shape }, figure: root(`${of}Before`, tell) },
  [`${name}After`]: { where: { ...shown, shape }, figure: root(`${of}After`, tell) },
});
const rank = (mechanism: string, rows: number, features: number, digits: number) => ({
  where: { shape: 'skewed', mechanism, rows, features, epsilon: 1 },
  figure: mean('rank', { digits }),
});

export const quantiles = defineStudy({
  id: 'ranges/quantiles',
  plan: (asked) => {
    const quick = asked.scale === 'quick';
    return {
      cases: grid({
        shape: SHAPES,
        features: [1, 10],
        rows: quick ? [1000, 10_000] : SIZES,
        epsilon: quick ? [1] : [0.1, 1, 10],
        repetitions: [quick ? 10 : 100],
      }),
      omissions: quick
        ? [{ what: 'quantiles, 100,000 rows and ε other than 1', why: 'left to the full run' }]
        : [],
    };
  },
  titleOf: (of) => `quantiles, ${of.shape}, ${of.rows} rows, ε = ${of.epsilon}, ${of.features} features`,
  expectedSeconds: ({ repetitions }) => 0.05 * repetitions,
  async *measure({ repetitions, ...of }): AsyncGenerator<Tidy> {
    const counts = countsOfShape(of.shape, of.rows);
    for (const mechanism of NOISY)
      yield { mechanism, ...(await meansOver(repetitions, fromHistograms(of, mechanism, counts))) };
    yield { mechanism: CURATOR, ...(await meansOver(repetitions, fromRows(of, counts))) };
  },
  columns: {
    shape: { title: 'rows' },
    rows: {
      title: 'number',
      values: Object.fromEntries(SIZES.map((rows) => [rows, rows.toLocaleString('en')])),
    },
    epsilon: { title: 'ε' },
  },
  tables: {
    ranks: {
      caption:
        'Rank error in percent of the rows; how many intervals have the true edge, and how much of the rows they span',
      rows: CASE,
      across: { column: 'mechanism', cell: mean('rank', { digits: 2 }) },
      cells: Object.fromEntries(
        NOISY.flatMap((mechanism) => [
          [`${mechanism}: held, %`, where({ mechanism }, coverage)],
          [`${mechanism}: span, %`, where({ mechanism }, mean('width', { digits: 1 }))],
        ]),
      ),
    },
    effects: {
      caption: 'Deviation in rows, before → after',
      rows: CASE,
      cells: Object.fromEntries(
        NOISY.flatMap((mechanism) =>
          ['prefixes', 'bins'].map((of) => [`${mechanism}: ${of}`, effect(mechanism, of)]),
        ),
      ),
    },
  },
  facts: {
    heldLaplace: { where: { mechanism: 'Laplace' }, figure: coverage },
    heldGaussian: { where: { mechanism: 'Gaussian' }, figure: coverage },
    intervals: {
      where: { mechanism: 'Laplace' },
      figure: (records) => {
        const repetitions = sum(samplesOf(records, 'repetitions'));
        return only('asked')(repetitions === 0 ? [] : [{ asked: repetitions * QUANTILES.length }]);
      },
    },
    ...effectOf('skewed', 'skewed', 'prefixes'),
    ...effectOf('uniform', 'uniform', 'prefixes'),
    ...effectOf('bins', 'skewed', 'bins', (value) => value.toFixed(1)),
    curatorOfMany: rank(CURATOR, 10_000, 1, 2),
    laplaceOfMany: rank('Laplace', 10_000, 1, 2),
    gaussianOfMany: rank('Gaussian', 10_000, 1, 2),
    curatorOfFew: rank(CURATOR, 1000, 1, 1),
    laplaceOfFew: rank('Laplace', 1000, 1, 1),
    gaussianOfFew: rank('Gaussian', 1000, 1, 1),
    gaussianOfTen: rank('Gaussian', 1000, 10, 1),
    curatorOfTen: rank(CURATOR, 1000, 10, 1),
  },
  holds: {
    intervalsHold: (fact) => Math.min(fact('heldLaplace'), fact('heldGaussian')) >= CONFIDENCE,
    projectionHelps: (fact) =>
      fact('skewedAfter') < fact('skewedBefore') && fact('uniformAfter') <= fact('uniformBefore'),
    tenFavourNoise: (fact) => fact('gaussianOfTen') < fact('curatorOfTen'),
  },
  words: new URL('quantiles.md', import.meta.url),
});

/** Counts of bins, of the same rows for all ε and mechanisms, and for any number of bins. */
function countsOfShape(shape: Shape, rows: number, bins = BINS): number[] {
  const next = uniform(`ranges rows ${shape} ${rows}`);
  const counts = new Array<number>(bins).fill(0);
  for (let i = 0; i < rows; i += 1) {
    // Both shapes draw it, so that they go through the same numbers.
    const drawn = normal(next);
    const value = shape === 'skewed' ? Math.exp(drawn) / 100 : next();
    counts[Math.min(bins - 1, Math.floor(value * bins))]! += 1;
  }
  return counts;
}

/** Draws the noise of histograms, and gives what one repetition finds. */
function fromHistograms(
  of: QuantileCase,
  mechanism: (typeof NOISY)[number],
  counts: readonly number[],
): () => Readonly<Record<string, number>> {
  const { rows, epsilon, features } = of;
  const cumulative = cumulated(counts);
  const exact = QUANTILES.map((q) => cumulative.findIndex((value) => value >= q * rows) + 1);
  const budget = mechanism === 'Laplace' ? { epsilon } : { epsilon, dpDelta: DP_DELTA };
  const strategy = bestStrategy(budget);
  const noise = calibrateRelease(strategy, { features, neighbours: 'add-remove', budget });
  const draws = Array.from({ length: SERVERS }, (_, i) =>
    exactSampler(noise, `${seedOf(of)} ${mechanism} ${i}`),
  );
  const coefficients = coefficientsOf(strategy, counts.map(BigInt)).map(Number);
  return () => {
    const drawn = coefficients.map((value) => draws.reduce((total, draw) => total + draw(), value));
    const noisy = restore(strategy, drawn);
    const projected = monotoneCumulative(noisy);
    return {
      ...intervalsOf({ strategy, noise, servers: SERVERS, counts: noisy }, cumulative, exact),
      prefixesBefore: meanSquare(cumulated(noisy), cumulative),
      prefixesAfter: meanSquare(projected, cumulative),
      binsBefore: meanSquare(noisy, counts),
      binsAfter: meanSquare(countsOf(projected), counts),
    };
  };
}

/** A curator who has the rows. */
function fromRows(of: QuantileCase, counts: readonly number[]): () => Readonly<Record<string, number>> {
  const cumulative = cumulated(counts);
  const next = uniform(`${seedOf(of)} curator`);
  const fine = countsOfShape(of.shape, of.rows, FINER * BINS);
  return () => {
    const edges = approximateQuantiles(next, fine, QUANTILES, of.epsilon / of.features);
    return { rank: meanRank(cumulative, (i) => Math.ceil(edges[i]! / FINER)) };
  };
}

async function meansOver(
  repetitions: number,
  draw: () => Readonly<Record<string, number>>,
): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (let run = 0; run < repetitions; run += 1) {
    for (const [name, value] of Object.entries(draw())) sums[name] = (sums[name] ?? 0) + value;
    // Lets an interruption be heard.
    if (run % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const rounded = (total: number) => Number((total / repetitions).toPrecision(6));
  return Object.fromEntries(Object.entries(sums).map(([name, total]) => [name, rounded(total)]));
}

const chosen = new Map<string, Strategy>();
/** These are for prefixes at N = 1,024. They are the same for every ε: noise has the same deviation for all, up to a factor. */
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

/** The distance by which estimates are off, in percent of the rows; how many intervals have the true edge; and how much of the rows they span. */
function intervalsOf(
  histogram: NoisyHistogram,
  cumulative: readonly number[],
  exact: readonly number[],
): { readonly rank: number; readonly held: number; readonly width: number } {
  const rows = cumulative.at(-1)!;
  const whole = { estimate: BINS, least: 1, largest: BINS };
  const found = QUANTILES.map((q) => privateQuantile(histogram, { q, confidence: CONFIDENCE }) ?? whole);
  const spans = found.map(
    ({ least, largest }) => cumulative[largest - 1]! - (least > 1 ? cumulative[least - 2]! : 0),
  );
  return {
    rank: meanRank(cumulative, (i) => found[i]!.estimate),
    held: found.filter(({ least, largest }, i) => least <= exact[i]! && exact[i]! <= largest).length,
    width: (100 * sum(spans)) / spans.length / rows,
  };
}

/** The rows between an edge and the quantile that it stands for; none where the quantile lies in its bin. */
function meanRank(cumulative: readonly number[], edgeOf: (i: number) => number): number {
  const rows = cumulative.at(-1)!;
  const off = QUANTILES.map((q, i) => {
    const edge = edgeOf(i);
    const [above, below] = [cumulative[edge - 1]!, edge > 1 ? cumulative[edge - 2]! : 0];
    return Math.max(0, q * rows - above, below - q * rows);
  });
  return (100 * sum(off)) / off.length / rows;
}

function cumulated(values: readonly number[]): number[] {
  let total = 0;
  return values.map((value) => {
    total += value;
    return total;
  });
}

/** The counts that such cumulative counts are sums of: none below 0 where these never fall. */
const countsOf = (cumulative: readonly number[]): number[] =>
  cumulative.map((value, i) => value - (cumulative[i - 1] ?? 0));

const meanSquare = (a: readonly number[], b: readonly number[]): number =>
  sum(a.map((value, i) => (value - b[i]!) ** 2)) / a.length;
