/**
 * Ridge regression of the last feature on all others (Hoerl and Kennard, "Ridge Regression: Biased Estimation
 * for Nonorthogonal Problems", 1970) in the clear. Weights and intercept are of features in [−1, 1]: y ≈ wᵀx +
 * b.
 */

import type { Feature, Fitted, Immutable, SignedResult } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { PROJECTION_CODES } from '../codes.ts';
import { solveDefinite } from './eigen.ts';

export type Regression = Fitted['regression'];

/**
 * w = (S̄_xx + ρI + D)⁻¹ s̄_xy and b = ȳ − wᵀx̄: of all w and b those with the least Σ (wᵀx + b − y)² +
 * ρ‖w‖².
 * @param diagonal D, of the floor; none without one
 * @param scatter S̄ of all features, undivided; the last row and column are the predicted one's
 * @throws ERR_NOT_FINITE, ERR_NOT_POSITIVE_DEFINITE
 */
export function ridgeRegression({
  scatter,
  mean,
  ridge,
  diagonal = [],
}: {
  readonly scatter: readonly (readonly number[])[];
  readonly mean: readonly number[];
  readonly ridge: number;
  readonly diagonal?: readonly number[] | undefined;
}): Regression {
  const last = scatter.length - 1;
  const B = scatter
    .slice(0, last)
    .map((row, i) => row.slice(0, last).map((s, j) => (i === j ? s + ridge + (diagonal[i] ?? 0) : s)));
  const weights = solveDefinite(
    B,
    scatter.slice(0, last).map((row) => row[last]!),
  );
  return { weights, intercept: weights.reduce((rest, w, i) => rest - w * mean[i]!, mean[last]!) };
}

/** The part of a signed result that a regression has for itself. */
type Signed = Pick<Immutable<SignedResult>, 'regression'>;

/**
 * Returns a regression in the units of the columns: what a unit of a column adds to the predicted one, within
 * its range. A column of one value adds nothing.
 * @throws ERR_PROJECTION_INVALID for a result of another method
 */
export function regressionInUnits({
  task: { features },
  projection: { regression },
}: {
  readonly task: { readonly features: readonly Feature[] };
  readonly projection: Signed;
}): Regression {
  const { weights: scaled, intercept } = regressionOf({ regression });
  const half = features.map(({ min, max }) => max / 2 - min / 2);
  const middle = features.map(({ min, max }) => min / 2 + max / 2);
  const last = features.length - 1;
  const weights = scaled.map((w, i) => (half[i] === 0 ? 0 : (w * half[last]!) / half[i]!));
  const start = middle[last]! + intercept * half[last]!;
  return { weights, intercept: weights.reduce((rest, slope, i) => rest - slope * middle[i]!, start) };
}

/** @throws ERR_PROJECTION_INVALID for a result of another method */
export function regressionOf({ regression }: Signed): Regression {
  if (regression === undefined)
    throw new CodedError(
      PROJECTION_CODES.ERR_PROJECTION_INVALID,
      '"projection.regression" expected weights, got none',
    );
  return { ...regression, weights: [...regression.weights] };
}
