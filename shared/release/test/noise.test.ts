/** How much noise a budget takes, and its moments. */

import { distribution, pValue, roundedGaussian } from '@eigenveil/testbed/goodness/goodness';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { averageError } from '../src/averages.ts';
import { toNumber } from '../src/fraction.ts';
import { calibrateRelease, noiseMoments, noiseSampler } from '../src/noise.ts';
import { binaryTree, flat, privelet } from '../src/strategy.ts';

/** Variance and fourth cumulant by summing over a distribution. */
function moments(of: ReadonlyMap<bigint, number>) {
  const mean = (power: number) => [...of].reduce((sum, [y, p]) => sum + Number(y) ** power * p, 0);
  const variance = mean(2);
  return { variance, fourthCumulant: mean(4) - 3 * variance ** 2 };
}

const LAPLACE = { kind: 'laplace', scale: { numerator: 11n, denominator: 4n } } as const;
const GAUSSIAN = {
  kind: 'gaussian',
  sigmaSquared: { numerator: 9n, denominator: 4n },
  latticeBits: 40,
} as const;
const laplace = distribution(200, (y) => -Math.abs(y) / 2.75);
const gaussian = roundedGaussian(2.25);

describe('moments', () => {
  it.each([
    [LAPLACE, laplace],
    [GAUSSIAN, gaussian],
  ] as const)('are those of the distribution: %o', (noise, expected) => {
    const { variance, fourthCumulant } = moments(expected);
    expect(noiseMoments(noise, 1).variance / variance).toBeCloseTo(1, 7);
    expect(noiseMoments(noise, 1).fourthCumulant).toBeCloseTo(fourthCumulant, 5);
    expect(noiseMoments(noise, 2).variance).toBe(2 * noiseMoments(noise, 1).variance);
    expect(noiseMoments(noise, 2).fourthCumulant).toBe(2 * noiseMoments(noise, 1).fourthCumulant);
  });

  it.each([
    [LAPLACE, laplace],
    [GAUSSIAN, gaussian],
  ] as const)('belong to what is drawn: %o', (noise, expected) => {
    const draw = noiseSampler(predictableRandomness(`draws of ${noise.kind}`), noise);
    expect(pValue(Array.from({ length: 20_000 }, draw), expected)).toBeGreaterThan(1e-4);
  });

  it('are 0 where nothing has to be hidden', () => {
    const of = { features: 1, neighbours: 'replace' } as const;
    for (const budget of [{ epsilon: 1 }, { epsilon: 1, dpDelta: 1e-6 }]) {
      const noise = calibrateRelease(flat(1), { ...of, budget });
      expect(noiseMoments(noise, 2)).toEqual({ variance: 0, fourthCumulant: 0 });
      expect(noiseSampler(predictableRandomness('none'), noise)()).toBe(0n);
    }
  });
});

describe('calibration', () => {
  it('takes the joint sensitivity of all features', () => {
    const noise = calibrateRelease(privelet(10), {
      features: 3,
      neighbours: 'replace',
      budget: { epsilon: 0.5 },
    });
    expect(noise).toEqual({ kind: 'laplace', scale: { numerator: 120n, denominator: 1n } });
    const smooth = calibrateRelease(binaryTree(10), {
      features: 3,
      neighbours: 'add-remove',
      budget: { epsilon: 1, dpDelta: 1e-6 },
    });
    // 4.22 for a sensitivity of 1.
    expect(Math.sqrt(noiseMoments(smooth, 1).variance)).toBeCloseTo(4.2247 * Math.sqrt(33), 1);
  });

  it('leaves a prefix count at N = 1,024 with a deviation of 24 d rows (Laplace) and 22 √d (Gaussian), from two servers', () => {
    for (const d of [1, 4]) {
      const deviation = (budget: { epsilon: number; dpDelta?: number }) => {
        const noise = calibrateRelease(privelet(10), { features: d, neighbours: 'add-remove', budget });
        return Math.sqrt(noiseMoments(noise, 2).variance * toNumber(averageError(privelet(10), 'prefixes')));
      };
      expect((deviation({ epsilon: 1 }) / d).toFixed(0)).toBe('24');
      expect((deviation({ epsilon: 1, dpDelta: 1e-6 }) / Math.sqrt(d)).toFixed(0)).toBe('22');
    }
  });

  it('refuses budgets that it has no noise for', () => {
    const of = { features: 1, neighbours: 'add-remove' } as const;
    for (const budget of [
      { epsilon: 0 },
      { epsilon: Number.NaN },
      { epsilon: Number.POSITIVE_INFINITY },
      { epsilon: 1, dpDelta: 0 },
      { epsilon: 50, dpDelta: 0.01 },
    ]) {
      expect(() => calibrateRelease(flat(4), { ...of, budget })).toThrow(
        expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
      );
    }
  });
});
