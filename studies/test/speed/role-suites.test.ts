/** The suites `key-length` and `published`: what they plan, and reports of many, few and no measurements. */

import { draftTask } from '@eigenveil/data-user';
import { describe, expect, it } from 'vitest';
import type { Chart, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement, Plan, Unit } from '../../instrument/unit.ts';
import { dataFile } from '../../speed/decompositions.ts';
import { PUBLISHED_EFFICIENCY, PUBLISHED_F1 } from '../../speed/published.ts';
import { COMPARISONS } from '../../speed/roles.ts';
import { keyLength } from '../../speed/suites/key-length.ts';
import { published } from '../../speed/suites/published.ts';

/** As the unit would be measured on a machine whose literal roles take `milliseconds`, and Eigenveil's a tenth of it. */
function measured({ id, parameters }: Unit, milliseconds: number): Measurement {
  const series = (factor: number) => ({
    unit: 'ms' as const,
    samples: [1, 2, 3].map((it) => it * factor * milliseconds),
  });
  return {
    id,
    parameters,
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    series: {
      ...Object.fromEntries(
        COMPARISONS.flatMap(({ literal, eigenveil }) => [
          [literal, series(1)],
          [eigenveil, series(0.1)],
        ]),
      ),
      'owner/summing': series(0.01),
    },
    facts: {
      rowsOfOwner: 77,
      literalCiphertexts: 73,
      literalCiphertextsTimed: 12,
      literalContributionBytes: 18_688,
      eigenveilCiphertexts: 5,
      eigenveilContributionBytes: 1280,
    },
  };
}

function tablesOf(sections: readonly Section[]): Table[] {
  return sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'table'));
}

function chartsOf(sections: readonly Section[]): Chart[] {
  return sections.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'chart'));
}

function expectWellFormed(sections: readonly Section[]): void {
  for (const { columns, rows } of tablesOf(sections))
    for (const row of rows) expect(row).toHaveLength(columns.length);
  const names = chartsOf(sections).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
}

function expectDistinct({ units }: Plan): void {
  expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
  for (const { expectedSeconds } of units) {
    expect(expectedSeconds).toBeGreaterThan(0);
    expect(expectedSeconds).toBeLessThanOrEqual(60);
  }
}

describe('key-length', () => {
  it('plans a unit for each key length', async () => {
    const [full, quick] = [await keyLength.plan('full'), await keyLength.plan('quick')];
    expect(full.units.map(({ parameters }) => parameters.keyBits)).toEqual([1024, 2048, 3072, 4096]);
    expect(full.omissions).toEqual([]);
    expect(quick.units.map(({ parameters }) => parameters.keyBits)).toEqual([1024, 2048]);
    expect(quick.omissions).toHaveLength(1);
    expectDistinct(full);
  });

  it('reports medians with quartiles, ratios within repetitions and the exponent of growth', async () => {
    const { units } = await keyLength.plan('full');
    const cubic = units.map((unit) => measured(unit, (Number(unit.parameters.keyBits) / 1024) ** 3));
    // Units may come in any order.
    const sections = keyLength.report(cubic.toReversed());
    expectWellFormed(sections);
    const [times, sizes, growth] = tablesOf(sections);
    expect(times!.rows).toHaveLength(COMPARISONS.length * units.length);
    expect(times!.rows[0]).toEqual([
      'owner, standard encryption',
      '1024',
      '2.00 ms (1.50–2.50)',
      '200 µs (150–250)',
      '10.0×',
    ]);
    expect(times!.rows[3]!.slice(1, 3)).toEqual(['4096', '128 ms (96.0–160)']);
    expect(sizes!.rows[0]).toEqual(['1024', '73', '18.7 kB', '5', '1.28 kB', '14.6×']);
    expect(growth!.rows.map(([, , exponent]) => exponent)).toEqual(new Array(8).fill('3.00'));
    const owner = chartsOf(sections).find(({ name }) => name === 'key-length-owner-34')!;
    expect(owner.drawing).toMatchObject({ kind: 'lines', x: { scale: 'log' }, y: { scale: 'log' } });
    expect(owner.drawing).toMatchObject({
      lines: [
        {
          name: 'literal',
          points: [
            { x: 1024, y: 2, low: 1.5, high: 2.5 },
            { x: 2048, y: 16 },
            { x: 3072 },
            { x: 4096, y: 128 },
          ],
        },
        { name: 'Eigenveil, standard encryption' },
        { name: 'Eigenveil, DJN encryption' },
        { name: 'literal, x^3.00', of: 'literal', points: [{ x: 1024 }, { x: 4096 }] },
        { of: 'Eigenveil, standard encryption' },
        { of: 'Eigenveil, DJN encryption' },
      ],
    });
  });

  it('reports what an interrupted run leaves, too', async () => {
    const { units } = await keyLength.plan('quick');
    expect(keyLength.report([])).toEqual([]);
    const one = keyLength.report([measured(units[0]!, 1)]);
    expectWellFormed(one);
    expect(tablesOf(one)).toHaveLength(2);
    const two = tablesOf(keyLength.report(units.map((unit) => measured(unit, 1))));
    expect(two[2]!.rows[0]!.at(-1)).toBe('none from two key lengths');
  });
});

