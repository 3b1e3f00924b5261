/** Smooth sensitivity against brute force in exact arithmetic, its noise against its density, accountants against published figures, gradients against differences. */

import { integrate } from '@eigenveil/testbed/goodness/integrate';
import { predictableRandomness } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logisticModel, networkModel } from '../../learners/models.ts';
import { epsilonByMoments, momentOf } from '../../learners/moments.ts';
import { epsilonOfSteps, noiseOfSteps, ORDERS, renyiOf } from '../../learners/renyi.ts';
import { privateDescent } from '../../learners/sgd.ts';
import { privateMedian, smoothSensitivityOfMedian } from '../../learners/smooth-median.ts';
import { quartic, SMOOTH_NOISES } from '../../learners/smooth-noise.ts';
import { ACCOUNTED } from '../../learners/study/accountants.ts';
import { RealDraws } from '../../privacy/random/real.ts';

/** By the definition, with e^{−β} = p/q: max over k of (p/q)^k A(k), times q^n, in whole numbers. */
function bruteForce(values: readonly number[], largest: number, p: bigint, q: bigint): number {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const m = (n + 1) / 2;
  const x = (i: number) => (i < 1 ? 0 : i > n ? largest : sorted[i - 1]!);
  let best = 0n;
  for (let k = 0; k <= n; k += 1) {
    for (let t = 0; t <= k + 1; t += 1) {
      const value = BigInt(x(m + t) - x(m + t - k - 1)) * p ** BigInt(k) * q ** BigInt(n - k);
      if (value > best) best = value;
    }
  }
  return Number(best) / Number(q ** BigInt(n));
}

describe('the smooth sensitivity of the median', () => {
  it('is what the definition says, by exact brute force', () => {
    const odd = fc
      .array(fc.nat(1000), { minLength: 1, maxLength: 25 })
      .filter((values) => values.length % 2 === 1);
    fc.assert(
      fc.property(odd, fc.integer({ min: 1, max: 15 }), (values, p) => {
        const found = smoothSensitivityOfMedian(values, { largest: 1000, beta: Math.log(16 / p) });
        const exact = bruteForce(values, 1000, BigInt(p), 16n);
        expect(found).toBeGreaterThanOrEqual(exact * (1 - 1e-13));
        expect(found).toBeLessThanOrEqual(exact * (1 + 1e-11));
      }),
      { numRuns: 300 },
    );
  });

  it('changes by e^β at most when one value is replaced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100), { minLength: 9, maxLength: 9 }),
        fc.nat(8),
        fc.nat(100),
        (values, at, other) => {
          const of = (all: readonly number[]) => smoothSensitivityOfMedian(all, { largest: 100, beta: 0.3 });
          expect(of(values) / of(values.with(at, other))).toBeLessThanOrEqual(Math.exp(0.3) * (1 + 1e-9));
        },
      ),
    );
  });

  it('takes noise that shifts and stretches within ε, at every output', () => {
    const h = (z: number) => Math.SQRT2 / Math.PI / (1 + z ** 4);
    const all = [0.1, 1, 5].flatMap((epsilon) =>
      (['derived', 'printed'] as const).map((name) => ({ epsilon, name })),
    );
    for (const { epsilon, name } of all) {
      const { beta, factor } = SMOOTH_NOISES[name].admits({ epsilon, dpDelta: 0 });
      let worst = 0;
      for (let z = -20; z <= 20; z += 0.01) {
        for (const lambda of [-beta, 0, beta]) {
          const moved = Math.exp(lambda) * h(Math.exp(lambda) * z + 1 / factor);
          worst = Math.max(worst, Math.abs(Math.log(moved / h(z))));
        }
      }
      expect(worst).toBeLessThanOrEqual(epsilon);
      // The printed constants leave more than half of ε unused.
      expect(worst).toBeGreaterThan((name === 'derived' ? 0.6 : 0.3) * epsilon);
    }
  });

  it('takes Laplace noise with the printed constants within (ε, δ), and not with those of the thesis', () => {
    const budget = { epsilon: 1, dpDelta: 1e-3 };
    /** The δ that a shift by one S and a stretch need, whichever way S changes. */
    const needed = (name: keyof typeof SMOOTH_NOISES, { epsilon, dpDelta }: typeof budget) => {
      const { beta, factor } = SMOOTH_NOISES[name].admits({ epsilon, dpDelta });
      const h = (z: number) => Math.exp(-Math.abs(z)) / 2;
      const beyond = (lambda: number) => (z: number) => {
        const moved = Math.exp(lambda) * h(Math.exp(lambda) * z + 1 / factor);
        return Math.max(0, h(z) - Math.exp(epsilon) * moved);
      };
      return Math.max(...[-beta, beta].map((lambda) => integrate(beyond(lambda), -60, 60)));
    };
    for (const epsilon of [0.1, 1, 3]) {
      const delta = needed('printedLaplace', { epsilon, dpDelta: 1e-3 });
      expect(delta).toBeGreaterThan(0);
      expect(delta).toBeLessThanOrEqual(1e-3);
    }
    expect(needed('thesisLaplace', budget)).toBeGreaterThan(0.05);
  });

  it('has the constants of the paper, and those of the thesis', () => {
    const of = (name: keyof typeof SMOOTH_NOISES) => {
      const { beta, factor } = SMOOTH_NOISES[name].admits({ epsilon: 0.5, dpDelta: 2 * Math.exp(-10) });
      return [beta, factor].map((value) => Number(value.toFixed(9)));
    };
    // γ = 4: ε/(2(γ + 1)) and 2(γ + 1)/ε. ln(2/δ) = 10: ε/(2 · 10) and 2/ε.
    expect([of('printed'), of('printedLaplace'), of('thesisLaplace')]).toEqual([
      [0.05, 20],
      [0.025, 4],
      [0.5, 2],
    ]);
    expect(() => SMOOTH_NOISES.printedLaplace.admits({ epsilon: 1, dpDelta: 0 })).toThrow('"dpDelta"');
  });

  it('draws that noise: its distribution, by quantiles', () => {
    const draws = new RealDraws(predictableRandomness('quartic'));
    const z = Array.from({ length: 20_000 }, () => quartic(draws));
    for (const at of [-1.5, -0.5, 0, 0.7, 2]) {
      const below =
        0.5 + Math.sign(at) * integrate((x) => Math.SQRT2 / Math.PI / (1 + x ** 4), 0, Math.abs(at));
      expect(z.filter((value) => value <= at).length / z.length).toBeCloseTo(below, 1.8);
    }
  });

  it('gives the median itself without noise, and refuses an even number of values', () => {
    const source = predictableRandomness('median');
    expect(privateMedian(source, [3, 1, 9], { largest: 5, epsilon: Infinity })).toBe(3);
    expect(() => privateMedian(source, [1, 2], { largest: 5, epsilon: 1 })).toThrow('"values"');
    expect(() => smoothSensitivityOfMedian([6], { largest: 5, beta: 1 })).toThrow('"values"');
  });
});

