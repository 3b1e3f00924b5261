/** Noise and choices of each mechanism against their exact distributions; calibrations over arbitrary parameters; refusals by name. */

import { calibrateAnalyticGaussian, dpDeltaOfGaussian, systemRandomness } from '@eigenveil/privacy';
import { normalDensity, rationalOf } from '@eigenveil/privacy/parts';
import { pValue } from '@eigenveil/testbed/goodness/goodness';
import { integrate } from '@eigenveil/testbed/goodness/integrate';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import {
  calibrateClassicGaussian,
  calibrateDiscreteLaplace,
  calibrateLaplace,
  discreteLaplaceMechanism,
  gaussianMechanism,
  laplaceMechanism,
} from '../../privacy/mechanisms/additive.ts';
import { exponentialMechanism, randomisedResponse } from '../../privacy/mechanisms/choices.ts';
import {
  secondMomentSensitivity,
  symmetricGaussianNoise,
  symmetricLaplaceNoise,
  wishartNoise,
} from '../../privacy/mechanisms/matrices.ts';
import { calibrateWishart } from '../../privacy/mechanisms/wishart-calibration.ts';
import { RealDraws } from '../../privacy/random/real.ts';

const ALL = 40_000;
const ALL_RUNS = 4_000;
const PLAUSIBLE = 1e-3;
const IMPLAUSIBLE = 1e-6;
const refused = expect.objectContaining({ code: 'ERR_DP_PARAMETER' });

/** Probabilities of the cells [i/4, (i + 1)/4) under a density. */
function celled(density: (x: number) => number, from: number, to: number): Map<bigint, number> {
  const cells = new Map<bigint, number>();
  for (let i = 4 * from; i < 4 * to; i++) cells.set(BigInt(i), integrate(density, i / 4, (i + 1) / 4, 50));
  return cells;
}

