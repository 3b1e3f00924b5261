/** Choices that the study makes before it looks at a figure: shapes, shares of the budget, seeds. */
import type { Boosting } from '../boosted-trees.ts';
import type { ForestShape } from '../private-tree.ts';
import type { Table } from './data.ts';

/** Eight trees on disjoint rows, eight leaves each. */
export const forestShape = (features: number): ForestShape => ({
  trees: 8,
  depth: 3,
  bins: 16,
  featuresPerNode: Math.ceil(Math.sqrt(features)),
  splitShare: 0.5,
  dealing: 'disjoint',
});
/** The shape for a table: as many trees, deeper, where it is long. */
export const shapeFor = ({ rows, ranges: { length: features } }: Table): ForestShape => ({
  ...forestShape(features),
  ...(rows.length > 1000 && { depth: 5, featuresPerNode: Math.ceil(features / 2) }),
});
export const BOOSTING: Boosting = { rounds: 30, depth: 3, learningRate: 0.3, lambda: 1, gamma: 0 };

/** The forest of a library, whose rows are few: it takes minutes for a thousand. */
export const LIBRARY = {
  nEstimators: 10,
  replacement: false,
  useSampleBagging: true,
  noOOB: true,
  treeOptions: { maxDepth: 6 },
};

export const STUDY_EPSILONS = [0.1, 0.5, 1, 3, 10] as const;
/** The words of the column `epsilon`, where `none` is without noise. */
export const EPSILON_TITLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...STUDY_EPSILONS, 100].map((epsilon) => [epsilon, `ε = ${epsilon}`])),
  none: 'no noise',
};
/** An ε as records have it. */
export const told = (epsilon: number): number | 'none' => (epsilon === Infinity ? 'none' : epsilon);
export const DP_DELTA = 1e-5;
export const DESCENT = { steps: 60, rate: 0.2, clippingNorm: 1, learningRate: 4 } as const;