describe('accountants', () => {
  it.each([
    { of: ACCOUNTED['Abadi et al. 2016, section 3.2']!, moments: 1.259, renyi: 1.0355 },
    { of: ACCOUNTED['Bu et al. 2020, figure 4']!, moments: 1.35, renyi: 1.107 },
    { of: { rate: 0.2, noise: 2, steps: 60 }, moments: 4.832, renyi: 4.234 },
    { of: { rate: 0.05, noise: 1.1, steps: 200 }, moments: 5.093, renyi: 4.468 },
  ])('state $moments by moments, as printed, and $renyi by Rényi, for the same noise', (row) => {
    expect(epsilonByMoments(row.of, 1e-5)).toBeCloseTo(row.moments, 3);
    expect(epsilonOfSteps(row.of, 1e-5)).toBeCloseTo(row.renyi, 3);
  });

  it.each([
    // Abadi et al. 2016, section 3.2: 1.26 where strong composition has 9.34.
    { ...ACCOUNTED['Abadi et al. 2016, section 3.2']!, published: 1.26 },
    // Bu, Dong, Long and Su, "Deep learning with Gaussian differential privacy", 2020, figure 4: 20 and 70 epochs of 60,000 rows.
    { ...ACCOUNTED['Bu et al. 2020, figure 4']!, published: 1.34 },
    // Their accountant has orders between whole ones, too, which matter where the best is about 3.
    { rate: 256 / 60_000, noise: 0.7, steps: Math.round((70 * 60_000) / 256), published: 8.68, above: 1.04 },
  ])('by moments give the published $published', ({ published, above = 1.01, ...mechanism }) => {
    expect(epsilonByMoments(mechanism, 1e-5)).toBeGreaterThan(published * 0.99);
    expect(epsilonByMoments(mechanism, 1e-5)).toBeLessThan(published * above);
    expect(epsilonOfSteps(mechanism, 1e-5)).toBeLessThan(published);
  });

  it('by moments state the ε at which the printed δ is the one asked for', () => {
    const mechanism = { rate: 0.05, noise: 1.1, steps: 200 };
    const epsilon = epsilonByMoments(mechanism, 1e-5);
    const lambdas = ORDERS.map((order) => order - 1);
    const printed = Math.min(
      ...lambdas.map((lambda) => Math.exp(momentOf(mechanism, lambda) - lambda * epsilon)),
    );
    expect(printed / 1e-5).toBeCloseTo(1, 9);
    expect(() => epsilonByMoments(mechanism, 0)).toThrow('"dpDelta"');
  });
});

