/** The study of learners: what is measured of the user's own rows, what samples decide, projections under the whole budget, and the conclusions from the report that is kept. */
import { readFile } from 'node:fs/promises';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { describe, expect, it, test } from 'vitest';
import { chosenOf } from '../../instrument/figure.ts';
import type { OwnData } from '../../instrument/own-data.ts';
import { StudyResults } from '../../instrument/results.ts';
import { measured, planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Study } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { reportOf } from '../../instrument/told.ts';
import { decidedOf, overDataSets } from '../../learners/compared.ts';
import { learners } from '../../learners/index.ts';
import { projection } from '../../learners/projection.ts';
import { accuracy } from '../../learners/study/accuracy.ts';
import { adjustedRand, clusters } from '../../learners/study/clusters.ts';
import { features } from '../../learners/study/features.ts';
import { perturbation } from '../../learners/study/perturbation.ts';
import { regression } from '../../learners/study/regression.ts';

describe('of the user’s own rows', () => {
  const next = generator(seedOf('own rows'));
  const labels = Array.from({ length: 90 }, (_, i) => i % 2);
  /** Two clumps, apart along both columns. */
  const own = {
    name: 'clumps',
    columns: ['across', 'up'],
    ranges: [
      [0, 10],
      [0, 10],
    ] as const,
    rows: labels.map((label) => [2 + 6 * label + 0.5 * next(), 2 + 6 * label + 0.5 * next()]),
    labels,
    labelRange: [0, 10] as const,
    classes: ['3', '9'],
  };
  const planned = async <Case extends Tidy>(study: Study<Case>, of: OwnData = own) =>
    (await study.plan({ scale: 'quick', settings: new Settings('quick'), own: of })).cases;
  const all = async <Case extends Tidy>(study: Study<Case>): Promise<Tidy[]> => {
    const [parameters] = await planned(study);
    return measured({ study, parameters: parameters! }, { own, note: () => undefined });
  };
  const scores = (records: readonly Tidy[], column: string, where: Tidy) =>
    chosenOf(records, where).map((record) => record[column]);

  it('a forest learns classes, and naming the most frequent one does not', async () => {
    const records = await all(accuracy);
    expect(scores(records, 'accuracy', { learner: 'forest', epsilon: 'none' })).toEqual([100, 100, 100]);
    expect(scores(records, 'accuracy', { learner: 'forest', epsilon: 100 })).toEqual([100, 100, 100]);
    expect(scores(records, 'accuracy', { learner: 'library' })).toEqual([100, 100, 100]);
    expect(scores(records, 'accuracy', { learner: 'majority' })).toEqual([50, 50, 50]);
  });

  it('a regression learns classes without noise, and with little in its objective or on its output', async () => {
    const records = await all(perturbation);
    const accuracies = (arm: string, epsilon: Tidy[string]) =>
      scores(records, 'accuracy', { arm, epsilon, lambda: 0.01 });
    for (const arm of ['objective', 'output']) {
      expect(accuracies(arm, 10)).toHaveLength(3);
      expect(Math.min(...accuracies(arm, 10).map(Number))).toBeGreaterThan(70);
    }
    expect(accuracies('neither', 'none')).toEqual([100, 100, 100]);
    expect(scores(records, 'accuracy', { arm: 'most frequent class' })).toEqual([50, 50, 50]);
  });

  it('learners of numbers take classes for numbers, and noise costs them R²', async () => {
    const records = await all(regression);
    const R2 = (where: Tidy) => scores(records, 'R2', where).map(Number);
    expect(Math.min(...R2({ learner: 'plain boosted' }))).toBeGreaterThan(0.99);
    expect(Math.max(...R2({ learner: 'mean' }))).toBeLessThan(0.1);
    const aggregated = { learner: 'boosted, sample and aggregate', parts: 31, noise: 'derived' };
    expect(Math.min(...R2({ ...aggregated, answers: 'each', epsilon: 10 }))).toBeGreaterThan(0.9);
    expect(Math.max(...R2({ ...aggregated, answers: 'all', epsilon: 0.1 }))).toBeLessThan(0.5);
    // A part has a row at least.
    expect(records.some(({ parts }) => parts === 61)).toBe(true);
    await expect(planned(regression, { ...own, classes: ['no', 'yes'] })).rejects.toThrow(
      /column of numbers/,
    );
    const { labelRange, ...classes } = own;
    await expect(planned(regression, classes)).rejects.toThrow(/a public range of it/);
  });

  it('clusters follow two clumps, and with the noise of the thesis they do not', async () => {
    const records = await all(clusters);
    expect(scores(records, 'index', { way: 'library', radius: 0.05 })).toEqual(new Array(5).fill(100));
    expect(scores(records, 'index', { way: 'grid', epsilon: 10 })).toEqual(new Array(5).fill(100));
    for (const way of ['as printed', 'with recursion']) {
      const indices = (epsilon: Tidy[string]) => scores(records, 'index', { way, radius: 0.2, epsilon });
      expect(indices('none')).toEqual(new Array(5).fill(100));
      expect(indices(1).map(Number)).not.toContain(100);
    }
  });

  it('every arm has a score for every split, the same at each run', async () => {
    const records = await all(features);
    expect(await all(features)).toEqual(records);
    expect(records).toHaveLength(3 * 2 * 5);
    const exact = scores(records, 'accuracy', { learner: 'SGD', arm: 'exact DCA' });
    expect(Math.max(...exact.map(Number))).toBe(100);
  });

  it('attacks make up their neighbours, and refuse rows', async () => {
    const audits = learners.studies.find(({ id }) => id === 'learners/audits')!;
    await expect(planRun([audits], { scale: 'quick', settings: new Settings('quick'), own })).rejects.toThrow(
      /takes no rows, as it measures attacks/,
    );
  });
});

