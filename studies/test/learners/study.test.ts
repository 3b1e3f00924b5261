/** The study of learners: what it says of samples, projections under the whole budget, and the data that are kept. */
import { readFile } from 'node:fs/promises';
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { expect, it, test } from 'vitest';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { BenchDataSchema } from '../../instrument/report.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { adjustedRand } from '../../learners/study/clusters.ts';
import { ARMS, featureSeries, projection } from '../../learners/study/features.ts';
import { decidedOf } from '../../learners/study/statements.ts';
import { LEARNERS_SUITES, learnersReport } from '../../learners/study/suites.ts';

it('compares partitions by the adjusted Rand index', () => {
  expect(adjustedRand([0, 0, 1, 1], [5, 5, 3, 3])).toBe(1);
  expect(adjustedRand([0, 0, 0, 0], [0, 0, 1, 1])).toBe(0);
  // Hubert and Arabie's formula by hand: 2 pairs together in both, 2 and 3 together, 10 pairs.
  expect(adjustedRand([0, 0, 1, 1, 2], [0, 0, 1, 1, 1])).toBeCloseTo((2 - 0.8) / (3 - 0.8), 12);
});

it('decides by pairs of splits, and says open where they do not', () => {
  const unit = (raw: readonly number[], pca: readonly number[]): Measurement => ({
    id: 'features/iris/1',
    parameters: { dataset: 'iris' },
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    series: Object.fromEntries(
      ARMS.map((arm) => [
        featureSeries('forest', arm),
        { unit: 'points' as const, samples: arm === 'private PCA' ? pca : raw },
      ]),
    ),
    facts: {},
  });
  const verdict = (raw: readonly number[], pca: readonly number[]) =>
    decidedOf([unit(raw, pca)]).find(({ learner, of }) => learner === 'forest' && of === 'private PCA')!
      .cases;
  const raw = Array.from({ length: 20 }, (_, i) => 70 + 5 * Math.sin(i));
  const shifted = (by: number) => raw.map((x, i) => x + by + Math.cos(7 * i) / 10);
  expect(verdict(raw, shifted(3))[0]!.verdict).toBe('ahead');
  expect(verdict(raw, shifted(-0.5))[0]!.verdict).toBe('not behind');
  expect(verdict(raw, shifted(-3))[0]!.verdict).toBe('behind');
  expect(
    verdict(
      raw.slice(0, 2),
      shifted(0)
        .map((x, i) => x + 20 * i)
        .slice(0, 2),
    )[0]!.verdict,
  ).toBe('open');
});

it('finds the direction of classes, and of variance, and loses them to noise', () => {
  const next = generator(seedOf('projection'));
  const labels = Array.from({ length: 4000 }, (_, i) => i % 2);
  // The classes lie apart along the second feature; the first varies most.
  const rows = labels.map((label) => [(next() - 0.5) * 1.2, 0.4 * label - 0.2 + 0.05 * next(), 0.1 * next()]);
  const apart = (kind: 'pca' | 'dca', epsilon: number, component: number) => {
    const reduce = projection(predictableRandomness('p'), rows, labels, {
      kind,
      classes: 2,
      epsilon,
      dpDelta: 1e-5,
    });
    const mean = (label: number) =>
      rows.filter((_row, i) => labels[i] === label).reduce((sum, row) => sum + reduce(row)[component]!, 0) /
      2000;
    return Math.abs(mean(1) - mean(0));
  };
  expect(apart('dca', Infinity, 0)).toBeGreaterThan(0.5);
  expect(apart('pca', Infinity, 0)).toBeLessThan(0.2);
  expect(apart('dca', 3, 0)).toBeGreaterThan(0.4);
  const reduce = projection(predictableRandomness('q'), rows, labels, {
    kind: 'pca',
    classes: 2,
    epsilon: 0.01,
    dpDelta: 1e-5,
  });
  expect(rows.flatMap(reduce).every((x) => x >= -1 && x <= 1)).toBe(true);
});

it('repeats a unit by its seeds, to the last digit', { tags: ['long'] }, async () => {
  const { units } = await LEARNERS_SUITES.find(({ name }) => name === 'features')!.plan('quick');
  const iris = units.find(({ id }) => id === 'features/iris/1')!;
  const [once, again] = [await iris.measure(() => undefined), await iris.measure(() => undefined)];
  expect(again).toEqual(once);
});

test('the report of the data that are kept has no hole', async () => {
  const kept = new URL('../../../docs/learners-comparison/report.json', import.meta.url);
  const data = BenchDataSchema.parse(JSON.parse(await readFile(kept, 'utf8')));
  expect(reportToMarkdown(learnersReport(data))).not.toMatch(/NaN|undefined/);
});
