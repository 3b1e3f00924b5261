/** The exact sampler: its distribution, its digits, and that rounding is the only thing that precision changes. */
import { describe, expect, it } from 'vitest';
import { standardNormal } from '../../src/rotated/random.ts';
import { KS_LIMIT, kolmogorov, normalCdf, seededBits, uniformity } from './statistics.ts';

const BITS = 96;
const COUNT = 100_000;

function draw(seed: string, count = COUNT): bigint[] {
  const random = seededBits(seed);
  return Array.from({ length: count }, () => standardNormal(random, BITS));
}

const toNumber = (g: bigint) => Number(g) / 2 ** BITS;

describe('standardNormal', () => {
  const samples = draw('distribution');
  const values = samples.map(toNumber);

  it('has the normal distribution', () => {
    expect(kolmogorov(values, normalCdf)).toBeLessThan(KS_LIMIT);
    // Few cells notice a density that is a little wrong everywhere, many one that is wrong somewhere.
    for (const count of [16, 256]) {
      const cells = values.map((value) => Math.floor(normalCdf(value) * count));
      expect(uniformity(cells, count)).toBeLessThan(6);
    }
  });

  it('has the moments of the normal distribution', () => {
    const moment = (power: number) => values.reduce((sum, value) => sum + value ** power, 0) / COUNT;
    // Five standard errors: √(E x^2p − (E x^p)²)/√n.
    const near = (power: number, expected: number, variance: number) =>
      expect(Math.abs(moment(power) - expected)).toBeLessThan(5 * Math.sqrt(variance / COUNT));
    near(1, 0, 1);
    near(2, 1, 2);
    near(3, 0, 15);
    near(4, 3, 96);
    near(6, 15, 10_170);
  });

  it('reaches the tail as often as it should', () => {
    const far = values.filter((value) => Math.abs(value) > 3).length;
    const expected = COUNT * 2 * normalCdf(-3);
    expect(Math.abs(far - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });

  it.each([0n, 20n, 40n, 60n, 80n])('has uniform digits from bit %i', (shift) => {
    const digits = samples.map((g) => Number(BigInt.asUintN(8, (g < 0n ? -g : g) >> shift)));
    expect(uniformity(digits, 256)).toBeLessThan(6);
  });

  it('has digits that do not depend on the leading ones', () => {
    const low = (keep: (g: number) => boolean) =>
      samples.filter((g) => keep(toNumber(g))).map((g) => Number(BigInt.asUintN(6, g >> 30n)));
    for (const keep of [
      (g: number) => Math.abs(g) < 0.5,
      (g: number) => Math.abs(g) > 1.5,
      (g: number) => g > 0,
    ]) {
      expect(uniformity(low(keep), 64)).toBeLessThan(6);
    }
  });

  it('is the same real number at every precision, rounded to nearest', { tags: ['long'] }, () => {
    for (let i = 0; i < 200; i += 1) {
      const exact = standardNormal(seededBits(`${i}`), 256);
      for (const bits of [1, 20, 31, 32, 33, 64, 127]) {
        const rounded = standardNormal(seededBits(`${i}`), bits);
        const error = (rounded << BigInt(256 - bits)) - exact;
        expect((error < 0n ? -error : error) <= 1n << BigInt(255 - bits)).toBe(true);
      }
    }
  });

  it('draws the same from the same source and other numbers from another', () => {
    expect(draw('a', 20)).toEqual(draw('a', 20));
    expect(draw('a', 20)).not.toEqual(draw('b', 20));
  });
});
