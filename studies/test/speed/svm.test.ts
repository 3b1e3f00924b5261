import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { stratifiedFolds } from '../../speed/accuracy/splits.ts';
import { type SvmProblem, searchAll } from '../../speed/accuracy/svm.ts';
import { weightedF1 } from '../../speed/accuracy/weighted-f1.ts';

const next = generator(seedOf('svm test'));
const GRID = { costs: [0.5, 8], gammas: [0.125, 2] };

/** Rings about one centre: no line separates them. */
function rings(count: number): { rows: number[][]; labels: number[] } {
  const labels = Array.from({ length: count }, (_, i) => i % 3);
  const rows = labels.map((label) => {
    const [radius, angle] = [2 * label + 0.5 * next(), 2 * Math.PI * next()];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return { rows, labels };
}

const train = rings(180);
const test = rings(90);
const problemOf = (labels: readonly number[]): SvmProblem => ({
  train: { rows: train.rows, labels },
  test: test.rows,
  folds: stratifiedFolds(labels, 3, next),
  grid: GRID,
});

describe('support vector machines', () => {
  it('separate rings, and fail to where the labels of the training rows are shuffled', async () => {
    const [separated, blind] = await searchAll([
      problemOf(train.labels),
      problemOf(shuffled(train.labels, next)),
    ]);
    expect(weightedF1(test.labels, separated!.predicted)).toBeGreaterThan(0.98);
    expect(weightedF1(test.labels, blind!.predicted)).toBeLessThan(0.6);
  });

  it('answer each problem in its place, however many there are', { tags: ['long'] }, async () => {
    const one = problemOf(train.labels);
    const problems = [0.5, 2, 8, 32, 128].map((cost) => ({ ...one, grid: { costs: [cost], gammas: [2] } }));
    const outcomes = await searchAll(problems);
    expect(outcomes.map(({ cost }) => cost)).toEqual([0.5, 2, 8, 32, 128]);
  });

  it('choose what does best in cross-validation, and the first of equals', { tags: ['long'] }, async () => {
    const one = problemOf(train.labels);
    // So wide a kernel sees no rings; so narrow a one only the training rows.
    const [outcome] = await searchAll([{ ...one, grid: { costs: [8], gammas: [1e-6, 2, 1e6] } }]);
    expect(outcome).toMatchObject({ cost: 8, gamma: 2 });
    const [equals] = await searchAll([{ ...one, grid: { costs: [8, 8.000001], gammas: [2] } }]);
    expect(equals).toMatchObject({ cost: 8 });
  });

  it('keep the rows of a fold out of what is trained to predict them', async () => {
    // A kernel this narrow knows the rows it was trained on by heart, wrong labels and all, and no others.
    const noisy = train.labels.map((label, i) => (i % 10 < 3 ? (label + 1) % 3 : label));
    const [outcome] = await searchAll([{ ...problemOf(noisy), grid: { costs: [128], gammas: [1e6, 0.5] } }]);
    expect(outcome).toMatchObject({ gamma: 0.5 });
  });

  it('do not depend on the scale of rows or on which way they are turned', { tags: ['long'] }, async () => {
    const turn = ([x, y]: readonly number[]) => [300 * (0.6 * x! - 0.8 * y!), 300 * (0.8 * x! + 0.6 * y!)];
    const one = problemOf(train.labels);
    const turned = {
      ...one,
      train: { rows: train.rows.map(turn), labels: train.labels },
      test: test.rows.map(turn),
    };
    const [a, b] = await searchAll([one, turned]);
    expect(b).toEqual(a);
  });

  it('reject, and do not hang, where a problem cannot be solved', async () => {
    const one = problemOf(train.labels);
    await expect(searchAll([{ ...one, train: { rows: [], labels: [] } }, one])).rejects.toThrow();
  });
});
