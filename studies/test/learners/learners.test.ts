/** Forests, boosted trees, sample and aggregate, clusters: known answers, the plain algorithm at ε = Infinity, seeds. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { DBSCAN } from 'density-clustering';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boostedTrees } from '../../learners/boosted-trees.ts';
import { OUTLIER } from '../../learners/expanded.ts';
import { classificationForest, giniOf, regressionForest, squaredErrorOf } from '../../learners/forests.ts';
import { gridDbscan } from '../../learners/grid-dbscan.ts';
import type { Criterion, ForestShape } from '../../learners/private-tree.ts';
import { recursiveDbscan } from '../../learners/recursive-dbscan.ts';
import { aggregated, sampleAndAggregate } from '../../learners/sample-and-aggregate.ts';
import type { SmoothNoise } from '../../learners/smooth-noise.ts';
import { adjustedRand, petals } from '../../learners/study/clusters.ts';
import { farthestPair, thesisDbscan } from '../../learners/thesis-dbscan.ts';

const UNIT = { least: 0, largest: 1 };
const SHAPE: ForestShape = {
  ...{ trees: 5, depth: 3, bins: 8, featuresPerNode: 2, splitShare: 0.5, dealing: 'disjoint' },
};
const CLASSES = { ...SHAPE, ranges: [UNIT, UNIT], classes: 2 };
const source = predictableRandomness;

/** Two features; the class is whether their sum is above 1, the number is the sum. */
function madeUp(count: number, seed: string) {
  const next = generator(seedOf(seed));
  const rows = Array.from({ length: count }, () => [next(), next()]);
  return {
    rows,
    labels: rows.map(([a, b]) => Number(a! + b! > 1)),
    sums: rows.map(([a, b]) => a! + b!),
  };
}

/** A row more changes an impurity by this. */
function stepOf(criterion: Criterion, rows: number): number {
  const sums = new Float64Array(criterion.width);
  for (let row = 0; row < rows; row += 1) criterion.add(sums, 0, row);
  const before = criterion.impurity(sums);
  criterion.add(sums, 0, rows);
  return criterion.impurity(sums) - before;
}

it.each([
  { name: 'the Gini index', of: (labels: readonly number[]) => giniOf(labels, 4), largest: 3 },
  { name: 'the squared error', of: squaredErrorOf, largest: 1024 },
])('a row more raises $name by no more than its sensitivity, which it comes near', ({ of, largest }) => {
  fc.assert(
    fc.property(fc.array(fc.nat(largest), { minLength: 1, maxLength: 300 }), (rows) => {
      const criterion = of(rows);
      const step = stepOf(criterion, rows.length - 1);
      expect(step).toBeGreaterThanOrEqual(0);
      expect(step).toBeLessThanOrEqual(Number(criterion.sensitivity));
    }),
  );
  const alike = new Array<number>(999).fill(0);
  const criterion = of([...alike, largest]);
  expect(stepOf(criterion, 999) / Number(criterion.sensitivity)).toBeGreaterThan(0.998);
  expect(stepOf(of([...alike, 0]), 999)).toBe(0);
});

