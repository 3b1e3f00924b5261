/** The user's own rows in the benchmarks: studies of rows take them, and the others refuse them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { OwnData } from '../../instrument/own-data.ts';
import { planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import { ownDataSet } from '../../speed/accuracy/data.ts';
import { accuracy } from '../../speed/accuracy.ts';
import { speed } from '../../speed/index.ts';
import { fileOfCase } from '../../speed/own-rows.ts';
import { published } from '../../speed/published-tables.ts';
import { twoParty } from '../../speed/two-party-protocols.ts';
import { planOf, recordsOf } from './printed.ts';

const own = (columns = 3): OwnData => ({
  name: 'people',
  columns: Array.from({ length: columns }, (_, i) => `a "${i}"`),
  ranges: Array.from({ length: columns }, () => [0, 10]),
  rows: Array.from({ length: 60 }, (_, row) =>
    Array.from({ length: columns }, (_, i) => ((row * (i + 3)) % 14) - 1),
  ),
  labels: Array.from({ length: 60 }, (_, row) => row % 2),
  classes: ['no', 'yes'],
});

describe('own rows', () => {
  it('become a file whose values lie in their ranges', async () => {
    const data = own();
    const lines = (await readFile(await fileOfCase(data.name, data), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(61);
    expect(lines.slice(0, 3)).toEqual(['x1,x2,x3,label', '0,0,0,0', '2,3,4,1']);
    expect(lines.slice(1).every((line) => line.split(',').every((cell) => Number(cell) <= 10))).toBe(true);
    expect(await fileOfCase(data.name, data)).toBe(await fileOfCase(data.name, data));
  });

  it('are scored on the ranges that came with them', () => {
    const { scaled, features } = ownDataSet(own());
    expect(features[0]).toEqual({ name: 'a "0"', min: 0, max: 10 });
    expect(scaled.slice(0, 2)).toEqual([
      [-1, -1, -1],
      [expect.closeTo(-0.6), expect.closeTo(-0.4), expect.closeTo(-0.2)],
    ]);
  });

  it('are planned in place of all data sets, with as many components as they have', async () => {
    expect(
      (await planOf(twoParty, 'quick', own())).cases.map(({ kind, dataset, components }) => [
        kind,
        dataset,
        components,
      ]),
    ).toEqual([
      ['pca', 'people', 3],
      ['correlation', 'people', 1],
      ['dca', 'people', 1],
    ]);
    const { cases } = await planOf(accuracy, 'full', own());
    expect(new Set(cases.map(({ method, components }) => `${method} ${components}`))).toEqual(
      new Set(['pca 1 2', 'dca 1']),
    );
  });

  it('are measured beside no published figure', async () => {
    const data = own(2);
    const { cases } = await planOf(published, 'quick', data);
    const [one] = cases;
    const records = await recordsOf(published, { ...one!, repetitions: 1, literalSample: 1 }, data);
    expect(records).toMatchObject([
      { dataset: 'people', features: 2, rowsOfOwner: 6, literalCiphertexts: 7 },
    ]);
  });

  it('are refused by studies that have none, in words that say what is measured', async () => {
    const refusals = new Map<string, string>();
    for (const study of speed.studies) {
      const asked = { scale: 'quick' as const, settings: new Settings('quick'), own: own() };
      await planRun([study], asked).catch(({ code, message }) =>
        refusals.set(study.id, `${code} ${message}`),
      );
    }
    for (const id of ['key-length', 'scaling', 'transform', 'waits'])
      expect(refusals.get(`speed/${id}`)).toMatch(
        /^ERR_STUDY_DATA speed\/.*: it takes no rows, as it measures .*$/,
      );
    expect(refusals.get('speed/sketches')).toMatch(
      /ERR_STUDY_DATA .* more columns beside the label than the sketch has, 20 by "--columns"; got 3$/,
    );
    expect(refusals.get('speed/sketch')).toMatch(
      /ERR_STUDY_DATA .* expected 26 to 200 columns beside the label, got 3/,
    );
  });
});
