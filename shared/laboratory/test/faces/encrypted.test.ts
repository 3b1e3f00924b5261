/** Points of the study through the services: the clear arms by other ways of computing them, verdicts, and one chain over real processes. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from '@eigenveil/bench/unit';
import { decompose } from '@eigenveil/projection';
import { reportToMarkdown } from '@eigenveil/report/markdown';
import { addStatistics, Discretiser, StatisticsAccumulator, sketchMatrix } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import {
  asInStudy,
  dcaOfPixels,
  dcaOfReduced,
  differenceOf,
  exactPca,
  shrunk,
  sketchedPca,
} from '../../src/faces/encrypted/arms.ts';
import { encryptedHighlights, encryptedReport, verdictOf } from '../../src/faces/encrypted/report.ts';
import { pcaProposal, refusalOf } from '../../src/faces/encrypted/services.ts';
import { type ArmName, measureEncrypted, seriesOf } from '../../src/faces/encrypted/suite.ts';

beforeAll(() => vi.stubEnv('EIGENVEIL_DATA', join(tmpdir(), 'no-faces-here')));
afterAll(() => vi.unstubAllEnvs());

/** Faces of 6 × 6 pixels of four people, of which each fifth is held out. */
function small() {
  const next = generator(3);
  const labels = Array.from({ length: 60 }, (_, row) => row % 4);
  const looks = Array.from({ length: 4 }, () => Array.from({ length: 36 }, () => 60 * next()));
  const rows = labels.map((label) =>
    Float64Array.from({ length: 36 }, (_, i) =>
      Math.round(60 + looks[label]![i]! + (90 * next()) / (1 + i / 4)),
    ),
  );
  const all = [...labels.keys()];
  const test = all.filter((row) => row % 5 === 0);
  const train = all.filter((row) => row % 5 !== 0);
  return { rows, labels, train, test, folds: train.map((_, i) => i % 3) };
}

test('smaller faces are the rounded means of blocks', () => {
  const face = Float64Array.from([1, 2, 10, 10, 3, 5, 10, 11, 0, 0, 255, 255, 0, 0, 255, 255]);
  expect(shrunk([face], 2)).toEqual([Float64Array.from([3, 10, 0, 255])]);
  expect(shrunk([face], 4)).toEqual([face]);
  expect(() => shrunk([face], 3)).toThrow('"side" expected a divisor of 4');
});

test('the clear sketch is what the reference makes of the sums of a task', () => {
  const faces = small();
  const seed = new Uint8Array(32).fill(7);
  const chain = { ...faces, owners: 2, keyBits: 1024, columns: 12, components: 5 };
  const { components, ...task } = pcaProposal(chain);
  const signs = sketchMatrix(seed, task);
  const discretiser = new Discretiser(task);
  const ofOwner = (owner: number) => {
    const sums = new StatisticsAccumulator(task, signs);
    const own = faces.train.filter((_, i) => i % 2 === owner);
    for (const row of own) sums.add(discretiser.discretise([...faces.rows[row]!]), []);
    return sums.statistics();
  };
  const pooled = addStatistics(ofOwner(0), ofOwner(1));
  const { vectors, mean } = decompose(programOf({ ...task, components }), pooled, signs);
  const expected = faces.rows.map((row) =>
    vectors.map((vector) =>
      vector.reduce((sum, entry, i) => sum + entry * (row[i]! - 127.5 - 127.5 * mean![i]!), 0),
    ),
  );
  const sketched = sketchedPca(faces, { components, columns: 12, seed });
  expect(differenceOf(expected, sketched)).toBeLessThan(1e-3);
  // Of twice the columns it is nearly the exact one.
  const exact = exactPca(faces, 2);
  const more = sketchedPca(faces, { components: 2, columns: 30, seed });
  expect(differenceOf(exact, more)).toBeLessThan(0.05);
  expect(differenceOf(exact, sketchedPca(faces, { components: 2, columns: 3, seed }))).toBeGreaterThan(0.05);
});

test('DCA on all components is DCA on pixels; lengths are those of the study', () => {
  const faces = small();
  const onPixels = dcaOfPixels(faces, 3);
  expect(differenceOf(onPixels, dcaOfReduced(exactPca(faces, 36), faces, 3))).toBeLessThan(1e-6);
  const reduced = exactPca(faces, 36);
  const lengthened = asInStudy(reduced, faces);
  const within = (column: number) => {
    const means = [0, 1, 2, 3].map((label) => {
      const own = faces.train
        .filter((row) => faces.labels[row] === label)
        .map((row) => lengthened[row]![column]!);
      const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
      return own.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    });
    return means.reduce((sum, value) => sum + value, 0);
  };
  // wᵀS_W w is 1 less ρ over the whole.
  expect(within(0)).toBeGreaterThan(0.99);
  expect(within(0)).toBeLessThan(1);
});

