/** Points of the study through the services: the clear arms by other ways of computing them, verdicts, and one chain over real processes. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decompose } from '@eigenveil/projection';
import { addStatistics, Discretiser, StatisticsAccumulator, sketchMatrix } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { dcaComponents, pcaComponents } from '../../faces/components.ts';
import { ERRORS } from '../../faces/dimensions.ts';
import {
  asInStudy,
  dcaOfPixels,
  dcaOfReduced,
  differenceOf,
  exactPca,
  shrunk,
  sketchedPca,
} from '../../faces/encrypted/arms.ts';
import { errorsOf } from '../../faces/encrypted/errors.ts';
import { relativeDifference } from '../../faces/encrypted/errors-report.ts';
import { encryptedHighlights, encryptedReport, verdictOf } from '../../faces/encrypted/report.ts';
import { dcaProposal, pcaProposal, refusalOf } from '../../faces/encrypted/services.ts';
import { servicesSheet } from '../../faces/encrypted/sheets.ts';
import { type ArmName, type Measured, measureEncrypted, seriesOf } from '../../faces/encrypted/suite.ts';
import { type Errors, reconstructionErrors } from '../../faces/reconstruction.ts';
import { beyondSpan, gramOf, type Matrix, spanOf } from '../../faces/span.ts';
import { APART } from '../../instrument/report/apart.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { pictureSvg } from '../../instrument/report/pictures.ts';
import type { Measurement } from '../../instrument/unit.ts';

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

describe('errors of reconstruction, from reduced rows alone', () => {
  const faces = small();
  const gram = gramOf(faces.rows);
  const span = spanOf(gram, faces.train);
  const beyond = beyondSpan(gram, span, faces.test, 36, generator(1));
  const of = (reduced: Matrix, dimensions: readonly number[]) => {
    const [errors] = errorsOf(faces, [{ reduced, dimensions }]);
    return [...errors!];
  };

  it('are those of the study', () => {
    const dimensions = [2, 3, 8];
    const arms = [
      [exactPca(faces, 8), pcaComponents(span)],
      [
        dcaOfPixels(faces, 8),
        dcaComponents(span, faces.train, faces.labels, { ridge: 10, signalRidge: -0.05 }),
      ],
    ] as const;
    for (const [reduced, components] of arms) {
      const expected = reconstructionErrors(gram, { span, beyond, components }, faces, dimensions);
      const found = of(reduced, [...dimensions, 9]);
      expect(found.map(([k]) => k)).toEqual(dimensions);
      for (const [i, [, errors]] of found.entries())
        for (const what of ERRORS) expect(errors[what]).toBeCloseTo(expected[i]![what], 4);
    }
  });

  it('are those of vectors of any lengths, and more of a sketch than of exact PCA', () => {
    const exact = exactPca(faces, 8);
    const longer = exact.map((row) => row.map((value, c) => value * (c + 2)));
    const [[, errors]] = of(exact, [8]) as [[number, Errors]];
    const [[, others]] = of(longer, [8]) as [[number, Errors]];
    expect(others.centred).toBeCloseTo(errors.centred, 6);
    const sketched = sketchedPca(faces, { components: 8, columns: 12, seed: new Uint8Array(32).fill(7) });
    const [[, lost]] = of(sketched, [8]) as [[number, Errors]];
    expect(lost.centred).toBeGreaterThan(1.001 * errors.centred);
    expect(lost.centred).toBeLessThan(2 * errors.centred);
  });

  it('of a chain are larger where ρ′ > 0 takes the directions of least scatter first', () => {
    const sketched = exactPca(faces, 12);
    const at = (signalRidge: number) => of(dcaOfReduced(sketched, faces, 10, signalRidge), [3, 6]);
    const [below, above] = [at(-0.05), at(0.05)];
    expect(above[0]![1].centred).toBeCloseTo(below[0]![1].centred, 1);
    expect(above[1]![1].centred).toBeGreaterThan(below[1]![1].centred + 1);
  });
});

test.each([32, 64] as const)(
  'a sheet of faces of %i pixels a side is a picture that can be written',
  (side) => {
    const next = generator(5);
    const rows = Array.from({ length: 12 }, () =>
      Float64Array.from({ length: side ** 2 }, () => 255 * next()),
    );
    const reduced = rows.map(() => Array.from({ length: 6 }, next));
    const split = { train: [0, 1, 2, 3, 4, 5, 6, 7], test: [8, 9, 10, 11] };
    const set = { name: 'yale', side, rows, madeUp: true } as const;
    const sheet = servicesSheet(
      { ...split, ...set },
      { pca: { reduced }, dca: { reduced }, raised: { reduced } },
    );
    expect(pictureSvg(sheet)).toContain('<svg');
  },
);

test('a sheet has held-out faces, and what their reduced rows lead back to', () => {
  const faces = small();
  const pca = { reduced: exactPca(faces, 20) };
  const [dca, raised] = [-0.05, 0.05].map((it) => ({ reduced: dcaOfReduced(pca.reduced, faces, 3, it) }));
  const set = { name: 'yale', side: 6, madeUp: true } as const;
  const { pixels, width, height, caption } = servicesSheet(
    { ...faces, ...set },
    { pca, dca: dca!, raised: raised! },
  );
  expect([width, height]).toEqual([6 * 7 - 1, 3 * 7 - 1]);
  expect(caption).toContain('20 components of PCA through the services');
  const face = (row: number, column: number) =>
    Array.from(
      { length: 36 },
      (_, i) => pixels[(7 * row + Math.floor(i / 6)) * width + 7 * column + (i % 6)]!,
    );
  const missing = (row: number, column: number) =>
    Math.hypot(...face(row, column).map((grey, i) => grey - faces.rows[faces.test[row]!]![i]!));
  for (const row of [0, 1, 2]) {
    expect(face(row, 0)).toEqual([...faces.rows[faces.test[row]!]!]);
    // The mean and twenty directions of 36 that pixels have; grey levels are rounded.
    const { rows, train } = faces;
    const centre = rows[0]!.map(
      (_, i) => train.reduce((sum, other) => sum + rows[other]![i]!, 0) / train.length,
    );
    const [test, kept] = [faces.test[row]!, pca.reduced[faces.test[row]!]!];
    const whole = Math.hypot(...rows[test]!.map((grey, i) => grey - centre[i]!));
    expect(Math.abs(missing(row, 3) - Math.sqrt(whole ** 2 - Math.hypot(...kept) ** 2))).toBeLessThan(2);
    expect(missing(row, 1)).toBeGreaterThan(missing(row, 3));
  }
});

test('DCA with ρ′ > 0 is proposed in the book’s form, in the units of the basis, with components beyond the classes', () => {
  const faces = { ...small(), owners: 2, keyBits: 2048 };
  const first = pcaProposal({ ...faces, columns: 30, components: 20 });
  const chain = { ...faces, ridge: 10 };
  const digest = 'A'.repeat(43);
  const plain = dcaProposal(chain, digest, first, 0);
  const raised = dcaProposal(chain, digest, first, 0.05);
  const square = (127.5 * plain.features[0]!.max) ** 2;
  expect(plain).toMatchObject({ components: 3, method: { form: 'standard', signalRidge: 0 } });
  expect(raised.method).toMatchObject({
    form: 'book',
    ridge: expect.closeTo(10 / square, 15),
    signalRidge: expect.closeTo(0.05 / square, 18),
  });
  expect(raised.components).toBe(13);
  expect([refusalOf(plain), refusalOf(raised)]).toEqual([undefined, undefined]);
});

const measured = (
  split: number,
  series: Partial<Record<ArmName, number>>,
  facts: Measurement['facts'] = {},
  madeUp = 'no',
  what: Measured = 'accuracy',
): Measurement => ({
  id: `encrypted/yale/16/${split}`,
  parameters: { set: 'yale', side: 16, split, columns: 60, components: 20, services: 'yes', madeUp },
  startedAt: '2026-01-01T00:00:00.000Z',
  seconds: 1,
  series: Object.fromEntries(
    Object.entries(series).map(([arm, value]) => [
      seriesOf(arm as ArmName, 5, what),
      { unit: what === 'accuracy' ? ('points' as const) : ('grey levels' as const), samples: [value] },
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

  it('has errors where they were measured, and how far they are off the clear sketch', () => {
    const series = { 'pca sketch': 800, 'pca services': 804 };
    const errors = measured(1, series, through, 'no', 'centred');
    const text = page([errors]);
    expect(text).toContain('| PCA by a sketch, through the services | centred | 1 | 804.0 |');
    expect(text).toContain('| services beside the clear sketch, PCA | +5e−3 |');
    expect(page([measured(1, series, through)])).not.toContain('Errors of reconstruction');
    expect(encryptedHighlights([errors])).toEqual([
      'Centred errors of reconstruction of services beside the clear sketch, PCA: 1 points, which differ by 5e−3 of the error at most.',
    ]);
    // Of the splits alone that have both.
    const arms = { reference: 'pca sketch', arm: 'pca services' } as const;
    const clear = measured(2, { 'pca sketch': 100 }, {}, 'no', 'centred');
    expect(relativeDifference([errors, clear], arms, 5)).toBeCloseTo(0.005, 9);
    expect(relativeDifference([clear], arms, 5)).toBeUndefined();
  });

  it('names the third task where there was one', () => {
    const raised = Object.fromEntries(
      Object.entries(through).flatMap(([name, value]) =>
        name.startsWith('dca') ? [[name.replace('dca', 'raised'), value]] : [],
      ),
    );
    const series = { 'pca sketch': 80, 'pca services': 80 };
    expect(page([measured(1, series, { ...through, ...raised })])).toContain(
      'DCA, ρ′ = 0.05 was computed by `rotated`.',
    );
    expect(page([measured(1, series, through)])).not.toContain('DCA, ρ′ = 0.05 was computed');
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
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-faces-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { series, facts } = await measureEncrypted(part, sizes, () => undefined, folder);
  expect(await readdir(folder)).toEqual(['encrypted-yale-8-1']);
  const apart = join(folder, 'encrypted-yale-8-1', APART);
  expect(await readdir(join(apart, 'charts'))).toEqual(['services-yale-8.svg']);
  expect(facts).toMatchObject({ testRows: 15, features: 64, 'dca two-party': 'rotated', 'dca refused': '' });
  const { rows, train } = small();
  const sketch = pcaProposal({ rows, train, owners: 3, keyBits: 2048, columns: 24, components: 8 });
  expect(facts['pca two-party']).toBe(refusalOf(sketch) === undefined ? 'rotated' : 'simulated');
  expect(facts['pca difference']).toBeLessThan(0.01);
  expect(facts['dca difference']).toBeLessThan(0.02);
  expect(facts).toMatchObject({
    'raised two-party': 'rotated',
    'raised refused': '',
    'raised components': 3,
  });
  expect(facts['raised difference']).toBeLessThan(0.02);
  const at = (arm: ArmName, k: number, what: Measured) => series[seriesOf(arm, k, what)]!.samples[0]!;
  const off = (one: number, other: number) => Math.abs(one / other - 1);
  for (const k of [2, 5, 8])
    expect(off(at('pca services', k, 'centred'), at('pca sketch', k, 'centred'))).toBeLessThan(1e-3);
  for (const name of ['dca', 'dca raised'] as const)
    expect(off(at(`${name} services`, 2, 'centred'), at(`${name} sketch`, 2, 'centred'))).toBeLessThan(1e-3);
  // The projection's own inverse is the study's least squares.
  expect(off(at('pca services', 8, 'rebuilt'), at('pca services', 8, 'centred'))).toBeLessThan(1e-3);
  for (const k of [2, 5, 8]) {
    const [clear, through] = ['pca sketch', 'pca services'].map((arm) => series[seriesOf(arm as ArmName, k)]);
    expect(Math.abs(clear!.samples[0]! - through!.samples[0]!)).toBeLessThanOrEqual(100 / 15 + 1e-3);
  }
});