const varianceOf = (values: readonly number[]): number => {
  const centre = mean(values);
  return mean(values.map((x) => (x - centre) ** 2));
};
const cellsOf = (values: readonly number[]): bigint[] => values.map((value) => BigInt(Math.floor(4 * value)));
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Seeds are fixed, so a right mechanism fails never or always. */
for (const { title, tags, of } of SAMPLES)
  describe(title, { tags }, () => {
    const count = of(ALL);
    const runs = of(ALL_RUNS);
    /** A parameter that is off by this share; by more with fewer samples, so that it is as plain. */
    const off = (share: number) => 1 + share * Math.sqrt(ALL / count);

    describe('real draws', () => {
      const draws = new RealDraws(predictableRandomness('real draws'));

      it('normal', () => {
        const cells = cellsOf(range(count).map(() => draws.normal()));
        expect(pValue(cells, celled(normalDensity, -9, 9))).toBeGreaterThan(PLAUSIBLE);
        const wider = celled((x) => normalDensity(x / off(0.05)) / off(0.05), -9, 9);
        expect(pValue(cells, wider)).toBeLessThan(IMPLAUSIBLE);
      });

      it('Laplace', () => {
        const density = (scale: number) => (x: number) => Math.exp(-Math.abs(x) / scale) / (2 * scale);
        const cells = cellsOf(range(count).map(() => draws.laplace()));
        expect(pValue(cells, celled(density(1), -40, 40))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(cells, celled(density(off(0.06)), -40, 40))).toBeLessThan(IMPLAUSIBLE);
      });

      it.each([0.5, 1, 1.5, 7.5])('gamma of shape %d', (shape) => {
        // In w = √x, where shapes of a half have a finite density.
        const density = (a: number) => {
          const raw = (w: number) => w ** (2 * a - 1) * Math.exp(-w * w);
          const total = integrate(raw, 0, 12);
          return (w: number) => raw(w) / total;
        };
        const cells = cellsOf(range(count).map(() => Math.sqrt(draws.gamma(shape))));
        expect(pValue(cells, celled(density(shape), 0, 12))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(cells, celled(density(shape * off(0.05)), 0, 12))).toBeLessThan(IMPLAUSIBLE);
      });
    });

    it('additive mechanisms add noise of the scale they were given to the values they were given', () => {
      const values = new Array<number>(count).fill(1000);
      const source = predictableRandomness('additive');
      const all = [
        { noisy: gaussianMechanism(source, values, { sigma: 3 }), variance: 9 },
        { noisy: laplaceMechanism(source, values, { scale: 3 }), variance: 18 },
        {
          noisy: discreteLaplaceMechanism(source, values, { sensitivity: 3n, epsilon: 1 }),
          variance: 1 / (2 * Math.sinh(1 / 6) ** 2),
        },
      ];
      for (const { noisy, variance } of all) {
        expect(Math.abs(mean(noisy) - 1000)).toBeLessThan(4 * Math.sqrt(variance / count));
        expect(Math.abs(varianceOf(noisy) / variance - 1)).toBeLessThan(4 * Math.sqrt(5 / count));
      }
    });

    it.each([
      [2, 1],
      [5, 0.4],
      [10, 3],
    ])(
      'randomised response of %d categories tells the truth with probability e^%d/(e^ε + k − 1)',
      (categories, epsilon) => {
        const source = predictableRandomness(`response ${categories}`);
        const answers = range(count).map(() =>
          BigInt(randomisedResponse(source, 1, { categories, epsilon })),
        );
        const expected = (actual: number) =>
          new Map(
            range(categories).map((i) => [
              BigInt(i),
              (i === 1 ? Math.exp(actual) : 1) / (Math.exp(actual) + categories - 1),
            ]),
          );
        expect(pValue(answers, expected(epsilon))).toBeGreaterThan(PLAUSIBLE);
        expect(pValue(answers, expected(epsilon + 0.15 * Math.sqrt(ALL / count)))).toBeLessThan(IMPLAUSIBLE);
      },
    );

    const source = predictableRandomness('symmetric');
    it.each([
      { name: 'Gaussian', draw: () => symmetricGaussianNoise(source, 3, { sigma: 2 }), variance: 4 },
      { name: 'Laplace', draw: () => symmetricLaplaceNoise(source, 3, { scale: 2 }), variance: 8 },
    ])(
      '$name noise: mirrored, one independent draw per entry on and above the diagonal',
      ({ draw, variance }) => {
        const matrices = range(runs).map(draw);
        for (const matrix of matrices) {
          expect(matrix).toEqual(range(3).map((j) => matrix.map((row) => row[j]!)));
        }
        const places = range(3).flatMap((i) => range(3 - i).map((j) => [i, i + j] as const));
        for (const [i, j] of places) {
          for (const [k, l] of places) {
            const product = mean(matrices.map((matrix) => matrix[i]![j]! * matrix[k]![l]!));
            const same = i === k && j === l;
            expect(Math.abs(product - (same ? variance : 0))).toBeLessThan(
              4 * variance * Math.sqrt((same ? 5 : 1) / runs),
            );
          }
        }
      },
    );
    it('Wishart noise has the mean and the variances of a Wishart matrix, is symmetric and positive definite', () => {
      const [k, scale] = [7, 0.5];
      const source = predictableRandomness('wishart');
      const matrices = range(runs).map(() => wishartNoise(source, 3, { degreesOfFreedom: k, scale }));
      for (const matrix of matrices) {
        expect(matrix).toEqual(range(3).map((j) => matrix.map((row) => row[j]!)));
        expect(new CholeskyDecomposition(new Matrix(matrix)).isPositiveDefinite()).toBe(true);
      }
      for (const i of range(3)) {
        for (const j of range(3)) {
          const entries = matrices.map((matrix) => matrix[i]![j]!);
          const expected = scale ** 2 * k * (i === j ? 2 : 1);
          const off = Math.abs(mean(entries) - (i === j ? scale * k : 0));
          expect(off).toBeLessThan(4 * Math.sqrt(expected / runs));
          expect(Math.abs(varianceOf(entries) / expected - 1)).toBeLessThan(4 * Math.sqrt(6 / runs));
        }
      }
    });
  });

