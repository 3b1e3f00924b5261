/** The study without faces: made-up ones stand in, and reports say so; and with faces, no report shows any. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { ERRORS, METHODS, seriesOf } from '../../faces/dimensions.ts';
import { loadFaces, madeUpFaces } from '../../faces/faces.ts';
import { faceSheets } from '../../faces/sheets.ts';
import { FACES_SUITES, facesReport } from '../../faces/suites.ts';
import { splitOf } from '../../faces/trials.ts';
import { writePictures } from '../../instrument/report/apart.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { writeReport } from '../../instrument/report/write.ts';
import { type BenchData, BenchDataSchema } from '../../instrument/report.ts';
import type { Measurement } from '../../instrument/unit.ts';

const ENVIRONMENT: BenchData['description']['environment'] = {
  commit: 'none',
  changes: null,
  processor: 'made up',
  cores: 2,
  memoryBytes: 2 ** 30,
  system: 'made up',
  node: 'v26',
  openssl: '3',
  packages: {},
};

const reportOn = (measurements: readonly Measurement[]) =>
  facesReport({
    format: 'eigenveil-bench/1',
    description: {
      scale: 'quick',
      suites: FACES_SUITES.map(({ name }) => name),
      environment: ENVIRONMENT,
    },
    finishedAt: '2026-01-01T00:00:00.000Z',
    measurements,
    omissions: [],
  });

beforeAll(() => vi.stubEnv('EIGENVEIL_DATA', join(tmpdir(), 'no-faces-here')));
afterAll(() => vi.unstubAllEnvs());

describe('without faces', () => {
  it('made-up ones of the same sizes stand in, the same every time', { tags: ['long'] }, async () => {
    const set = await loadFaces('yale');
    expect(set).toMatchObject({ madeUp: true, side: 64 });
    expect([set.rows.length, new Set(set.people).size]).toEqual([165, 15]);
    expect(madeUpFaces('yale').rows[7]).toEqual(set.rows[7]);
    expect(set.rows[7]!.every((grey) => Number.isInteger(grey) && grey >= 0 && grey <= 255)).toBe(true);
  });

  it('a report says so, and that its figures repeat nothing of the book', { tags: ['long'] }, async () => {
    const measured = (madeUp: string): Measurement => ({
      id: 'dimensions/yale/random/1-1',
      parameters: { set: 'yale', splitting: 'random', from: 1, to: 1, madeUp },
      startedAt: '2026-01-01T00:00:00.000Z',
      seconds: 1,
      series: Object.fromEntries(
        METHODS.flatMap((method) =>
          [14, 5, 160].flatMap((k) => [
            [seriesOf(method, k, 'accuracy'), { unit: 'points' as const, samples: [50] }],
            ...ERRORS.map((error) => [
              seriesOf(method, k, error),
              { unit: 'grey levels' as const, samples: [1000] },
            ]),
          ]),
        ),
      ),
      facts: {},
    });
    const { units } = await FACES_SUITES.find(({ name }) => name === 'hidden')!.plan('quick');
    const hidden = { ...measured('yes'), id: units[0]!.id, parameters: units[0]!.parameters };
    const page = reportToMarkdown(reportOn([measured('yes'), hidden]));
    expect(page).toContain('**These are not faces**: yale, glasses are not in the folder');
    expect(page).not.toContain('At a glance');
    const real = reportToMarkdown(reportOn([measured('no')]));
    expect(real).not.toContain('These are not faces');
    expect(real).toContain('DCA 50.0 %, PCA 50.0 %');
  });
});

test.each(['faces-study', 'faces-encrypted'])(
  'the report that is made of the data kept in %s is of real faces, has no hole, and shows no face',
  async (folder) => {
    const kept = new URL(`../../../../docs/${folder}/report.json`, import.meta.url);
    const data = BenchDataSchema.parse(JSON.parse(await readFile(kept, 'utf8')));
    const page = reportToMarkdown(facesReport(data));
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
    expect(page).not.toContain('These are not faces');
    expect(data.measurements.every(({ parameters }) => parameters.madeUp === 'no')).toBe(true);
    const blocks = facesReport(data).sections.flatMap((section) => section.blocks);
    expect(blocks.some(({ kind }) => kind === 'picture')).toBe(false);
  },
);

describe('a split', () => {
  const people = Array.from({ length: 120 }, (_, row) => row % 20);
  const glasses = people.map((person) => Number(person % 3 === 0));
  const next = (seed: string) => generator(seedOf(seed));

  it('by person has nobody in both parts, nor in two folds', () => {
    const { split, folds } = splitOf(people, glasses, 'by person', next('a'));
    const of = (rows: readonly number[]) => new Set(rows.map((row) => people[row]!));
    expect(of(split.test).size).toBe(2);
    expect(of(split.train).intersection(of(split.test)).size).toBe(0);
    expect([...split.train, ...split.test].sort((a, b) => a - b)).toEqual([...people.keys()]);
    const foldsOf = Map.groupBy(split.train.keys(), (i) => people[split.train[i]!]!);
    for (const rows of foldsOf.values()) expect(new Set(rows.map((i) => folds[i])).size).toBe(1);
    expect(new Set(folds).size).toBe(3);
  });

  it('at random has of each class its share, in an order that means nothing', () => {
    const { split } = splitOf(people, people, 'random', next('a'));
    expect(new Set(split.test.map((row) => people[row]))).toEqual(new Set(people));
    expect(split.train).not.toEqual(split.train.toSorted((a, b) => people[a]! - people[b]!));
    expect(splitOf(people, people, 'random', next('a')).split).toEqual(split);
    expect(splitOf(people, people, 'random', next('b')).split).not.toEqual(split);
  });
});

describe('ρ′', { tags: ['long'] }, () => {
  it('changes by its sign what 160 components lead back, and by its size nothing', async () => {
    const { units } = await FACES_SUITES.find(({ name }) => name === 'signal-ridge')!.plan('quick');
    const { series } = await units[0]!.measure(() => undefined);
    const centred = (rho: number) => series[`dca ${rho}/160 centred`]!.samples;
    expect(centred(-0.05)).toEqual(centred(-0.001).map((value) => expect.closeTo(value, 1)));
    expect(centred(0.05)[0]).toBeGreaterThan(2 * centred(-0.05)[0]!);
    expect(series['dca 0.05/14 accuracy']!.samples).toEqual(series['dca -0.05/14 accuracy']!.samples);
  });
});

describe('sheets of faces', { tags: ['long'] }, () => {
  it('lie apart from the report', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-faces-'));
    try {
      const sheets = await faceSheets();
      expect(sheets.map(({ name }) => name)).toEqual([
        'yale-pca',
        'yale-dca',
        'yale-signal-ridge',
        'olivetti-pca',
        'olivetti-dca',
        'glasses-mdr',
      ]);
      await writePictures(folder, sheets);
      await writeReport({ folder, report: reportOn([]), data: null });
      expect((await readdir(join(folder, 'not-to-be-shared', 'charts'))).length).toBe(sheets.length);
      expect(await readFile(join(folder, 'report.html'), 'utf8')).not.toContain('rgb(');
      expect(await readdir(join(folder, 'charts'))).toEqual([]);
      // The first column is the face itself.
      const { rows } = await loadFaces('yale');
      const { pixels, width } = sheets[0]!;
      expect(pixels.slice(0, 64)).toEqual([...rows[0]!.slice(0, 64)]);
      expect(pixels.slice(3 * width, 3 * width + 64)).toEqual([...rows[0]!.slice(192, 256)]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
