/** Statements hold no name outside its quotes, and results that were changed are refused. */
import { CodedError } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isPositiveSemidefinite } from '../../src/sql/check.ts';
import { DIALECTS, type DialectName } from '../../src/sql/dialects.ts';
import { sqlStatement, statisticsOfResult } from '../../src/sql/index.ts';
import { METHODS, naiveStatistics, syntheticTask } from '../datasets.ts';

const ID = 'T'.repeat(22);
const statement = (task: StatisticsTask, dialect: DialectName, columns?: Record<string, string>) =>
  sqlStatement(task, ID, { dialect, from: 'rows', ...(columns && { columns }) });
const named = (...names: string[]) =>
  syntheticTask(names.length, METHODS.pca, { features: names.map((name) => ({ name, min: 0, max: 1 })) });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a statement', () => {
  it.each(DIALECTS)('holds no name or class in %s outside its quotes', (dialect) => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }), (name) => {
        const task = named('f', name);
        const withClass: StatisticsTask = {
          ...syntheticTask(1, METHODS.lda),
          labellings: [{ column: 'label', classes: [name, 'other class'] }],
        };
        const plain = statement(named('f', 'plain'), dialect);
        const quote = dialect === 'duckdb' || dialect === 'postgres' ? '"' : '`';
        let written: string;
        try {
          written = statement(task, dialect);
        } catch (error) {
          if (name !== 'f') expect(error).toEqual(code('ERR_SQL_NAME'));
          written = plain;
        }
        // Whatever the name, the text around what is quoted is the same.
        const quoted = new RegExp(`${quote}(?:[^${quote}]|${quote}${quote})*${quote}`, 'g');
        expect(written.replaceAll(quoted, '?')).toBe(plain.replaceAll(quoted, '?'));
        const classes = /'[^']*'/g;
        const ofClass = statement(withClass, dialect).replaceAll(classes, '?');
        expect(ofClass).not.toMatch(/;.*\n.*;/s);
        const ours = plain.match(classes)!;
        for (const [literal] of statement(withClass, dialect).matchAll(classes))
          if (!ours.includes(literal)) expect(literal).toMatch(/^'[\p{L}\p{N} _.+-]*'$/u);
      }),
    );
  });

  it.each([
    ['a name that shells replace', 'a\u0024{HOME}', DIALECTS],
    ['a name that templates replace', '{{ env_var("SECRET") }}', DIALECTS],
    ['a name that ends a line', 'a\u2028-- b', DIALECTS],
    ['a name that cannot be seen', 'a\u202eb', DIALECTS],
    ['a name of a letter without ink', '\u3164', DIALECTS],
    ['a name with a variation that does not show', 'a\ufe0f', DIALECTS],
    ['a name of our own', 'EV_c1', DIALECTS],
    ['a name that is cut off', 'é'.repeat(32), ['postgres']],
    ['a backslash', 'a\\`b', ['bigquery']],
    ['a backtick', 'a`b', ['bigquery']],
  ] as const)('refuses %s', (_title, name, dialects) => {
    for (const dialect of dialects) {
      expect(() => statement(named(name), dialect)).toThrow(code('ERR_SQL_NAME'));
      // The owner's own name is taken instead, and looked at as well.
      expect(statement(named(name), dialect, { [name]: 'own' })).not.toContain(name);
      expect(() => statement(named('f'), dialect, { f: name })).toThrow(code('ERR_SQL_NAME'));
    }
  });

  it('refuses names that are the same to a database', () => {
    for (const dialect of DIALECTS) {
      const attempt = () => statement(named('Age', 'age'), dialect);
      if (dialect === 'postgres') expect(attempt).not.toThrow();
      else expect(attempt).toThrow(code('ERR_SQL_NAME'));
      // Java's equalsIgnoreCase looks at upper cases, too.
      for (const [one, other] of [
        ['s', 'ſ'],
        ['σ', 'ς'],
        ['k', '\u212a'],
      ]) {
        const names = () => statement(named(one!, other!), dialect);
        if (dialect !== 'postgres') expect(names).toThrow(code('ERR_SQL_NAME'));
      }
      expect(() => statement(named('a', 'b'), dialect, { a: 'b' })).toThrow(code('ERR_SQL_NAME'));
      expect(() => statement(named('a'), dialect, { c: 'b' })).toThrow(code('ERR_SQL_NAME'));
    }
  });

  it('sums in the narrowest type that holds the bounds of the task', () => {
    const task = (rows: number, fractionBits: number) =>
      syntheticTask(2, METHODS.pca, { maximumSamplesPerOwner: rows, fractionBits });
    const largest = statement(task(1e9, 20), 'spark');
    expect(largest).toContain('SUM(CAST(ev_x1 * ev_x1 AS DECIMAL(28, 0)))');
    expect(largest).toContain('SUM(ev_x1)');
    expect(statement(task(1e9, 16), 'spark')).toContain('SUM(ev_x1 * ev_x1)'); // 1e9 · 2^32 < 2^63
    expect(statement(task(2 ** 31 - 1, 16), 'spark')).toContain('SUM(ev_x1 * ev_x1)');
    expect(statement(task(2 ** 31, 16), 'spark')).toContain('DECIMAL'); // 2^63 is one too many
    expect(statement(task(1e9, 20), 'bigquery')).toContain('SUM(CAST(ev_x1 * ev_x1 AS NUMERIC))');
    expect(statement(task(2 ** 52, 20), 'bigquery')).toContain('NUMERIC');
    for (const dialect of ['duckdb', 'postgres'] as const)
      expect(statement(task(2 ** 52, 20), dialect)).toContain('SUM(ev_x1 * ev_x1)');
  });

  it('is refused where rows would have to be scaled down to a norm', () => {
    const differentialPrivacy = {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'replace',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    } as const;
    const task = syntheticTask(2, METHODS.pca, { differentialPrivacy });
    expect(() => statement(task, 'duckdb')).toThrow(code('ERR_SQL_PRIVACY'));
    expect(() => statisticsOfResult('[]', task, ID)).toThrow(code('ERR_SQL_PRIVACY'));
  });

  it('is refused for a sketch', () => {
    const task = syntheticTask(2, METHODS.pca, { sketch: { columns: 3 } });
    expect(() => statement(task, 'duckdb')).toThrow(code('ERR_SQL_SKETCH'));
    expect(() => statisticsOfResult('[]', task, ID)).toThrow(code('ERR_SQL_SKETCH'));
  });
});

