/** Parts of discrete Laplace noise: what s of them add up to, what one is, and that other parts would be noticed. */

import type { Rational } from '@eigenveil/privacy';
import { distribution, pValue } from '@eigenveil/testbed/goodness/goodness';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { discreteLaplacePartSampler } from '../../privacy/random/polya.ts';

const ALL = 30_000;
const PLAUSIBLE = 1e-3;
const IMPLAUSIBLE = 1e-6;

const rational = (numerator: bigint, denominator: bigint): Rational => ({ numerator, denominator });
const real = ({ numerator, denominator }: Rational): number => Number(numerator) / Number(denominator);

const laplace = (scale: number): Map<bigint, number> =>
  distribution(Math.ceil(40 * scale) + 6, (y) => -Math.abs(y) / scale);

/** The distribution of X − X′ with Pólya numbers of this shape: Γ(k + r)/(Γ(r) k!) p^k (1 − p)^r, convolved. */
function polyaDifference(scale: number, shape: number): Map<bigint, number> {
  const p = Math.exp(-1 / scale);
  const reach = Math.ceil(40 * scale) + 6;
  const polya = [(1 - p) ** shape];
  for (let k = 1; k <= 2 * reach; k++) polya.push((polya[k - 1]! * p * (k - 1 + shape)) / k);
  const difference = (y: number) =>
    polya.reduce((sum, mass, k) => sum + mass * (polya[k + Math.abs(y)] ?? 0), 0);
  return distribution(reach, (y) => Math.log(difference(y)));
}

for (const { title, tags, of } of SAMPLES)
  describe(`parts of discrete Laplace noise, ${title}`, { tags }, () => {
    const count = of(ALL);
    /** A scale or shape that is off by this share; by more with fewer samples, so that it is as plain. */
    const off = (share: number) => 1 + share * Math.sqrt(ALL / count);

    it.each([
      [1, rational(7n, 2n)],
      [2, rational(1n, 3n)],
      [3, rational(7n, 2n)],
      [10, rational(12n, 1n)],
    ])('%i of them add up to it, with scale %o, and to no other', (parts, scale) => {
      const source = predictableRandomness(`parts ${parts}`);
      const draw = discreteLaplacePartSampler(source, { scale, parts });
      const sums = Array.from({ length: count }, () =>
        Array.from({ length: parts }, draw).reduce((sum, part) => sum + part),
      );
      expect(pValue(sums, laplace(real(scale)))).toBeGreaterThan(PLAUSIBLE);
      expect(pValue(sums, laplace(real(scale) * off(0.08)))).toBeLessThan(IMPLAUSIBLE);
      expect(pValue(sums, laplace(real(scale) / off(0.08)))).toBeLessThan(IMPLAUSIBLE);
    });

    it.each([
      [2, rational(5n, 1n)],
      [7, rational(9n, 2n)],
    ])('each of %i is a difference of Pólya numbers, scale %o', (parts, scale) => {
      const draw = discreteLaplacePartSampler(predictableRandomness(`one of ${parts}`), { scale, parts });
      const samples = Array.from({ length: count }, draw);
      expect(pValue(samples, polyaDifference(real(scale), 1 / parts))).toBeGreaterThan(PLAUSIBLE);
      expect(pValue(samples, polyaDifference(real(scale), off(0.1) / parts))).toBeLessThan(IMPLAUSIBLE);
    });

    it('are as wide as they should be where integers are long, down to the last digits', () => {
      const [parts, tau] = [5, 1n << 60n];
      const scale = rational(tau, 1n);
      const draw = discreteLaplacePartSampler(predictableRandomness('wide'), { scale, parts });
      const samples = Array.from({ length: count }, draw);
      const variance = samples.reduce((sum, y) => sum + (Number(y) / Number(tau)) ** 2, 0) / count;
      // Variance 2/s; the fourth moment of a part is 12/s + 12/s², so that of the square 12/s + 8/s².
      const error = Math.sqrt((12 / parts + 8 / parts ** 2) / count);
      expect(Math.abs(variance - 2 / parts)).toBeLessThan(3.3 * error);
      expect(new Set(samples.map((y) => y & 0xffffn)).size).toBeGreaterThan(count / 2);
    });
  });

describe('parts of discrete Laplace noise', () => {
  it('are zeros for scale 0, without any randomness', () => {
    const source = () => {
      throw new Error('randomness was asked for');
    };
    expect(discreteLaplacePartSampler(source, { scale: rational(0n, 1n), parts: 3 })()).toBe(0n);
  });

  it.each([
    ['half a part', rational(1n, 1n), 1.5],
    ['no part', rational(1n, 1n), 0],
    ['a negative scale', rational(-1n, 1n), 2],
  ])('refuse %s', (_, scale, parts) => {
    expect(() => discreteLaplacePartSampler(predictableRandomness('none'), { scale, parts })).toThrow(
      expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
    );
  });
});
