/**
 * The published experiments in their own setting: one curator, continuous Laplace noise, ε = 1 and 100 repetitions, for the plain binary tree, Boost and
 * Privelet. Table 1 has 50 random intervals at N = 1,024, table 2 the mean over all intervals for N = 2^0 … 2^10.
 *
 * Restoration is linear, so that an error is one of noise alone. Theory is exact: the variance of a coefficient's noise, 2(h + 1)²/ε² for all three,
 * times the error in units of it. 100 repetitions tell little, so that agreement is judged by 10,000, with the standard error that these show: means of this number of
 * squares are nearly normal.
 */
import {
  averageError,
  binaryTree,
  coefficientCount,
  type Interval,
  intervalError,
  privelet,
  restore,
  type Strategy,
  toNumber,
} from '@eigenveil/release';
import { count, mean, only } from '../instrument/figure.ts';
import { momentsOf } from '../instrument/statistics.ts';
import { defineStudy, type TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { laplaceSampler } from './draws.ts';
import { intervalsOf, judged } from './experiments.ts';
import { meanSquareOverIntervals } from './moments.ts';
import { heapLength, meanSquareOfTree, nodesOf } from './plain-tree.ts';
import { plainTreeAverage } from './references.ts';
import {
  curatorVariance,
  EPSILON,
  INTERVALS,
  LARGEST_HEIGHT,
  PUBLISHED_REPETITIONS,
  REPETITIONS,
} from './settings.ts';

/** A way to answer intervals from noisy coefficients, of which a row more or less changes h + 1 by one each. */
interface Way {
  readonly name: 'plain tree' | 'Boost' | 'Privelet';
  /** The mean error over all intervals comes to slope · h + constant, in units of a coefficient's noise. */
  readonly slope: number;
  readonly constant: number;
  coefficients(height: number): number;
  /** The values are in units of a coefficient's noise. */
  errorOf(height: number, interval: Interval): number;
  averageOf(height: number): number;
  /** The noise on each interval, of the noise on the coefficients. */
  noiseOf(height: number, intervals: readonly Interval[], noise: readonly number[]): number[];
  meanSquareOf(height: number, noise: readonly number[]): number;
}

/** The constant of Erdős and Borwein. */
const CONSTANT = 1.606695152415292;

const restored = (
  name: 'Boost' | 'Privelet',
  strategyOf: (height: number) => Strategy,
  constant: number,
): Way => ({
  ...{ name, slope: 1 / 6, constant },
  coefficients: (height) => coefficientCount(strategyOf(height)),
  errorOf: (height, interval) => toNumber(intervalError(strategyOf(height), interval)),
  averageOf: (height) => toNumber(averageError(strategyOf(height), 'ranges')),
  noiseOf: (height, intervals, noise) => {
    const prefixes = [0];
    for (const value of restore(strategyOf(height), noise)) prefixes.push(prefixes.at(-1)! + value);
    return intervals.map(({ from, to }) => prefixes[to]! - prefixes[from]!);
  },
  meanSquareOf: (height, noise) => meanSquareOverIntervals(restore(strategyOf(height), noise)),
});

/** references.test.ts has the proofs of the constants: the publication states that of Privelet. */
export const WAYS: readonly Way[] = [
  {
    ...{ name: 'plain tree', slope: 1, constant: -2 },
    coefficients: (height) => heapLength(2 ** height),
    errorOf: (height, interval) => nodesOf(2 ** height, interval).length,
    averageOf: (height) => toNumber(plainTreeAverage(binaryTree(height))),
    noiseOf: (height, intervals, noise) =>
      intervals.map((interval) =>
        nodesOf(2 ** height, interval).reduce((sum, node) => sum + noise[node]!, 0),
      ),
    meanSquareOf: (_height, noise) => meanSquareOfTree(noise),
  },
  restored('Boost', binaryTree, (CONSTANT - 1) / 2),
  restored('Privelet', privelet, 1 / 36),
];

const [SINGLE, ALL] = ['single', 'all'];
const FEW = `${PUBLISHED_REPETITIONS} repetitions`;
const ERRORS: TableOf['cells'] = {
  'exact theory': mean('theory'),
  [FEW]: mean('few'),
  '± their standard error': mean('fewError'),
  'more repetitions': mean('experiment'),
  'standard errors off': mean('distance', { digits: 2, signed: true }),
};
const atLargest = (way: string) => ({ of: 'judged', where: { what: ALL, way, bins: 2 ** LARGEST_HEIGHT } });
const ofSingle = (way: string) => ({ of: 'judged', where: { what: SINGLE, way } });
const named = { Plain: 'plain tree', Boost: 'Boost', Privelet: 'Privelet' };

export const oneCurator = defineStudy({
  id: 'ranges/one-curator',
  plan: (asked) => {
    const quick = asked.scale === 'quick';
    const heights = Array.from({ length: (quick ? 6 : LARGEST_HEIGHT) + 1 }, (_, height) => height);
    const repetitions = quick ? 1000 : REPETITIONS;
    const caseOf = (way: string, what: string, height: number) => ({
      ...{ what, way, bins: 2 ** height, repetitions, epsilon: EPSILON },
    });
    return {
      cases: WAYS.flatMap(({ name }) => [
        caseOf(name, SINGLE!, LARGEST_HEIGHT),
        ...heights.map((height) => caseOf(name, ALL!, height)),
      ]),
      omissions: quick ? [{ what: 'one curator, N > 64', why: 'left to the full run' }] : [],
    };
  },
  titleOf: ({ what, way, bins }) =>
    what === SINGLE ? `one curator, intervals, ${way}` : `one curator, all intervals, ${way}, N = ${bins}`,
  expectedSeconds: ({ bins, repetitions }) => 0.1 + 4e-7 * repetitions * bins,
  async measure({ what, bins, repetitions, ...of }): Promise<Tidy[]> {
    const way = WAYS.find(({ name }) => name === of.way)!;
    const height = Math.log2(bins);
    const variance = curatorVariance(height + 1);
    const intervals = intervalsOf(bins);
    const squaresOf = (noise: readonly number[]) =>
      what === ALL
        ? [way.meanSquareOf(height, noise)]
        : way.noiseOf(height, intervals, noise).map((value) => value ** 2);
    const drawn = async (runs: number) => {
      const seed = `one curator ${way.name} ${what} ${bins} ${runs}`;
      const draw = laplaceSampler((height + 1) / EPSILON, seed);
      const squares: number[][] = [];
      for (let run = 0; run < runs; run += 1) {
        squares.push(squaresOf(Array.from({ length: way.coefficients(height) }, draw)));
        if (run % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return squares[0]!.map((_, i) => {
        const { mean: value, deviation } = momentsOf(squares.map((own) => own[i]!))!;
        return { value, error: deviation! / Math.sqrt(runs) };
      });
    };
    const [few, many] = [await drawn(PUBLISHED_REPETITIONS), await drawn(repetitions)];
    return few.map(({ value, error }, i): Tidy => {
      const own = intervals[i]!;
      const units = what === ALL ? way.averageOf(height) : way.errorOf(height, own);
      return {
        ...(what === ALL
          ? {
              asymptote: variance * (way.slope * height + way.constant),
              ...(height > 0 && { index: height ** 3 / (units * (height + 1) ** 2) }),
            }
          : { interval: `${own.from} to ${own.to}`, length: own.to - own.from }),
        ...{ theory: variance * units, few: value, fewError: error },
        ...{ experiment: many[i]!.value, error: many[i]!.error },
      };
    });
  },
  columns: { bins: { title: 'N' }, way: { title: 'strategy' } },
  frames: {
    judged,
    drawn: (records) =>
      records.flatMap(({ what, way, bins, theory, few }) =>
        what === ALL
          ? [
              { bins: bins!, squares: theory!, series: `${way}, theory`, mark: 'line' },
              { bins: bins!, squares: few!, series: `${way}, ${FEW}`, mark: 'points' },
            ]
          : [],
      ),
  },
  tables: {
    single: {
      caption: '{way}: squared error of each interval at N = 1,024, in rows',
      of: 'judged',
      where: { what: SINGLE! },
      each: ['way'],
      rows: ['interval', 'length'],
      cells: ERRORS,
    },
    means: {
      caption: `The mean of the ${INTERVALS} squared errors at N = 1,024`,
      of: 'judged',
      where: { what: SINGLE! },
      rows: ['way'],
      cells: {
        'exact theory': mean('theory'),
        [FEW]: mean('few'),
        'more repetitions': mean('experiment'),
      },
    },
    all: {
      caption: '{way}: squared error, mean over all intervals',
      of: 'judged',
      where: { what: ALL! },
      each: ['way'],
      rows: ['bins'],
      cells: { 'theory by the asymptote': mean('asymptote'), ...ERRORS },
    },
    shown: {
      caption: 'Squared error over all intervals: asymptote, exact theory and 100 repetitions',
      of: 'judged',
      where: ({ what, bins }) => what === ALL && [1, 4, 16, 64, 256, 1024].includes(Number(bins)),
      rows: ['way', 'bins'],
      cells: {
        'theory by the asymptote': mean('asymptote'),
        'exact theory': mean('theory'),
        [FEW]: mean('few'),
      },
    },
    index: {
      caption: 'Accuracy index at N: log₂³N over the mean error over all intervals',
      where: { what: ALL! },
      rows: ['bins'],
      across: { column: 'way', cell: mean('index', { digits: 2 }) },
    },
  },
  charts: {
    'one-curator': {
      caption: `Squared error over all intervals: ${FEW} (points) and exact theory (lines)`,
      of: 'drawn',
      mark: 'line',
      markFrom: 'mark',
      x: { column: 'bins', title: 'bins', scale: 'log' },
      y: { figure: mean('squares'), title: 'squared error, rows²', scale: 'log' },
      colour: 'series',
    },
  },
  facts: {
    cases: { of: 'judged', figure: count },
    disagreements: { of: 'judged', where: { verdict: 'disagrees' }, figure: count },
    bound: { of: 'judged', figure: only('bound', { digits: 2 }) },
    ...Object.fromEntries(
      Object.entries(named).flatMap(([name, way]) => [
        [`single${name}`, { ...ofSingle(way), figure: mean('theory') }],
        [`few${name}`, { ...ofSingle(way), figure: mean('few') }],
        [`index${name}`, { ...atLargest(way), figure: mean('index', { digits: 2 }) }],
        [`all${name}`, { ...atLargest(way), figure: mean('theory') }],
      ]),
    ),
  },
  holds: {
    agree: (fact) => fact('disagreements') === 0,
    priveletIsLeast: (fact) =>
      fact('singlePrivelet') < fact('singleBoost') && fact('singleBoost') < fact('singlePlain'),
  },
  words: new URL('one-curator.md', import.meta.url),
});
