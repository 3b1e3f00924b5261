/** Choices that the study of histograms makes before it looks at a figure: budgets, sizes, repetitions, the level of a disagreement. */
import {
  binaryTree,
  type CoefficientNoise,
  calibrateRelease,
  flat,
  privelet,
  type ReleaseBudget,
  type Strategy,
  tree,
} from '@eigenveil/release';

/** Both servers add all the noise that the budget asks for. */
export const SERVERS = 2;
export const EPSILON = 1;
export const DP_DELTA = 1e-6;
/** N = 2^0 … 2^10, as published. */
export const LARGEST_HEIGHT = 10;
/** As published, and beside it. */
export const PUBLISHED_REPETITIONS = 100;
export const REPETITIONS = 10_000;
/** Random intervals at N = 2^10. */
export const INTERVALS = 50;
/** The probability of a false alarm in a whole run, over all cases (Bonferroni). */
export const FALSE_ALARM = 1e-3;

export type NoiseKind = CoefficientNoise['kind'];
export const BUDGETS: Readonly<Record<NoiseKind, ReleaseBudget>> = {
  laplace: { epsilon: EPSILON },
  gaussian: { epsilon: EPSILON, dpDelta: DP_DELTA },
};

/** A contestant of the experiments is a strategy, its restoration by least squares, and a noise. */
export interface Contestant {
  readonly name: string;
  readonly noise: NoiseKind;
  strategyOf(height: number): Strategy;
}

/** Fan-outs of about 8, the last one smaller: near the best with Laplace noise. */
export const eights = (height: number): Strategy =>
  tree([
    ...new Array<number>(Math.floor(height / 3)).fill(8),
    ...(height % 3 === 0 ? [] : [2 ** (height % 3)]),
  ]);

export const CONTESTANTS: readonly Contestant[] = [
  { name: 'Privelet', noise: 'laplace', strategyOf: privelet },
  { name: 'Boost', noise: 'laplace', strategyOf: binaryTree },
  { name: 'tree of 8', noise: 'laplace', strategyOf: eights },
  { name: 'flat', noise: 'laplace', strategyOf: (height) => flat(2 ** height) },
  { name: 'Privelet, Gaussian', noise: 'gaussian', strategyOf: privelet },
  { name: 'Boost, Gaussian', noise: 'gaussian', strategyOf: binaryTree },
];

/** One feature; a row more or less. */
export const noiseOf = (strategy: Strategy, kind: NoiseKind): CoefficientNoise =>
  calibrateRelease(strategy, { features: 1, neighbours: 'add-remove', budget: BUDGETS[kind] });

/** The variance of one curator's continuous Laplace noise on a coefficient, for this L1 sensitivity: the published setting. */
export const curatorVariance = (sensitivity: number): number => 2 * (sensitivity / EPSILON) ** 2;
