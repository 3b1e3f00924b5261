/** Ω of a sketch: the same for everybody who knows the seed, and nothing else than coin tosses. */
import { sha256, utf8 } from '@eigenveil/platform';
import { describe, expect, test } from 'vitest';
import { sketchSigns } from '../src/index.ts';

const seed = (text: string) => sha256(utf8(text));

describe('the signs of a sketch', () => {
  test('are those that the documents say', () => {
    const first = sha256(new Uint8Array([...utf8('eigenveil sketch signs 1\0'), ...seed('a'), 0, 0, 0, 0]));
    const second = sha256(new Uint8Array([...utf8('eigenveil sketch signs 1\0'), ...seed('a'), 0, 0, 0, 1]));
    const bits = [...first, ...second].flatMap((byte) =>
      Array.from({ length: 8 }, (_, i) => (byte >> i) & 1),
    );
    expect([...sketchSigns(seed('a'), 60, 5)]).toEqual(bits.slice(0, 300).map((bit) => (bit === 1 ? -1 : 1)));
    // Known answer: whoever changes it changes what owners and servers agree on.
    expect([...sketchSigns(seed('a'), 4, 4)].map((sign) => (sign === 1 ? '+' : '-')).join('')).toBe(
      '++--+-----+-+++-',
    );
  });

  test('are other ones for another seed, and fair', () => {
    const [one, other] = [sketchSigns(seed('a'), 1000, 50), sketchSigns(seed('b'), 1000, 50)];
    const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
    // Six deviations of 50,000 tosses.
    expect(Math.abs(sum(one))).toBeLessThan(6 * Math.sqrt(50_000));
    expect(Math.abs(sum(one.map((sign, i) => sign * other[i]!)))).toBeLessThan(6 * Math.sqrt(50_000));
  });

  test('take a seed of 32 bytes', () => {
    expect(() => sketchSigns(new Uint8Array(31), 4, 4)).toThrow(RangeError);
  });
});
