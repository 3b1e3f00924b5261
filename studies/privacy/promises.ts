/** Facts about methods that no row changes: their promises, how calibrations of Gaussian noise differ, and up to how many features Laplace noise is less. */
import { calibrateAnalyticGaussian, noisePlan, rhoOfBudget } from '@eigenveil/privacy';
import type { Tidy } from '../instrument/tidy.ts';
import { RANGES } from './data.ts';
import { calibrateClassicGaussian } from './mechanisms/additive.ts';
import { secondMomentLaplace } from './methods/central.ts';
import { eigenveil, PCA_METHODS, stageTask } from './methods/index.ts';
import { DP_DELTA, EPSILONS, settingOf } from './setting.ts';

/** Every method with its promise, to whom it is made, and of which part of the computation. */
export const promises = (): Tidy[] =>
  PCA_METHODS.map(({ name, reference, promise }) => {
    const { neighbours, epsilon, trust, means, counts, remarks } = promise;
    // A public number of rows distinguishes one row more from one less.
    const isGiven = neighbours === 'add-remove' && counts === 'public';
    return {
      ...{ method: name, neighbours, promised: epsilon, trust, means },
      counts: isGiven ? 'public: ε only for numbers that are given' : counts,
      ...{ remarks, reference },
    };
  });

/** The deviation of Gaussian noise for sensitivity 1; the classic calibration does not hold beyond ε = 1. */
export const calibrations = (): Tidy[] =>
  EPSILONS.map((epsilon) => {
    const budget = { epsilon, dpDelta: DP_DELTA };
    return {
      epsilon,
      analytic: calibrateAnalyticGaussian({ sensitivity: 1, ...budget }),
      zcdp: Math.sqrt(1 / (2 * rhoOfBudget(budget))),
      ...(epsilon <= 1 && { classic: calibrateClassicGaussian({ sensitivity: 1, ...budget }) }),
    };
  });

/** The largest number of features at which Laplace noise of δ = 0 is less than the Gaussian noise of this number of draws of the stage. */
export function crossing(epsilon: number, draws: 1 | 2): number {
  const setting = settingOf(eigenveil, 1, epsilon);
  const laplaceIsLess = (dimension: number): boolean => {
    const task = stageTask({ features: dimension }, setting);
    const { variances, offDiagonal } = noisePlan(task);
    // The values are in units of rows in the unit ball.
    const unit = 4 ** task.fractionBits;
    const quotient = (variance: typeof offDiagonal) =>
      (draws * Number(variance.numerator)) / Number(variance.denominator) / unit ** 2;
    const laplace = 2 * secondMomentLaplace(dimension, setting) ** 2;
    // E‖N‖² of the noise on Σ x xᵀ.
    const squaredNorm = (on: number, off: number) => dimension * on + dimension * (dimension - 1) * off;
    return squaredNorm(laplace, laplace) < squaredNorm(quotient(variances.R), quotient(offDiagonal));
  };
  let dimension = 0;
  while (laplaceIsLess(dimension + 1)) dimension += 1;
  return dimension;
}

export const crossings = (): Tidy[] =>
  EPSILONS.map((epsilon) => ({ epsilon, both: crossing(epsilon, 2), one: crossing(epsilon, 1) }));

/** The public ranges of the data sets that were measured; the user's own rows came with theirs. */
export const publicRanges = (records: readonly Tidy[]): Tidy[] =>
  [...new Set(records.map(({ dataset }) => String(dataset)))].flatMap((dataset) => {
    const known = RANGES[dataset];
    return known === undefined ? [] : [{ dataset, features: known.ranges.length, ranges: known.why }];
  });
