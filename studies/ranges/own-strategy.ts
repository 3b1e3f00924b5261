/**
 * The error of a strategy matrix of the user's own beside the named ones, as the matrix mechanism has it: one curator, continuous Laplace noise, ε = 1.
 *
 * Every answer takes noise of scale Δ/ε, Δ the largest L1 norm of a column, and counts are restored by the pseudo-inverse. With B that of A/Δ, an answer
 * wᵀx̂ errs by 2/ε² wᵀΣw, Σ = BBᵀ, which does not depend on the counts. The named strategies have bins without rows beyond the last count, where their
 * number is no power of two.
 */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flat, type Interval, intervalError, toNumber } from '@eigenveil/release';
import { least, mean, only } from '../instrument/figure.ts';
import { setting } from '../instrument/settings.ts';
import { momentsOf } from '../instrument/statistics.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { laplaceSampler } from './draws.ts';
import { intervalsOf } from './experiments.ts';
import { meanSquareOverIntervals } from './moments.ts';
import { WAYS } from './one-curator.ts';
import { curatorVariance, EPSILON, eights } from './settings.ts';
import { type OwnStrategy, readStrategy } from './strategy-file.ts';

/** 64 counts and eight sums of eight, where the user names no file. */
const EXAMPLE = 'example';
const OWN = 'own';
const REPETITIONS = 1000;

const STRATEGY = setting({
  name: 'strategy',
  says: 'file of a strategy matrix of your own: CSV without a header, or JSON [[…], …]; rows are queries, columns are counts',
  parse: (text) => text,
  quick: EXAMPLE,
  full: EXAMPLE,
});

const read = (file: string): Promise<OwnStrategy> =>
  readStrategy(file === EXAMPLE ? fileURLToPath(new URL('example-strategy.csv', import.meta.url)) : file);

/** A strategy at this number of counts. */
interface Answering {
  readonly way: string;
  /** The amount by which a row moves all of its answers together. */
  readonly sensitivity: number;
  /** The error in units of the variance of noise for sensitivity 1. */
  errorOf(interval: Interval): number;
}

function named(bins: number): Answering[] {
  const height = Math.ceil(Math.log2(bins));
  const eight = eights(height);
  const none = flat(bins);
  const answering = (
    way: string,
    sensitivity: number,
    unitsOf: (interval: Interval) => number,
  ): Answering => ({ way, sensitivity, errorOf: (interval) => sensitivity ** 2 * unitsOf(interval) });
  return [
    answering('flat', 1, (interval) => toNumber(intervalError(none, interval))),
    ...WAYS.map(({ name, errorOf }) => answering(name, height + 1, (interval) => errorOf(height, interval))),
    answering('tree of 8', eight.fanouts.length + 1, (interval) => toNumber(intervalError(eight, interval))),
  ];
}

/** Sums of Σ over intervals, by its sums over all pairs of prefixes. */
function ownAnswering({ bins, sensitivity, restoration }: OwnStrategy): Answering {
  const prefixes: number[][] = [new Array<number>(restoration[0]!.length).fill(0)];
  for (const row of restoration) prefixes.push(prefixes.at(-1)!.map((sum, c) => sum + row[c]!));
  const products = Array.from({ length: bins + 1 }, (_, i) =>
    Array.from({ length: i + 1 }, (_unused, j) =>
      prefixes[i]!.reduce((sum, value, c) => sum + value * prefixes[j]![c]!, 0),
    ),
  );
  const errorOf = ({ from, to }: Interval) =>
    products[to]![to]! - 2 * products[to]![from]! + products[from]![from]!;
  return { way: OWN, sensitivity, errorOf };
}

const allIntervals = (bins: number): Interval[] =>
  Array.from({ length: bins }, (_, from) =>
    Array.from({ length: bins - from }, (_unused, i) => ({ from, to: from + i + 1 })),
  ).flat();

