/** Where entries lie: every layout against matrices that are written out. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitsOf, type Num, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import {
  augmented,
  belowDiagonal,
  Fixed,
  GATES_PER_STEP,
  grid,
  type Layout,
  upperByColumns,
  upperByRows,
  vectorByVector,
} from '../../src/fixed-point/index.ts';
import { ClearGates, ClearSession, CountingGates } from '../../src/garbling/index.ts';

const BITS = 16;
const gates = new ClearGates();
const number = (values: readonly number[]): Num =>
  numberFrom(gates, gates.input(bitsOf(values.map(BigInt), BITS)), BITS);
const read = (a: Num) => valuesOf(a.map((wires) => gates.read(wires))).map(Number);

const SIZES = fc.integer({ min: 1, max: 9 });
const entry = (i: number, j: number) => 100 * i + j;
/** Of a symmetric matrix. */
const symmetric = (i: number, j: number) => entry(Math.min(i, j), Math.max(i, j));
const written = (layout: Layout, of: (i: number, j: number) => number) =>
  Array.from({ length: layout.lanes }, (_, lane) => of(layout.row(lane), layout.column(lane)));

const LAYOUTS = {
  grid: (n: number) => grid(n, n + 2),
  upperByRows,
  upperByColumns,
  belowDiagonal: (n: number) => belowDiagonal(n + 1),
  augmented: (n: number) => augmented(n, 2),
};

describe.each(Object.entries(LAYOUTS))('%s', (_, make) => {
  it('has every entry in one lane', () => {
    fc.assert(
      fc.property(SIZES, (n) => {
        const layout = make(n);
        const entries = written(layout, entry);
        expect(new Set(entries).size).toBe(layout.lanes);
        for (let lane = 0; lane < layout.lanes; lane += 1)
          expect(layout.at(layout.row(lane), layout.column(lane))).toBe(lane);
      }),
    );
  });

  it('has no lane for an entry that is not there', () => {
    const layout = make(3);
    for (const [i, j] of [
      [0, 6],
      [6, 0],
      [-1, 2],
      [0.5, 1],
      [5, 5],
    ])
      expect(() => layout.at(i!, j!)).toThrow(RangeError);
  });

  it('gathers entries, rows and columns, of any part of its lanes, at no cost', () => {
    fc.assert(
      fc.property(SIZES, fc.nat(99), fc.nat(99), (n, one, other) => {
        const layout = make(n);
        const ends = [one, other].map((end) => end % (layout.lanes + 1)).sort((a, b) => a - b);
        const [from, to] = ends as [number, number];
        const source = grid(n + 2, n + 2);
        const matrix = number(written(source, entry));
        const vector = number(Array.from({ length: n + 2 }, (_unused, i) => i));
        const cut = (of: (i: number, j: number) => number) => written(layout, of).slice(from, to);
        expect(read(layout.gather(gates, matrix, source.at, from, to))).toEqual(cut(entry));
        expect(read(layout.gather(gates, matrix, (i, j) => source.at(j, i), from, to))).toEqual(
          cut((i, j) => entry(j, i)),
        );
        expect(read(layout.perRow(gates, vector, from, to))).toEqual(cut((i) => i));
        expect(read(layout.perColumn(gates, vector, from, to))).toEqual(cut((_unused, j) => j));
      }),
      { numRuns: 40 },
    );
    const counting = new CountingGates();
    const wires = counting.constant(12, 0);
    grid(3, 4).gather(counting, [wires], (i, j) => 4 * i + j);
    expect(counting.andGates).toBe(0);
  });
});

describe('triangles of symmetric matrices', () => {
  it.each([
    ['row by row', upperByRows, [0, 1, 2, 101, 102, 202]],
    ['column by column', upperByColumns, [0, 1, 101, 2, 102, 202]],
  ] as const)('lie %s, with either order of i and j in one lane', (_, make, order) => {
    expect(written(make(3), entry)).toEqual(order);
    fc.assert(
      fc.property(SIZES, fc.nat(8), fc.nat(8), (n, a, b) => {
        const layout = make(n);
        const [i, j] = [a % n, b % n];
        expect(written(layout, entry)[layout.at(i, j)]).toBe(symmetric(i, j));
        const triangle = number(written(layout, entry));
        const others = number(Array.from({ length: n }, (_unused, k) => 7000 + k));
        expect(read(layout.diagonal(gates, triangle))).toEqual(
          Array.from({ length: n }, (_unused, k) => entry(k, k)),
        );
        expect(read(layout.withDiagonal(gates, triangle, others))).toEqual(
          written(layout, (k, l) => (k === l ? 7000 + k : entry(k, l))),
        );
        expect([...layout.diagonalMask()]).toEqual(written(layout, (k, l) => (k === l ? 1 : 0)));
      }),
    );
  });

  it('below the diagonal lie column by column', () => {
    expect(written(belowDiagonal(4), entry)).toEqual([100, 200, 300, 201, 301, 302]);
  });
});

it('columns beside a triangle follow it', () => {
  expect(written(augmented(2, 2), entry)).toEqual([0, 1, 101, 2, 3, 102, 103]);
});

it('vectors are cut into steps and put beside each other again, and so is what is made of each', async () => {
  await fc.assert(
    fc.asyncProperty(SIZES, SIZES, SIZES, async (d, count, each) => {
      const session = new ClearSession();
      const bits = bitsOf(written(grid(d, count), entry).map(BigInt), BITS);
      const all = await session.step((own) => new Fixed(own, numberFrom(own, own.input(bits), BITS), 0));
      const read = ({ number }: Fixed) =>
        valuesOf(number.map((wires) => session.gates.read(wires))).map(Number);
      const seen: number[][] = [];
      const [same, first] = await vectorByVector(
        session,
        all,
        d,
        count,
        GATES_PER_STEP / d / (each + 0.5), // `each` of them fit into a step, whichever way this is rounded
        (own, width) => {
          seen.push(read(own));
          return [own, own.lanesFrom(0, width)];
        },
      );
      expect(read(same!)).toEqual(written(grid(d, count), entry));
      expect(read(first!)).toEqual(Array.from({ length: count }, (_, j) => j));
      expect(seen).toHaveLength(Math.ceil(count / Math.min(each, count)));
      expect(seen.flat().sort((a, b) => a - b)).toEqual(written(grid(d, count), entry).sort((a, b) => a - b));
    }),
    { numRuns: 60 },
  );
});
