/** Truncated products and even normalisation against integers. */

import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import {
  bitsOf,
  multiplyTruncated,
  type Num,
  numberFrom,
  subtractProduct,
  valuesOf,
} from '../../src/circuits/index.ts';
import { Fixed } from '../../src/fixed-point/index.ts';
import { ClearGates } from '../../src/garbling/index.ts';
import { inverseRoot, scaleEvenly } from '../../src/programs/scaling.ts';

const gates = new ClearGates();

function number(values: readonly bigint[], bits: number): Num {
  return numberFrom(gates, gates.input(bitsOf(values, bits)), bits);
}

function read(a: Num): bigint[] {
  return valuesOf(a.map((wires) => gates.read(wires)));
}

function random(count: number, bits: number, seed: number): bigint[] {
  const next = generator(seed);
  const any = Array.from({ length: count }, () =>
    BigInt.asIntN(bits, BigInt(Math.floor(next() * 2 ** 40)) * 0x9e3779b97f4a7c15n),
  );
  const ends = [0n, 1n, -1n, (1n << BigInt(bits - 1)) - 1n, -(1n << BigInt(bits - 1))];
  return [...any, ...ends];
}

describe('products without low columns', () => {
  it.each([
    [34, 34, 32, 36],
    [20, 42, 18, 44],
    [8, 8, 3, 13],
    [5, 9, 0, 14],
    [2, 3, 7, 4],
  ])('of %i and %i bits, %i places less, are exact or off by one', (first, second, shift, bits) => {
    const ends = random(0, second, 1);
    const a = [...random(60, first, 3), ...ends.map(() => 0n), ...random(60, first, 5)];
    const b = [...random(60, second, 4), ...ends, ...random(60, second, 6).toReversed()];
    const old = random(a.length - 5, bits - 2, 7);
    const [x, y, z] = [number(a, first), number(b, second), number(old, bits - 2)];
    const products = read(multiplyTruncated(gates, x, y, shift, bits));
    const rests = read(subtractProduct(gates, z, x, y, shift, bits));
    for (const [i, product] of products.entries()) {
      const exact = (a[i]! * b[i]!) >> BigInt(shift);
      expect([exact, exact + 1n]).toContain(product);
      const rest = BigInt.asIntN(bits, old[i]! - (a[i]! * b[i]!) / 2n ** BigInt(shift));
      expect([rest - 1n, rest, rest + 1n]).toContain(rests[i]);
      if (a[i] === 0n || b[i] === 0n) expect([product, rests[i]]).toEqual([0n, old[i]]);
    }
  });
});

describe('even normalisation', () => {
  it('shifts by the most even number of places', () => {
    const values = [...random(100, 21, 8).map((value) => (value < 0n ? ~value : value)), 5n, 1n << 19n];
    const { value, places } = scaleEvenly(new Fixed(gates, number(values, 21), 0).nonNegative());
    const [scaled, halves] = [read(value.number), read(places.number)];
    expect(value.fraction).toBe(20);
    for (const [i, original] of values.entries()) {
      expect(scaled[i]).toBe(BigInt.asUintN(20, original << (2n * halves[i]!)));
      if (original === 0n) continue;
      expect(scaled[i]).toBe(original << (2n * halves[i]!));
      expect(scaled[i]! >> 18n).toBeGreaterThan(0n);
    }
  });

  it('leaves an inverse root from 1 to 2', () => {
    const values = [1n, 2n, 3n, 1000n, 1n << 38n, (1n << 40n) - 1n, 123_456_789n];
    const { mantissa, places } = inverseRoot(new Fixed(gates, number(values, 41), 40).nonNegative());
    const [mantissas, halves] = [read(mantissa.number), read(places.number)];
    expect(mantissa.fraction).toBe(32);
    for (const [i, original] of values.entries()) {
      const value = (Number(mantissas[i]!) / 2 ** 32) * 2 ** Number(halves[i]!);
      expect(Math.abs(value * Math.sqrt(Number(original) / 2 ** 40) - 1)).toBeLessThan(2 ** -30);
      expect(Number(mantissas[i]!) / 2 ** 32).toBeGreaterThanOrEqual(1);
      expect(Number(mantissas[i]!) / 2 ** 32).toBeLessThanOrEqual(2);
    }
  });
});
