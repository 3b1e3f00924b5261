/** The exact samplers against the exact distributions, and the same tests against wrong ones. */

import { createHmac } from 'node:crypto';
import { discreteGaussian, distribution, pValue } from '@eigenveil/testbed/goodness/goodness';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import {
  discreteGaussianSampler,
  discreteLaplaceSampler,
  keyedRandomness,
  type Rational,
  systemRandomness,
} from '../src/index.ts';
import { RandomBits } from '../src/random/randomness.ts';
import { bernoulliExp } from '../src/random/samplers.ts';

const ALL = 60_000;

/** Seeds are fixed, so a right sampler fails never or always: one in a thousand seeds would have to be changed. */
const PLAUSIBLE = 1e-3;
const IMPLAUSIBLE = 1e-6;

const real = ({ numerator, denominator }: Rational): number => Number(numerator) / Number(denominator);
const rational = (numerator: bigint, denominator: bigint): Rational => ({ numerator, denominator });
const take = (draw: () => bigint, count: number): bigint[] => Array.from({ length: count }, draw);

const laplace = (scale: number): Map<bigint, number> =>
  distribution(Math.ceil(40 * scale) + 6, (y) => -Math.abs(y) / scale);

for (const { title, tags, of } of SAMPLES)
  describe(title, { tags }, () => {
    const count = of(ALL);
    /** A width that is off by this share; by more with fewer samples, so that it is as plain. */
    const off = (share: number) => 1 + share * Math.sqrt(ALL / count);

    describe('bernoulliExp', () => {
      it.each([
        [0n, 1n],
        [1n, 1000n],
        [1n, 3n],
        [1n, 1n],
        [7n, 5n],
        [12n, 4n],
        [2n ** 200n + 1n, 2n ** 201n],
      ])('falls heads with probability exp(-%d/%d)', (numerator, denominator) => {
        const random = new RandomBits(predictableRandomness(`bernoulli ${numerator}/${denominator}`));
        const samples = take(() => (bernoulliExp(random, numerator, denominator) ? 1n : 0n), count);
        const heads = samples.filter((sample) => sample === 1n).length;
        const p = Math.exp(-real({ numerator, denominator }));
        expect(Math.abs(heads - p * count)).toBeLessThanOrEqual(3.3 * Math.sqrt(count * p * (1 - p)));
      });
    });

    describe('discreteLaplaceSampler', () => {
      it.each([
        rational(1n, 3n),
        rational(1n, 1n),
        rational(7n, 2n),
        rational(12n, 1n),
        rational(10n ** 30n, 3n * 10n ** 29n),
      ])('fits scale $numerator/$denominator and no other', (scale) => {
        const source = predictableRandomness(`laplace ${scale.numerator}/${scale.denominator}`);
        const samples = take(discreteLaplaceSampler(source, { scale }), count);
        expect(pValue(samples, laplace(real(scale)))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(samples, laplace(real(scale) * off(0.06)))).toBeLessThan(IMPLAUSIBLE);
        expect(pValue(samples, laplace(real(scale) / off(0.06)))).toBeLessThan(IMPLAUSIBLE);
      });
    });

    describe('discreteGaussianSampler', () => {
      it.each([
        rational(1n, 4n),
        rational(1n, 1n),
        rational(17n, 7n),
        rational(100n, 1n),
        rational(10_001n, 3n),
        rational(25n * 10n ** 40n, 10n ** 39n),
      ])('fits sigma squared $numerator/$denominator and no other', (sigmaSquared) => {
        const source = predictableRandomness(
          `gaussian ${sigmaSquared.numerator}/${sigmaSquared.denominator}`,
        );
        const samples = take(discreteGaussianSampler(source, { sigmaSquared }), count);
        expect(pValue(samples, discreteGaussian(real(sigmaSquared)))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(samples, discreteGaussian(real(sigmaSquared) * off(0.1)))).toBeLessThan(IMPLAUSIBLE);
        expect(pValue(samples, discreteGaussian(real(sigmaSquared) / off(0.1)))).toBeLessThan(IMPLAUSIBLE);
        expect(pValue(samples, laplace(Math.sqrt(real(sigmaSquared) / 2)))).toBeLessThan(IMPLAUSIBLE);
      });

      it.each([40n, 120n])('fits sigma squared 2^%d, in cells of a tenth of sigma', (bits) => {
        const sigmaSquared = rational(1n << bits, 1n);
        const cell = (1n << (bits / 2n)) / 10n;
        const samples = take(
          discreteGaussianSampler(predictableRandomness(`gaussian 2^${bits}`), { sigmaSquared }),
          count,
        );
        // ⌊y/cell + 1/2⌋ of so wide a distribution is that of a finer one, a hundredth of a cell wide, summed.
        const cells = samples.map((y) => floorDivide(2n * y + cell, 2n * cell));
        expect(pValue(cells, celled(1))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(cells, celled(off(0.1)))).toBeLessThan(IMPLAUSIBLE);
      });

      it('is symmetric and, to 2^120, as wide as it should be', () => {
        const sigmaSquared = rational((1n << 120n) + 1n, 1n);
        const samples = take(discreteGaussianSampler(predictableRandomness('wide'), { sigmaSquared }), count);
        const negative = samples.filter((y) => y < 0n).length;
        expect(Math.abs(negative - count / 2)).toBeLessThan(3.3 * Math.sqrt(count / 4));
        const variance = samples.reduce((sum, y) => sum + Number(y) ** 2, 0) / count / 2 ** 120;
        expect(Math.abs(variance - 1)).toBeLessThan(3.3 * Math.sqrt(2 / count));
        // Low digits are noise too: were they missing, they would be all alike.
        expect(new Set(samples.map((y) => y & 0xffffn)).size).toBeGreaterThan(count / 2);
      });
    });
  });

