/** Logistic regression with noise in its objective and on its output: its minimum, its sensitivity, its noise, and the densities of what it releases. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ballNoise,
  classOf,
  minimum,
  objectivePerturbed,
  outputPerturbed,
  shareOfObjective,
} from '../../learners/perturbed-regression.ts';

const source = predictableRandomness;
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const sigmoid = (z: number) => 1 / (1 + Math.exp(-z));

/** −Σ ℓ′(y fᵀx) y x, written with labels 0 and 1. */
function pull(rows: readonly (readonly number[])[], labels: readonly number[], f: readonly number[]) {
  return f.map((_, i) =>
    rows.reduce((sum, row, j) => sum + (labels[j]! - sigmoid(dot(f, row))) * row[i]!, 0),
  );
}

/** Rows in the unit disk with labels, and one more of both to stand in place of the first. */
const data = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 11 }), fc.nat(1)), {
    minLength: 2,
    maxLength: 12,
  })
  .map((cells) => ({
    rows: cells.map(([length, hour]) => {
      const angle = (Math.PI * hour) / 6;
      return [length * Math.cos(angle), length * Math.sin(angle)];
    }),
    labels: cells.map(([, , label]) => label),
  }))
  .map(({ rows: [other, ...rows], labels: [label, ...labels] }) => ({
    rows,
    labels,
    others: [other!, ...rows.slice(1)],
    otherLabels: [label!, ...labels.slice(1)],
  }));
const lambdas = fc.constantFrom(0.001, 0.03, 1);
const length = fc.double({ min: -30, max: 30, noNaN: true });

describe('the minimum', () => {
  it('has no gradient, whatever is tilted', () => {
    fc.assert(
      fc.property(data, lambdas, fc.tuple(length, length), ({ rows, labels }, lambda, tilt) => {
        const f = minimum(rows, labels, { lambda, tilt });
        const pulled = pull(rows, labels, f);
        const gradient = f.map((weight, i) => lambda * weight + tilt[i]! - pulled[i]! / rows.length);
        expect(Math.hypot(...gradient)).toBeLessThan(1e-7);
      }),
    );
  });

  it('moves by no more than 2/(nΛ) when a row is replaced, and by half of that where Λ is large', () => {
    fc.assert(
      fc.property(data, lambdas, ({ rows, labels, others, otherLabels }, lambda) => {
        const [f, g] = [minimum(rows, labels, { lambda }), minimum(others, otherLabels, { lambda })];
        expect(Math.hypot(...f.map((x, i) => x - g[i]!))).toBeLessThanOrEqual(
          2 / (rows.length * lambda) + 1e-6,
        );
      }),
    );
    // Where Λ is large f is near 0, ℓ′ near −1/2, and a turned label moves f by 1/(nΛ).
    const [f] = minimum([[1]], [1], { lambda: 50 });
    const [g] = minimum([[1]], [0], { lambda: 50 });
    expect((f! - g!) * 50).toBeCloseTo(1, 1);
  });

  it('refuses rows beyond the unit ball, and labels that are not 0 or 1', () => {
    expect(() => minimum([[1, 0.1]], [1], { lambda: 1 })).toThrow('"rows"');
    expect(() => minimum([], [], { lambda: 1 })).toThrow('"rows"');
    expect(() => minimum([[1]], [2], { lambda: 1 })).toThrow('"labels"');
    expect(() => minimum([[1]], [1], { lambda: 0 })).toThrow('"lambda"');
  });
});

