import { constantFeatures } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { Discretiser, RowAccumulator, readFileBytes, statisticsOfCsv } from '../src/index.ts';
import { DATASETS, loadDataset, METHODS, naiveStatistics, syntheticTask, taskFor } from './datasets.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('from rows of a program to statistics', () => {
  it.each(['pca', 'dca'] as const)('equals those of the file, for %s', async (method) => {
    const dataset = loadDataset('iris');
    const task = taskFor(dataset, METHODS[method]);
    const accumulator = new RowAccumulator(task);
    for (const [i, row] of dataset.rows.entries())
      accumulator.add(Float64Array.from(row), method === 'pca' ? [] : [dataset.labels[i]!]);
    const ignoredColumns = method === 'pca' ? ['label'] : [];
    const { statistics, rows } = await statisticsOfCsv(readFileBytes(dataset.path), task, { ignoredColumns });
    expect(accumulator.statistics()).toEqual(statistics);
    expect(accumulator.rows).toBe(rows);
  });

  it('counts what it clips, and leaves out a row that is wrong', () => {
    const task = syntheticTask(2, METHODS.dca);
    const [label] = task.labellings[0]!.classes;
    const accumulator = new RowAccumulator(task);
    accumulator.add([2, 0], [label!]);
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => accumulator.add([Number.NaN, 0], [label!])).toThrow(code('ERR_NOT_FINITE'));
    expect(() => accumulator.add([0, 0], ['secret'])).toThrow(
      expect.objectContaining({ code: 'ERR_UNKNOWN_CLASS', message: expect.not.stringContaining('secret') }),
    );
    expect(() => accumulator.add([0, 0])).toThrow(RangeError);
    expect(() => accumulator.add([0], [label!])).toThrow(RangeError);
    expect([accumulator.rows, accumulator.clippedCells]).toEqual([1, [1, 0]]);
  });
});

describe('from file to statistics', () => {
  it.each(DATASETS)('equals the naive sums on %s', async (name) => {
    const dataset = loadDataset(name);
    const task = taskFor(dataset, METHODS.dca);
    const discretiser = new Discretiser(task);
    const rows = dataset.rows.map((row) => discretiser.discretise(row));
    const classes = dataset.labels.map((label) => [task.labellings[0]!.classes.indexOf(label)]);
    expect(await statisticsOfCsv(readFileBytes(dataset.path), task)).toEqual({
      statistics: naiveStatistics(task, rows, classes),
      rows: dataset.rows.length,
      clippedCells: dataset.names.map(() => 0),
      clippedRows: 0,
      skippedRows: 0,
    });
  });

  it('sums and counts whole rows alone, where an option says so', async () => {
    const task = syntheticTask(2, METHODS.pca);
    const text = 'f0,f1\n9,\n0.5,1\nNA,0\n-0.5,1\n';
    const missing: string[] = [];
    const onMissing = (name: string) => missing.push(name);
    const skipping = await statisticsOfCsv(bytesOf(text), task, { missing: 'skip', onMissing });
    expect(missing).toEqual(['f1', 'f0']);
    const whole = await statisticsOfCsv(bytesOf('f0,f1\n0.5,1\n-0.5,1\n'), task);
    expect(skipping).toEqual({ ...whole, skippedRows: 2 });
    await expect(
      statisticsOfCsv(bytesOf('f0,f1\n,1\n1,\n'), task, { missing: 'skip' }),
    ).rejects.toMatchObject({
      code: 'ERR_NO_ROWS',
      message: 'expected at least one whole row, got none: a cell is missing in each of 2',
    });
  });

  it('counts clipped cells, or refuses them when strict', async () => {
    const task = syntheticTask(2, METHODS.pca);
    const text = 'f1,f0\n0,2\n-3,0.5\n0,-7\n';
    await expect(statisticsOfCsv(bytesOf(text), task)).rejects.toMatchObject({
      code: 'ERR_CLIPPED',
      message: expect.stringMatching(
        /^more than half of the cells of "f0" lie outside .* --allow-clipping f0/,
      ),
    });
    const { clippedCells, rows, statistics } = await statisticsOfCsv(bytesOf(text), task, {
      allowClipping: ['f0'],
    });
    expect({ clippedCells, rows }).toEqual({ clippedCells: [2, 1], rows: 3 });
    expect(statistics.labellings).toEqual([[{ V: [8192n, -16384n], M: 3n }]]);
    await expect(statisticsOfCsv(bytesOf(text), task, { strict: true })).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    });
  });

  it('refuses a file without rows, with too many, or without labels', async () => {
    const task = syntheticTask(1, METHODS.pca, { maximumSamplesPerOwner: 2 });
    const code = (expected: string) => ({ code: expected });
    await expect(statisticsOfCsv(bytesOf('f0\n'), task)).rejects.toMatchObject(code('ERR_NO_ROWS'));
    // They are counted to the end of the file, unless that cannot be read.
    async function* parts(last: string) {
      yield* bytesOf(`f0\n${'0\n'.repeat(8)}`);
      yield* bytesOf(last);
    }
    for (const [last, there] of [
      ['0\n0\n', '10'],
      ['x\n', 'more than 2'],
    ] as const)
      await expect(statisticsOfCsv(parts(last), task)).rejects.toMatchObject({
        ...code('ERR_TOO_MANY_ROWS'),
        message: `there are ${there} rows; this task accepts at most 2 per owner`,
      });
    const labelled = syntheticTask(1, METHODS.lda);
    await expect(statisticsOfCsv(bytesOf('f0\n0\n'), labelled)).rejects.toMatchObject(
      code('ERR_CSV_COLUMNS'),
    );
  });

  it('names the features that carry nothing', () => {
    expect(constantFeatures(taskFor(loadDataset('ionosphere'), METHODS.pca))).toEqual(['V2']);
    expect(constantFeatures(taskFor(loadDataset('iris'), METHODS.pca))).toEqual([]);
  });
});
