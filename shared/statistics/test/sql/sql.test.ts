/**
 * Sums that databases compute are those of the rows, bit for bit.
 *
 * @claims S-290
 */
import type { StatisticsTask } from '@eigenveil/task';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvLine, Discretiser, type OwnerStatistics, StatisticsAccumulator } from '../../src/index.ts';
import { statisticsOfResult } from '../../src/sql/index.ts';
import { sqlStatement } from '../../src/sql/statement.ts';
import { type DATASETS, loadDataset, METHODS, syntheticTask, taskFor } from '../datasets.ts';
import { type Cell, duckdb, type Engine, postgres } from './sql-engines.ts';

const ID = 'T'.repeat(22);

/** What the accumulator makes of the same rows. */
function summed(
  task: StatisticsTask,
  rows: readonly (readonly Cell[])[],
): Pick<OwnerStatistics, 'statistics' | 'rows' | 'clippedCells'> {
  const d = task.features.length;
  const discretiser = new Discretiser(task);
  const accumulator = new StatisticsAccumulator(task);
  for (const row of rows) {
    const classes = task.labellings.map((it, l) => it.classes.indexOf(String(row[d + l])));
    accumulator.add(discretiser.discretise(row.slice(0, d) as number[]), classes);
  }
  return {
    statistics: accumulator.statistics(),
    rows: rows.length,
    clippedCells: discretiser.clippedCells,
  };
}

const asCsv = (rows: readonly Record<string, unknown>[]) =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(String))].map(csvLine).join('\n');

const columnsOf = ({ features, labellings }: StatisticsTask) => [
  ...features.map(({ name }) => name),
  ...labellings.map(({ column }) => column),
];
const typesOf = ({ features, labellings }: StatisticsTask) => [
  ...features.map(() => 'float8'),
  ...labellings.map(() => 'text'),
];

async function load(engine: Engine, task: StatisticsTask, rows: readonly (readonly Cell[])[]): Promise<void> {
  await engine.load(columnsOf(task), typesOf(task), rows);
}

async function compute(
  engine: Engine,
  task: StatisticsTask,
  options: Parameters<typeof statisticsOfResult>[3] = {},
): Promise<OwnerStatistics> {
  const result = await engine.query(sqlStatement(task, ID, { dialect: engine.dialect, from: 'rows' }));
  const read = statisticsOfResult(JSON.stringify(result), task, ID, options);
  // A result in another form says the same.
  expect(statisticsOfResult(asCsv(result), task, ID, options)).toEqual(read);
  expect(statisticsOfResult(result.map((it) => JSON.stringify(it)).join('\n'), task, ID, options)).toEqual(
    read,
  );
  return read;
}

const double = () => fc.double({ noNaN: true, noDefaultInfinity: true });
const ulp = (x: number, steps: number) => {
  const bits = new BigInt64Array(new Float64Array([x]).buffer);
  bits[0]! += BigInt(steps);
  return new Float64Array(bits.buffer)[0]!;
};

/** A feature, and cells that lie where rounding and clipping are decided. */
const hostileFeature = (fractionBits: number) =>
  fc
    .tuple(double(), double())
    .filter(([a, b]) => Number.isFinite(Math.abs(a - b)))
    .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }))
    .map((it) => (Object.is(it.max, -0) ? { ...it, max: 0 } : it))
    .map((range) => {
      const tie = fc
        .integer({ min: -(2 ** fractionBits), max: 2 ** fractionBits - 1 })
        .map((k) => range.min + ((k + 0.5) / 2 ** fractionBits / 2 + 0.5) * (range.max - range.min));
      const special = fc.constantFrom(
        range.min,
        range.max,
        0,
        -0,
        5e-324,
        -5e-324,
        2 ** 53,
        Number.MAX_VALUE,
      );
      const near = fc
        .tuple(fc.oneof(special, tie), fc.integer({ min: -2, max: 2 }))
        .map(([x, steps]) => ulp(x, steps))
        .filter(Number.isFinite);
      const inside = fc
        .double({ noNaN: true, min: 0, max: 1 })
        .map((t) => range.min + t * (range.max - range.min));
      return { range, cell: fc.oneof(near, tie, inside, double()).filter(Number.isFinite) };
    });

const adversarial = fc.integer({ min: 1, max: 20 }).chain((fractionBits) =>
  fc.array(hostileFeature(fractionBits), { minLength: 1, maxLength: 4 }).chain((made) =>
    fc.array(fc.tuple(...made.map(({ cell }) => cell)), { minLength: 1, maxLength: 30 }).map((rows) => ({
      task: syntheticTask(made.length, METHODS.pca, {
        fractionBits,
        features: made.map(({ range }, i) => ({ name: `f${i}`, ...range })),
      }),
      rows,
    })),
  ),
);

