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
import { type ArmName, differencesOf, verdictsOf } from '../../faces/encrypted/compared.ts';
import { errorsOf } from '../../faces/encrypted/errors.ts';
import { facesEncrypted } from '../../faces/encrypted/index.ts';
import { measurePoints, points } from '../../faces/encrypted/points.ts';
import { dcaProposal, pcaProposal, refusalOf } from '../../faces/encrypted/services.ts';
import { servicesSheet } from '../../faces/encrypted/sheets.ts';
import { type Errors, reconstructionErrors } from '../../faces/reconstruction.ts';
import { beyondSpan, gramOf, type Matrix, spanOf } from '../../faces/span.ts';
import { APART } from '../../instrument/report/apart.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { pictureSvg } from '../../instrument/report/pictures.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { reportOf } from '../../instrument/told.ts';
import { resultsOf } from './support.ts';

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
        for (const what of Object.keys(ERRORS) as (keyof Errors)[])
          expect(errors[what]).toBeCloseTo(expected[i]![what], 4);
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
    const set = { name: 'yale', side, rows, kind: 'made-up faces' } as const;
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
  const set = { name: 'yale', side: 6, kind: 'made-up faces' } as const;
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

const CASE = { set: 'yale', side: 16, services: 'yes', columns: 60, components: 20, kind: 'faces' };
/** Of one split with twenty test rows. */
const at = (arm: ArmName, seen: Tidy, k = 5): Tidy => ({ testRows: 20, arm, k, ...seen });

describe('a verdict', () => {
  const on = (...differences: readonly number[]) =>
    verdictsOf(
      differences.flatMap((it, i) => [
        { ...CASE, split: i + 1, ...at('pca exact', { accuracy: 50 }) },
        { ...CASE, split: i + 1, ...at('pca sketch', { accuracy: 50 + it }) },
      ]),
    );

  it('takes one test row for noise, and no more of one split', () => {
    expect(on(5)).toEqual([
      {
        ...{
          set: 'yale',
          side: 16,
          compared: 'pcaSketch',
          k: 5,
          splits: 1,
          difference: 5,
          size: 5,
          margin: 5,
        },
        ...{ verdict: 'within', told: '+5.0 (5.0): within' },
      },
    ]);
    expect(on(-10)).toMatchObject([{ verdict: 'beyond', difference: -10, told: '−10.0 (5.0): beyond' }]);
  });

  it('takes two standard errors of differences on the same splits for noise', () => {
    const [one] = on(20, -5, 10, 0);
    expect(one).toMatchObject({ verdict: 'within', difference: 6.25, splits: 4 });
    expect(one!.margin).toBeCloseTo(2 * 5.5434, 3);
    expect(on(10, 10, 10, 10)).toMatchObject([{ verdict: 'beyond', margin: 5 }]);
  });

  it('is none where nothing was measured of the same split', () => {
    const [exact, sketch] = [at('pca exact', { accuracy: 50 }), at('pca sketch', { accuracy: 50 })];
    expect(verdictsOf([{ ...CASE, split: 1, ...exact }])).toEqual([]);
    expect(
      verdictsOf([
        { ...CASE, split: 1, ...exact },
        { ...CASE, split: 2, ...sketch },
      ]),
    ).toEqual([]);
  });
});

test('errors are compared on the splits alone that have both', () => {
  const [clear, through] = [at('pca sketch', { centred: 800 }), at('pca services', { centred: 804 })];
  const other = { ...CASE, split: 2, ...at('pca sketch', { centred: 100 }) };
  const found = differencesOf([{ ...CASE, split: 1, ...clear }, { ...CASE, split: 1, ...through }, other]);
  expect(found).toEqual([
    {
      set: 'yale',
      side: 16,
      compared: 'pcaServices',
      k: 5,
      part: expect.closeTo(0.005, 9),
      size: expect.closeTo(0.005, 9),
    },
  ]);
});

