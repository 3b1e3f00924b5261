import { mean } from '@eigenveil/testbed/goodness/mean';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { loadLaboratoryData } from '../../privacy/data.ts';
import { heldOut, scoresOf } from '../../privacy/held-out.ts';
import { energyRatio, truthOf } from '../../privacy/metrics.ts';
import { RealDraws } from '../../privacy/random/real.ts';
import { noisyRows, projectionOf, syntheticRows } from '../../privacy/reduced-rows.ts';

const source = (name: string) => predictableRandomness(`reduced rows ${name}`);
const variance = (values: readonly number[]) => mean(values.map((x) => (x - mean(values)) ** 2));

/** Two classes, three to one, about (0.5, 0) and (−0.3, 0.2), with deviations 0.1 and 0.02. */
function twoClasses(count: number) {
  const draws = new RealDraws(source('rows'));
  const labels = Array.from({ length: count }, (_, i) => (i % 4 === 0 ? 1 : 0));
  const rows = labels.map((label) => [
    (label === 0 ? 0.5 : -0.3) + 0.1 * draws.normal(),
    (label === 0 ? 0 : 0.2) + 0.02 * draws.normal(),
  ]);
  return { rows, labels };
}

describe('synthetic rows', () => {
  // More, and the noise on counts would be refused: its deviation would be below 1.
  const LITTLE_NOISE = { epsilon: 8, dpDelta: 1e-5 };

  it('have the classes’ shares, means and common covariance, where there is little noise', () => {
    const setting = { classes: 2, count: 2000, ...LITTLE_NOISE };
    const { rows, labels } = syntheticRows(source('synthetic'), twoClasses(8000), setting)!;
    const of = (label: number, i: number) => rows.filter((_, r) => labels[r] === label).map((row) => row[i]!);
    expect(rows.length).toBeGreaterThan(1990);
    expect(of(1, 0).length / rows.length).toBeCloseTo(1 / 4, 2);
    // Standard errors: 0.1/√1500 and 0.1/√500.
    expect(Math.abs(mean(of(0, 0)) - 0.5)).toBeLessThan(0.015);
    expect(Math.abs(mean(of(1, 0)) + 0.3)).toBeLessThan(0.025);
    expect(Math.abs(mean(of(1, 1)) - 0.2)).toBeLessThan(0.005);
    for (const label of [0, 1]) {
      expect(Math.sqrt(variance(of(label, 0)))).toBeCloseTo(0.1, 1);
      expect(Math.sqrt(variance(of(label, 1)))).toBeLessThan(0.03);
    }
  });

  it('are none of the rows, and differ with the noise alone', () => {
    const data = twoClasses(200);
    const run = (name: string) =>
      syntheticRows(source(name), data, { classes: 2, count: 50, epsilon: 1, dpDelta: 1e-5 });
    expect(run('a')).toEqual(run('a'));
    expect(run('a')).not.toEqual(run('b'));
    const keys = new Set(data.rows.map(String));
    expect(run('a')!.rows.some((row) => keys.has(String(row)))).toBe(false);
  });

  it('are drowned by noise for few rows, up to giving up', () => {
    const few = { rows: [[0.1, 0.2]], labels: [0] };
    const runs = Array.from({ length: 40 }, (_, i) =>
      syntheticRows(source(`few ${i}`), few, { classes: 2, count: 10, epsilon: 0.1, dpDelta: 1e-5 }),
    );
    expect(runs.some((run) => run === undefined)).toBe(true);
    expect(runs.some((run) => run !== undefined)).toBe(true);
    for (const run of runs) expect(run?.rows.flat().every(Number.isFinite) ?? true).toBe(true);
  });
});

describe('noisy rows', () => {
  it('have the deviation that two rows of the ball need, with half of ε for the class', {
    tags: ['long'],
  }, () => {
    const data = { rows: Array.from({ length: 4000 }, () => [0.5]), labels: new Array<number>(4000).fill(0) };
    const { rows, labels } = noisyRows(source('noisy'), data, 2, { epsilon: 2, dpDelta: 1e-5 });
    // Sensitivity 2 at (1, 1e-5): 2 · 3.7306 (Balle and Wang).
    expect(Math.sqrt(variance(rows.flat()))).toBeCloseTo(2 * 3.7306, 0);
    expect(mean(rows.flat())).toBeCloseTo(0.5, 0);
    // Randomised response at ε = 1 keeps e/(e + 1).
    expect(labels.filter((label) => label === 0).length / 4000).toBeCloseTo(Math.E / (Math.E + 1), 1);
  });
});

it('the projection for replaced rows comes near the best components where there is next to no noise', async () => {
  const { rows } = (await loadLaboratoryData('pima'))!;
  const found = (epsilon: number) =>
    energyRatio(projectionOf(source('projection'), rows, 2, { epsilon, dpDelta: 0.01 }), 2, truthOf(rows));
  expect(found(60)).toBeGreaterThan(0.99);
  expect(found(1)).toBeLessThan(0.9);
});

describe('scores', () => {
  it('of splits: nothing that is learnt from is tested on, and all of the training rows are the private part’s', async () => {
    const data = (await loadLaboratoryData('pima'))!;
    const { train, learn, test, classes } = heldOut(data, 3);
    expect([classes, train.rows.length + test.rows.length]).toEqual([2, 768]);
    const trained = new Set(train.rows);
    expect(learn.rows.every((row) => trained.has(row))).toBe(true);
    expect(test.rows.some((row) => trained.has(row))).toBe(false);
    expect(heldOut(data, 3)).toEqual(heldOut(data, 3));
    expect(heldOut(data, 4).test).not.toEqual(test);
  });

  it('are 0 for who gave up, in F1 and in accuracy, and known for who knows one class only', async () => {
    const labels = [0, 0, 0, 1];
    const test = { rows: labels.map((label) => [label]), labels };
    const learn = {
      rows: Array.from({ length: 20 }, (_, i) => [i % 2]),
      labels: Array.from({ length: 20 }, (_, i) => i % 2),
    };
    const constant = { rows: [[0]], labels: [0] };
    const [able, gaveUp, again, knowing] = await scoresOf([
      { learn, test },
      { learn: undefined, test },
      { learn, test },
      { learn: constant, test },
    ]);
    expect(able).toEqual({ f1: 100, accuracy: 100 });
    expect(gaveUp).toEqual({ f1: 0, accuracy: 0, gaveUp: 1 });
    expect(again).toEqual(able);
    expect(knowing!.accuracy).toBe(75);
    // 3/4 of 2 · 3/(3 + 4).
    expect(knowing!.f1).toBeCloseTo((100 * 0.75 * 6) / 7, 3);
  });
});
