import { describe, expect, it } from 'vitest';
import { logChoose, smirnov } from '../src/goodness/smirnov.ts';

/** All ways to choose n of the first 2n numbers. */
function* deals(n: number, from = 0): Generator<number[]> {
  if (n === 0) yield [];
  else
    for (let first = from; first <= LAST - n + 1; first += 1)
      for (const rest of deals(n - 1, first + 1)) yield [first, ...rest];
}
const N = 5;
const LAST = 2 * N - 1;

describe("Smirnov's test", () => {
  it.each([
    ['different', (i: number) => i],
    ['equal in part', (i: number) => Math.floor(i / 3)],
    ['0 or 1', (i: number) => Number(i > 6)],
  ])('counts the deals of values that are %s with such a distance or a larger one', (_, value) => {
    const all = [...deals(N)].map((left) => {
      const right = Array.from({ length: 2 * N }, (__, i) => i).filter((i) => !left.includes(i));
      return smirnov(left.map(value), right.map(value));
    });
    expect(all).toHaveLength(252);
    for (const { distance, p } of all) {
      const share = all.filter((other) => other.distance >= distance - 1e-9).length / all.length;
      expect(p).toBeCloseTo(share, 12);
    }
  });

  it('finds what one side alone has now and then as Fisher does', () => {
    const never = new Array<number>(40).fill(0);
    const sometimes = never.map((_, i) => Number(i < 16));
    expect(smirnov(sometimes, never).p).toBeCloseTo(2 * Math.exp(logChoose(64, 24) - logChoose(80, 40)), 12);
  });

  it('takes equal values for no distance, and reaches any level', () => {
    const ones = new Array<number>(60).fill(1);
    expect(smirnov(ones, ones)).toEqual({ distance: 0, p: 1 });
    expect(smirnov(ones, new Array<number>(60).fill(2)).p).toBeLessThan(1e-30);
    expect(smirnov([3, 1, 2], [2, 1, 3]).distance).toBe(0);
  });

  it('refuses samples of different sizes, and none', () => {
    expect(() => smirnov([1], [1, 2])).toThrow(RangeError);
    expect(() => smirnov([], [])).toThrow(RangeError);
  });
});