describe('a forest', () => {
  const train = madeUp(600, 'train');
  const test = madeUp(300, 'test');
  const classify = (epsilon: number, seed: string, shape: Partial<ForestShape> = {}) =>
    classificationForest(source(seed), train.rows, train.labels, { ...CLASSES, ...shape, epsilon });
  const accuracy = (predict: (row: readonly number[]) => number) =>
    test.rows.filter((row, i) => predict(row) === test.labels[i]).length / test.rows.length;

  it('of one tree without noise splits where Gini is least, and counts exactly', () => {
    const rows = [0.1, 0.2, 0.3, 0.6, 0.7].map((x) => [x, 0.5]);
    const setting = { ...CLASSES, trees: 1, depth: 1, bins: 2, epsilon: Infinity };
    const { forest, predict } = classificationForest(source('one'), rows, [0, 0, 0, 1, 1], setting);
    expect([...forest.trees[0]!.features]).toEqual([0]);
    expect(forest.trees[0]!.leaves).toEqual([
      [3, 0],
      [0, 2],
    ]);
    expect([predict([0, 0]), predict([1, 0])]).toEqual([0, 1]);
  });

  it.each(['disjoint', 'shared'] as const)('with %s rows learns, and less with less ε', (dealing) => {
    const plain = accuracy(classify(Infinity, 'a', { dealing }).predict);
    expect(plain).toBeGreaterThan(0.85);
    expect(accuracy(classify(1000, 'a', { dealing }).predict)).toBeGreaterThan(plain - 0.05);
    expect(accuracy(classify(0.001, 'a', { dealing }).predict)).toBeLessThan(plain - 0.1);
  });

  it('with the ordinary exponent splits as with the other at half of ε', () => {
    const splits = (epsilon: number, shape: Partial<ForestShape> = {}) => {
      const { forest } = classify(epsilon, 'o', { trees: 1, ...shape });
      return forest.trees.map(({ features, thresholds }) => [...features, ...thresholds]);
    };
    expect(splits(3, { exponent: 'ordinary' })).toEqual(splits(1.5, { exponent: 'monotone' }));
    expect(splits(3, { exponent: 'ordinary' })).not.toEqual(splits(3));
    expect(splits(3)).toEqual(splits(3, { exponent: 'monotone' }));
  });

  it('deals every row to one tree, or to all', () => {
    const counted = (dealing: ForestShape['dealing']) =>
      classify(Infinity, 'b', { dealing }).forest.trees.map(({ leaves }) =>
        leaves.flat().reduce((a, b) => a + b),
      );
    expect(counted('disjoint').reduce((a, b) => a + b)).toBe(600);
    expect(Math.min(...counted('disjoint'))).toBeGreaterThan(60);
    expect(counted('shared')).toEqual(new Array(5).fill(600));
  });

  it('is the same for the same seed, and another for another', () => {
    const leaves = (seed: string) => classify(1, seed).forest.trees.map((tree) => tree.leaves);
    expect(leaves('c')).toEqual(leaves('c'));
    expect(leaves('c')).not.toEqual(leaves('d'));
  });

  it('of numbers comes near them, and gives the middle of the range where there is nothing', () => {
    const ranges = { ranges: [UNIT, UNIT], target: { least: 0, largest: 2 } };
    const setting = { ...SHAPE, ...ranges, depth: 4, epsilon: Infinity };
    const { predict } = regressionForest(source('r'), train.rows, train.sums, setting);
    // The variance of the sums is 1/6.
    expect(mean(test.rows.map((row, i) => (predict(row) - test.sums[i]!) ** 2))).toBeLessThan(0.03);
    const empty = regressionForest(source('r'), [], [], setting);
    expect(empty.predict([0, 0])).toBe(1);
  });

  it.each([{ trees: 0 }, { bins: 1 }, { featuresPerNode: 3 }, { splitShare: 1 }, { depth: 17 }])(
    'refuses %o',
    (wrong) => {
      expect(() => classify(1, 'e', wrong)).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
    },
  );

  it('refuses labels beyond the classes', () => {
    const setting = { ...SHAPE, ranges: [UNIT], featuresPerNode: 1, classes: 2, epsilon: 1 };
    expect(() => classificationForest(source('e'), [[0]], [2], setting)).toThrow('"labels"');
  });
});

