/**
 * Ridge regression of the last feature on all others (Hoerl and Kennard, "Ridge Regression: Biased Estimation
 * for Nonorthogonal Problems", 1970) in the clear. Weights and intercept are of features in [−1, 1]: y ≈ wᵀx +
 * b.
 */

import {
  type Feature,
  type Fitted,
  type Immutable,
  METHODS,
  type MethodParameters,
  methodNameOf,
  type SignedResult,
} from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { type Program, statisticsBounds } from '@eigenveil/task';
import { floorReach, scatterBounds } from '../claims/bounds.ts';
import { type AgreedTask, type ClaimedProjection, checkNumbers, expect } from '../claims/claimed.ts';
import { checkOutputs } from '../claims/outputs.ts';
import { PROJECTION_CODES } from '../codes.ts';
import { cutOutputs, toBits, toLargest } from './cut.ts';
import { solveDefinite } from './eigen.ts';
import { fromSums, pencil, type Reference } from './form.ts';
import { pooledOf } from './pooled.ts';

export type Regression = Fitted['regression'];
type Solve = (program: Program, given: { readonly scatter: number[][]; readonly ridge: number }) => number[];

/** A method that predicts the last feature, with ρ‖w‖² in what it makes least. */
export const regression = (
  method: Extract<MethodParameters, { readonly ridge: number }>,
  solve: Solve,
): Reference => ({
  pencil,
  fromSums,
  fromStatistics(program, statistics): Fitted {
    const { outputs } = program;
    const pooled = pooledOf(program, statistics);
    const mean = pooled.mean();
    const weights = solve(program, { scatter: pooled.total(), ridge: method.ridge });
    // The line goes through the mean.
    const intercept = weights.reduce((rest, w, i) => rest - w * mean[i]!, mean.at(-1)!);
    return {
      kind: 'regression',
      regression: { weights, intercept },
      ...(outputs.includes('mean') && { mean }),
      ...(outputs.includes('trace') && { trace: pooled.trace() }),
      ...(outputs.includes('sampleCount') && { sampleCount: pooled.samples }),
    };
  },
  check(task, claimed) {
    checkRegression(task, claimed, method.ridge);
    checkOutputs(task, claimed, scatterBounds(task));
  },
  cut(result: Fitted, released): Fitted {
    const { weights, intercept } = result.regression;
    const [cut] = toBits(released.mean)([intercept]);
    const regression = { weights: toLargest(weights), intercept: cut! };
    return { ...result, regression, ...cutOutputs(result, released) };
  },
  longest: ({ features }, longest) => ({
    regression: { weights: new Array<number>(features.length - 1).fill(longest), intercept: longest },
  }),
  forecast: () => [],
  withoutVectors: 'Predictor predicts by it',
  /** The distance of the weights as a part of their length. */
  distance({ regression: { weights } }: Fitted, { regression: other }: Fitted) {
    const length = Math.hypot(...weights);
    return length === 0 ? 0 : Math.hypot(...weights.map((w, i) => w - other.weights[i]!)) / length;
  },
});

/**
 * ρ‖w‖² is at most what w = 0 leaves, the rows' Σ (y − ȳ)² <= Q_max; and the line goes through the mean,
 * which is in [−1, 1].
 */
function checkRegression(task: AgreedTask, { regression }: ClaimedProjection, ridge: number): void {
  expect(regression !== undefined, 'regression', METHODS[methodNameOf(task)].result.elsewhere);
  const { weights, intercept } = regression;
  const noise = floorReach(task);
  const mostOfTarget = Number(statisticsBounds(task).M) + noise.scatter;
  expect(
    weights.length === task.features.length - 1,
    'regression',
    'one weight for each feature but the last',
  );
  const most = Math.min(Number.MAX_VALUE, Math.sqrt(mostOfTarget / ridge));
  checkNumbers('regression', weights, [-most, most]);
  const reach = weights.reduce((sum, w) => sum + Math.abs(w), 1) * (1 + noise.sum);
  checkNumbers('regression', [intercept], [-reach, reach]);
}

/**
 * Returns w = (S̄_xx + ρI + D)⁻¹ s̄_xy: with b = ȳ − wᵀx̄, of all w and b those with the least Σ (wᵀx + b − y)²
 * + ρ‖w‖².
 * @param diagonal D, of the floor; none without one
 * @param scatter S̄ of all features, undivided; the last row and column are the predicted one's
 * @throws ERR_NOT_FINITE, ERR_NOT_POSITIVE_DEFINITE
 */
export function ridgeRegression({
  scatter,
  ridge,
  diagonal = [],
}: {
  readonly scatter: readonly (readonly number[])[];
  readonly ridge: number;
  readonly diagonal?: readonly number[] | undefined;
}): number[] {
  const last = scatter.length - 1;
  const B = scatter
    .slice(0, last)
    .map((row, i) => row.slice(0, last).map((s, j) => (i === j ? s + ridge + (diagonal[i] ?? 0) : s)));
  return solveDefinite(
    B,
    scatter.slice(0, last).map((row) => row[last]!),
  );
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