describe('additive mechanisms', () => {
  it('calibrate exactly, or up', () => {
    expect(calibrateLaplace({ sensitivity: 3, epsilon: 2 })).toBeCloseTo(1.5, 15);
    expect(calibrateLaplace({ sensitivity: 3, epsilon: 2 })).toBeGreaterThan(1.5);
    expect(calibrateDiscreteLaplace({ sensitivity: 10n ** 30n, epsilon: 0.75 })).toEqual({
      numerator: 4n * 10n ** 30n,
      denominator: 3n,
    });
  });

  it('add exactly nothing for epsilon Infinity', () => {
    const unlimited = { epsilon: Infinity, dpDelta: 1e-9 };
    const values = [0.1, -3e300, 7];
    const integers = [Number.MAX_SAFE_INTEGER, -5, 0];
    const sigma = calibrateAnalyticGaussian({ sensitivity: 1, ...unlimited });
    const scale = calibrateLaplace({ sensitivity: 1, ...unlimited });
    const wishart = { dimension: 2, degreesOfFreedom: 3 };
    const zeros = new Array(2).fill([0, 0]);
    expect(gaussianMechanism(systemRandomness, values, { sigma })).toEqual(values);
    expect(laplaceMechanism(systemRandomness, values, { scale })).toEqual(values);
    const claim = { sensitivity: 1n, epsilon: Infinity };
    expect(discreteLaplaceMechanism(systemRandomness, integers, claim)).toEqual(integers);
    expect(symmetricGaussianNoise(systemRandomness, 2, { sigma })).toEqual(zeros);
    expect(symmetricLaplaceNoise(systemRandomness, 2, { scale })).toEqual(zeros);
    const none = { degreesOfFreedom: 3, scale: calibrateWishart({ ...wishart, ...unlimited }) };
    expect(wishartNoise(systemRandomness, 2, none)).toEqual(zeros);
  });
});

describe('the classic calibration of Gaussian noise', () => {
  it.each(
    [0.01, 0.1, 0.5, 1].flatMap((epsilon) => [1e-15, 1e-6, 0.5].map((dpDelta) => ({ epsilon, dpDelta }))),
  )('is valid but larger: epsilon $epsilon, delta $dpDelta', (budget) => {
    const classic = calibrateClassicGaussian({ sensitivity: 3, ...budget });
    expect(classic).toBeGreaterThan(calibrateAnalyticGaussian({ sensitivity: 3, ...budget }));
    expect(classic).toBeCloseTo((3 * Math.sqrt(2 * Math.log(1.25 / budget.dpDelta))) / budget.epsilon, 6);
  });

  it.each([1.0000001, 2, 10, Infinity])('is refused for epsilon %d', (epsilon) => {
    expect(() => calibrateClassicGaussian({ sensitivity: 1, epsilon, dpDelta: 1e-5 })).toThrow(refused);
  });

  it('is refused for a reason: at epsilon 10 the classic formula gives too little noise', () => {
    const sigma = Math.sqrt(2 * Math.log(1.25 / 1e-3)) / 10;
    expect(dpDeltaOfGaussian({ sigma, sensitivity: 1, epsilon: 10 })).toBeGreaterThan(1e-3);
  });
});

describe('exponentialMechanism', () => {
  const utilities = [0n, 3n, 5n, -2n];

  it.each([0.3, 1, 6])(
    'chooses with probability proportional to exp(epsilon u/(2 sensitivity)), epsilon %d',
    (epsilon) => {
      const source = predictableRandomness(`exponential ${epsilon}`);
      const chosen = range(ALL / 4).map(() =>
        BigInt(exponentialMechanism(source, utilities, { sensitivity: 2n, epsilon })),
      );
      const expected = (actual: number) => {
        const weights = utilities.map((utility) => Math.exp((actual * Number(utility)) / 4));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return new Map(weights.map((weight, i) => [BigInt(i), weight / total]));
      };
      expect(pValue(chosen, expected(epsilon))).toBeGreaterThan(PLAUSIBLE);
      expect(pValue(chosen, expected(epsilon * 1.5))).toBeLessThan(IMPLAUSIBLE);
      expect(pValue(chosen, expected(epsilon / 1.5))).toBeLessThan(IMPLAUSIBLE);
    },
  );

  it('chooses a best candidate for epsilon Infinity, each of them, and only those', () => {
    const source = predictableRandomness('best');
    const parameters = { sensitivity: 1n, epsilon: Infinity };
    const chosen = new Set(range(100).map(() => exponentialMechanism(source, [4n, 1n, 4n, 3n], parameters)));
    expect([...chosen].sort()).toEqual([0, 2]);
  });

  it('copes with utilities of any size', () => {
    const parameters = { sensitivity: 1n << 60n, epsilon: 1e-3 };
    expect(exponentialMechanism(systemRandomness, [0n, 1n << 200n], parameters)).toBe(1);
  });

  it('refuses an empty list and a sensitivity of 0', () => {
    const choose = (list: bigint[], sensitivity: bigint) => () =>
      exponentialMechanism(systemRandomness, list, { sensitivity, epsilon: 1 });
    expect(choose([], 1n)).toThrow(refused);
    expect(choose([1n], 0n)).toThrow(refused);
  });
});

