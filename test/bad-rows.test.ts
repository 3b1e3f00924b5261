/** Files of rows that an owner cannot contribute, and that it has lost nothing by trying: a mended file is taken. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectReference } from './support/expectations.ts';
import { dataFile, exampleOf, type LabelledRows } from './support/tasks.ts';
import { World } from './support/world.ts';

const HEADER = 'sepal_length,sepal_width,petal_length,petal_width,label';
const ROWS = ['5.1,3.5,1.4,0.2,0', '6.4,3.2,4.5,1.5,1', '6.3,3.3,6,2.5,2', '5.8,2.7,5.1,1.9,2'];
const MOST_ROWS = 6;
let world: World;
let signed: SignedTask;
let owners: Awaited<ReturnType<World['enrolledOwner']>>[];

beforeAll(async () => {
  world = await World.start();
  const { proposal } = await exampleOf(dataFile('iris'), 'dca');
  const client = await world.taskClient();
  signed = await client.create({ ...proposal, maximumSamplesPerOwner: MOST_ROWS });
  owners = await Promise.all([world.enrolledOwner(), world.enrolledOwner()]);
});
afterAll(() => world.close());

/** Contributes a file of these lines and returns how many cells of each feature were clipped. */
async function contribute(who: number, lines: readonly string[], strict = false) {
  const file = join(world.folder, 'rows.csv');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  let clipped: readonly number[] = [];
  await owners[who]!.owner.contribute(world.dataUserAddress, signed.task.id, async (task) => {
    const { statistics, clippedCells } = await statisticsOfCsv(readFileBytes(file), task, { strict });
    clipped = clippedCells;
    return statistics;
  });
  return clipped;
}

describe('a file is refused', () => {
  const [first, ...others] = ROWS as [string, ...string[]];
  const withSecond = (row: string) => [HEADER, first, row, ...others];
  const without = (text: string) => text.replace(/,[^,]*/, '');

  test.each<[string, string[], string, RegExp]>([
    ['that is empty', [], 'ERR_CSV_COLUMNS', /header/],
    ['without rows', [HEADER], 'ERR_NO_ROWS', /row/],
    ['without a header', ROWS, 'ERR_CSV_COLUMNS', /expected a header row first, got numbers/],
    ['without a column', [HEADER, ...ROWS].map(without), 'ERR_CSV_COLUMNS', /missing: "sepal_width"/],
    [
      'with a column more',
      [`${HEADER},id`, ...ROWS.map((row) => `${row},7`)],
      'ERR_CSV_COLUMNS',
      /not in the task and not ignored: "[a-z]+" \(number 6\)/,
    ],
    [
      'with a column twice',
      [`${HEADER},label`, ...ROWS.map((row) => `${row},0`)],
      'ERR_CSV_COLUMNS',
      /more than once: "label"/,
    ],
    [
      'with a cell too few',
      withSecond('5,3,1,0'),
      'ERR_CSV_ROW',
      /^row 2 \(line 3\): expected 5 cells, got 4/,
    ],
    [
      'with a cell too many',
      withSecond('5,3,1,0.2,0,9'),
      'ERR_CSV_ROW',
      /^row 2 \(line 3\): expected 5 cells, got 6/,
    ],
    [
      'with a word for a number',
      withSecond('5,wide,1,0.2,0'),
      'ERR_CSV_CELL',
      /^row 2 \(line 3\), column "sepal_width"/,
    ],
    [
      'with an empty cell',
      withSecond('5,3,,0.2,0'),
      'ERR_CSV_CELL',
      /^row 2 \(line 3\), column "petal_length".*empty/,
    ],
    ['with NaN', withSecond('NaN,3,1,0.2,0'), 'ERR_CSV_CELL', /^row 2 \(line 3\), column "sepal_length"/],
    [
      'with an infinite cell',
      withSecond('5,3,1,-Infinity,0'),
      'ERR_CSV_CELL',
      /^row 2 \(line 3\), column "petal_width"/,
    ],
    [
      'with a cell beyond all numbers',
      withSecond('5,3,1e999,0.2,0'),
      'ERR_CSV_CELL',
      /^row 2 \(line 3\), column "petal_length"/,
    ],
    [
      'with an unknown class',
      withSecond('5,3,1,0.2,9'),
      'ERR_UNKNOWN_CLASS',
      /^row 2 \(line 3\), column "label"/,
    ],
    ['with a quote that never ends', withSecond('"5,3,1,0.2,0'), 'ERR_CSV_SYNTAX', /^line /],
    ['with more rows than the task allows', [HEADER, ...ROWS, ...ROWS], 'ERR_TOO_MANY_ROWS', /6/],
  ])('%s', async (_, lines, code, message) => {
    const attempt = contribute(0, lines);
    await expect(attempt).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expectNothing();
  });

  test('strictly, with a cell outside its range', async () => {
    const attempt = contribute(0, withSecond('5,3,1,99.5,0'), true);
    const message = expect.stringMatching(
      /^row 2 \(line 3\), column "petal_width" \(number 4\): expected a number in \[0.1, 2.5\]$/,
    );
    await expect(attempt).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE', message });
    await expectNothing();
  });

  async function expectNothing(): Promise<void> {
    expect(await owners[0]!.home.pending(signed.task.id)).toBeUndefined();
    const { contributions } = await (await world.taskClient()).status(signed.task.id);
    expect(contributions).toBe(0);
  }
});

test('mended files are taken, in any order of columns; cells outside their range are clipped and counted', async () => {
  const reordered = [HEADER, ...ROWS].map((line) => line.split(',').toReversed().join(','));
  expect(await contribute(0, reordered)).toEqual([0, 0, 0, 0]);
  expect(await contribute(1, [HEADER, ...ROWS, '5,3,-40,99.5,1'])).toEqual([0, 0, 1, 1]);
  const client = await world.taskClient();
  await client.closeTask(signed.task.id);
  await expect.poll(async () => (await client.status(signed.task.id)).state).toBe('done');
  const rowsOf = (lines: readonly string[]): LabelledRows => {
    const cells = lines.map((line) => line.split(',').map(Number));
    return { values: cells.map((row) => row.slice(0, 4)), classes: cells.map((row) => row.slice(4)) };
  };
  const clipped = '5,3,1,2.5,1';
  const parts = [rowsOf(ROWS), rowsOf([...ROWS, clipped])];
  expectReference(await client.result(signed.task.id), signed.task, parts);
});