/** Squared errors in rows, by what is asked. */
function errorsOf({ way, sensitivity, errorOf }: Answering, bins: number): Tidy[] {
  const variance = curatorVariance(1);
  const meanOver = (intervals: readonly Interval[]) =>
    (variance * intervals.reduce((sum, it) => sum + errorOf(it), 0)) / intervals.length;
  const singles = Array.from({ length: bins }, (_, from) => ({ from, to: from + 1 }));
  const random = intervalsOf(bins);
  return [
    {
      ...{ way, sensitivity, all: meanOver(allIntervals(bins)), random: meanOver(random) },
      prefixes: meanOver(singles.map(({ to }) => ({ from: 0, to }))),
      counts: meanOver(singles),
    },
    ...random.map((it) => ({
      ...{ way, interval: `${it.from} to ${it.to}`, length: it.to - it.from },
      error: variance * errorOf(it),
    })),
  ];
}

/** The mean squared error over all intervals, as repetitions show it. */
async function shown({ restoration, digest }: OwnStrategy): Promise<Tidy> {
  const draw = laplaceSampler(1 / EPSILON, `own strategy ${digest}`);
  const squares: number[] = [];
  for (let run = 0; run < REPETITIONS; run += 1) {
    const noise = restoration[0]!.map(draw);
    const counts = restoration.map((row) => row.reduce((sum, value, c) => sum + value * noise[c]!, 0));
    squares.push(meanSquareOverIntervals(counts));
    if (run % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const { mean: value, deviation } = momentsOf(squares)!;
  const error = deviation! / Math.sqrt(REPETITIONS);
  return { way: OWN, seen: value, seenError: error, seenLow: value - 5 * error, seenHigh: value + 5 * error };
}

const ofOwn = { way: OWN };
const isNamed = ({ way }: Tidy): boolean => way !== OWN;

export const ownStrategy = defineStudy({
  id: 'ranges/own-strategy',
  settings: [STRATEGY],
  plan: async ({ settings }) => {
    const file = settings.of(STRATEGY);
    const { queries, bins, digest } = await read(file);
    return { cases: [{ file, queries, bins, digest, epsilon: EPSILON, repetitions: REPETITIONS }] };
  },
  titleOf: ({ file }) => `own strategy, ${basename(file)}`,
  expectedSeconds: ({ queries, bins }) => 0.2 + 4e-6 * queries * bins + 1e-4 * bins ** 2,
  async measure({ file, digest, bins }): Promise<Tidy[]> {
    const strategy = await read(file);
    if (strategy.digest !== digest) throw new Error(`${file} has changed since the run began`);
    return [
      ...[ownAnswering(strategy), ...named(bins)].flatMap((it) => errorsOf(it, bins)),
      await shown(strategy),
    ];
  },
  columns: { way: { title: 'strategy', values: { [OWN]: 'your own' } } },
  tables: {
    errors: {
      caption: '{bins} counts: mean squared error in rows, by what is asked',
      each: ['bins'],
      rows: ['way'],
      cells: {
        'a row moves': mean('sensitivity'),
        'all intervals': mean('all'),
        '50 random intervals': mean('random'),
        prefixes: mean('prefixes'),
        'single counts': mean('counts'),
        [`all intervals, ${REPETITIONS} repetitions`]: mean('seen'),
        '± their standard error': mean('seenError'),
      },
    },
    intervals: {
      caption: 'Squared error of each random interval, in rows',
      where: ({ interval }) => interval !== undefined,
      rows: ['interval', 'length'],
      across: { column: 'way', cell: mean('error') },
    },
  },
  facts: {
    queries: { figure: only('queries') },
    bins: { figure: only('bins') },
    sensitivity: { where: ofOwn, figure: mean('sensitivity') },
    all: { where: ofOwn, figure: mean('all') },
    random: { where: ofOwn, figure: mean('random') },
    leastNamed: { where: isNamed, figure: least('all') },
    leastNamedRandom: { where: isNamed, figure: least('random') },
    seen: { where: ofOwn, figure: mean('seen') },
    seenLow: { where: ofOwn, figure: mean('seenLow') },
    seenHigh: { where: ofOwn, figure: mean('seenHigh') },
  },
  holds: {
    isSeen: (fact) => fact('seenLow') < fact('all') && fact('all') < fact('seenHigh'),
    exampleIsLeast: (fact) => fact('all') < fact('leastNamed'),
  },
  words: new URL('own-strategy.md', import.meta.url),
});