describe('randomisedResponse', () => {
  it('tells only the truth for epsilon Infinity', () => {
    const parameters = { categories: 7, epsilon: Infinity };
    expect(range(7).map((i) => randomisedResponse(systemRandomness, i, parameters))).toEqual(range(7));
  });

  it('refuses what is no category, without saying what it was', () => {
    for (const category of [-71, 3.5, Number.NaN, 4711]) {
      const answer = () => randomisedResponse(systemRandomness, category, { categories: 8, epsilon: 1 });
      expect(answer).toThrow(refused);
      expect(answer).not.toThrow(String(category));
    }
    expect(() => randomisedResponse(systemRandomness, 0, { categories: 1, epsilon: 1 })).toThrow(refused);
  });
});

const epsilons = fc.double({ min: -4, max: 1.5, noNaN: true }).map((exponent) => 10 ** exponent);
const deltas = fc.double({ min: -15, max: -0.1, noNaN: true }).map((exponent) => 10 ** exponent);
const sensitivities = fc.double({ min: -3, max: 9, noNaN: true }).map((exponent) => 10 ** exponent);
const naturals = fc.bigInt({ min: 1n, max: 1n << 240n });

describe('calibrations', () => {
  it('of Wishart noise give less for a larger epsilon or delta', () => {
    const wishart = { dimension: 5, degreesOfFreedom: 40 };
    fc.assert(
      fc.property(epsilons, deltas, (epsilon, dpDelta) => {
        const scaleOf = (change: { epsilon?: number; dpDelta?: number }) =>
          calibrateWishart({ ...wishart, epsilon, dpDelta, ...change });
        const scale = scaleOf({});
        expect(scaleOf({ epsilon: epsilon * 1.5 })).toBeLessThan(scale);
        expect(scaleOf({ dpDelta: dpDelta ** 0.9 })).toBeLessThan(scale);
      }),
      { numRuns: 60 },
    );
  });

  it('of Laplace noise are proportional to the sensitivity', () => {
    fc.assert(
      fc.property(epsilons, sensitivities, (epsilon, sensitivity) => {
        const [scale, one] = [sensitivity, 1].map((of) => calibrateLaplace({ sensitivity: of, epsilon }));
        expect(scale! / one! / sensitivity).toBeCloseTo(1, 12);
      }),
    );
    fc.assert(
      fc.property(epsilons, naturals, (epsilon, sensitivity) => {
        const { numerator, denominator } = calibrateDiscreteLaplace({ sensitivity, epsilon });
        const exact = rationalOf('epsilon', epsilon);
        expect(numerator * exact.numerator).toBe(sensitivity * exact.denominator * denominator);
      }),
    );
  });

  it('refuse what is out of range, by name', () => {
    const wishart = { dimension: 2, degreesOfFreedom: 5, epsilon: 1, dpDelta: 1e-6 };
    for (const epsilon of [0, -1, Number.NaN]) {
      expect(() => calibrateLaplace({ sensitivity: 1, epsilon })).toThrow(refused);
      expect(() => calibrateDiscreteLaplace({ sensitivity: 1n, epsilon })).toThrow(refused);
      expect(() => calibrateWishart({ ...wishart, epsilon })).toThrow(refused);
    }
    for (const dpDelta of [0, 1, -1, Number.NaN]) {
      expect(() => calibrateWishart({ ...wishart, dpDelta })).toThrow(refused);
    }
    for (const sensitivity of [0, -1, Infinity, Number.NaN]) {
      expect(() => calibrateLaplace({ sensitivity, epsilon: 1 })).toThrow(refused);
    }
    expect(() => calibrateDiscreteLaplace({ sensitivity: -1n, epsilon: 1 })).toThrow(refused);
    for (const scale of [-1, Number.NaN, Infinity]) {
      expect(() => gaussianMechanism(systemRandomness, [1], { sigma: scale })).toThrow(refused);
      expect(() => laplaceMechanism(systemRandomness, [1], { scale })).toThrow(refused);
    }
    expect(() => symmetricGaussianNoise(systemRandomness, 0, { sigma: 1 })).toThrow('"dimension"');
    expect(() => secondMomentSensitivity(1.5, 'replace')).toThrow(refused);
    expect(() => wishartNoise(systemRandomness, 3, { degreesOfFreedom: 3, scale: 1 })).toThrow(refused);
    expect(() => calibrateWishart({ ...wishart, degreesOfFreedom: 3.5 })).toThrow(refused);
  });
});