describe('bernoulliExp', () => {
  it('draws further digits of the uniform number when the first do not decide', () => {
    // γ = 1/3 = 0.0101…: the first word equals its digits, the second is just below or above them.
    const digits = 0x55555555;
    const source = (second: number) => {
      const words = [digits, second, 0xffffffff];
      const bytes = new DataView(new ArrayBuffer(64));
      words.forEach((word, i) => {
        bytes.setUint32(4 * i, word, true);
      });
      return () => new Uint8Array(bytes.buffer);
    };
    // Below: the first coin falls heads, the next (γ/2, all ones) tails, so the second was the last: even, false.
    expect(bernoulliExp(new RandomBits(source(digits - 1)), 1n, 3n)).toBe(false);
    expect(bernoulliExp(new RandomBits(source(digits + 1)), 1n, 3n)).toBe(true);
  });
});

describe('discreteGaussianSampler', () => {
  it('draws only zeros for sigma 0, and asks for no randomness', () => {
    const source = () => {
      throw new Error('randomness was asked for');
    };
    expect(take(discreteGaussianSampler(source, { sigmaSquared: rational(0n, 5n) }), 10)).toEqual(
      Array(10).fill(0n),
    );
    expect(take(discreteLaplaceSampler(source, { scale: rational(0n, 1n) }), 10)).toEqual(Array(10).fill(0n));
  });

  it.each([rational(-1n, 1n), rational(1n, 0n), rational(1n, -1n)])(
    'refuses sigma squared $numerator/$denominator',
    (sigmaSquared) => {
      const draw = () => discreteGaussianSampler(systemRandomness, { sigmaSquared })();
      expect(draw).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
    },
  );

  it('draws from a key one block after the other, none twice', () => {
    const key = new Uint8Array(32).fill(7);
    const block = (number: number) =>
      createHmac('sha256', key).update(`eigenveil/1 randomness\0${number}`).digest();
    const source = keyedRandomness(key);
    expect(Buffer.from(source(64))).toEqual(Buffer.concat([block(0), block(1)]));
    // What is left of a block is passed over.
    expect(Buffer.from(source(40))).toEqual(Buffer.concat([block(2), block(3).subarray(0, 8)]));
    expect(Buffer.from(source(32))).toEqual(block(4));
  });

  it('repeats itself for one seed only', () => {
    const draw = (seed: string) =>
      take(
        discreteGaussianSampler(predictableRandomness(seed), { sigmaSquared: rational(1n << 60n, 1n) }),
        20,
      );
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });
});

const floorDivide = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** Cells of a tenth of sigma, of a continuous Gaussian by the midpoint rule with a hundred points a cell. */
function celled(width: number): Map<bigint, number> {
  const cells = new Map<bigint, number>();
  let total = 0;
  for (let cell = -90; cell <= 90; cell++) {
    let sum = 0;
    for (let i = 0; i < 100; i++) sum += Math.exp(-(((cell - 0.5 + (i + 0.5) / 100) / 10 / width) ** 2) / 2);
    cells.set(BigInt(cell), sum);
    total += sum;
  }
  return new Map([...cells].map(([cell, sum]) => [cell, sum / total]));
}
