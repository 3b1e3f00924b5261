/** Distances and projections of the arms against their definitions. */
import { principalAngles } from '@eigenveil/projection';
import { describe, expect, it } from 'vitest';
import { finalOf } from '../../../recognition/scoring/protocol.ts';
import type { Method } from '../../../recognition/scoring/settings.ts';
import { learnSpace, projectionOf } from '../../../recognition/scoring/spaces.ts';
import { madeUpPeople, SETTING } from '../made-up.ts';

const people = finalOf(madeUpPeople()).learn.map(({ rows }) => rows);
const all = people.flat();
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a, (x, i) => x * b[i]!).reduce((sum, x) => sum + x, 0);
const of = (method: Method, more: object = {}) => ({ ...SETTING, method, ...more });
const meanOf = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
const variance = (values: readonly number[]) => meanOf(values.map((x) => (x - meanOf(values)) ** 2));

describe('projections', () => {
  it('LDA has the vectors of DCA with the same ridge', () => {
    const [dca, lda] = [projectionOf(of('dca'), people), projectionOf(of('lda'), people)];
    dca.vectors.forEach((vector, i) => {
      expect(Math.abs(dot(vector, lda.vectors[i]!))).toBeCloseTo(1, 8);
    });
  });

  it('random vectors are orthonormal, and others for another seed', () => {
    const [one, other] = [0, 1].map((seed) => projectionOf(of('random', { ridge: 0 }), people, seed).vectors);
    for (const [i, a] of one!.entries())
      for (const [j, b] of one!.entries()) expect(dot(a, b)).toBeCloseTo(i === j ? 1 : 0, 10);
    expect(Math.max(...principalAngles([...one!], [...other!]))).toBeGreaterThan(0.01);
  });

  it('a whitened PCA has components of variance 1', () => {
    const { vectors, mean } = projectionOf(of('pca', { ridge: 0, whitened: true }), people);
    for (const vector of vectors) {
      const values = all.map((row) => dot(vector, row) - dot(vector, mean));
      expect(meanOf(values)).toBeCloseTo(0, 8);
      expect(variance(values)).toBeCloseTo(1, 8);
    }
  });

  it('a whitened DCA has variance 1 within people, with the ridge', () => {
    const { vectors } = projectionOf(of('dca', { whitened: true }), people);
    for (const vector of vectors) {
      const within = people.reduce(
        (sum, own) => sum + own.length * variance(own.map((row) => dot(vector, row))),
        0,
      );
      expect((within + SETTING.ridge * dot(vector, vector)) / all.length).toBeCloseTo(1, 8);
    }
  });
});

it('pooled Mahalanobis distances are those of the covariance within people', () => {
  // One feature: (x − m)² over the pooled variance with its ridge.
  const narrow = people.map((own) => own.map((row) => [row[0]!]));
  const space = learnSpace(of('mahalanobis', { components: 1, score: 'euclidean' }), narrow);
  const [own] = narrow;
  const { distance: bare, unit } = space.enrol(own!.map((row) => space.window(row)));
  const pooled =
    (narrow.reduce((sum, rows) => sum + rows.length * variance(rows.map(([x]) => x!)), 0) + SETTING.ridge) /
    all.length;
  const distance = Math.abs(9 - meanOf(own!.map(([x]) => x!))) / Math.sqrt(pooled);
  expect(bare(space.window([9])) * unit).toBeCloseTo(distance, 8);
});

it('scaled Manhattan distances are over mean absolute deviations', () => {
  const space = learnSpace(of('manhattan', { ridge: 0, components: 2 }), [
    [
      [0, 0],
      [2, 4],
    ],
    [
      [10, 10],
      [12, 10],
    ],
  ]);
  const { distance: bare, unit } = space.enrol([Float64Array.of(0, 0), Float64Array.of(2, 4)]);
  // Mean (1, 2), deviations (1, 2), to which 0.01 is added.
  expect(bare(Float64Array.of(3, 2)) * unit).toBeCloseTo(2 / 1.01 / 2, 10);
});
