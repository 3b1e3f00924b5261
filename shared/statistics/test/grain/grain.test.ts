import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GrainFinder } from '../../src/grain/grain.ts';
import { readFileBytes } from '../../src/index.ts';
import { readRecords } from '../../src/owner.ts';

/** Draws that are the same in every run: nothing here fails by chance. */
class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  unit(): number {
    return (this.#bits() + this.#bits() / 2 ** 32) / 2 ** 32;
  }

  whole(below: number): number {
    return Math.floor(this.unit() * below);
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  #bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}

function grainOfValues(values: readonly number[], range?: readonly [number, number]): number | undefined {
  const finder = new GrainFinder();
  for (const value of values) finder.add(value);
  const [min, max] = range ?? [Math.min(...values), Math.max(...values)];
  return finder.grain({ min, max });
}

const column = (rows: number, value: (draws: Draws) => number, seed = 1) => {
  const draws = new Draws(seed);
  return Array.from({ length: rows }, () => value(draws));
};

test.each<[string, number, (draws: Draws) => number]>([
  ['whole numbers', 1, (draws) => draws.whole(100)],
  ['whole numbers far apart', 1, (draws) => draws.whole(1_000_000)],
  ['codes 1 to 10', 1, (draws) => 1 + draws.whole(10)],
  ['every other whole number', 2, (draws) => 2 * draws.whole(50)],
  ['one decimal', 0.1, (draws) => draws.whole(400) / 10],
  ['one decimal, computed in doubles', 0.1, (draws) => draws.whole(400) * 0.1],
  ['halves', 0.5, (draws) => draws.whole(30) / 2],
  ['thirds', 1 / 3, (draws) => draws.whole(80) / 3],
  ['levels of grey as parts', 1 / 255, (draws) => draws.whole(256) / 255],
  ['inches in centimetres', 2.54, (draws) => Math.round((50 + draws.whole(30)) * 25.4) / 10],
  ['a grid that begins anywhere', 0.7, (draws) => 0.123 + draws.whole(60) * 0.7],
  ['values near a grid', 1, (draws) => draws.whole(40) + 0.07 * (draws.unit() - 0.5)],
  ['two values that instruments blur', 1, (draws) => draws.whole(2) + 0.06 * (draws.unit() - 0.5)],
  ['a few codes that instruments blur', 2, (draws) => 2 * draws.whole(3) + 0.02 * draws.normal()],
  ['two values', 1, (draws) => draws.whole(2)],
  ['a rare one of two values', 3, (draws) => (draws.unit() < 0.03 ? 5 : 2)],
  ['three values that lie anyhow', 0.37, (draws) => [0, 0.37, 1][draws.whole(3)]!],
  ['common values, two of which count as one', 1, (draws) => [0, 0.0005, 1][draws.whole(3)]!],
  [
    'two values and three imputed means',
    1,
    (draws) => (draws.unit() < 0.15 ? [0.31, 0.44, 0.52][draws.whole(3)]! : draws.whole(2)),
  ],
  ['codes and an imputed mean', 1, (draws) => (draws.unit() < 0.05 ? 4.7312 : 1 + draws.whole(10))],
  [
    'whole numbers and three imputed means',
    1,
    (draws) => (draws.unit() < 0.2 ? [31.773, 44.11113, 52.777][draws.whole(3)]! : draws.whole(100)),
  ],
  ['whole numbers, moved to bounds', 1, (draws) => Math.min(77.3, Math.max(3.14, draws.whole(100)))],
  [
    'whole numbers but for one row of a hundred',
    1,
    (draws) => (draws.unit() < 0.01 ? 100 * draws.unit() : draws.whole(100)),
  ],
  ['mostly one value', 1, (draws) => (draws.unit() < 0.95 ? 0 : draws.whole(40) - 20)],
])('the grain of %s is %d', (_, grain, value) => {
  for (const rows of [300, 3000]) expect(grainOfValues(column(rows, value))! / grain).toBeCloseTo(1, 4);
});

test.each<[string, (draws: Draws) => number]>([
  ['even', (draws) => draws.unit()],
  ['normal', (draws) => draws.normal()],
  ['far from 0', (draws) => 1e6 + draws.normal()],
  ['with outliers', (draws) => (draws.unit() < 0.01 ? 1e4 : 1) * draws.normal()],
  ['of heavy tails', (draws) => draws.normal() / draws.normal()],
  ['skewed', (draws) => Math.exp(2 * draws.normal())],
  ['near two values', (draws) => draws.whole(2) + 0.1 * draws.normal()],
  ['of which half are 0', (draws) => (draws.unit() < 0.5 ? 0 : draws.normal())],
])('measured values that are %s have none', (_, value) => {
  // 2^-40 each, were the values drawn anew.
  for (let seed = 0; seed < 6; seed += 1)
    for (const rows of [60, 150]) expect(grainOfValues(column(rows, value, seed))).toBeUndefined();
  expect(grainOfValues(column(5000, value))).toBeUndefined();
});

test('values that a range moves to its ends are no part of a grid', () => {
  const imputed = [31.773, 44.11113, 52.777];
  const values = column(300, (draws) => (draws.unit() < 0.2 ? imputed[draws.whole(3)]! : draws.whole(100)));
  expect(grainOfValues(values, [12.34, 76.54])).toBe(1);
  expect(grainOfValues(values, [5, 5])).toBeUndefined();
});

test('more values and rows than the table has room for are judged by a fair sample of them', () => {
  const finder = new GrainFinder(4096);
  const draws = new Draws(3);
  // Measured ones first, which are few in the end; and the other way round.
  for (let row = 0; row < 1500; row += 1) finder.add(1000 * draws.unit());
  for (let row = 0; row < 150_000; row += 1) finder.add(draws.whole(1000));
  expect(finder.grain({ min: 0, max: 1000 })).toBe(1);
  for (let row = 0; row < 30_000; row += 1) finder.add(1000 * draws.unit());
  expect(finder.grain({ min: 0, max: 1000 })).toBeUndefined();
});

test('rows that do not have the most frequent value are counted', () => {
  const finder = new GrainFinder();
  for (const value of [1, 2, 2, 2, 3]) finder.add(value);
  expect(finder.varyingRows).toBe(2);
});

const REST = Symbol();
test.each<[string, Readonly<Record<string | typeof REST, number | undefined>>]>([
  ['iris.csv', { label: 1, [REST]: 0.1 }],
  ['breast_cancer.csv', { [REST]: 1 }],
  ['pima.csv', { mass: 0.1, pedigree: 0.001, [REST]: 1 }],
  ['ionosphere.csv', { V1: 1, V2: undefined, label: 1, [REST]: 0.00001 }],
  ['wisdm_walk_user.csv.gz', { label: 1, [REST]: 0.01 }],
])('the grains of %s are those that it is written with', async (file, expected) => {
  let finders: GrainFinder[] = [];
  let columns: number[][] = [];
  let header: readonly (string | undefined)[] = [];
  for await (const { cells } of readRecords(
    readFileBytes(join(import.meta.dirname, '../../../../data', file)),
  )) {
    if (finders.length === 0) {
      header = cells;
      finders = cells.map(() => new GrainFinder(cells.length));
      columns = cells.map(() => []);
      continue;
    }
    for (const [i, cell] of cells.entries()) {
      finders[i]!.add(Number(cell));
      columns[i]!.push(Number(cell));
    }
  }
  const found = finders.map((finder, i) =>
    finder.grain({ min: Math.min(...columns[i]!), max: Math.max(...columns[i]!) }),
  );
  const wanted = header.map((name) => (name! in expected ? expected[name!] : expected[REST]));
  expect(found).toEqual(wanted);
});
