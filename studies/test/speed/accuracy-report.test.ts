import { describe, expect, it } from 'vitest';
import type { Block, Chart, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { reportAccuracy } from '../../speed/accuracy/report.ts';
import { differencesOf, groupsOf, momentsOf, scoresOf } from '../../speed/accuracy/scores.ts';
import { accuracy } from '../../speed/suites/accuracy.ts';

const PROTOCOL = {
  components: '1',
  ...{ testShare: 0.3, folds: 3, costs: '1 2', gammas: '1' },
  ...{ owners: 10, keyBits: 2048, ridge: 1, mostRows: 1000 },
};

const points = (value: number) => ({ unit: 'points', samples: [value] }) as const;

function measured(
  dataset: string,
  method: string,
  split: number,
  scores: Record<string, number>,
): Measurement {
  return {
    id: `accuracy/${dataset}/${method}/${split}`,
    parameters: { dataset, method, split, ...PROTOCOL },
    startedAt: '2026-01-01T00:00:00.000Z',
    seconds: 1,
    series: Object.fromEntries(Object.entries(scores).map(([name, value]) => [name, points(value)])),
    facts: { 'angle/1': 1e-5, 'sameParameters/1': 'no' },
  };
}

const german = [
  measured('german', 'dca', 1, { none: 70, 'clear/1': 72, 'encrypted/1': 71 }),
  measured('german', 'dca', 2, { none: 71, 'clear/1': 73, 'encrypted/1': 73 }),
  measured('german', 'dca', 3, { none: 72, 'clear/1': 74, 'encrypted/1': 75 }),
];
const blocksOf = (measurements: readonly Measurement[]): readonly Block[] =>
  reportAccuracy(measurements).flatMap(({ blocks }) => blocks);
const tableOf = (measurements: readonly Measurement[]) =>
  blocksOf(measurements).find((block): block is Table => block.kind === 'table')!;
const textOf = (measurements: readonly Measurement[]) =>
  blocksOf(measurements)
    .map((block) => (block.kind === 'text' ? block.text : ''))
    .join('\n');
const cell = (table: Table, row: number, column: string) =>
  table.rows[row]![table.columns.findIndex(({ title }) => title === column)];

describe('scores over splits', () => {
  it('have mean, deviation of a sample, and differences of pairs', () => {
    const [group] = groupsOf(german);
    expect(momentsOf(scoresOf(group!, 'encrypted/1'))).toEqual({ mean: 73, deviation: 2 });
    expect(differencesOf(group!)).toEqual([1, 0, 1]);
    expect(momentsOf([5])).toEqual({ mean: 5, deviation: undefined });
    expect(momentsOf([])).toBeUndefined();
  });
});

describe('the report of accuracy', () => {
  it('stands beside the published scores, in standard deviations', () => {
    const table = tableOf(german);
    expect(cell(table, 0, 'encrypted')).toBe('73.0 ± 2.0');
    expect(cell(table, 0, 'clear')).toBe('73.0 ± 1.0');
    expect(cell(table, 0, 'none')).toBe('71.0 ± 1.0');
    expect(cell(table, 0, 'mean |Δ|')).toBe('0.67');
    expect(cell(table, 0, 'largest |Δ|')).toBe('1.00');
    expect(cell(table, 0, 'published protocol')).toBe('72.7');
    expect(cell(table, 0, 'published NumPy')).toBe('73.8');
    expect(cell(table, 0, 'from published')).toBe('+0.1 sd'); // (73 − 72.7) / 2, which is a little below 0.15 in doubles
  });

  it('names what misses the aim, and only that', () => {
    expect(textOf(german)).toMatch(/above the aim of 0\.3 points for DCA of german \(0\.67\)/);
    const close = german.map(({ series, ...rest }) => ({
      ...rest,
      series: { ...series, 'clear/1': series['encrypted/1']! },
    }));
    expect(textOf(close)).toMatch(/at most 0\.3 points for every/);
  });

  it('says where components have not converged', () => {
    const doubtful = german.map((it) => ({ ...it, facts: { ...it.facts, unconverged: 2 } }));
    expect(textOf(doubtful)).toMatch(/6 encrypted components .* not converged/);
    expect(textOf(german)).not.toMatch(/converged/);
  });

  it('explains scores that are far from the published ones', () => {
    const far = (dataset: string) =>
      [80, 81, 82].map((score, i) =>
        measured(dataset, 'dca', i + 1, { none: 90, 'clear/1': score, 'encrypted/1': score }),
      );
    expect(textOf(far('german'))).toMatch(
      /0 are within 2[\s\S]*DCA of german[\s\S]*ridge and grid are choices/,
    );
    expect(textOf(far('synthetic50'))).toMatch(/synthetic rows in place of SensIT/);
    expect(textOf(german)).not.toMatch(/The others/);
  });

  it('draws a chart for each data set, with whiskers', () => {
    const all = [...german, measured('iris', 'pca', 1, { none: 90, 'clear/1': 91, 'encrypted/1': 91 })];
    const charts = blocksOf(all).filter((block): block is Chart => block.kind === 'chart');
    expect(charts.map(({ name }) => name)).toEqual(['accuracy-german', 'accuracy-iris']);
    const { drawing } = charts[0]!;
    if (drawing.kind !== 'lines') throw new Error('lines expected');
    expect(drawing.lines.map(({ name }) => name)).toEqual(['DCA, encrypted', 'DCA, clear', 'no projection']);
    expect(drawing.lines[0]!.points).toEqual([{ x: 1, y: 73, low: 71, high: 75 }]);
  });

  it('does with few measurements, or with none', () => {
    expect(textOf([])).toMatch(/not measured/);
    const table = tableOf(german.slice(0, 1));
    expect(cell(table, 0, 'encrypted')).toBe('71.0');
    expect(cell(table, 0, 'from published')).toBe('–');
    const partial = tableOf([measured('german', 'dca', 1, { 'encrypted/1': 71 })]);
    expect(cell(partial, 0, 'clear')).toBe('–');
    expect(cell(partial, 0, 'mean |Δ|')).toBe('–');
    expect(textOf([measured('iris', 'pca', 1, { none: 90 })])).not.toMatch(/NaN|undefined|Infinity/);
    expect(JSON.stringify(blocksOf([measured('iris', 'pca', 1, { none: 90 })]))).not.toMatch(/NaN|undefined/);
  });
});

describe('the plan', () => {
  it('has unique units, and quick ones on bundled data only', async () => {
    for (const scale of ['quick', 'full'] as const) {
      const { units } = await accuracy.plan(scale);
      expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
    }
    const { units, omissions } = await accuracy.plan('quick');
    expect(omissions).toEqual([]);
    expect(new Set(units.map(({ parameters }) => parameters.dataset))).toEqual(new Set(['pima', 'iris']));
  });
});
