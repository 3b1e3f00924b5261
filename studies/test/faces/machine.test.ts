/** The bounded machine beside LIBSVM, and the search for its parameters. */

import { generator, seedOf } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { type GridProblem, searchGrid } from '../../faces/grid.ts';
import { learn } from '../../faces/machine.ts';
import { searchAll } from '../../speed/accuracy/svm.ts';

const next = generator(seedOf('machine'));
/** Three overlapping clouds of variance about 1, so that the scale that `searchAll` puts rows to is 1. */
const labels = Array.from({ length: 90 }, (_, i) => i % 3);
const clouds = (): number[][] => {
  const raw = labels.map((label) => [label + 2.5 * next(), (label % 2) * 1.5 + 2.5 * next()]);
  const mean = [0, 1].map((f) => raw.reduce((sum, row) => sum + row[f]!, 0) / raw.length);
  const variance = raw.reduce((sum, row) => sum + (row[0]! - mean[0]!) ** 2 + (row[1]! - mean[1]!) ** 2, 0);
  const scale = Math.sqrt((2 * raw.length) / variance);
  return raw.map((row) => row.map((value) => value * scale));
};
const train = clouds();
const test = clouds();
const rbf = (a: readonly number[], b: readonly number[], gamma: number) =>
  Math.exp(-gamma * ((a[0]! - b[0]!) ** 2 + (a[1]! - b[1]!) ** 2));

describe('a machine with a bound on iterations', () => {
  it.each([
    [1, 0.5],
    [8, 2],
    [0.5, 8],
  ])('answers as LIBSVM does where neither reaches its bound, C = %d, γ = %d', async (cost, gamma) => {
    const [libsvm] = await searchAll([
      { train: { rows: train, labels }, test, folds: [], grid: { costs: [cost], gammas: [gamma] } },
    ]);
    const values = Float64Array.from(train.flatMap((a) => train.map((b) => rbf(a, b, gamma))));
    const machine = learn({ values, n: 90 }, [...labels.keys()], labels, { cost, iterations: 1e6 });
    const answers = test.map((row) => machine(Float64Array.from(train, (other) => rbf(row, other, gamma))));
    // Both stop within a tolerance, so that a row on the border may fall to either side.
    expect(answers.filter((label, i) => label !== libsvm!.predicted[i]).length).toBeLessThanOrEqual(1);
    const bounded = learn({ values, n: 90 }, [...labels.keys()], labels, { cost, iterations: 1 });
    const early = test.map((row) => bounded(Float64Array.from(train, (other) => rbf(row, other, gamma))));
    expect(early).not.toEqual(answers);
  });
});

const problem = (change: Partial<GridProblem> = {}): GridProblem => ({
  train: Float64Array.from(train.flat()),
  test: Float64Array.from(test.flat()),
  width: 2,
  labels,
  folds: labels.map((_, i) => Math.floor(i / 3) % 3),
  apart: [new Float64Array(90)],
  iterations: 10_000,
  ...change,
});

describe('the search of a grid', () => {
  it('takes the first of equals: linear, and the least C', () => {
    const apart = labels.flatMap((label) => [1e4 * label, 1e4 * (label % 2)]);
    const { chosen, predicted } = searchGrid(
      problem({ train: Float64Array.from(apart), test: Float64Array.from(apart) }),
    );
    expect(chosen).toBe('linear 0.1');
    expect(predicted[0]).toEqual(labels);
  });

  it('takes an RBF kernel where no line separates', { tags: ['long'] }, () => {
    const ring = (radius: number, i: number) => [radius * Math.cos(i), radius * Math.sin(i)];
    const rings = Float64Array.from(labels.flatMap((label, i) => ring(5 + 20 * label, i)));
    // The second test part is so far from all training rows that its rows are alike.
    const apart = [new Float64Array(90), new Float64Array(90).fill(1e9)];
    const { chosen, predicted } = searchGrid(problem({ train: rings, test: rings, apart, iterations: 500 }));
    expect(chosen).toMatch(/^rbf/);
    expect(predicted[0]).toEqual(labels);
    expect(new Set(predicted[1]).size).toBe(1);
  });
});
