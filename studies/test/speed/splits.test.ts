import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stratifiedFolds, stratifiedSplit } from '../../speed/accuracy/splits.ts';

const labels = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 120 });
const seed = fc.integer({ min: 1, max: 2_147_483_646 });
const share = fc.double({ min: 0.05, max: 0.95, noNaN: true });

const ascending = (rows: readonly number[]) => rows.toSorted((a, b) => a - b);
const everyRow = (all: readonly number[]) => all.map((_, row) => row);
const countIn = (all: readonly number[], label: number, rows: readonly number[]) =>
  rows.filter((row) => all[row] === label).length;

describe('stratified splits', () => {
  it('put every row into one part', () => {
    fc.assert(
      fc.property(labels, share, seed, (all, testShare, start) => {
        const { train, test } = stratifiedSplit(all, testShare, generator(start));
        expect(ascending([...train, ...test])).toEqual(everyRow(all));
      }),
    );
  });

  it('take the share of every class, at least one row and never all', () => {
    fc.assert(
      fc.property(labels, share, seed, (all, testShare, start) => {
        const { train, test } = stratifiedSplit(all, testShare, generator(start));
        for (const label of new Set(all)) {
          const size = countIn(all, label, everyRow(all));
          expect(countIn(all, label, train)).toBeGreaterThanOrEqual(1);
          if (size === 1) continue;
          const inTest = countIn(all, label, test);
          expect(inTest).toBeGreaterThanOrEqual(1);
          expect(Math.abs(inTest - testShare * size)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('are the same for the same seed and others for another', () => {
    const all = Array.from({ length: 100 }, (_, row) => row % 3);
    const of = (name: string) => stratifiedSplit(all, 0.3, generator(seedOf(name))).test;
    expect(of('split 1')).toEqual(of('split 1'));
    expect(of('split 1')).not.toEqual(of('split 2'));
  });
});

describe('stratified folds', () => {
  it('differ by one row at most, in all and in each class', () => {
    fc.assert(
      fc.property(labels, fc.integer({ min: 2, max: 6 }), seed, (all, count, start) => {
        const folds = stratifiedFolds(all, count, generator(start));
        const sizes = (rows: readonly number[]) =>
          Array.from({ length: count }, (_, fold) => rows.filter((row) => folds[row] === fold).length);
        for (const rows of [
          everyRow(all),
          ...[...new Set(all)].map((label) => everyRow(all).filter((row) => all[row] === label)),
        ]) {
          const of = sizes(rows);
          expect(of.reduce((sum, size) => sum + size, 0)).toBe(rows.length);
          expect(Math.max(...of) - Math.min(...of)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('shuffling', () => {
  it('keeps every item and leaves the list as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), seed, (items, start) => {
        const before = [...items];
        expect(ascending(shuffled(items, generator(start)))).toEqual(ascending(items));
        expect(items).toEqual(before);
      }),
    );
  });

  it('brings every item to every place about equally often', () => {
    const next = generator(seedOf('places'));
    const counts = Array.from({ length: 3 }, () => [0, 0, 0]);
    for (let round = 0; round < 3000; round += 1)
      shuffled([0, 1, 2], next).forEach((item, place) => {
        counts[item]![place]! += 1;
      });
    // Six standard deviations of a binomial count about 1000.
    for (const count of counts.flat())
      expect(Math.abs(count - 1000)).toBeLessThan(6 * Math.sqrt(3000 * (2 / 9)));
  });
});