const task = syntheticTask(3, METHODS.lda, {
  features: [
    { name: 'a', min: -1, max: 1 },
    { name: 'b', min: -1, max: 1 },
    { name: 'constant', min: 2, max: 2 },
  ],
});
const rows = [
  [16384, -5, 0],
  [100, 1000, 0],
  [-300, 7000, 0],
  [4, 4, 0],
];
const classes = [[0], [2], [2], [2]];

/** What a database answers for these rows. */
function result(): Record<string, string>[] {
  return [0, 2].map((k) => {
    const mine = rows.filter((_, n) => classes[n]![0] === k);
    const { R, labellings } = naiveStatistics({ ...task, method: METHODS.pca, labellings: [] }, mine, []);
    const { V, M } = labellings[0]![0]!;
    return {
      ev_task: ID,
      ev_total: '4',
      ev_class_1: `${k}`,
      ev_rows: `${M}`,
      ev_cells: '0 1 0',
      ev_v: V.join(' '),
      ev_r_1: R.slice(0, 3).join(' '),
      ev_r_2: R.slice(3, 5).join(' '),
      ev_r_3: `${R[5]}`,
    };
  });
}

const read = (text: string) => statisticsOfResult(text, task, ID);
const changed = (changes: Record<string, string>, row = 1) =>
  JSON.stringify(result().map((it, n) => (n === row ? { ...it, ...changes } : it)));

