/**
 * Attacks on every mechanism: what they prove stays below the claimed ε and near it, and mechanisms broken in the ways that
 * have been published are caught.
 */

import {
  calibrateAnalyticGaussian,
  discreteGaussianSampler,
  discreteLaplaceSampler,
  type RandomSource,
  rhoOfBudget,
} from '@eigenveil/privacy';
import { rationalOf } from '@eigenveil/privacy/parts';
import {
  each,
  epsilonBound,
  type Hits,
  lowerRate,
  pOfPromise,
  provenEpsilon,
  upperRate,
} from '@eigenveil/testbed/goodness/audit';
import { deltaBySum, discreteGaussian } from '@eigenveil/testbed/goodness/goodness';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import {
  calibrateDiscreteLaplace,
  calibrateLaplace,
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

const EPSILON = 1;
const DELTA = 0.05;

interface Audit {
  readonly name: string;
  /** The claim's δ, and the mechanism on neighbours; `told` is the sensitivity that the calibration is told, of a true 1. */
  readonly attack: (source: RandomSource, told: number) => { dpDelta: number; left: Hits; right: Hits };
  readonly runs: number;
  /** The least that an attack with so few runs proves when ε is used up. */
  readonly reached: number;
}

/** How often a mechanism gives such an output of a value. */
const count =
  (
    value: number,
    mechanism: (values: readonly number[]) => readonly number[],
    event: (output: number) => boolean,
  ): Hits =>
  (runs) =>
    mechanism(new Array<number>(runs).fill(value)).filter(event).length;

/** From where on a value with the row, 1, is e^ε times likelier than without, 0. */
const threshold = (sigma: number): number => sigma ** 2 * EPSILON + 0.5;

const AUDITS: readonly Audit[] = [
  {
    name: 'Laplace',
    runs: 40_000,
    reached: 0.9,
    attack: (source, told) => {
      const scale = calibrateLaplace({ sensitivity: told, epsilon: EPSILON });
      const below = (value: number) =>
        count(
          value,
          (values) => laplaceMechanism(source, values, { scale }),
          (output) => output <= 0,
        );
      return { dpDelta: 0, left: below(0), right: below(1) };
    },
  },
  {
    name: 'discrete Laplace',
    runs: 40_000,
    reached: 0.9,
    attack: (source, told) => {
      const scale = calibrateDiscreteLaplace({ sensitivity: BigInt(told * 10), epsilon: EPSILON });
      const draw = discreteLaplaceSampler(source, { scale });
      return { dpDelta: 0, left: each(() => draw() <= 0n), right: each(() => draw() + 10n <= 0n) };
    },
  },
  {
    name: 'Gaussian',
    runs: 40_000,
    reached: 0.75,
    attack: (source, told) => {
      const sigma = calibrateAnalyticGaussian({ sensitivity: told, epsilon: EPSILON, dpDelta: DELTA });
      const isAbove = (output: number) => output > threshold(sigma);
      const above = (value: number) =>
        count(value, (values) => gaussianMechanism(source, values, { sigma }), isAbove);
      return { dpDelta: DELTA, left: above(1), right: above(0) };
    },
  },
  {
    name: 'discrete Gaussian',
    runs: 40_000,
    reached: 0.7,
    attack: (source, told) => {
      // ρ = Δ²/(2σ²): Canonne, Kamath and Steinke (2020), section 2.2.
      const rho = rhoOfBudget({ epsilon: EPSILON, dpDelta: DELTA });
      const sigmaSquared = rationalOf('sigmaSquared', (told * 10) ** 2 / (2 * rho));
      const variance = Number(sigmaSquared.numerator) / Number(sigmaSquared.denominator);
      const draw = discreteGaussianSampler(source, { sigmaSquared });
      const least = BigInt(Math.ceil(10 * threshold(Math.sqrt(variance) / 10)));
      // The calibration is by a bound, so the least δ is smaller than the one asked for: the sharper claim is attacked.
      const dpDelta = Math.min(DELTA, deltaBySum(discreteGaussian(variance), BigInt(told * 10), EPSILON));
      return { dpDelta, left: each(() => draw() + 10n > least), right: each(() => draw() > least) };
    },
  },
  {
    name: 'exponential',
    runs: 20_000,
    reached: 0.55,
    attack: (source, told) => {
      const parameters = { sensitivity: BigInt(told * 2), epsilon: EPSILON };
      const others = new Array<bigint>(20).fill(0n);
      const favoured = [2n, ...others];
      const disfavoured = [0n, ...others.map(() => 2n)];
      const first = (utilities: bigint[]) =>
        each(() => exponentialMechanism(source, utilities, parameters) === 0);
      return { dpDelta: 0, left: first(favoured), right: first(disfavoured) };
    },
  },
  {
    name: 'randomised response',
    runs: 20_000,
    reached: 0.85,
    attack: (source, told) => {
      const parameters = { categories: 4, epsilon: EPSILON / told };
      const answers2 = (truth: number) => each(() => randomisedResponse(source, truth, parameters) === 2);
      return { dpDelta: 0, left: answers2(2), right: answers2(0) };
    },
  },
  {
    name: 'symmetric Gaussian',
    runs: 20_000,
    reached: 0.65,
    attack: (source, told) => {
      const { l2 } = secondMomentSensitivity(2, 'add-remove');
      const sigma = calibrateAnalyticGaussian({ sensitivity: l2 * told, epsilon: EPSILON, dpDelta: DELTA });
      // The row is the second axis.
      const above = (value: number) =>
        each(() => symmetricGaussianNoise(source, 2, { sigma })[1]![1]! + value > threshold(sigma));
      return { dpDelta: DELTA, left: above(1), right: above(0) };
    },
  },
  {
    name: 'symmetric Laplace',
    runs: 20_000,
    reached: 0.7,
    attack: (source, told) => {
      const { l1 } = secondMomentSensitivity(2, 'add-remove');
      const scale = calibrateLaplace({ sensitivity: l1 * told, epsilon: EPSILON });
      // The row is (1, 1)/√2, which adds ½ to every entry.
      const below = (value: number) =>
        each(() =>
          symmetricLaplaceNoise(source, 2, { scale })
            .flat()
            .every((entry) => entry + value <= 0),
        );
      return { dpDelta: 0, left: below(0), right: below(0.5) };
    },
  },
  {
    name: 'Wishart',
    runs: 10_000,
    reached: 0.5,
    attack: (source, told) => {
      const shape = { dimension: 3, degreesOfFreedom: 60 };
      // Scale is in squared units of the bound on rows.
      const scale = told * calibrateWishart({ ...shape, epsilon: EPSILON, dpDelta: DELTA });
      const exponent = (EPSILON + 1 / (2 * scale)) / ((shape.degreesOfFreedom - 2) / 2 - 1);
      const most = 1 / -Math.expm1(-exponent);
      return { dpDelta: DELTA, ...heights(source, scale, shape.degreesOfFreedom, most) };
    },
  },
];

/** The event T <= most of wishart-calibration.ts, without and with a row along a slanted direction u. */
function heights(source: RandomSource, scale: number, degreesOfFreedom: number, most: number) {
  const u = Matrix.columnVector([2 / 3, -1 / 3, 2 / 3]);
  const low = (row: number) =>
    each(() => {
      const X = new Matrix(wishartNoise(source, 3, { degreesOfFreedom, scale }));
      X.add(u.mmul(u.transpose()).mul(row));
      return 1 / u.transpose().mmul(new CholeskyDecomposition(X).solve(u)).get(0, 0) <= most;
    });
  return { left: low(0), right: low(1) };
}

for (const { title, tags, whole, of } of SAMPLES)
  describe(`audits, ${title}`, { tags }, () => {
    it.each(AUDITS)('$name keeps its claim, which the attack comes near', (audit) => {
      const { name, attack, runs, reached } = audit;
      const events = attack(predictableRandomness(`audit ${name}`), 1);
      const proven = provenEpsilon({ ...events, runs: of(runs) });
      expect(proven).toBeLessThanOrEqual(EPSILON);
      if (whole) expect(proven).toBeGreaterThan(reached);
    });

    it.each(AUDITS)('$name with half the sensitivity is caught', ({ name, attack, runs }) => {
      const events = attack(predictableRandomness(`broken ${name}`), 0.5);
      expect(provenEpsilon({ ...events, runs: of(runs) })).toBeGreaterThan(EPSILON);
    });

    it('Wishart noise of d + 1 degrees of freedom, published as (epsilon, 0)-private, is caught', () => {
      // Eigenvalues 3/(2nε) for Σ x xᵀ/n are 3/(2ε) for Σ x xᵀ.
      const events = heights(predictableRandomness('published'), 3 / (2 * EPSILON), 4, 1);
      const proven = provenEpsilon({ ...events, dpDelta: 0, runs: of(10_000) });
      // A quarter of the outputs without the row are impossible with it.
      expect(proven).toBeGreaterThan((whole ? 5 : 3) * EPSILON);
    });
  });

describe('the bounds of an audit', () => {
  it('of rates are those of Clopper and Pearson', () => {
    expect(upperRate(0, 1000)).toBeCloseTo(1 - 1e-4 ** (1 / 1000), 8);
    expect(lowerRate(1000, 1000)).toBeCloseTo(1e-4 ** (1 / 1000), 8);
    expect([lowerRate(0, 10), upperRate(10, 10)]).toEqual([0, 1]);
    // Five of ten at 1e-4: the beta quantile solves P(Bin(10, p) >= 5) = 1e-4.
    const p = lowerRate(5, 10);
    const choose = [252, 210, 120, 45, 10, 1];
    const tail = choose.reduce((sum, ways, i) => sum + ways * p ** (5 + i) * (1 - p) ** (5 - i), 0);
    expect(tail / 1e-4).toBeCloseTo(1, 5);
  });

  it('give a promise the probability at which its ε is the bound', () => {
    const counts = { left: 600, right: 120, runs: 5000 };
    const p = pOfPromise(counts, { epsilon: EPSILON, dpDelta: DELTA });
    expect(p).toBeGreaterThan(0);
    expect(p).toBeLessThan(1);
    expect(epsilonBound(counts, DELTA, p / 2)).toBeCloseTo(EPSILON, 6);
    // Equal rates say nothing against any promise, and none on the right nearly everything.
    expect(pOfPromise({ ...counts, right: 600 }, { epsilon: EPSILON, dpDelta: DELTA })).toBe(1);
    expect(pOfPromise({ ...counts, right: 0 }, { epsilon: EPSILON, dpDelta: DELTA })).toBeLessThan(1e-8);
  });
});