describe('the report', () => {
  const errors = { centred: 800, heldOut: 900, listing: 1000 };
  const task = { k: 5, refused: '', ms: 2000, bytes: 1000, rebuilt: 800, difference: 1e-4 };
  const page = async (through: number, tasks: readonly Tidy[]) => {
    const seen = [
      at('pca sketch', { accuracy: 80, ...errors }),
      at('pca services', { accuracy: through, ...errors, centred: 804 }),
      ...tasks,
    ];
    const { report, contradictions } = await reportOf(
      facesEncrypted,
      resultsOf([[points, { ...CASE, split: 1 }, seen]]),
    );
    expect(contradictions).toEqual([]);
    return reportToMarkdown(report);
  };

  it('says which protocol computed what, what comes of it, and by how much it is off', async () => {
    const refused = 'ERR_TASK_RANGE: no sketch';
    const text = await page(70, [
      { task: 'pca', arm: 'pca services', twoParty: 'simulated', ...task, refused },
    ]);
    expect(text).toContain(`| PCA | 5 | simulated | ${refused} | 2.00 s | 1.00 kB | 1e-4 |`);
    expect(text).toContain('−10.0 (5.0): beyond');
    expect(text).toContain('| centred | PCA by a sketch, through the services | 804.0 | 1 |');
    expect(text).toContain('| services beside the clear sketch, PCA | +5e-3 |');
    expect(text).not.toContain('All tasks were computed by');
  });

  it('contradicts its conclusions where services cost accuracy', async () => {
    const far = [1, 2, 3].map((split) => ({ ...CASE, split }));
    const seen = far.map(
      (chosen) =>
        [
          points,
          chosen,
          [at('pca sketch', { accuracy: 80, ...errors }), at('pca services', { accuracy: 20, ...errors })],
        ] as const,
    );
    const { contradictions } = await reportOf(facesEncrypted, resultsOf(seen, { scale: 'full' }));
    expect(contradictions.some((it) => it.startsWith('contradicted: The services cost no accuracy'))).toBe(
      true,
    );
  });
});

it('a chain of made-up faces through processes is the clear one', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const part: Parameters<typeof measurePoints>[0] = {
    ...{ set: 'yale', side: 8, split: 1, services: 'yes', columns: 24, components: 8 },
    ...{ owners: 3, keyBits: 1024 },
  };
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-faces-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const records = await measurePoints(part, { note: () => undefined, folder });
  expect(await readdir(folder)).toEqual(['encrypted-yale-8-1']);
  const apart = join(folder, 'encrypted-yale-8-1', APART);
  expect(await readdir(join(apart, 'charts'))).toEqual(['services-yale-8.svg']);
  const { rows, train } = small();
  const sketch = pcaProposal({ rows, train, owners: 3, keyBits: 2048, columns: 24, components: 8 });
  const task = (name: string) => records.find((it) => it.task === name)!;
  expect(task('pca').twoParty).toBe(refusalOf(sketch) === undefined ? 'rotated' : 'simulated');
  expect(task('dca')).toMatchObject({ twoParty: 'rotated', refused: '' });
  expect(task('raised')).toMatchObject({ twoParty: 'rotated', refused: '', k: 3 });
  expect(task('pca').difference).toBeLessThan(0.01);
  for (const name of ['dca', 'raised']) expect(task(name).difference).toBeLessThan(0.02);
  const at = (arm: ArmName, k: number, what: string) =>
    Number(records.find((it) => it.arm === arm && it.k === k && it[what] !== undefined)![what]);
  const off = (one: number, other: number) => Math.abs(one / other - 1);
  for (const k of [2, 5, 8]) {
    expect(off(at('pca services', k, 'centred'), at('pca sketch', k, 'centred'))).toBeLessThan(1e-3);
    const [clear, through] = [at('pca sketch', k, 'accuracy'), at('pca services', k, 'accuracy')];
    expect(Math.abs(clear - through)).toBeLessThanOrEqual(100 / 15 + 1e-3);
  }
  for (const name of ['dca', 'dca raised'] as const)
    expect(off(at(`${name} services`, 2, 'centred'), at(`${name} sketch`, 2, 'centred'))).toBeLessThan(1e-3);
  // The projection's own inverse is the study's least squares.
  expect(off(at('pca services', 8, 'rebuilt'), at('pca services', 8, 'centred'))).toBeLessThan(1e-3);
  expect(records[0]).toMatchObject({ testRows: 15 });
});