const measured = (
  split: number,
  series: Partial<Record<ArmName, number>>,
  facts: Measurement['facts'] = {},
  madeUp = 'no',
): Measurement => ({
  id: `encrypted/yale/16/${split}`,
  parameters: { set: 'yale', side: 16, split, columns: 60, components: 20, services: 'yes', madeUp },
  startedAt: '2026-01-01T00:00:00.000Z',
  seconds: 1,
  series: Object.fromEntries(
    Object.entries(series).map(([arm, value]) => [
      seriesOf(arm as ArmName, 5),
      { unit: 'points' as const, samples: [value] },
    ]),
  ),
  facts: { testRows: 20, ...facts },
});

describe('a verdict', () => {
  const arms = { reference: 'pca exact', arm: 'pca sketch' } as const;
  const of = (...differences: number[]) =>
    verdictOf(
      differences.map((it, i) => measured(i + 1, { 'pca exact': 50, 'pca sketch': 50 + it })),
      arms,
      5,
    );

  it('takes one test row for noise, and no more of one split', () => {
    expect(of(5)).toEqual({ isWithin: true, difference: 5, margin: 5, splits: 1 });
    expect(of(-10)).toMatchObject({ isWithin: false, difference: -10, margin: 5 });
  });

  it('takes two standard errors of differences on the same splits for noise', () => {
    expect(of(20, -5, 10, 0)).toMatchObject({ isWithin: true, difference: 6.25, splits: 4 });
    expect(of(20, -5, 10, 0)!.margin).toBeCloseTo(2 * 5.5434, 3);
    expect(of(10, 10, 10, 10)).toMatchObject({ isWithin: false, margin: 5 });
  });

  it('is none where nothing was measured', () => {
    expect(verdictOf([measured(1, { 'pca exact': 50 })], arms, 5)).toBeUndefined();
  });
});

describe('the report', () => {
  const refused = 'ERR_TASK_RANGE: no sketch';
  const through = {
    'pca two-party': 'simulated',
    'pca refused': refused,
    'pca seconds': 2,
    'pca bytes': 1000,
    'pca difference': 1e-4,
    'dca two-party': 'rotated',
    'dca refused': '',
    'dca seconds': 1,
    'dca bytes': 500,
    'dca difference': 1e-4,
  };
  const page = (measurements: readonly Measurement[]) =>
    reportToMarkdown({ title: '', introduction: [], sections: encryptedReport(measurements) });

  it('says which protocol computed what, and that what stands in is not private', () => {
    const text = page([measured(1, { 'pca sketch': 80, 'pca services': 70 }, through)]);
    expect(text).toContain('The sketched PCA was computed by `simulated`. **`rotated` refuses it**');
    expect(text).toContain(refused);
    expect(text).toContain('`simulated` is not private');
    expect(text).toContain('DCA was computed by `rotated`.');
    expect(text).toContain('−10.0 (5.0): beyond');
    const private_ = { ...through, 'pca two-party': 'rotated', 'pca refused': '' };
    expect(page([measured(1, { 'pca sketch': 80, 'pca services': 80 }, private_)])).not.toContain(
      'not private',
    );
  });

  it('says nothing at a glance of made-up faces', () => {
    const series = { 'pca sketch': 80, 'pca services': 80 };
    expect(encryptedHighlights([measured(1, series, through)])).toEqual([
      'Accuracy of services beside the clear sketch, PCA: 1 of 1 points within noise, the largest mean difference 0.0 points.',
    ]);
    expect(encryptedHighlights([measured(1, series, through, 'yes')])).toEqual([]);
  });
});

it('a chain of made-up faces through processes is the clear one', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const sizes = { columns: 24, components: 8, owners: 3, keyBits: 1024 };
  const part = { set: 'yale', side: 8, split: 1, services: 'yes' } as const;
  const { series, facts } = await measureEncrypted(part, sizes, () => undefined);
  expect(facts).toMatchObject({ testRows: 15, features: 64, 'dca two-party': 'rotated', 'dca refused': '' });
  const { rows, train } = small();
  const sketch = pcaProposal({ rows, train, owners: 3, keyBits: 2048, columns: 24, components: 8 });
  expect(facts['pca two-party']).toBe(refusalOf(sketch) === undefined ? 'rotated' : 'simulated');
  expect(facts['pca difference']).toBeLessThan(0.01);
  expect(facts['dca difference']).toBeLessThan(0.02);
  for (const k of [2, 5, 8]) {
    const [clear, through] = ['pca sketch', 'pca services'].map((arm) => series[seriesOf(arm as ArmName, k)]);
    expect(Math.abs(clear!.samples[0]! - through!.samples[0]!)).toBeLessThanOrEqual(100 / 15 + 1e-3);
  }
});
