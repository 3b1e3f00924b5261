/** Ω of a sketch: the same for everybody who knows the seed, and nothing else than coin tosses. */

import { sketchColumnBound } from '@eigenveil/methods';
import { sha256, utf8 } from '@eigenveil/platform';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sketchMatrix } from '../../src/index.ts';

const seed = (text: string) => sha256(utf8(text));
const REFINE = 'r'.repeat(43);
const taskOf = (d: number, columns: number, refine?: string) => ({
  features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
  sketch: { columns, ...(refine !== undefined && { refine }) },
});
const signsOf = (from: Uint8Array, d: number, columns: number) => sketchMatrix(from, taskOf(d, columns));

describe('the signs of a sketch', () => {
  test('are those that the documents say', () => {
    const first = sha256(new Uint8Array([...utf8('eigenveil sketch signs 1\0'), ...seed('a'), 0, 0, 0, 0]));
    const second = sha256(new Uint8Array([...utf8('eigenveil sketch signs 1\0'), ...seed('a'), 0, 0, 0, 1]));
    const bits = [...first, ...second].flatMap((byte) =>
      Array.from({ length: 8 }, (_, i) => (byte >> i) & 1),
    );
    expect([...signsOf(seed('a'), 60, 5)]).toEqual(bits.slice(0, 300).map((bit) => (bit === 1 ? -1 : 1)));
    // Known answer: whoever changes it changes what owners and servers agree on.
    expect([...signsOf(seed('a'), 4, 4)].map((sign) => (sign === 1 ? '+' : '-')).join('')).toBe(
      '++--+-----+-+++-',
    );
  });

  test('are other ones for another seed, and fair', () => {
    const [one, other] = [signsOf(seed('a'), 1000, 50), signsOf(seed('b'), 1000, 50)];
    const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
    // Six deviations of 50,000 tosses.
    expect(Math.abs(sum(one))).toBeLessThan(6 * Math.sqrt(50_000));
    expect(Math.abs(sum(one.map((sign, i) => sign * other[i]!)))).toBeLessThan(6 * Math.sqrt(50_000));
  });

  test('take a seed of 32 bytes', () => {
    expect(() => signsOf(new Uint8Array(31), 4, 4)).toThrow(RangeError);
  });
});

describe('the matrix of a sketch that refines a result', () => {
  test('has its vectors first, as whole numbers that everybody makes alike, and then signs as long as these', () => {
    const vectors = [
      [0.5, -0.5, 0.5, 0.5],
      [0.6, 0, -0.8, 0],
    ];
    const matrix = sketchMatrix(seed('a'), taskOf(4, 5, REFINE), vectors);
    const signs = signsOf(seed('a'), 4, 3);
    const row = (i: number) => [...matrix.subarray(5 * i, 5 * i + 5)];
    // √4 · 256 = 512, and 0.6 · 512 = 307.2.
    for (const [i, warm] of [
      [256, 307],
      [-256, 0],
      [256, -410],
      [256, 0],
    ].entries())
      expect(row(i)).toEqual([...warm, ...[0, 1, 2].map((j) => 256 * signs[3 * i + j]!)]);
    // Known answer: whoever changes it changes what owners and servers agree on.
    expect(row(0)).toEqual([256, 307, 256, 256, -256]);
    // Ties go up, also below zero: in nine features with entries of ±1/3 the unit is 256, and (i + 1/2) / 768 lies between two of them.
    const tie = 1.5 / 768;
    const rest = Math.sqrt((1 - 2 * tie ** 2) / 7);
    const tied = [tie, -tie, ...new Array<number>(7).fill(rest)];
    const whole = sketchMatrix(seed('a'), taskOf(9, 3, REFINE), [tied]);
    expect([whole[0], whole[3]]).toEqual([2, -1]);
  });

  test('has columns of one length, within the bound that slots and sums have room for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 60 }).chain((d) =>
          fc.record({
            d: fc.constant(d),
            raw: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: d, maxLength: d }),
          }),
        ),
        ({ d, raw }) => {
          fc.pre(Math.hypot(...raw) > 1e-3);
          const vector = raw.map((entry) => entry / Math.hypot(...raw));
          const task = taskOf(d, 4, REFINE);
          const matrix = sketchMatrix(seed('b'), task, [vector]);
          const column = (j: number) => Array.from({ length: d }, (_, i) => matrix[4 * i + j]!);
          for (let j = 0; j < 4; j += 1) {
            const magnitudes = column(j).reduce((sum, entry) => sum + Math.abs(entry), 0);
            expect(magnitudes).toBeLessThanOrEqual(sketchColumnBound(task));
            expect(Math.abs(Math.hypot(...column(j)) / (256 * Math.sqrt(d)) - 1)).toBeLessThan(1 / 256);
          }
        },
      ),
    );
  });

  test('is made of as many vectors as there are of the task, and of no others', () => {
    const unit = [1, 0, 0, 0];
    for (const [refine, vectors] of [
      [undefined, [unit]],
      [REFINE, undefined],
      [REFINE, []],
      [REFINE, [unit, unit, unit]],
      [REFINE, [[1, 0, 0]]],
      [REFINE, [[2, 0, 0, 0]]],
      [REFINE, [[Number.NaN, 0, 0, 0]]],
      [REFINE, [[Number.POSITIVE_INFINITY, 0, 0, 0]]],
    ] as const)
      expect(() => sketchMatrix(seed('a'), taskOf(4, 3, refine), vectors)).toThrow(/"vectors" expected/);
  });
});
