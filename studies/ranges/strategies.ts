/**
 * Strategies side by side by their exact errors: nothing is drawn. Deviations in rows of one answer at ε = 1, one feature, both servers' noise.
 *
 * Beside what a task can choose stand two references: trees of one fan-out alone, the best of them (Qardaji, Yang and Li, 2013), and for Gaussian noise the
 * square-root factorisation, whose entries are no integers.
 */

import {
  averageError,
  binaryTree,
  chooseStrategy,
  flat,
  intervalError,
  noiseMoments,
  privelet,
  type Strategy,
  toNumber,
  tree,
  type Workload,
} from '@eigenveil/release';
import { chosenOf, least, mean, most, only } from '../instrument/figure.ts';
import { type ChartOf, defineStudy, type TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { plainTreeAverage, squareRootErrors } from './references.ts';
import {
  BUDGETS,
  DP_DELTA,
  EPSILON,
  eights,
  LARGEST_HEIGHT,
  type NoiseKind,
  noiseOf,
  SERVERS,
} from './settings.ts';

const NOISES: readonly NoiseKind[] = ['laplace', 'gaussian'];
const NOISE_TITLES = { laplace: 'Laplace noise', gaussian: `Gaussian noise, δ = ${DP_DELTA}` };
const WORKLOADS: readonly Workload[] = ['ranges', 'prefixes', 'counts'];
/** N up to 2^12. */
const HEIGHTS: readonly number[] = Array.from({ length: 12 }, (_, i) => i + 1);
const QUICK_HEIGHT = 8;
/** The chart over lengths of intervals has these. */
const LENGTH_WAYS: readonly (readonly [string, (height: number) => Strategy])[] = [
  ['flat', (height) => flat(2 ** height)],
  ['Boost', binaryTree],
  ['Privelet', privelet],
  ['tree of 8', eights],
];
const LENGTHS: readonly number[] = Array.from({ length: 2 * LARGEST_HEIGHT + 1 }, (_, i) =>
  Math.round(2 ** (i / 2)),
).filter((length, i, all) => length !== all[i - 1]);

/** The document shows these, by what is asked, N and noise. */
const SHOWN = [
  ['prefixes', 64, 'laplace'],
  ['prefixes', 1024, 'laplace'],
  ['prefixes', 4096, 'laplace'],
  ['ranges', 1024, 'laplace'],
  ['counts', 1024, 'laplace'],
  ['prefixes', 1024, 'gaussian'],
  ['ranges', 1024, 'gaussian'],
].map((one) => one.join());
const atLargestN = { of: 'compared', where: { isLargest: 'yes' } };
const prefixesOfLaplace = { asked: 'prefixes', noise: 'laplace' };

const BY_WAY: Pick<TableOf, 'across' | 'cells'> = {
  across: { column: 'way', cell: mean('deviation') },
  cells: { best: only('best') },
};
const lengthsOf = (noise: NoiseKind): ChartOf => ({
  caption: `${NOISE_TITLES[noise]}: deviation of a sum over an interval at N = ${2 ** LARGEST_HEIGHT}, over its length; mean over all places`,
  where: { asked: 'lengths', noise },
  mark: 'line',
  x: { column: 'length', title: 'bins of the interval', scale: 'log' },
  y: { figure: mean('deviation'), title: 'deviation, rows', scale: 'log' },
  colour: 'way',
});

export const strategies = defineStudy({
  id: 'ranges/strategies',
  plan: (asked) => {
    const quick = asked.scale === 'quick';
    const fixed = { epsilon: EPSILON, dpDelta: DP_DELTA };
    const heights = HEIGHTS.filter((height) => !quick || height <= QUICK_HEIGHT).join(' ');
    return {
      cases: NOISES.flatMap((noise) => [
        ...WORKLOADS.map((workload) => ({ noise, asked: String(workload), of: heights, ...fixed })),
        { noise, asked: 'lengths', of: LENGTHS.join(' '), ...fixed },
      ]),
      omissions: quick ? [{ what: 'strategies, N > 256', why: 'left to the full run' }] : [],
    };
  },
  titleOf: ({ noise, asked }) => `strategies, ${noise}, ${asked}`,
  expectedSeconds: ({ of }) => (of.split(' ').length > QUICK_HEIGHT ? 10 : 1),
  async *measure({ noise, asked, of }): AsyncGenerator<Tidy> {
    if (asked === 'lengths') return yield* lengths(noise);
    for (const height of of.split(' ').map(Number)) {
      yield* errorsAt(noise, asked as Workload, height);
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: {
    bins: { title: 'N' },
    noise: { values: NOISE_TITLES },
    asked: { values: { ranges: 'all intervals', counts: 'single bins' } },
  },
  frames: {
    shown: (records) =>
      SHOWN.flatMap((shown) =>
        records.filter(
          ({ asked, bins, noise, way }) => way !== 'plain tree' && [asked, bins, noise].join() === shown,
        ),
      ),
    compared: comparedWithFlat,
  },
  tables: {
    deviations: {
      caption: '{noise}: deviation of {asked}, in rows',
      each: ['noise', 'asked'],
      where: ({ asked }) => asked !== 'lengths',
      rows: ['bins'],
      ...BY_WAY,
    },
    shown: { caption: 'Deviation in rows', of: 'shown', rows: ['asked', 'bins', 'noise'], ...BY_WAY },
  },
  charts: { 'lengths-laplace': lengthsOf('laplace'), 'lengths-gaussian': lengthsOf('gaussian') },
  facts: {
    flatUpTo: { of: 'compared', where: { isFlatAhead: 'yes' }, figure: most('bins', { digits: 0 }) },
    largest: { where: prefixesOfLaplace, figure: most('bins', { digits: 0 }) },
    best: { ...atLargestN, figure: only('best') },
    bestDeviation: { ...atLargestN, figure: mean('least') },
    priveletDeviation: { ...atLargestN, figure: mean('Privelet') },
  },
  holds: { treesWin: (fact) => fact('bestDeviation') < fact('priveletDeviation') },
  words: new URL('strategies.md', import.meta.url),
});

/** Tells of prefixes with Laplace noise, at each N, whether noise on each bin alone is better than Privelet, and the best way. */
function comparedWithFlat(records: readonly Tidy[]): Tidy[] {
  const own = chosenOf(records, prefixesOfLaplace);
  const largest = most('bins')(own).value;
  return [...Map.groupBy(own, ({ bins }) => Number(bins))].map(([bins, group]) => {
    const of = (way: string) => mean('deviation')(chosenOf(group, { way })).value!;
    return {
      bins,
      isFlatAhead: of('flat') < of('Privelet') ? 'yes' : 'no',
      isLargest: bins === largest ? 'yes' : 'no',
      least: least('deviation')(group).value!,
      Privelet: of('Privelet'),
      best: only('best')(group).text,
    };
  });
}

/** Deviations in rows. */
function errorsAt(noise: NoiseKind, workload: Workload, height: number): Tidy[] {
  const varianceOf = (strategy: Strategy) => noiseMoments(noiseOf(strategy, noise), SERVERS).variance;
  const deviation = (strategy: Strategy, error = toNumber(averageError(strategy, workload))) =>
    Math.sqrt(varianceOf(strategy) * error);
  const binary = binaryTree(height);
  const candidates = chooseStrategy({
    ...{ height, features: 1, neighbours: 'add-remove', servers: SERVERS, workload },
    budget: BUDGETS[noise],
  });
  const chosen = candidates.find(({ strategy }) => strategy.kind === 'tree')!;
  const uniform = Array.from({ length: height }, (_, i) => i + 1)
    .filter((bits) => height % bits === 0)
    .map((bits) => deviation(tree(new Array<number>(height / bits).fill(2 ** bits))));
  const ways: Readonly<Record<string, number | undefined>> = {
    flat: deviation(flat(2 ** height)),
    // A tree that is not made consistent has the leaves alone for single bins, and is not known for prefixes.
    'plain tree': workload === 'ranges' ? deviation(binary, toNumber(plainTreeAverage(binary))) : undefined,
    Boost: deviation(binary),
    Privelet: deviation(privelet(height)),
    'one fan-out': Math.min(...uniform),
    'chosen tree': Math.sqrt(chosen.meanSquaredError),
    'square root': noise === 'gaussian' && workload !== 'counts' ? squareRoot(height, workload) : undefined,
  };
  const bins = 2 ** height;
  const { kind, fanouts } = candidates[0]!.strategy;
  return [
    ...Object.entries(ways).flatMap(([way, found]) =>
      found === undefined ? [] : [{ bins, way, deviation: found }],
    ),
    { bins, best: `${kind} ${fanouts.join('·')}` },
  ];
}

/** As much noise as `flat` has, for its own sensitivity. */
function squareRoot(height: number, workload: 'ranges' | 'prefixes'): number {
  const found = squareRootErrors(2 ** height);
  const { variance } = noiseMoments(noiseOf(flat(2 ** height), 'gaussian'), SERVERS);
  return Math.sqrt(variance * found.l2Squared * found[workload]);
}

function lengths(noise: NoiseKind): Tidy[] {
  return LENGTH_WAYS.flatMap(([way, strategyOf]) => {
    const strategy = strategyOf(LARGEST_HEIGHT);
    const { variance } = noiseMoments(noiseOf(strategy, noise), SERVERS);
    return LENGTHS.map((length) => ({
      ...{ way, length },
      deviation: Math.sqrt(variance * meanOfLength(strategy, length)),
    }));
  });
}

/** The mean error of all intervals of one length. */
function meanOfLength(strategy: Strategy, length: number): number {
  const places = strategy.bins - length + 1;
  let sum = 0n;
  let denominator = 1n;
  for (let from = 0; from < places; from += 1) {
    const error = intervalError(strategy, { from, to: from + length });
    sum += error.numerator;
    denominator = error.denominator;
  }
  return toNumber({ numerator: sum, denominator: denominator * BigInt(places) });
}
