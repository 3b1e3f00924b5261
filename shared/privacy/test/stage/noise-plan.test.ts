import { predictableRandomness } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calibrateAnalyticGaussian,
  clippingBound,
  noisePlan,
  rhoOfBudget,
  sampleNoise,
} from '../../src/index.ts';
import { valuesOf } from '../../src/stage/noise-plan.ts';
import { KINDS, NEIGHBOURS, stageTask } from './tasks.ts';

const quotient = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) =>
  Number(numerator) / Number(denominator);

test('a PCA under ε = 1, by hand', () => {
  const task = stageTask('pca', {}, { fractionBits: 4 });
  const plan = noisePlan(task);
  expect(plan.clippingBound).toBe(256n);
  // Φ(h/2 − 1/h) − e Φ(−h/2 − 1/h) = 10^-6 for 1/h = 4.2247, and Δ² = 1 + 1/4 + 1/4.
  const multiplier = Math.sqrt(quotient(plan.variances.R) / 1.5 / 256 ** 2);
  expect(multiplier).toBeGreaterThan(4.2246);
  expect(multiplier).toBeLessThan(4.2248 * (1 + 2 ** -10));
  expect(quotient(plan.offDiagonal) / quotient(plan.variances.R)).toBe(1 / 2);
  expect(quotient(plan.variances.V) / quotient(plan.variances.R)).toBe(4 / 256);
  expect(quotient(plan.variances.M) / quotient(plan.variances.R)).toBe(4 / 256 ** 2);
});

test('counts of a PCA take no noise where a row is replaced, those of classes do', () => {
  expect(noisePlan(stageTask('pca', { neighbours: 'replace' })).variances.M.numerator).toBe(0n);
  for (const kind of ['dca', 'lda', 'mdr'] as const)
    expect(quotient(noisePlan(stageTask(kind, { neighbours: 'replace' })).variances.M)).toBeGreaterThan(1);
});

test.each([
  [1, 1e-6],
  [0.1, 1e-9],
  [3, 1e-5],
  [1e-3, 1e-12],
])(
  'servers draw what the analytic calibration of (%d, %d) says, which is less than by zCDP',
  (epsilon, delta) => {
    const noise = quotient(noisePlan(stageTask('dca', { epsilon, delta })).variances.M);
    const multiplier = Math.sqrt(noise / 3);
    const analytic = calibrateAnalyticGaussian({ sensitivity: 1, epsilon, dpDelta: delta });
    expect(multiplier).toBeGreaterThan(analytic);
    expect(multiplier / analytic).toBeLessThan(1 + 2 ** -10 + 2 ** -18);
    expect(multiplier).toBeLessThan(0.96 * Math.sqrt(1 / (2 * rhoOfBudget({ epsilon, dpDelta: delta }))));
  },
);

test('more privacy is more noise', () => {
  const noise = (epsilon: number, delta: number) =>
    quotient(noisePlan(stageTask('pca', { epsilon, delta })).variances.R);
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 2, noNaN: true }),
      fc.double({ min: 1e-12, max: 1e-3, noNaN: true }),
      (epsilon, delta) => {
        expect(noise(epsilon, delta)).toBeGreaterThanOrEqual(noise(1.1 * epsilon, delta));
        expect(noise(epsilon, delta)).toBeGreaterThanOrEqual(noise(epsilon, 2 * delta));
      },
    ),
    { numRuns: 20 },
  );
});

describe('the clipping bound', () => {
  test.each([
    [1, 3, 4, 256n],
    [0.5, 3, 4, 64n],
    [0.7, 3, 1, 1n], // 1.96
    [Math.sqrt(3), 3, 4, 767n], // the double below the root
    [100, 3, 4, 768n],
  ])('of C = %d, %d features, %d fraction bits', (clippingNorm, features, fractionBits, bound) => {
    const { setting } = stageTask('pca', { clippingNorm });
    expect(clippingBound({ features, fractionBits, setting })).toBe(bound);
  });

  test('that leaves nothing is refused', () => {
    expect(() => noisePlan(stageTask('pca', { clippingNorm: 0.01 }))).toThrow(
      expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
    );
  });
});

