/** What the demo compares a result with: the rows as they were rounded, and the rows as they are; and what it says that a method keeps. */
import { newTaskId, Task } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { dataFile, exampleOf, reference, split } from '../../../test/support/tasks.ts';
import { compareWithClear } from '../../demo/reference.ts';

const KEY = 'A'.repeat(43);

async function compared(
  kind: 'pca' | 'lda',
  fractionBits: number,
  /** What the result has in the place of the exact vectors. */
  vectors?: number[][],
) {
  const isFloored = vectors !== undefined;
  const { proposal, rows } = await exampleOf(dataFile('iris'), kind, { components: 1, exact: !isFloored });
  const agreed = { protocol: 'eigenveil/1', id: newTaskId(), csp: KEY, dataUser: KEY, fractionBits };
  const task = Task.parse({ ...proposal, ...agreed });
  const { decomposition } = reference({ ...task, exact: true }, split(rows, 2));
  const { method, twoParty, features, outputs } = task;
  const projection = Projection.parse({
    ...{ taskId: task.id, taskDigest: KEY, method, twoParty, features, fractionBits, outputs },
    ...decomposition,
    ...(isFloored && { vectors }),
  });
  const ignored = kind === 'pca' ? ['label'] : [];
  return {
    rows,
    projection,
    ...(await compareWithClear(task, projection, dataFile('iris'), ignored)).comparison,
  };
}

test('a result of rounded rows is theirs exactly, and as far from the rows as they are as rounding takes it', async () => {
  const coarse = await compared('pca', 6);
  const fine = await compared('pca', 14);
  for (const { maxAngle } of [coarse, fine]) expect(maxAngle).toBeLessThan(1e-9);
  expect(coarse.maxAngleUnrounded).toBeGreaterThan(1e-4);
  expect(fine.maxAngleUnrounded).toBeLessThan(coarse.maxAngleUnrounded / 20);
});

test('a PCA keeps a part of the variance, and of a discriminant classes explain a part of the scores', async () => {
  const pca = await compared('pca', 14);
  const features = pca.projection.features.map((_, i) => sumsOfSquares(pca, unit(i)).total);
  const whole = features.reduce((sum, total) => sum + total, 0);
  const own = sumsOfSquares(pca, pca.projection.vectors[0]!).total / whole;
  expect(pca.kept).toEqual({ of: 'variance', part: expect.closeTo(own, 3), exact: pca.kept.part });
  const lda = await compared('lda', 14);
  const { between, total } = sumsOfSquares(lda, lda.projection.vectors[0]!);
  expect(lda.kept).toEqual({
    of: 'separation',
    part: expect.closeTo(between / total, 3),
    exact: lda.kept.part,
  });
  expect(lda.kept.part).toBeGreaterThan(0.9);
});

test('beside what a result with a floor keeps stands what an exact one would, and angles have the floor in them', async () => {
  for (const kind of ['pca', 'lda'] as const) {
    const exact = await compared(kind, 14);
    const w = exact.projection.vectors[0]!.map((entry, i) => entry + (i === 1 ? 0.5 : 0));
    const length = Math.hypot(...w);
    const floored = await compared(kind, 14, [w.map((entry) => entry / length)]);
    expect(floored.kept.exact).toBeCloseTo(exact.kept.part, 9);
    expect(floored.kept.part).toBeLessThan(exact.kept.part - 0.01);
    expect(floored.maxAngle).toBeGreaterThan(0.1);
  }
});

const unit = (i: number) => [0, 1, 2, 3].map((j) => (i === j ? 1 : 0));

/** Of the scores of rows that are scaled but not rounded: around their mean, and of class means around it. */
function sumsOfSquares(
  { rows, projection }: Awaited<ReturnType<typeof compared>>,
  vector: readonly number[],
): { total: number; between: number } {
  const scores = rows.values.map((row) =>
    vector.reduce((sum, w, i) => {
      const { min, max } = projection.features[i]!;
      return sum + w * ((2 * (row[i]! - min)) / (max - min) - 1);
    }, 0),
  );
  const meanOf = (some: readonly number[]) => some.reduce((sum, x) => sum + x, 0) / some.length;
  const mean = meanOf(scores);
  const classes = [0, 1, 2].map((k) => scores.slice(50 * k, 50 * (k + 1))); // as iris has them
  return {
    total: scores.reduce((sum, x) => sum + (x - mean) ** 2, 0),
    between: classes.reduce((sum, some) => sum + some.length * (meanOf(some) - mean) ** 2, 0),
  };
}
