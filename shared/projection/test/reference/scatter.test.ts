import type { Statistics } from '@eigenveil/statistics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betweenClassScatter, meanOfRows, totalScatter } from '../../src/index.ts';
import { traceOfTotalScatter, withinClassScatter } from '../../src/reference/scatter.ts';
import { betweenOf, difference, scatterOf, withinOf } from '../linear-algebra.ts';
import { DATASETS, METHODS, prepare, programFor, sum } from '../samples.ts';

/** Rows of integers of 2^-14 over three features, with one of three classes each. */
const labelledRows = fc.array(
  fc.tuple(
    fc.array(fc.integer({ min: -16384, max: 16384 }), { minLength: 3, maxLength: 3 }),
    fc.integer({ min: 0, max: 2 }),
  ),
  { minLength: 1, maxLength: 30 },
);

const statisticsOf = (rows: readonly (readonly [number[], number])[]): Statistics =>
  sum(
    programFor(METHODS.dca, 3),
    rows.map(([row]) => row),
    rows.map(([, k]) => [k]),
  );

/** numerator/denominator as a double, by long division to more bits than a double has. */
function nearest(numerator: bigint, denominator: bigint): number {
  return Number((numerator << 200n) / denominator) * 2 ** -200;
}

describe('scatter matrices', () => {
  it('of four rows known by hand', () => {
    // (1, 0), (-1, 0) in class 0 and (1, 1/2), (1, -1/2) in class 1, class 2 empty; in units of 2^-1.
    const program = programFor(METHODS.dca, 2, { fractionBits: 1 });
    const statistics = sum(
      program,
      [
        [2, 0],
        [-2, 0],
        [2, 1],
        [2, -1],
      ],
      [[0], [0], [1], [1]],
    );
    expect(meanOfRows(statistics, 1)).toEqual([0.5, 0]);
    expect(totalScatter(statistics, 1)).toEqual([
      [3, 0],
      [0, 0.5],
    ]);
    expect(betweenClassScatter(statistics, 0, 1)).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(withinClassScatter(statistics, 1)).toEqual([
      [2, 0],
      [0, 0.5],
    ]);
    expect(traceOfTotalScatter(statistics, 1)).toBe(3.5);
  });

  it('round exact quotients once', () => {
    fc.assert(
      fc.property(labelledRows, (rows) => {
        const statistics = statisticsOf(rows);
        const Q = BigInt(rows.length);
        const V = [0, 1, 2].map((i) => rows.reduce((total, [row]) => total + BigInt(row[i]!), 0n));
        const unit = 1n << 14n;
        let trace = 0n;
        const exact = [0, 1, 2].map((i) =>
          [0, 1, 2].map((j) => {
            const products = rows.reduce((total, [row]) => total + BigInt(row[i]!) * BigInt(row[j]!), 0n);
            const numerator = Q * products - V[i]! * V[j]!;
            if (i === j) trace += numerator;
            return nearest(numerator, Q * unit * unit);
          }),
        );
        expect(totalScatter(statistics, 14)).toEqual(exact);
        expect(traceOfTotalScatter(statistics, 14)).toBe(nearest(trace, Q * unit * unit));
        expect(meanOfRows(statistics, 14)).toEqual(V.map((value) => nearest(value, Q * unit)));
      }),
    );
  });

  it('add up: total = between + within', () => {
    fc.assert(
      fc.property(labelledRows, (rows) => {
        const statistics = statisticsOf(rows);
        const between = betweenClassScatter(statistics, 0, 14);
        const within = withinClassScatter(statistics, 14);
        const both = between.map((row, i) => row.map((entry, j) => entry + within[i]![j]!));
        expect(difference(both, totalScatter(statistics, 14))).toBeLessThan(1e-13);
      }),
    );
  });

  it('keep every digit where the terms of a difference cancel', () => {
    // A million rows at (1, 1) but for one: S̄ = (1 − 1/Q)·2^-28 in the first entry, while R and V Vᵀ/Q are near 10^6.
    const Q = 1_000_000n;
    const u = 16384n;
    const statistics: Statistics = {
      R: [(Q - 1n) * u * u + (u - 1n) ** 2n, (Q - 1n) * u * u + (u - 1n) * u, Q * u * u],
      labellings: [[{ V: [Q * u - 1n, Q * u], M: Q }]],
      owners: 1n,
    };
    expect(totalScatter(statistics, 14)).toEqual([
      [nearest(Q - 1n, Q << 28n), 0],
      [0, 0],
    ]);
  });

  it('are zero between classes when one class has all rows, and within when every row has its own', () => {
    const rows = [
      [100, -7],
      [3, 16384],
      [-16384, 5],
    ];
    const program = programFor(METHODS.dca, 2);
    const zero = [
      [0, 0],
      [0, 0],
    ];
    const one = sum(program, rows, [[1], [1], [1]]);
    expect(betweenClassScatter(one, 0, 14)).toEqual(zero);
    expect(withinClassScatter(one, 14)).toEqual(totalScatter(one, 14));
    const apart = sum(program, rows, [[0], [1], [2]]);
    expect(withinClassScatter(apart, 14)).toEqual(zero);
    expect(betweenClassScatter(apart, 0, 14)).toEqual(totalScatter(apart, 14));
  });

  it('refuse no samples', () => {
    const statistics: Statistics = { R: [0n], labellings: [[{ V: [0n], M: 0n }]], owners: 1n };
    const code = expect.objectContaining({ code: 'ERR_NO_SAMPLES' });
    for (const compute of [totalScatter, withinClassScatter, meanOfRows, traceOfTotalScatter]) {
      expect(() => compute(statistics, 14)).toThrow(code);
    }
    expect(() => betweenClassScatter(statistics, 0, 14)).toThrow(code);
  });

  it.each(DATASETS)('equal those of centred rows on %s', (name) => {
    const { statistics, rounded, classes } = prepare(name, METHODS.dca);
    const labels = classes.map(([k]) => k!);
    expect(difference(totalScatter(statistics, 14), scatterOf(rounded).to2DArray())).toBeLessThan(1e-9);
    const between = betweenClassScatter(statistics, 0, 14);
    expect(difference(between, betweenOf(rounded, labels).to2DArray())).toBeLessThan(1e-9);
    const within = withinClassScatter(statistics, 14);
    expect(difference(within, withinOf(rounded, labels).to2DArray())).toBeLessThan(1e-9);
  });
});