describe('a result', () => {
  it('is read as the statistics of the rows', () => {
    expect(read(JSON.stringify(result()))).toEqual({
      statistics: naiveStatistics(task, rows, classes),
      rows: 4,
      clippedCells: [0, 2, 0],
      clippedRows: 0,
      skippedRows: 0,
    });
  });

  it.each([
    ['of another task', changed({ ev_task: 'U'.repeat(22) })],
    ['without a class', JSON.stringify(result().slice(1))],
    ['with a class twice', JSON.stringify([...result(), result()[0]])],
    ['with an unknown class', changed({ ev_class_1: '3' })],
    ['with a class of rows of no kind', changed({ ev_class_1: '-3' })],
    ['with fewer rows', changed({ ev_rows: '2' })],
    ['with a negative number of rows', changed({ ev_rows: '-3', ev_total: '-2' })],
    ['with more clipped cells than rows', changed({ ev_cells: '0 4 0' })],
    ['with a sum too few', changed({ ev_v: '1 2' })],
    ['with a sum that is no integer', changed({ ev_v: '1e3 2 0' })],
    ['with an empty sum', changed({ ev_r_3: '' })],
    ['without a column', JSON.stringify(result().map(({ ev_r_2: _, ...rest }) => rest))],
    ['that is no row', '[1]'],
    ['that is nothing', ''],
    ['without a header', 'hello'],
    ['that is broken JSON', '[{"ev_task": '],
  ])('is refused %s', (_title, text) => {
    expect(() => read(text)).toThrow(code('ERR_STATISTICS_FILE'));
  });

  it.each([
    ['a sum beyond its rows', { ev_v: '49153 8004 0' }, /sum of "a" is larger/],
    ['a sum of a feature with one value', { ev_v: '-196 8004 2' }, /sum of "constant" is larger/],
    ['squares below the sum', { ev_r_2: '8002 0' }, /sum of squares of "b"/],
    ['squares beyond its rows', { ev_r_2: '805306370 0' }, /sum of squares of "b"/],
    ['squares that are rounded', { ev_r_2: '50000017 0' }, /sum of squares of "b"/],
    ['a negative variance', { ev_r_2: '20000016 0' }, /variance of "b"/],
    ['products beyond their squares', { ev_r_1: '100016 9999999 0' }, /products of "a" and "b"/],
  ])('is refused with %s', (_title, changes, message) => {
    expect(() => read(changed(changes))).toThrow(
      expect.objectContaining({ code: 'ERR_STATISTICS_FILE', message: expect.stringMatching(message) }),
    );
  });

  it('is refused where no rows have such sums, though each pair of features could', () => {
    const three = syntheticTask(3, METHODS.pca);
    const one = {
      ...{ ev_task: ID, ev_total: 100, ev_class_1: 0, ev_rows: 100, ev_cells: '0 0 0', ev_v: '0 0 0' },
      // Correlations of −0.9 between any two of three.
      ...{ ev_r_1: '1000 -900 -900', ev_r_2: '1000 -900', ev_r_3: 1000 },
    };
    expect(() => statisticsOfResult(JSON.stringify([one]), three, ID)).toThrow(/not positive semidefinite/);
    const possible = { ...one, ev_r_1: '1000 -500 -500', ev_r_2: '1000 -500' };
    expect(statisticsOfResult(JSON.stringify([possible]), three, ID).rows).toBe(100);
  });

  it('never has the file in an error', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(result()[0]!))), fc.string(), (keys, text) => {
        const secret = `SECRET${text}`;
        for (const file of [
          secret,
          `[${secret}`,
          changed(Object.fromEntries(keys.map((key) => [key, secret]))),
        ])
          try {
            read(file);
          } catch (error) {
            expect(error).toBeInstanceOf(CodedError);
            expect((error as Error).message).not.toContain('SECRET');
          }
      }),
    );
  });
});

describe('positive semidefiniteness', () => {
  const upper = (matrix: readonly (readonly bigint[])[]) => matrix.map((row, i) => row.slice(i));
  const vectors = fc.integer({ min: 1, max: 5 }).chain((d) =>
    fc.array(fc.array(fc.bigInt({ min: -1000n, max: 1000n }), { minLength: d, maxLength: d }), {
      minLength: 1,
      maxLength: 6,
    }),
  );
  const gram = (rows: readonly (readonly bigint[])[]) =>
    rows[0]!.map((_, i) => rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0n)));

  it('is found of sums of squares, singular ones included', () => {
    fc.assert(fc.property(vectors, (rows) => isPositiveSemidefinite(upper(gram(rows)))));
  });

  it('is denied with the least that is taken away from a singular one', () => {
    fc.assert(
      fc.property(vectors, fc.nat(), (rows, n) => {
        const d = rows[0]!.length;
        // One column is the sum of the others, so that the matrix is singular along a direction that has this column.
        const i = n % d;
        const dependent = rows.map((row) =>
          row.map((x, j) => (j === i ? row.reduce((a, b) => a + b, 0n) - x : x)),
        );
        const matrix = gram(dependent);
        expect(isPositiveSemidefinite(upper(matrix))).toBe(true);
        matrix[i]![i]! -= 1n;
        expect(isPositiveSemidefinite(upper(matrix))).toBe(false);
      }),
    );
  });
});