describe('boosted trees', () => {
  const setting = { rounds: 1, depth: 1, learningRate: 1, lambda: 1, gamma: 0 };

  it('take the leaves that the objective has, G/(H + λ)', () => {
    // The mean is 3: gradients 3, 3, −3, −3; each leaf has G = ±6, H = 2.
    const predict = boostedTrees([[0], [1], [2], [3]], [0, 0, 6, 6], setting);
    expect([predict([0]), predict([1.4]), predict([1.6])]).toEqual([1, 1, 5]);
  });

  it('do not split for less than γ', () => {
    // Gain: ½(36/3 + 36/3 − 0) = 12.
    const at = (gamma: number) => boostedTrees([[0], [1], [2], [3]], [0, 0, 6, 6], { ...setting, gamma });
    expect(at(11.9)([0])).toBe(1);
    expect(at(12)([0])).toBe(3);
  });

  it('find the split of the largest gain of all', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: -9, max: 9 })), {
          minLength: 2,
          maxLength: 9,
        }),
        (cells) => {
          const rows = cells.map(([a, b]) => [a, b]);
          const y = cells.map(([, , target]) => target);
          const predict = boostedTrees(rows, y, setting);
          const centre = mean(y);
          const objective = (side: readonly number[]) => {
            const G = side.reduce((sum, i) => sum + centre - y[i]!, 0);
            return -(G ** 2) / (2 * (side.length + 1));
          };
          const all = [...rows.keys()];
          let least = objective(all);
          for (const f of [0, 1]) {
            for (const cut of [0.5, 1.5, 2.5, 3.5, 4.5]) {
              const low = all.filter((i) => rows[i]![f]! < cut);
              const high = all.filter((i) => rows[i]![f]! > cut);
              if (low.length * high.length > 0) least = Math.min(least, objective(low) + objective(high));
            }
          }
          const reached = all
            .map(
              (i) => (predict(rows[i]!) - centre) * (centre - y[i]!) + (predict(rows[i]!) - centre) ** 2 / 2,
            )
            .reduce((a, b) => a + b);
          const leaves = new Set(all.map((i) => predict(rows[i]!)));
          const penalty = [...leaves].reduce((sum, leaf) => sum + (leaf - centre) ** 2 / 2, 0);
          // Two leaves of the same weight are one value here, and then one penalty.
          expect(reached + penalty).toBeLessThanOrEqual(least + 1e-9);
        },
      ),
    );
  });
});

describe('sample and aggregate', () => {
  const { rows, sums } = madeUp(200, 'parts');
  const learner = (_: unknown, part: readonly (readonly number[])[], targets: readonly number[]) =>
    boostedTrees(part, targets, { rounds: 20, depth: 2, learningRate: 0.3, lambda: 1, gamma: 0 });
  const target = { least: 0, largest: 2 };
  const questions = [0.2, 0.9].map((x) => [x, x]);
  const ask = (epsilon: number, parts = 5) =>
    sampleAndAggregate(source('s'), rows, sums, questions, { learner, parts, target, epsilon });

  it('without noise is the median of what disjoint parts say', () => {
    const sizes: number[] = [];
    const seen = new Set<readonly number[]>();
    const counting = (_: unknown, part: readonly (readonly number[])[]) => {
      sizes.push(part.length);
      for (const row of part) seen.add(row);
      return () => sizes.length / 10;
    };
    const setting = { learner: counting, parts: 7, target, epsilon: Infinity };
    sampleAndAggregate(source('s'), rows, sums, [[0, 0]], setting);
    expect(sizes).toEqual([29, 29, 29, 29, 28, 28, 28]);
    expect(seen.size).toBe(200);
    const [low, high] = ask(Infinity);
    expect(low).toBeCloseTo(0.4, 0);
    expect(high).toBeCloseTo(1.8, 0);
  });

  it('stays in the range, repeats by its seed, refuses an even number of parts', () => {
    expect(ask(0.01).every((y) => y >= 0 && y <= 2)).toBe(true);
    expect(ask(1)).toEqual(ask(1));
    expect(() => ask(1, 4)).toThrow('"parts"');
  });

  it('gives each answer its part of ε and of δ', () => {
    const asked: unknown[] = [];
    const noise: SmoothNoise = {
      admits: (budget) => {
        asked.push(budget);
        return { beta: 1, factor: 0 };
      },
      draw: () => 1,
    };
    const answers = [[1], [0.5]];
    expect(aggregated(source('a'), answers, { target, noise, epsilon: 1, dpDelta: 0.1 })).toEqual([1, 0.5]);
    expect(asked).toEqual([
      { epsilon: 0.5, dpDelta: 0.05 },
      { epsilon: 0.5, dpDelta: 0.05 },
    ]);
  });
});

