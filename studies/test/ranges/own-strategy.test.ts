/** A strategy matrix of the user's own: named strategies as files have their known errors, and files that are no strategy are refused. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  averageError,
  binaryTree,
  coefficientCount,
  coefficientsOf,
  privelet,
  type Strategy,
  toNumber,
} from '@eigenveil/release';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosenOf } from '../../instrument/figure.ts';
import { measured } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { ownStrategy } from '../../ranges/own-strategy.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-strategy-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(text: string, name = 'strategy.csv'): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const planned = (file?: string) =>
  ownStrategy.plan({
    scale: 'quick',
    settings: new Settings('quick', new Map(file === undefined ? [] : [['strategy', file]])),
  });

async function measuredFrom(file?: string): Promise<readonly Tidy[]> {
  const [parameters] = (await planned(file)).cases;
  return measured({ study: ownStrategy, parameters: parameters! }, { note: () => undefined });
}

/** A times each unit vector. */
function matrixOf(strategy: Strategy): number[][] {
  const columns = Array.from({ length: strategy.bins }, (_, j) =>
    coefficientsOf(strategy, new Array<bigint>(strategy.bins).fill(0n).with(j, 1n)).map(Number),
  );
  return Array.from({ length: coefficientCount(strategy) }, (_, i) => columns.map((column) => column[i]!));
}

const csv = (matrix: readonly (readonly unknown[])[]) => matrix.map((row) => row.join(',')).join('\n');
const identity = (bins: number) =>
  Array.from({ length: bins }, (_, i) => new Array<number>(bins).fill(0).with(i, 1));
const errorsOf = (records: readonly Tidy[], way: string) =>
  records.find((record) => record.way === way && record.all !== undefined)!;

describe('a strategy from a file', () => {
  it.each([
    ['Boost', binaryTree(3)],
    ['Privelet', privelet(3)],
  ] as const)('has the errors of the named one that it is: %s', async (name, strategy) => {
    const found = await measuredFrom(await fileOf(JSON.stringify(matrixOf(strategy)), 'strategy.json'));
    const [own, named] = [errorsOf(found, 'own'), errorsOf(found, name)];
    for (const column of ['sensitivity', 'all', 'random', 'prefixes', 'counts'])
      expect(own[column]).toBeCloseTo(Number(named[column]), 9);
    const units = toNumber(averageError(strategy, 'ranges'));
    expect(own.all).toBeCloseTo(2 * 4 ** 2 * units, 9);
    for (const it of chosenOf(found, { way: 'own' }).filter(({ interval }) => interval !== undefined))
      expect(it.error).toBeCloseTo(
        Number(chosenOf(found, { way: name, interval: it.interval! })[0]!.error),
        9,
      );
  });

  it('does not depend on its units, and may have any number of counts', async () => {
    const rows = [...identity(5), [1, 1, 1, 1, 1], [0, 0.5, 0.5, 0, 0]];
    const plain = errorsOf(await measuredFrom(await fileOf(csv(rows))), 'own');
    expect(plain.sensitivity).toBe(2.5);
    const file = await fileOf(csv(rows.map((row) => row.map((value) => `${value}e200`))));
    const large = errorsOf(await measuredFrom(file), 'own');
    for (const column of ['all', 'random', 'prefixes', 'counts'])
      expect(Number(large[column]) / Number(plain[column])).toBeCloseTo(1, 9);
    expect(errorsOf(await measuredFrom(await fileOf(csv(identity(5)))), 'own')).toMatchObject({
      all: expect.closeTo((2 * 7) / 3, 9),
      counts: expect.closeTo(2, 9),
    });
  });

  it('errs as repetitions show, of the example that stands in for it', async () => {
    const found = await measuredFrom();
    const own = errorsOf(found, 'own');
    const [seen] = found.filter((record) => record.seen !== undefined);
    expect(Math.abs(Number(seen!.seen) - Number(own.all))).toBeLessThan(5 * Number(seen!.seenError));
    expect(await measuredFrom()).toEqual(found);
  });

  it('is read again when it is measured, and must be what was planned', async () => {
    const file = await fileOf(csv(identity(2)));
    const [parameters] = (await planned(file)).cases;
    await fileOf(csv([...identity(2), [1, 1]]));
    await expect(
      measured({ study: ownStrategy, parameters: parameters! }, { note: () => undefined }),
    ).rejects.toThrow('has changed since the run began');
  });
});

describe('a file that is no strategy is refused', () => {
  it.each([
    ['a header', 'a,b\n1,0\n0,1', 'line 1: expected a finite number in cell 1; a strategy has no header'],
    ['a cell that is empty', '1,0\n0,\n1,1', 'line 2: expected a finite number in cell 2'],
    ['no number', '1,0\nNaN,1', 'line 2: expected a finite number in cell 1'],
    ['a number that is too large', '1,0\n0,1e400', 'line 2: expected a finite number in cell 2'],
    ['sums that are too large', '1e308,0\n1e308,1', 'sums over a column are finite'],
    ['rows of two lengths', '[[1, 0], [0, 1], [1]]', 'row 3 has 1'],
    ['words in JSON', '[["1", 0], [0, 1]]', 'expected JSON [[number, …], …]'],
    ['a number that is too large, in JSON', '[[1, 0], [0, 1e400]]', 'expected JSON [[number, …], …]'],
    ['half of JSON', '[[1, 0], [0,', 'expected JSON [[number, …], …]'],
    ['no matrix', '[]', 'expected 2 to 256 columns, one for each count, has 0'],
    ['nothing', '', 'expected 2 to 256 columns, one for each count, has 0'],
    ['one column', '1\n1', 'expected 2 to 256 columns, one for each count, has 1'],
    ['too many columns', csv(identity(257)), 'has 257'],
    ['too many rows', csv(new Array(1025).fill([1, 0])), 'expected 2 to 1024 rows'],
    ['too few rows', '1,0,1\n0,1,1', 'expected 3 to 1024 rows, at least as many as columns, has 2'],
    ['a count that nothing asks for', '1,0\n2,0', 'column 2 has none'],
    ['columns that depend on each other', '1,2\n2,4\n3,6', 'expected full column rank'],
    ['columns that nearly do', '1,1\n1,1.00000000001', 'expected full column rank'],
    ['too many bytes', ' '.repeat(2 ** 23 + 1), 'expected a file of at most 8 MiB'],
  ])('%s', async (_, text, message) => {
    const file = await fileOf(text);
    await expect(planned(file)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_STUDY_DATA', message: expect.stringContaining(message) }),
    );
  });

  it('one that is not there', async () => {
    await expect(planned(join(folder, 'none.csv'))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_STUDY_DATA', message: expect.stringContaining('ENOENT') }),
    );
  });
});