it('compares partitions by the adjusted Rand index', () => {
  expect(adjustedRand([0, 0, 1, 1], [5, 5, 3, 3])).toBe(1);
  expect(adjustedRand([0, 0, 0, 0], [0, 0, 1, 1])).toBe(0);
  // Hubert and Arabie's formula by hand: 2 pairs together in both, 2 and 3 together, 10 pairs.
  expect(adjustedRand([0, 0, 1, 1, 2], [0, 0, 1, 1, 1])).toBeCloseTo((2 - 0.8) / (3 - 0.8), 12);
});

describe('what samples decide', () => {
  const splits = Array.from({ length: 20 }, (_, i) => 70 + 5 * Math.sin(i));
  const records = (off: (i: number) => number, dataset = 'iris', count = 20): Tidy[] =>
    splits.slice(0, count).flatMap((accuracy, seed) =>
      ['raw', 'private PCA'].map((arm) => ({
        ...{ learner: 'forest', dataset, epsilon: 1, seed, arm },
        accuracy: arm === 'raw' ? accuracy : accuracy + off(seed),
      })),
    );
  const pairs = [{ of: 'private PCA', against: 'raw' }];
  const decide = (of: readonly Tidy[]) => decidedOf(of, { by: ['learner'], scores: ['accuracy'], pairs });
  const shifted = (by: number) => (i: number) => by + Math.cos(7 * i) / 10;

  it('is decided by pairs of splits, and open where they do not decide', () => {
    const verdict = (of: readonly Tidy[]) => decide(of).find(({ level }) => level === 'case')!.verdict;
    expect(verdict(records(shifted(3)))).toBe('ahead');
    expect(verdict(records(shifted(-0.5)))).toBe('not behind');
    expect(verdict(records(shifted(-3)))).toBe('behind');
    expect(verdict(records((i) => 20 * i, 'iris', 2))).toBe('open');
  });

  it('has data sets for samples in a mean over them', () => {
    const sets = [1, 2, 3].flatMap((by) => records(shifted(by), `set ${by}`));
    const means = decide(sets).filter(({ level }) => level === 'mean');
    expect(means).toHaveLength(1);
    expect(means[0]!.difference).toBeCloseTo(2, 1);
    // Student's t of three samples that lie 1 apart.
    expect(Number(means[0]!.high) - Number(means[0]!.low)).toBeCloseTo((2 * 4.302653) / Math.sqrt(3), 1);
  });

  it('is averaged over data sets only where all of them were measured', () => {
    const one = { arm: 'raw', epsilon: 1 };
    const some = [
      { ...one, dataset: 'a', accuracy: 1 },
      { ...one, dataset: 'a', accuracy: 3 },
      { ...one, dataset: 'b', accuracy: 8 },
      { ...one, epsilon: 3, dataset: 'a', accuracy: 5 },
    ];
    expect(overDataSets(some, ['arm', 'epsilon'], ['accuracy'])).toEqual([{ ...one, accuracy: 5 }]);
  });
});

it('finds the direction of classes, and of variance, and loses them to noise', () => {
  const next = generator(seedOf('projection'));
  const labels = Array.from({ length: 4000 }, (_, i) => i % 2);
  // The classes lie apart along the second feature; the first varies most.
  const rows = labels.map((label) => [(next() - 0.5) * 1.2, 0.4 * label - 0.2 + 0.05 * next(), 0.1 * next()]);
  const reduced = (seed: string, kind: 'pca' | 'dca', epsilon: number) =>
    projection(predictableRandomness(seed), rows, labels, { kind, classes: 2, epsilon, dpDelta: 1e-5 });
  const apart = (kind: 'pca' | 'dca', epsilon: number, component: number) => {
    const reduce = reduced('p', kind, epsilon);
    const of = (label: number) => rows.filter((_row, i) => labels[i] === label);
    const [ones, zeros] = [of(1), of(0)].map((some) => mean(some.map((row) => reduce(row)[component]!)));
    return Math.abs(ones! - zeros!);
  };
  expect(apart('dca', Infinity, 0)).toBeGreaterThan(0.5);
  expect(apart('pca', Infinity, 0)).toBeLessThan(0.2);
  expect(apart('dca', 3, 0)).toBeGreaterThan(0.4);
  expect(rows.flatMap(reduced('q', 'pca', 0.01)).every((x) => x >= -1 && x <= 1)).toBe(true);
});

test('the report that is kept holds, and conclusions that it contradicts fail', async () => {
  const kept = new URL('../../../docs/learners-comparison/report.json', import.meta.url);
  const results = StudyResults.parse(JSON.parse(await readFile(kept, 'utf8')));
  expect((await reportOf(learners, results)).contradictions).toEqual([]);
  const cases = results.cases.map((one) => {
    const [learner, R2] = ['answers', 'R2'].map((column) => one.columns.indexOf(column));
    if (one.study !== 'learners/regression') return one;
    // As if one ε for all answers did no harm.
    return { ...one, rows: one.rows.map((row) => (row[learner!] === 'all' ? row.with(R2!, 0.5) : row)) };
  });
  expect((await reportOf(learners, { ...results, cases })).contradictions).toEqual([
    expect.stringContaining('With one ε for all answers R² is below zero'),
  ]);
});