describe('DBSCAN', () => {
  const next = generator(seedOf('clusters'));
  const at = (x: number, y: number) => Array.from({ length: 40 }, () => [x + 0.1 * next(), y + 0.1 * next()]);
  const rows = [...at(0.2, 0.13), ...at(0.76, 0.76), [0.5, 0.05]];

  it('opens by two points, also where noise makes every distance negative', () => {
    const far = [
      [0, -2, -1],
      [-2, 0, -3],
      [-1, -3, 0],
    ].map((line) => Float64Array.from(line));
    expect(farthestPair(far, [0, 1, 2]).toSorted()).toEqual([0, 2]);
    expect(farthestPair(far, [1])).toEqual([1]);
  });

  it('of the thesis as printed, without noise, clusters what is near points that lie far apart', () => {
    const found = (points: readonly (readonly number[])[], neighbours: number) =>
      thesisDbscan(source('d'), points, { radius: 1, neighbours, diameter: 12, epsilon: Infinity });
    const low = [0, 0];
    const high = [10, 0];
    // By the sum of distances (2, 5.5) comes before (5, 4), whose least distance is larger.
    const between = [
      [2, 5.5],
      [5, 4],
    ];
    expect(found([low, high, ...between], 1)).toEqual([0, 1, 2, 3]);
    // High is the last one chosen, so that what is near low stays, and comes to Core() itself: its cluster has what is near it alone.
    const beside = [0.5, 1.25, 2].map((x) => [x, 0]);
    expect(found([low, high, ...beside], 1)).toEqual([0, 1, 0, 2, 3]);
    // Nothing is reached over a neighbour.
    const chain = [0, 0.9, 1.8, 2.7].map((x) => [x, 0]);
    expect(found([...chain, high], 2)).toEqual([0, 0, 1, 1, OUTLIER]);
    expect(found([low, high, [5, 0]], 2)).toEqual([OUTLIER, OUTLIER, OUTLIER]);
  });

  it('of the thesis as printed has an index of 0.74 on petals without noise, and 0 with recursion', async () => {
    const { rows: petal, labels } = await petals();
    const setting = { radius: 0.2, neighbours: 5, diameter: Math.SQRT2, epsilon: Infinity };
    expect(adjustedRand(thesisDbscan(source('d'), petal, setting), labels)).toBeCloseTo(0.736, 3);
    expect(adjustedRand(recursiveDbscan(source('d'), petal, setting), labels)).toBe(0);
  });

  it('of the thesis with recursion, without noise, finds the clusters of another implementation', () => {
    const density = { radius: 0.05, neighbours: 4 };
    const found = recursiveDbscan(source('d'), rows, { ...density, diameter: 2, epsilon: Infinity });
    const theirs = new DBSCAN();
    const clusters = theirs.run(rows, density.radius, density.neighbours);
    expect(clusters.length).toBeGreaterThan(1);
    for (const cluster of clusters) expect(new Set(cluster.map((i) => found[i])).size).toBe(1);
    expect(new Set(clusters.map(([first]) => found[first!])).size).toBe(clusters.length);
    expect([...found.keys()].filter((i) => found[i] === OUTLIER)).toEqual(
      theirs.noise.toSorted((a, b) => a - b),
    );
  });

  it('on a grid finds two clusters and an outlier, with and without noise', () => {
    for (const epsilon of [Infinity, 3]) {
      const setting = { ranges: [UNIT, UNIT], cells: 8, atLeast: 6, epsilon };
      const { clusterOf, counts } = gridDbscan(source('g'), rows, setting);
      expect(new Set(rows.slice(0, 40).map(clusterOf)).size).toBe(1);
      expect(new Set(rows.slice(40, 80).map(clusterOf)).size).toBe(1);
      expect(clusterOf(rows[0]!)).not.toBe(clusterOf(rows[40]!));
      expect(clusterOf(rows[80]!)).toBe(OUTLIER);
      if (epsilon === Infinity) expect(counts.reduce((a, b) => a + b)).toBe(81);
    }
  });
});
