import type { Feature } from '@eigenveil/methods';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Discretiser } from '../../src/index.ts';

const one = (feature: Omit<Feature, 'name'>, fractionBits: number): Discretiser =>
  new Discretiser({ features: [{ name: 'x', ...feature }], fractionBits });

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
const range = fc.tuple(finite, finite).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
const bits = fc.integer({ min: 1, max: 20 });

/** A double as the numerator of its exact fraction over 2^1074. */
function exactly(x: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const pattern = view.getBigUint64(0);
  const exponent = pattern >> 52n;
  const fraction = pattern & (2n ** 52n - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction | (2n ** 52n)) << (exponent - 1n);
  return x < 0 ? -magnitude : magnitude;
}

describe('discretising', () => {
  it('maps known cells of [0, 10] to known integers', () => {
    const discretiser = one({ min: 0, max: 10 }, 4);
    const known = [
      [0, -16],
      [10, 16],
      [5, 0],
      [7.5, 8],
      [2.5, -8],
      [6, 3], // y = 0.2, 3.2
      [6.1, 4], // y = 0.22, 3.52
    ] as const;
    for (const [x, integer] of known) expect(discretiser.discretise([x]), `${x}`).toEqual([integer]);
  });

  it('rounds halves away from zero and nothing else', () => {
    const discretiser = one({ min: -1, max: 1 }, 1);
    expect([0.25, -0.25, 0.75, -0.75].map((x) => discretiser.discretise([x])[0])).toEqual([1, -1, 2, -2]);
    expect([0.2499, -0.2499].map((x) => discretiser.discretise([x])[0])).toEqual([0, 0]);
  });

  it('never gives -0', () => {
    const discretiser = one({ min: -1, max: 1 }, 14);
    for (const x of [-0, 0, -1e-9, 1e-9, -5e-324, -1e-300]) expect(discretiser.discretise([x])[0]).toBe(0);
    for (const feature of [
      { min: 0, max: 0 },
      { min: -0, max: 0 },
    ]) {
      expect(one(feature, 3).discretise([-0])[0]).toBe(0);
    }
  });

  it('maps a feature with min = max to 0', () => {
    const discretiser = one({ min: 3, max: 3 }, 14);
    expect(discretiser.discretise([3])).toEqual([0]);
    expect(discretiser.clippedCells).toEqual([0]);
    expect(discretiser.discretise([4])).toEqual([0]);
    expect(discretiser.clippedCells).toEqual([1]);
  });

  it('hits both ends exactly, whatever the range', () => {
    fc.assert(
      fc.property(range, bits, ({ min, max }, f) => {
        fc.pre(min < max);
        const discretiser = one({ min, max }, f);
        expect(discretiser.discretise([min])).toEqual([-(2 ** f)]);
        expect(discretiser.discretise([max])).toEqual([2 ** f]);
        expect(discretiser.clippedCells).toEqual([0]);
      }),
    );
  });

  it('is monotone and stays in range', () => {
    fc.assert(
      fc.property(range, bits, finite, finite, ({ min, max }, f, a, b) => {
        const discretiser = one({ min, max }, f);
        const [low] = discretiser.discretise([Math.min(a, b)]);
        const [high] = discretiser.discretise([Math.max(a, b)]);
        expect(low).toBeLessThanOrEqual(high!);
        expect(Math.abs(low!)).toBeLessThanOrEqual(2 ** f);
        expect(Math.abs(high!)).toBeLessThanOrEqual(2 ** f);
      }),
    );
  });

  it('maps mirror images to opposite integers', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), finite, bits, (end, x, f) => {
        const discretiser = one({ min: -end, max: end }, f);
        expect(discretiser.discretise([-x])[0]! + discretiser.discretise([x])[0]!).toBe(0);
      }),
    );
  });

  it('is the nearest integer to the exact quotient, to within what doubles allow', () => {
    const moderate = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(moderate, moderate, moderate, bits, (a, b, x, f) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(max - min > 1e-3);
        const clipped = Math.min(max, Math.max(min, x));
        const [integer] = one({ min, max }, f).discretise([x]);
        // |2^f (2x - min - max) - integer (max - min)| <= (1/2 + 2^-10) (max - min), in exact integers.
        const width = exactly(max) - exactly(min);
        const scaled = (2n * exactly(clipped) - exactly(min) - exactly(max)) << BigInt(f);
        const error = scaled - BigInt(integer!) * width;
        expect((error < 0n ? -error : error) << 10n).toBeLessThanOrEqual((width << 9n) + width);
      }),
    );
  });

  it('rounds halves away from zero, and neither neighbour of a half', () => {
    fc.assert(
      fc.property(bits, fc.nat(), (f, n) => {
        const unit = 2 ** f;
        const discretiser = one({ min: -1, max: 1 }, f);
        const half = ((n % unit) + 0.5) / unit;
        const next = new Float64Array([half, half]);
        const places = new BigInt64Array(next.buffer);
        places[0]! -= 1n;
        places[1]! += 1n;
        for (const sign of [1, -1]) {
          // Scaled as a cell is: near the ends of the range that may round to the half itself.
          const scaled = (x: number) => ((x + 1 - (1 - x)) / 2) * unit;
          for (const x of [half, next[0]!, next[1]!]) {
            const y = Math.abs(scaled(x));
            const expected = Math.floor(y) + (y - Math.floor(y) >= 0.5 ? 1 : 0);
            expect(discretiser.discretise([sign * x])).toEqual([sign * expected + 0]);
          }
        }
      }),
    );
  });

  it('clips and counts the cells out of range per feature', () => {
    const discretiser = new Discretiser({
      features: [
        { name: 'a', min: 0, max: 1 },
        { name: 'b', min: -1, max: 1 },
      ],
      fractionBits: 2,
    });
    expect(discretiser.discretise([2, -5])).toEqual([4, -4]);
    expect(discretiser.discretise([-1, 0])).toEqual([-4, 0]);
    expect(discretiser.discretise([1, 1])).toEqual([4, 4]);
    expect(discretiser.clippedCells).toEqual([2, 1]);
  });

  it('refuses cells that are not finite, by feature and without the value', () => {
    for (const x of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(() => one({ min: 0, max: 1 }, 14).discretise([x])).toThrow(
        expect.objectContaining({ code: 'ERR_NOT_FINITE', message: 'feature "x" expected a finite number' }),
      );
    }
  });

  it('refuses what is no number, as programs in plain JavaScript may give it', () => {
    // JavaScript compares each of these as a number in the range.
    for (const row of JSON.parse('[[null], [""], ["5"], [true], [[5]]]') as number[][])
      expect(() => one({ min: -9, max: 9 }, 14).discretise(row)).toThrow(
        expect.objectContaining({ code: 'ERR_NOT_FINITE', message: 'feature "x" expected a finite number' }),
      );
  });

  it('refuses rows of another length', () => {
    expect(() => one({ min: 0, max: 1 }, 14).discretise([])).toThrow(RangeError);
    expect(() => one({ min: 0, max: 1 }, 14).discretise([0, 0])).toThrow(RangeError);
  });

  it.each([
    { min: 1, max: 0, fractionBits: 14 },
    { min: Number.NaN, max: 0, fractionBits: 14 },
    { min: 0, max: Number.POSITIVE_INFINITY, fractionBits: 14 },
    { min: -1.7e308, max: 1.7e308, fractionBits: 14 },
    { min: 0, max: 1, fractionBits: 0 },
    { min: 0, max: 1, fractionBits: 21 },
    { min: 0, max: 1, fractionBits: 1.5 },
  ])('refuses %o', ({ min, max, fractionBits }) => {
    expect(() => one({ min, max }, fractionBits)).toThrow(
      expect.objectContaining({ code: 'ERR_TASK_INVALID' }),
    );
  });
});