describe('the Rényi accountant', () => {
  it('is the integral of the moment, for a whole order', () => {
    const [q, noise] = [0.2, 1.5];
    const normal = (x: number) => Math.exp((-x * x) / (2 * noise ** 2)) / (noise * Math.sqrt(2 * Math.PI));
    for (const alpha of [2, 5]) {
      const density = (x: number) => normal(x) * (1 - q + (q * normal(x - 1)) / normal(x)) ** alpha;
      const expected = (3 * Math.log(integrate(density, -20, 30))) / (alpha - 1);
      expect(renyiOf({ rate: q, noise, steps: 3 }, alpha)).toBeCloseTo(expected, 7);
    }
  });

  it('calibrates what keeps ε, and barely', () => {
    const steps = { rate: 0.05, steps: 200 };
    const noise = noiseOfSteps(steps, { epsilon: 2, dpDelta: 1e-5 });
    expect(epsilonOfSteps({ ...steps, noise }, 1e-5)).toBeLessThanOrEqual(2);
    expect(epsilonOfSteps({ ...steps, noise: noise * 0.999 }, 1e-5)).toBeGreaterThan(2);
    expect(noiseOfSteps(steps, { epsilon: Infinity, dpDelta: 1e-5 })).toBe(0);
  });
});

describe('descent', () => {
  it.each([
    ['logistic regression', logisticModel(3, 3)],
    ['a network', networkModel(3, 4, 3)],
  ])('follows the gradient of %s', (_name, model) => {
    const draws = new RealDraws(predictableRandomness('gradient'));
    const parameters = model.start(predictableRandomness('start')).map((value) => value + draws.normal());
    const row = [0.3, -0.8, 0.5];
    const loss = (at: Float64Array) => {
      const scores = model.scores(at, row);
      return Math.log(scores.reduce((sum, score) => sum + Math.exp(score), 0)) - scores[1]!;
    };
    const gradient = new Float64Array(parameters.length);
    model.gradient(parameters, row, 1, gradient);
    gradient.forEach((slope, i) => {
      const step = 1e-5;
      const [above, below] = [step, -step].map((by) => loss(parameters.with(i, parameters[i]! + by)));
      expect(slope).toBeCloseTo((above! - below!) / (2 * step), 6);
    });
  });

  const rows = Array.from({ length: 100 }, (_, i) => [(i - 49.5) / 50]);
  const labels = rows.map(([x]) => Number(x! > 0));
  const lots = { steps: 50, rate: 0.2, lot: 20, learningRate: 2 };
  const setting = { ...lots, clippingNorm: 1, epsilon: 5, dpDelta: 1e-5 };
  const run = (seed: string, other: Partial<typeof setting> = {}) =>
    privateDescent(predictableRandomness(seed), rows, labels, logisticModel(1, 2), { ...setting, ...other });

  it('learns, and repeats by its seed', () => {
    const { predict } = run('a');
    expect(rows.filter((row, i) => predict(row) === labels[i]).length).toBeGreaterThan(85);
    expect(run('a').last).toEqual(run('a').last);
    expect(run('a').last).not.toEqual(run('b').last);
  });

  it('without noise, clipping and sampling is gradient descent', () => {
    const { last } = run('a', { steps: 30, rate: 1, lot: 100, clippingNorm: Infinity, epsilon: Infinity });
    // Two classes and one feature: a weight w of their difference, whose gradient is the mean of (1/(1 + e^{−wx}) − y) x, twice.
    let w = 0;
    for (let step = 0; step < 30; step += 1) {
      const slope =
        rows.reduce((sum, [x], i) => sum + (1 / (1 + Math.exp(-w * x!)) - labels[i]!) * x!, 0) / 100;
      w -= 2 * 2 * slope;
    }
    expect(last[2]! - last[0]!).toBeCloseTo(w, 9);
  });

  it('lets no row move a step by more than C', () => {
    const moved = (clippingNorm: number) => {
      const step = {
        ...setting,
        steps: 1,
        rate: 1,
        lot: 1,
        learningRate: 1,
        clippingNorm,
        epsilon: Infinity,
      };
      const source = predictableRandomness('c');
      return Math.hypot(...privateDescent(source, [[1000]], [0], logisticModel(1, 2), step).last);
    };
    expect(moved(0.5)).toBeCloseTo(0.5, 12);
    expect(moved(Infinity)).toBeGreaterThan(700);
  });

  it('refuses noise for gradients of any length', () => {
    expect(() => run('a', { clippingNorm: Infinity })).toThrow('"clippingNorm"');
    expect(() => run('a', { rate: 0 })).toThrow('"rate"');
  });
});