describe.each([
  ['DuckDB', duckdb],
  ['PostgreSQL', postgres],
])('statistics by %s', (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  const areThose = async (name: (typeof DATASETS)[number]) => {
    const dataset = loadDataset(name);
    const rows = dataset.rows.map((row, n) => [...row, dataset.labels[n]!]);
    for (const method of [METHODS.pca, METHODS.dca]) {
      // Ranges that clip, and that no cell divides evenly.
      const exact = taskFor(dataset, method);
      const narrow = exact.features.map((it) => ({ ...it, max: it.min + (it.max - it.min) * 0.7 }));
      for (const task of [exact, { ...exact, features: narrow }]) {
        const used = rows.map((row) => row.slice(0, columnsOf(task).length));
        await load(engine, task, used);
        expect(await compute(engine, task)).toEqual({
          ...summed(task, used),
          clippedRows: 0,
          skippedRows: 0,
        });
      }
    }
  };
  const TO_THE_BIT = 'are those of the accumulator, to the bit, on %s';
  it.each(['iris'] as const)(TO_THE_BIT, areThose);
  it.each(['pima', 'breast_cancer', 'ionosphere'] as const)(TO_THE_BIT, { tags: ['long'] }, areThose);

  it('have class sums of both labellings of MDR, and no R', async () => {
    const task = syntheticTask(3, METHODS.mdr);
    const rows = Array.from({ length: 40 }, (_, n): Cell[] => [
      Math.sin(n),
      Math.cos(n),
      n / 40,
      `${n % 3}`,
      `${(n >> 1) % 2}`,
    ]);
    await load(engine, task, rows);
    expect((await compute(engine, task)).statistics).toEqual(summed(task, rows).statistics);
  });

  it('agree on values that lie where rounding and clipping are decided', async () => {
    await fc.assert(
      fc.asyncProperty(adversarial, async ({ task, rows }) => {
        await load(engine, task, rows);
        const { statistics, clippedCells } = summed(task, rows);
        expect(await compute(engine, task)).toMatchObject({ statistics, clippedCells });
      }),
      { numRuns: 25 },
    );
  });

  it('have room for the largest sums, and for more columns than PostgreSQL has', async () => {
    // 60 · 61/2 + 60 sums and more, where PostgreSQL has 1,600 columns.
    const task = syntheticTask(60, METHODS.pca, { fractionBits: 20, maximumSamplesPerOwner: 1_000_000_000 });
    const rows = Array.from({ length: 3 }, (_, n) => task.features.map((_, i) => Math.sin(i + n) + 0.5));
    await load(engine, task, rows);
    expect((await compute(engine, task)).statistics).toEqual(summed(task, rows).statistics);
  });

  it('leave out rows that lack a cell, and count them, if that is asked for', async () => {
    const task = syntheticTask(2, METHODS.lda);
    const whole: Cell[][] = [
      [0.5, -2, '0'],
      [1, 1, '2'],
    ];
    const lacking: Cell[][] = [
      [null, 9, '0'],
      [0, Number.NaN, '1'],
      [0, 0, null],
    ];
    await load(engine, task, [...whole, ...lacking]);
    const refusal = expect.objectContaining({
      code: 'ERR_CSV_CELL',
      message: '3 rows lack a cell, in "f0": 1, "f1": 1: --missing skip leaves such rows out',
    });
    await expect(compute(engine, task)).rejects.toEqual(refusal);
    expect(await compute(engine, task, { missing: 'skip' })).toEqual({
      ...summed(task, whole),
      clippedRows: 0,
      skippedRows: 3,
    });
    await expect(compute(engine, task, { missing: 'skip', strict: true })).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringContaining('"f1": 1'),
    });
  });

  it.each([
    ['an infinite cell', [[Infinity, 0, '0']], 'ERR_CSV_CELL'],
    ['an infinite cell in a row that lacks one', [[-Infinity, null, '0']], 'ERR_CSV_CELL'],
    ['an unknown class', [[0, 0, '3']], 'ERR_UNKNOWN_CLASS'],
    ['an unknown class in a row that lacks a cell', [[null, 0, 'x']], 'ERR_UNKNOWN_CLASS'],
  ])('refuse %s, as a file is', async (_title, bad, code) => {
    const task = syntheticTask(2, METHODS.lda);
    await load(engine, task, [[0, 0, '0'], ...bad]);
    await expect(compute(engine, task, { missing: 'skip' })).rejects.toMatchObject({ code });
  });

  it('refuse a table without rows, and one with more than the task allows', async () => {
    const task = syntheticTask(1, METHODS.pca, { maximumSamplesPerOwner: 2 });
    await load(engine, task, []);
    const result = await engine.query(sqlStatement(task, ID, { dialect: engine.dialect, from: 'rows' }));
    expect(() => statisticsOfResult(JSON.stringify(result), task, ID)).toThrow(
      expect.objectContaining({ code: 'ERR_NO_ROWS' }),
    );
    await load(engine, task, [[0], [0], [0]]);
    await expect(compute(engine, task)).rejects.toMatchObject({ code: 'ERR_TOO_MANY_ROWS' });
  });

  it('take names and classes that are SQL for names and classes', async () => {
    const names = [
      `x"; DROP TABLE rows; --`,
      `a' OR '1'='1`,
      '/* " */',
      `"`,
      `f0" AS double precision)) FROM rows --`,
      `\\"; SELECT 1; --`,
      '`',
      '$$',
      'ünïcode ☃',
      'count(*)',
    ];
    const classes = [`'); DROP TABLE rows; --`, `' OR ''='`, `\\'; --`, 'plain', '\u0024{HOME} ☃'];
    const task: StatisticsTask = {
      ...syntheticTask(names.length, METHODS.dca),
      features: names.map((name) => ({ name, min: -1, max: 1 })),
      labellings: [{ column: `label"; DELETE FROM rows; --`, classes }],
    };
    const rows = Array.from({ length: 10 }, (_, n): Cell[] => [
      ...names.map((_name, i) => Math.sin(n + i)),
      classes[n % classes.length]!,
    ]);
    await load(engine, task, rows);
    expect((await compute(engine, task)).statistics).toEqual(summed(task, rows).statistics);
    expect(await engine.query('SELECT CAST(COUNT(*) AS text) AS n FROM rows')).toEqual([{ n: '10' }]);
  });

  it('take a name for that of a column, and for nothing else that the database has', async () => {
    const made = syntheticTask(1, METHODS.lda);
    await engine.load(['f0', 'other'], ['float8', 'text'], [[0.5, 'x']]);
    const noColumn = /(does not|not) (exist|have a column|found)/;
    for (const column of ['rows', 'rowid', 'ctid', 'tableoid', 'user', 'current_user', 'to_json']) {
      const task = { ...made, labellings: [{ column, classes: ['duckdb', 'postgres', '0', '(0.5,x)'] }] };
      // Not a refusal of its result: the statement does not run.
      await expect(compute(engine, task)).rejects.toThrow(noColumn);
      const feature = { ...syntheticTask(1, METHODS.pca), features: [{ name: column, min: 0, max: 1 }] };
      await expect(compute(engine, feature)).rejects.toThrow(noColumn);
    }
  });

  it('compare labels to the letter, whatever the column compares by', async () => {
    const folding = engine.dialect === 'duckdb' ? 'NOCASE' : 'folding';
    if (engine.dialect === 'postgres')
      await engine.query(
        `CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
      );
    const made = syntheticTask(1, METHODS.lda);
    const task = { ...made, labellings: [{ column: 'label', classes: ['x', 'X'] }] };
    const rows = [
      [0.5, 'x'],
      [0.25, 'X'],
      [0, 'X'],
    ];
    await engine.load(columnsOf(task), ['float8', `text COLLATE ${folding}`], []);
    for (const [a, label] of rows) await engine.query(`INSERT INTO rows VALUES (${a}, '${label}')`);
    expect((await compute(engine, task)).statistics).toEqual(summed(task, rows).statistics);
  });

  it("read the owner's own columns, part of a table, and integers and decimals", async () => {
    const task = syntheticTask(3, METHODS.pca, {
      features: [
        { name: 'a', min: -1e19, max: 1e19 },
        { name: 'b', min: 0, max: 3 },
        { name: 'c', min: 0, max: 1 },
      ],
    });
    const cells: Cell[][] = [
      ['9007199254740993', '1.9999999999999999999999', '0.1'],
      ['-9223372036854775807', '0.123456789012345678', '1'],
    ];
    await engine.load(['My "A"', 'b', 'c'], ['bigint', 'numeric(38, 22)', 'float4'], [...cells, [0, 9, 9]]);
    const sql = sqlStatement(task, ID, {
      dialect: engine.dialect,
      from: 'rows WHERE b < 5',
      columns: { a: 'My "A"' },
    });
    const read = statisticsOfResult(JSON.stringify(await engine.query(sql)), task, ID);
    const values = cells.map(([a, b, c]) => [Number(a), Number(b), Math.fround(Number(c))]);
    expect(read.statistics).toEqual(summed(task, values).statistics);
  });
});
