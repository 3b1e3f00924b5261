import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { primesFor } from '../../src/lattice/primes.ts';
import { Ring } from '../../src/lattice/ring.ts';
import { binomial, ternary, uniformWords } from '../../src/lattice/samplers.ts';
import { firstWords, insideOf, outsideOf } from '../../src/lattice/words.ts';
import { packed, uniform } from './forging.ts';

const ring = Ring.of(16384, 1);
const n = ring.degree;

/** Σ (seen − expected)²/expected. */
function chiSquare(seen: ReadonlyMap<number, number>, expected: ReadonlyMap<number, number>): number {
  return [...expected].reduce((sum, [value, mean]) => sum + ((seen.get(value) ?? 0) - mean) ** 2 / mean, 0);
}

function counted(draw: typeof ternary, runs: number): Map<number, number> {
  const random = predictableRandomness(draw.name);
  const counts = new Map<number, number>();
  ring.scope(() => {
    const small = ring.small();
    for (let run = 0; run < runs; run += 1) {
      draw(ring, small, random);
      for (const value of ring.entries(small)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  });
  return counts;
}

describe('samplers', () => {
  it('draw −1, 0 and 1 alike', () => {
    const counts = counted(ternary, 8);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([-1, 0, 1]);
    // Two degrees of freedom: beyond 41.4 in one of 10⁹ cases.
    expect(chiSquare(counts, new Map([-1, 0, 1].map((value) => [value, (8 * n) / 3])))).toBeLessThan(41.4);
  });

  it('draw centred binomial integers of 42 bits', () => {
    const expected = new Map<number, number>();
    // C(42, 21 + v)/2^42 where at least ten are expected.
    for (let k = 0, ways = 1; k <= 42; ways *= (42 - k) / (k + 1), k += 1) {
      const mean = (8 * n * ways) / 2 ** 42;
      if (mean >= 10) expected.set(k - 21, mean);
    }
    expect(expected.size).toBe(25);
    const counts = counted(binomial, 8);
    // At most 25 degrees of freedom: beyond 94 in one of 10⁹ cases.
    expect(chiSquare(counts, expected)).toBeLessThan(94);
    expect(Math.max(...[...counts.keys()].map(Math.abs))).toBeLessThanOrEqual(21);
  });

  it.each([
    ['zeros', 0x00, -1, 0],
    ['ones', 0xff, 1, 0],
  ])('draw from %s what is at the end of the range', (_, byte, third, centre) => {
    ring.scope(() => {
      const small = ring.small();
      const random = (length: number) => new Uint8Array(length).fill(byte);
      ternary(ring, small, random);
      expect(new Set(ring.entries(small))).toEqual(new Set([third]));
      binomial(ring, small, random);
      expect(new Set(ring.entries(small))).toEqual(new Set([centre]));
    });
  });

  it('draw words again that are not below the prime', () => {
    const [prime] = primesFor(1);
    let draws = 0;
    const random = (length: number) =>
      draws++ < 2 ? new Uint8Array(length).fill(0xff) : new Uint8Array(length).fill(1);
    expect([...uniformWords(prime!, 3, random)]).toEqual([0x01010101, 0x01010101, 0x01010101]);
    expect(draws).toBe(3);
  });

  it('draw uniform integers of up to 30 bits, and refuse wider ones', () => {
    const random = predictableRandomness('masks');
    for (const bits of [1, 20, 30]) {
      const drawn = uniform(ring, bits, random);
      const [least, most] = [Math.min(...drawn), Math.max(...drawn)];
      expect(least).toBeGreaterThanOrEqual(-(2 ** (bits - 1)));
      expect(most).toBeLessThan(2 ** (bits - 1));
      // A hundredth of the range at either end is met but in one of 10^87 cases.
      expect(most - least).toBeGreaterThanOrEqual(0.98 * 2 ** bits - 1);
    }
    for (const bits of [0, 31, 33]) expect(() => uniform(ring, bits, random)).toThrow(RangeError);
  });

  it('pack words in lists of any length', () => {
    const random = predictableRandomness('packed');
    const values = uniform(ring, 30, random);
    for (const bits of [1, 7, 20, 29, 30, 31]) {
      for (const words of [1, 2, 13, 31, 40].map(firstWords).concat(insideOf(n, 16), outsideOf(n, 16))) {
        ring.scope(() => {
          const [small, back] = [ring.small(), ring.small()];
          ring.entries(small).set(values.map((value) => (value << (32 - bits)) >> (32 - bits)));
          const isMeant = (i: number) =>
            (i - words.start) % (words.run + words.gap) < words.run && i >= words.start;
          const meant = ring
            .entries(small)
            .filter((_, i) => isMeant(i) && i < words.start + words.runs * (words.run + words.gap));
          const bytes = ring.smallBytes(small, bits, words).slice();
          expect(Buffer.from(bytes).equals(packed(meant, bits))).toBe(true);
          const most = 2 ** (bits - 1);
          expect(ring.readSmall(back, bytes, bits, words, most)).toBe(true);
          expect(
            ring
              .entries(back)
              .filter((_, i) => isMeant(i))
              .subarray(0, meant.length),
          ).toEqual(meant);
          const largest = meant.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
          expect(ring.readSmall(back, bytes, bits, words, largest)).toBe(true);
          if (largest > 0) expect(ring.readSmall(back, bytes, bits, words, largest - 1)).toBe(false);
        });
      }
    }
  });
});