describe.each(KINDS)('noise of a %s', (kind) => {
  test.each(NEIGHBOURS)(
    '%s: has the planned variances, stays below its tails, and leaves the owners alone',
    (neighbours) => {
      const task = stageTask(kind, { neighbours }, { features: 30 });
      const plan = noisePlan(task);
      const noise = sampleNoise(predictableRandomness(`${kind} ${neighbours}`), task, plan);
      expect(noise).toHaveLength(valuesOf(task) + 1);
      expect(noise.at(-1)).toBe(0n);
      const entries = kind === 'mdr' ? 0 : 465;
      // Row by row from the diagonal on: the diagonal has few entries, those off it many.
      const onDiagonal = new Set(Array.from({ length: 30 }, (_, i) => 30 * i - (i * (i - 1)) / 2));
      const kinds = {
        R: noise.slice(0, entries).filter((_, v) => onDiagonal.has(v)),
        offDiagonal: noise.slice(0, entries).filter((_, v) => !onDiagonal.has(v)),
        V: [] as bigint[],
        M: [] as bigint[],
      };
      const variances = { ...plan.variances, offDiagonal: plan.offDiagonal };
      const tails = { ...plan.tails, offDiagonal: plan.tails.R };
      for (let from = entries; from < noise.length - 1; from += 31) {
        kinds.V.push(...noise.slice(from, from + 30));
        kinds.M.push(noise[from + 30]!);
      }
      for (const name of ['R', 'offDiagonal', 'V', 'M'] as const) {
        const draws = kinds[name].map(Number);
        const variance = quotient(variances[name]);
        expect(Math.max(0, ...draws.map(Math.abs))).toBeLessThanOrEqual(Number(tails[name]));
        if (variance === 0) expect(draws.every((draw) => draw === 0)).toBe(true);
        if (name === 'M' || draws.length === 0) continue;
        const ratio = draws.reduce((sum, draw) => sum + draw ** 2, 0) / draws.length / variance;
        // Five deviations of a mean of so many squares.
        const error = 5 * Math.sqrt(2 / draws.length);
        expect(ratio).toBeGreaterThan(1 - error);
        expect(ratio).toBeLessThan(1 + error);
      }
    },
  );
});

test('tails hold what a discrete Gaussian does not exceed but with probability 2^-40, and the rounding of two draws', () => {
  const task = stageTask('lda');
  const { variances, tails } = noisePlan(task);
  for (const kind of ['R', 'V', 'M'] as const) {
    // 2 exp(−t²/4σ²) is the bound for the sum of two.
    const exceeds = (t: number) => valuesOf(task) * 2 * Math.exp(-(t ** 2) / (4 * quotient(variances[kind])));
    const t = Number(tails[kind]) - 1;
    expect(exceeds(t)).toBeLessThanOrEqual(2 ** -40);
    expect(exceeds(0.9 * t)).toBeGreaterThan(2 ** -40);
  }
});

test('the CSP alone draws what each of two servers draws, and values have room for one draw', () => {
  const of = (noise: 'servers' | 'csp') => noisePlan(stageTask('lda', { noise }, { fractionBits: 10 }));
  const [one, two] = [of('csp'), of('servers')];
  expect({ ...one, deviations: null, tails: null }).toEqual({ ...two, deviations: null, tails: null });
  for (const kind of ['R', 'V', 'M'] as const) {
    expect(two.deviations[kind] / one.deviations[kind]).toBeCloseTo(Math.SQRT2, 12);
    expect(one.deviations[kind]).toBeCloseTo(Math.sqrt(quotient(one.variances[kind])), 9);
    expect(Number(two.tails[kind] - 1n) / Number(one.tails[kind])).toBeCloseTo(Math.SQRT2, 2);
  }
});

describe('owners that add noise', () => {
  const owners = (honestOwners: number, changes = {}) =>
    stageTask('pca', { noise: 'owners', honestOwners, ...changes });

  test('share the variance that zCDP asks for, and draw integers', () => {
    const { variances, clippingBound: bound, latticeBits } = noisePlan(owners(5));
    const whole = (1.5 * Number(bound) ** 2) / (2 * rhoOfBudget({ epsilon: 1, dpDelta: 1e-6 }));
    expect((5 * quotient(variances.R)) / whole).toBeGreaterThanOrEqual(1 + 2 ** -10);
    expect((5 * quotient(variances.R)) / whole).toBeLessThan(1.01);
    expect(latticeBits).toEqual({ R: 0, V: 0, M: 0 });
  });

  test('are refused when each adds next to nothing to a count', () => {
    expect(() => noisePlan(owners(100))).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
  });

  test('make room for all of them', () => {
    const { tails } = noisePlan({ ...owners(5), maximumOwners: 500 });
    expect(Number(tails.R) / Number(noisePlan({ ...owners(5), maximumOwners: 5 }).tails.R)).toBeCloseTo(
      10,
      2,
    );
  });
});

test.each([
  [{ epsilon: 0 }],
  [{ epsilon: 1e-101 }],
  [{ delta: 1e-101 }],
  [{ epsilon: 101 }],
  [{ delta: 0 }],
  [{ delta: 0.02 }],
  [{ clippingNorm: 0 }],
  [{ clippingNorm: Number.POSITIVE_INFINITY }],
  [{ noise: 'owners' as const }],
  [{ honestOwners: 2 }],
  [{ epsilon: 100, delta: 0.01 }], // noise on counts of less than 1
])('refuses %j', (changes) => {
  expect(() => noisePlan(stageTask('pca', changes))).toThrow(
    expect.objectContaining({ code: 'ERR_DP_PARAMETER' }),
  );
});
