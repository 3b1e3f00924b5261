import { generator } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attackOnce } from '../../privacy/attack.ts';
import { loadLaboratoryData, RANGES, scale } from '../../privacy/data.ts';
import { PCA_METHODS } from '../../privacy/methods/index.ts';
import { norm } from '../../privacy/methods/matrix.ts';
import { energyRatio, subspaceDistance, truthOf } from '../../privacy/metrics.ts';
import { crossing } from '../../privacy/promises.ts';
import { dealToSites, settingOf } from '../../privacy/setting.ts';

describe('rows', () => {
  it('come into the unit ball from anywhere, by ranges that do not depend on them', () => {
    const ranges = RANGES.pima!.ranges;
    fc.assert(
      fc.property(
        fc.tuple(...ranges.map(() => fc.double({ min: -1e6, max: 1e6, noNaN: true }))),
        (row) => norm(scale(row, ranges)) <= 1 + 1e-12,
      ),
    );
    const [to4, none] = [[0, 4] as const, [5, 5] as const];
    const scaled = scale([0, 7, 5, 4], [to4, to4, none, to4]);
    expect(scaled).toEqual([-0.5, 0.5, 0, 0.5]);
  });

  it('are dealt to sites of different sizes, or of one, each once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 200 }),
        fc.nat(),
        (sites, more, seed) => {
          const rows = Array.from({ length: 2 * sites + more }, (_, i) => i);
          const spread = dealToSites(rows, sites, generator(1 + seed));
          expect(spread).toHaveLength(sites);
          expect(spread.flat().toSorted((a, b) => a - b)).toEqual(rows);
          expect(Math.min(...spread.map(({ length }) => length))).toBeGreaterThanOrEqual(2);
          const alike = dealToSites(rows, sites, generator(1 + seed), 'equal');
          expect(alike.flat()).toEqual(spread.flat());
          const lengths = alike.map(({ length }) => length);
          expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        },
      ),
    );
    const many = dealToSites(new Array<number>(500).fill(0), 10, generator(7));
    expect(many.at(-1)!.length).toBeGreaterThan(4 * many[0]!.length);
    expect(() => dealToSites([1, 2, 3], 2, generator(7))).toThrow('"sites" expected at most 1, got 2');
  });
});

describe('metrics', () => {
  const [x, y, z] = [0, 1, 2].map((axis) => [0, 0, 0].with(axis, 1)) as [number[], number[], number[]];
  const truth = truthOf(
    [2, -2].flatMap((by) =>
      [x, y.map((at) => at / 2), z.map((at) => at / 4)].map((row) => row.map((at) => at * by)),
    ),
  );

  it('are those of the best for the best, whatever the basis', () => {
    const turned = [
      [Math.SQRT1_2, Math.SQRT1_2, 0],
      [Math.SQRT1_2, -Math.SQRT1_2, 0],
    ];
    expect(energyRatio(turned, 2, truth)).toBeCloseTo(1, 12);
    expect(subspaceDistance(turned, 2, truth)).toBeCloseTo(0, 7);
  });

  it('are what a calculation by hand says', () => {
    // Scatter 8, 2 and 0.5 along the axes.
    expect(energyRatio([y], 1, truth)).toBeCloseTo(2 / 8, 12);
    expect(energyRatio([x, z], 2, truth)).toBeCloseTo(8.5 / 10, 12);
    expect(subspaceDistance([x, z], 2, truth)).toBeCloseTo(Math.SQRT1_2, 12);
    expect(subspaceDistance([y], 1, truth)).toBeCloseTo(1, 12);
  });

  it('are the worst where there are no components', () => {
    expect(energyRatio(undefined, 1, truth)).toBe(0);
    expect(subspaceDistance(undefined, 1, truth)).toBe(1);
  });
});

it('Laplace noise is less than Gaussian noise up to as many features as the formulas say', () => {
  // Deviations (d + 1)/(√2 ε) on all entries, and with two servers √3 σ on the diagonal and √1.5 σ off it: d (d + 1) = 3 ε² σ², σ = 3.7306 at ε = 1.
  expect(3 * 3.7306 ** 2).toBeCloseTo(41.75, 2);
  expect([5 * 6, 6 * 7]).toEqual([30, 42]);
  expect(crossing(1, 2)).toBe(5);
  // With one server half of that: 3 · 4 and 4 · 5 are to its sides.
  expect(crossing(1, 1)).toBe(4);
});

it('the attack recovers covariances, and the same attempt leaves Eigenveil’s noise', async () => {
  const { rows } = (await loadLaboratoryData('pima'))!;
  const { message, recovered, difference, released, attempted } = attackOnce(rows, 'pima', 1);
  expect(message).toBeGreaterThan(5);
  expect(recovered).toBeLessThan(1e-10);
  expect(difference).toBeLessThan(1e-10);
  expect(released).toBeGreaterThan(attempted);
  expect(attempted).toBeGreaterThan(released / 3);
});

it('methods clip as did best for a method’s kind: by its exact mean, or not', () => {
  const norms = PCA_METHODS.map((method) => [method.name, settingOf(method, 2, 1).clippingNorm]);
  expect(Object.fromEntries(norms)).toMatchObject({
    'dpdispca-recalibrated': 0,
    hpdp: 0,
    eigenveil: Math.sqrt(1 / 3),
    central: Math.sqrt(1 / 3),
  });
});
