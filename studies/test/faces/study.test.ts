/** The study without faces: made-up ones stand in, and reports say so; with the user's own rows; and with faces, no report shows any. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { dimensions } from '../../faces/dimensions.ts';
import { facesEncrypted } from '../../faces/encrypted/index.ts';
import { loadFaces, madeUpFaces } from '../../faces/faces.ts';
import { hidden } from '../../faces/hidden.ts';
import { faces } from '../../faces/index.ts';
import { ridge } from '../../faces/ridge.ts';
import { faceSheets } from '../../faces/sheets.ts';
import { signalRidge } from '../../faces/signal-ridge.ts';
import { solver } from '../../faces/solver.ts';
import { splitOf } from '../../faces/trials.ts';
import { writePictures } from '../../instrument/report/apart.ts';
import { reportToMarkdown } from '../../instrument/report/markdown.ts';
import { writeReport } from '../../instrument/report/write.ts';
import { recordsOf, StudyResults } from '../../instrument/results.ts';
import { planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { reportOf } from '../../instrument/told.ts';
import { measuredBy, ownRows, resultsOf } from './support.ts';

beforeAll(() => vi.stubEnv('EIGENVEIL_DATA', join(tmpdir(), 'no-faces-here')));
afterAll(() => vi.unstubAllEnvs());

const quick = { scale: 'quick', settings: new Settings('quick') } as const;

describe('without faces', { tags: ['long'] }, () => {
  it('made-up ones of the same sizes stand in, the same every time', async () => {
    const set = await loadFaces('yale');
    expect(set.kind).toBe('made-up faces');
    expect([set.rows.length, new Set(set.labels.identity).size]).toEqual([165, 15]);
    expect(madeUpFaces('yale').rows[7]).toEqual(set.rows[7]);
    expect(set.rows[7]!.every((grey) => Number.isInteger(grey) && grey >= 0 && grey <= 255)).toBe(true);
  });

  it('a run names them as what is missing, so that no conclusions are drawn, and captions say what they are', async () => {
    for (const study of faces.studies) {
      const { cases, omissions = [] } = await study.plan(quick);
      expect(omissions[0]!.why).toContain('no faces');
      expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(['made-up faces']));
    }
    const [one] = (await solver.plan(quick)).cases;
    const results = resultsOf([[solver, one!, [{ machine: 'PCA', k: 2, accuracy: 50 }]]]);
    const { report } = await reportOf({ ...faces, studies: [solver] }, results);
    expect(reportToMarkdown(report)).toContain('yale (made up: these are no faces): accuracy in percent');
  });
});

describe('conclusions', () => {
  const at = (method: string, ...accuracy: readonly number[]) =>
    [5, 10, 14, 50, 160].map((k, i) => ({
      ...{ split: 1, method, k, accuracy: accuracy[i]! },
      ...{ listing: 3000 + k, centred: 2000 / k, uncentred: 1, heldOut: 1 },
    }));
  const of = (dca: number) => {
    const chosen = { set: 'yale', splitting: 'random', from: 1, to: 1, kind: 'faces' };
    const records = [...at('pca', 40, 50, 60, 70, 70), ...at('dca', 50, 60, dca, dca, dca)];
    return reportOf(
      { ...faces, studies: [dimensions] },
      resultsOf([[dimensions, chosen, records]], { scale: 'full' }),
    );
  };

  it('are drawn where figures bear them, beside those of the book', async () => {
    const { report, contradictions } = await of(90);
    expect(contradictions).toEqual([]);
    const page = reportToMarkdown(report);
    expect(page).toContain('with 14 of them it is right about 90.0 % of the test rows, and PCA about 60.0 %');
    expect(page).toContain('grows with the number of components (3,005 at 5, 3,160 at 160)');
    expect(page).toContain('| PCA, one run of the book | 58.8 | – | 82.4 | 94.1 | 94.1 | – |');
  });

  it('fail a run whose figures do not', async () => {
    const { contradictions } = await of(65);
    expect(contradictions).toHaveLength(1);
    expect(contradictions[0]).toContain('DCA needs few components on Yale');
  });

  it('of MDR are that ρ decides whether the label of use is told, and that the other is hidden', async () => {
    const chosen = { set: 'glasses', utility: 'glasses', splitting: 'random', kind: 'faces' };
    const told = (arm: string, glasses: number, identity: number) => [
      { split: 1, arm, told: 'glasses', k: 1, accuracy: glasses },
      { split: 1, arm, told: 'identity', k: 1, accuracy: identity },
    ];
    const glasses = [...told('all', 94, 86), ...told('dca', 95, 0), ...told('mdr', 63, 4)];
    const usual = told('mdrDefault', 93, 5);
    const strangers = [...told('dca', 85, 0), ...told('mdrDefault', 84, 5)];
    const of = (mdr: number) =>
      reportOf(
        { ...faces, studies: [hidden] },
        resultsOf(
          [
            [hidden, chosen, [...glasses, ...usual]],
            [hidden, { ...chosen, splitting: 'by person' }, strangers],
            [
              hidden,
              { ...chosen, utility: 'identity' },
              [
                ...told('all', 92, 82),
                ...told('dca', 79, 86),
                ...told('mdr', mdr, 81),
                ...told('mdrDefault', 85, 81),
              ],
            ],
          ],
          { scale: 'full' },
        ),
      );
    expect((await of(86)).contradictions).toEqual([]);
    expect((await of(70)).contradictions[0]).toContain('still 70.0 % of the glasses');
  });

  it('of ρ fail a run in which the default tells no more than ρ = 10', async () => {
    const chosen = { set: 'glasses', utility: 'glasses', kind: 'faces' };
    const at = (rho: string, glasses: number, method = 'mdr') =>
      (['glasses', 'identity'] as const).map((label) => ({
        ...{ split: 1, method, rho, ridge: 10, centred: 2700 },
        ...{ told: label, accuracy: label === 'glasses' ? glasses : 4 },
      }));
    const of = (tells: number) =>
      reportOf(
        { ...faces, studies: [ridge] },
        resultsOf(
          [[ridge, chosen, [...at('10', 63), ...at('default', tells), ...at('default', 95, 'dca')]]],
          { scale: 'full' },
        ),
      );
    expect((await of(93)).contradictions).toEqual([]);
    expect((await of(64)).contradictions[0]).toContain('MDR needs a ρ of the size of the scatter');
  });
});

describe("the user's own rows", () => {
  const own = ownRows();

  it('are told from by all of their columns, and stand in the report', { tags: ['long'] }, async () => {
    const cases = await Promise.all(faces.studies.map((study) => measuredBy(study, { ...quick, own })));
    const results = resultsOf(cases.flat());
    const { report, contradictions } = await reportOf(faces, results);
    expect(contradictions).toEqual([]);
    const page = reportToMarkdown(report);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
    for (const caption of [
      'toy, split at random: accuracy',
      'toy, split at random: mean error',
      'toy: accuracy in percent over components of DCA',
      'toy, label of use: accuracy in percent for each label, over ρ',
      'toy: mean error in grey levels over components, as listing 9.4',
    ])
      expect(page).toContain(caption);
    const records = results.cases.flatMap((one) =>
      recordsOf(one).map((record): Tidy => ({ study: one.study, ...record })),
    );
    const all = records.find((it) => it.study === dimensions.id && it.method === 'dca' && it.k === 6);
    // Nothing is missing of rows that are led back from all there is.
    expect(all!.centred).toBeLessThan(1e-3);
    expect(all!.accuracy).toBeGreaterThan(90);
    const told = (arm: string, label: string) =>
      records.find((it) => it.study === hidden.id && it.arm === arm && it.told === label)!.accuracy;
    expect(told('mdr', 'label')).toBeGreaterThan(90);
    expect(told('mdr', 'private label')).toBeLessThan(80);
    expect(told('all', 'private label')).toBeGreaterThan(90);
  });

  it('are refused by MDR where they have no private label, and by the services', async () => {
    const { privateLabels: _, ...single } = own;
    await expect(async () => hidden.plan({ ...quick, own: single })).rejects.toThrow(
      '"--private-label COLUMN"',
    );
    const [points] = facesEncrypted.studies;
    await expect(planRun([points!], { ...quick, own })).rejects.toThrow('takes no rows');
  });

  it('become grey levels from their ranges', async () => {
    const [row] = (await loadFaces('yale', { ...own, rows: [[-1, 0, 1, 5, -5, 0.5]] })).rows;
    expect([...row!]).toEqual([0, 127.5, 255, 255, 0, 191.25]);
  });
});

test.each([faces, facesEncrypted])(
  'the kept report of $name is of real faces, has no hole, and shows no face',
  async (group) => {
    const kept = new URL(`../../../docs/${group.kept}/report.json`, import.meta.url);
    const results = StudyResults.parse(JSON.parse(await readFile(kept, 'utf8')));
    const { report, contradictions } = await reportOf(group, results);
    expect(contradictions).toEqual([]);
    expect(reportToMarkdown(report)).not.toMatch(/NaN|undefined|Infinity/);
    expect(results.cases.every(({ parameters }) => parameters.kind === 'faces')).toBe(true);
    const blocks = report.sections.flatMap((section) => section.blocks);
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
    const [[, , records]] = (await measuredBy(signalRidge, quick)) as [
      Awaited<ReturnType<typeof measuredBy>>[0],
    ];
    const at = (rho: number, k: number, column: string) =>
      records.filter((it) => it.signalRidge === rho && it.k === k).map((it) => Number(it[column]));
    const centred = (rho: number) => at(rho, 160, 'centred');
    expect(centred(-0.05)).toHaveLength(2);
    expect(centred(-0.05)).toEqual(centred(-0.001).map((value) => expect.closeTo(value, 1)));
    expect(centred(0.05)[0]).toBeGreaterThan(2 * centred(-0.05)[0]!);
    expect(at(0.05, 14, 'accuracy')).toEqual(at(-0.05, 14, 'accuracy'));
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
        'glasses-pca',
        'glasses-dca',
        'glasses-mdr-identity',
        'glasses-mdr-glasses',
      ]);
      await writePictures(folder, sheets);
      const { report } = await reportOf(faces, resultsOf([]));
      await writeReport({ folder, report, data: null });
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

  it("are not drawn beside a report of the user's own rows", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'eigenveil-faces-'));
    try {
      await faces.beside!(folder, { ...quick, own: ownRows() });
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