describe('its noise', () => {
  it('has density ∝ exp(−β‖b‖): its length by quantiles, its direction by moments', () => {
    const random = source('ball');
    const noise = Array.from({ length: 20_000 }, () => ballNoise(random, 2, 3));
    for (const r of [0.2, 0.5, 1, 1.5]) {
      const within = noise.filter((b) => Math.hypot(...b) <= r).length / noise.length;
      // Of Gamma(2, 1/β).
      expect(within).toBeCloseTo(1 - Math.exp(-3 * r) * (1 + 3 * r), 1.8);
    }
    for (const [i, j] of [
      [0, 0],
      [1, 1],
      [0, 1],
    ] as const) {
      const products = noise.map((b) => (b[i]! * b[j]!) / dot(b, b));
      expect(mean(products)).toBeCloseTo(i === j ? 1 / 2 : 0, 1.8);
    }
    // E‖b‖ = d/β.
    const lengths = Array.from({ length: 20_000 }, () => Math.hypot(...ballNoise(random, 7, 2)));
    expect(mean(lengths)).toBeCloseTo(3.5, 1);
  });

  it('in the objective takes what the printed rule leaves', () => {
    expect(shareOfObjective(100, { lambda: 0.01, epsilon: 1 })).toEqual({
      slack: 0,
      left: expect.closeTo(1 - 2 * Math.log(1.25), 12),
    });
    const { slack, left } = shareOfObjective(100, { lambda: 0.01, epsilon: 0.1 });
    expect(left).toBe(0.05);
    expect(slack).toBeCloseTo(0.0025 / (Math.exp(0.025) - 1) - 0.01, 12);
  });

  it('is what is drawn: the objective’s comes back from f, the output’s from its distance', () => {
    const { rows, labels } = madeUp(40);
    const n = rows.length;
    for (const epsilon of [0.1, 5]) {
      const setting = { lambda: 0.05, epsilon };
      const f = objectivePerturbed(source('o'), rows, labels, setting);
      const { slack, left } = shareOfObjective(n, setting);
      const pulled = pull(rows, labels, f);
      const told = f.map((weight, i) => pulled[i]! - n * (0.05 + slack) * weight);
      for (const [i, b] of ballNoise(source('o'), 2, left / 2).entries()) expect(told[i]).toBeCloseTo(b, 5);
      const g = outputPerturbed(source('p'), rows, labels, setting);
      const exact = minimum(rows, labels, setting);
      const noise = ballNoise(source('p'), 2, (n * 0.05 * epsilon) / 2);
      for (const [i, weight] of g.entries()) expect(weight - exact[i]!).toBeCloseTo(noise[i]!, 9);
    }
  });
});

it('releases any f with densities that differ by e^ε at most', () => {
  const epsilons = fc.constantFrom(0.1, 1, 4);
  let worst = 0;
  fc.assert(
    fc.property(data, lambdas, epsilons, fc.tuple(length, length), (both, lambda, epsilon, f) => {
      const n = both.rows.length;
      const { slack, left } = shareOfObjective(n, { lambda, epsilon });
      const ridge = n * (lambda + slack);
      const logDensity = (rows: typeof both.rows, labels: readonly number[]) => {
        const pulled = pull(rows, labels, f);
        const b = f.map((weight, i) => pulled[i]! - ridge * weight);
        const entry = (i: number, j: number) =>
          rows.reduce((sum, row) => {
            const s = sigmoid(dot(f, row));
            return sum + s * (1 - s) * row[i]! * row[j]!;
          }, 0);
        const determinant = (entry(0, 0) + ridge) * (entry(1, 1) + ridge) - entry(0, 1) ** 2;
        return Math.log(determinant) - (left / 2) * Math.hypot(...b);
      };
      const off = logDensity(both.rows, both.labels) - logDensity(both.others, both.otherLabels);
      worst = Math.max(worst, Math.abs(off) / epsilon);
      expect(Math.abs(off)).toBeLessThanOrEqual(epsilon);
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(worst).toBeGreaterThan(0.3);
});

it('learns, repeats by its seed, and is the same without noise in either way', () => {
  const { rows, labels } = madeUp(400);
  for (const perturbed of [objectivePerturbed, outputPerturbed]) {
    const learnt = (epsilon: number) => perturbed(source('l'), rows, labels, { lambda: 0.01, epsilon });
    const right = (epsilon: number) =>
      rows.filter((row, i) => classOf(learnt(epsilon), row) === labels[i]).length / rows.length;
    expect(right(Infinity)).toBeGreaterThan(0.95);
    expect(right(20)).toBeGreaterThan(0.9);
    expect(learnt(1)).toEqual(learnt(1));
    expect(learnt(Infinity)).toEqual(minimum(rows, labels, { lambda: 0.01 }));
  }
});

/** The class is the side of a line through 0. */
function madeUp(count: number) {
  const next = generator(seedOf('perturbation'));
  const rows = Array.from({ length: count }, () => [next() - 0.5, next() - 0.5]);
  return { rows, labels: rows.map(([a, b]) => Number(a! > b! / 2)) };
}