describe('published', () => {
  it('has the same data sets in all tables, with the features and classes of the files here', {
    tags: ['long'],
  }, async () => {
    const names = PUBLISHED_EFFICIENCY.pca.map(({ dataset }) => dataset);
    expect(PUBLISHED_EFFICIENCY.dca.map(({ dataset }) => dataset)).toEqual(names);
    expect(PUBLISHED_F1.map(({ dataset }) => dataset)).toEqual(names);
    let found = 0;
    for (const { dataset, features, classes } of [...PUBLISHED_EFFICIENCY.pca, ...PUBLISHED_EFFICIENCY.dca]) {
      const file = await dataFile(dataset);
      if (file === undefined) continue;
      const draft = await draftTask(file, { method: 'dca', labels: ['label'], ignore: [] });
      expect([dataset, draft.features.length, draft.labellings[0]!.classes.length]).toEqual([
        dataset,
        features,
        classes,
      ]);
      found += 1;
    }
    // pima, ionosphere and the synthetic set are there in any case.
    expect(found).toBeGreaterThanOrEqual(6);
  });

  it('plans every row of both tables or says why not', { tags: ['long'] }, async () => {
    const full = await published.plan('full');
    expect(full.units.length + full.omissions.length).toBe(12);
    expectDistinct(full);
    const quick = await published.plan('quick');
    expect(quick.units.map(({ id }) => id)).toEqual([
      'published/pca/pima',
      'published/pca/ionosphere',
      'published/dca/pima',
      'published/dca/ionosphere',
    ]);
    expect(quick.omissions).toHaveLength(1);
  });

  it('reports a row for each published one, measured or not', async () => {
    const nothing = published.report([]);
    expectWellFormed(nothing);
    expect(chartsOf(nothing)).toEqual([]);
    const { units } = await published.plan('quick');
    const sections = published.report(
      units.filter(({ id }) => id === 'published/dca/ionosphere').map((unit) => measured(unit, 1000)),
    );
    expectWellFormed(sections);
    expect(chartsOf(sections).map(({ name }) => name)).toEqual(['published-dca-owner']);
    const [pca, , dca, sizes] = tablesOf(sections);
    for (const table of [pca!, dca!]) expect(table.rows).toHaveLength(6 * COMPARISONS.length);
    expect(pca!.rows[0]).toEqual([
      'Diabetes (pima)',
      '8',
      'owner, standard encryption',
      '0.63 s',
      '–',
      '–',
      '–',
    ]);
    expect(pca!.rows.at(-1)).toEqual([
      'synthetic, in place of SensIT Vehicle (acoustic)',
      '50',
      'CSP',
      '22.7 s',
      '–',
      '–',
      '–',
    ]);
    const ionosphere = dca!.rows.filter(([name]) => name === 'Ionosphere');
    expect(ionosphere.map((row) => row.slice(2, 5))).toEqual([
      ['owner, standard encryption', '11.2 s', '2.00 s (1.50–2.50)'],
      ['owner, DJN encryption', '11.2 s', '2.00 s (1.50–2.50)'],
      ['data user, per owner', '29 ms', '2.00 s (1.50–2.50)'],
      ['data user, per owner, ciphertexts checked', '29 ms', '2.00 s (1.50–2.50)'],
      ['CSP', '11.6 s', '2.00 s (1.50–2.50)'],
    ]);
    expect(sizes!.rows[4]).toEqual([
      'Ionosphere',
      '77',
      '20.0 ms (15.0–25.0)',
      '73 (12)',
      '18.7 kB',
      '5',
      '1.28 kB',
      '14.6×',
    ]);
    expect(sizes!.rows[0]!.slice(1)).toEqual(new Array(7).fill('–'));
  });
});
