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
import type { Measurement, Suite, Unit } from '../instrument/unit.ts';
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

const NAME = 'strategies';
export const NOISES: readonly NoiseKind[] = ['laplace', 'gaussian'];
export const WORKLOADS: readonly Workload[] = ['ranges', 'prefixes', 'counts'];
/** N up to 2^12. */
export const HEIGHTS: readonly number[] = Array.from({ length: 12 }, (_, i) => i + 1);
export const WAYS = [
  'flat',
  'plain tree',
  'Boost',
  'Privelet',
  'one fan-out',
  'chosen tree',
  'square root',
] as const;
export type Way = (typeof WAYS)[number];
/** Of the chart over lengths of intervals. */
export const LENGTH_WAYS: readonly (readonly [string, (height: number) => Strategy])[] = [
  ['flat', (height) => flat(2 ** height)],
  ['Boost', binaryTree],
  ['Privelet', privelet],
  ['tree of 8', eights],
];
export const LENGTHS: readonly number[] = Array.from({ length: 2 * LARGEST_HEIGHT + 1 }, (_, i) =>
  Math.round(2 ** (i / 2)),
).filter((length, i, all) => length !== all[i - 1]);

export const findStrategies = (measurements: readonly Measurement[], noise: NoiseKind, workload: Workload) =>
  measurements.find(({ id }) => id === `${NAME}/${noise}/${workload}`);
export const findLengths = (measurements: readonly Measurement[], noise: NoiseKind) =>
  measurements.find(({ id }) => id === `${NAME}/${noise}/lengths`);
export const factOf = (way: Way, height: number): string => `${way} ${height}`;
export const chosenFact = (height: number): string => `chosen ${height}`;

export function strategiesSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'strategies side by side over N and the length of intervals, and references',
    plan: async (scale) => {
      const heights = scale === 'quick' ? HEIGHTS.filter((height) => height <= 8) : HEIGHTS;
      return {
        units: NOISES.flatMap((noise) => [
          ...WORKLOADS.map((workload) => unitOf(noise, workload, heights)),
          lengthsUnit(noise),
        ]),
        omissions: scale === 'quick' ? [{ what: 'strategies, N > 256', why: 'left to the full run' }] : [],
      };
    },
    ...reporting,
  };
}

function unitOf(noise: NoiseKind, workload: Workload, heights: readonly number[]): Unit {
  return {
    id: `${NAME}/${noise}/${workload}`,
    title: `strategies, ${noise}, ${workload}`,
    parameters: {
      noise,
      workload,
      heights: heights.join(' '),
      epsilon: EPSILON,
      dpDelta: DP_DELTA,
      version: 1,
    },
    expectedSeconds: heights.length > 8 ? 10 : 1,
    measure: async () => {
      const facts: Record<string, number | string> = {};
      for (const height of heights) {
        Object.assign(facts, errorsAt(noise, workload, height));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { series: {}, facts };
    },
  };
}

/** Deviations in rows. */
function errorsAt(noise: NoiseKind, workload: Workload, height: number): Record<string, number | string> {
  const varianceOf = (strategy: Strategy) => noiseMoments(noiseOf(strategy, noise), SERVERS).variance;
  const deviation = (strategy: Strategy, error = toNumber(averageError(strategy, workload))) =>
    Math.sqrt(varianceOf(strategy) * error);
  const binary = binaryTree(height);
  const candidates = chooseStrategy({
    height,
    features: 1,
    neighbours: 'add-remove',
    servers: SERVERS,
    budget: BUDGETS[noise],
    workload,
  });
  const chosen = candidates.find(({ strategy }) => strategy.kind === 'tree')!;
  const uniform = [...new Array(height).keys()]
    .map((i) => i + 1)
    .filter((bits) => height % bits === 0)
    .map((bits) => deviation(tree(new Array<number>(height / bits).fill(2 ** bits))));
  return {
    [factOf('flat', height)]: deviation(flat(2 ** height)),
    [factOf('Boost', height)]: deviation(binary),
    [factOf('Privelet', height)]: deviation(privelet(height)),
    [factOf('one fan-out', height)]: Math.min(...uniform),
    [factOf('chosen tree', height)]: Math.sqrt(chosen.meanSquaredError),
    [chosenFact(height)]: `${candidates[0]!.strategy.kind} ${candidates[0]!.strategy.fanouts.join('·')}`,
    // Of single bins a tree that is not made consistent has the leaves alone, and prefixes are not what it is known for.
    ...(workload === 'ranges' && {
      [factOf('plain tree', height)]: deviation(binary, toNumber(plainTreeAverage(binary))),
    }),
    ...(noise === 'gaussian' && workload !== 'counts' && squareRoot(height, workload)),
  };
}

/** As much noise as `flat` has, for its own sensitivity. */
function squareRoot(height: number, workload: 'ranges' | 'prefixes'): Record<string, number> {
  const found = squareRootErrors(2 ** height);
  const { variance } = noiseMoments(noiseOf(flat(2 ** height), 'gaussian'), SERVERS);
  return { [factOf('square root', height)]: Math.sqrt(variance * found.l2Squared * found[workload]) };
}

function lengthsUnit(noise: NoiseKind): Unit {
  return {
    id: `${NAME}/${noise}/lengths`,
    title: `lengths of intervals, ${noise}`,
    parameters: {
      noise,
      lengths: LENGTHS.join(' '),
      height: LARGEST_HEIGHT,
      epsilon: EPSILON,
      dpDelta: DP_DELTA,
    },
    expectedSeconds: 3,
    measure: async () => ({
      series: Object.fromEntries(
        LENGTH_WAYS.map(([name, strategyOf]) => {
          const strategy = strategyOf(LARGEST_HEIGHT);
          const { variance } = noiseMoments(noiseOf(strategy, noise), SERVERS);
          const samples = LENGTHS.map((length) => Math.sqrt(variance * meanOfLength(strategy, length)));
          return [name, { unit: 'count' as const, samples }];
        }),
      ),
      facts: {},
    }),
  };
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
