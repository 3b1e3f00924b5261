/**
 * Regularised logistic regression for two classes with noise in its objective, or on its output (Chaudhuri, Monteleoni and Sarwate, "Differentially private
 * empirical risk minimization", 2011, algorithms 1 and 2).
 *
 * Promise: (ε, 0) for one of n rows, with its label, that is replaced; n and Λ are public. Rows lie in the unit ball.
 *
 * J(f) = Σ ℓ(y fᵀx)/n + Λ‖f‖²/2 with ℓ(z) = ln(1 + e^{−z}), |ℓ′| <= 1, 0 <= ℓ″ <= c = 1/4.
 *
 * Proof note of noise on the output. J is Λ-strongly convex, and a replaced row moves its gradient by at most 2/n, so its minimum by at most 2/(nΛ): noise of
 * density ∝ exp(−(nΛε/2)‖b‖) changes by e^ε at most.
 *
 * Proof note of noise in the objective. The minimum of J(f) + Δ‖f‖²/2 + bᵀf/n tells b = −n(Λ + Δ)f − Σ ℓ′(y fᵀx) y x, one to one. Where a row is replaced,
 * the b of the same f moves by at most 2: density ∝ exp(−ε′‖b‖/2) changes by e^{ε′} at most. The determinant of −db/df = n(Λ + Δ)I + Σ ℓ″ xxᵀ changes by
 * at most 1 + c/(n(Λ + Δ)), as one row adds ℓ″xxᵀ to what the others have. The printed ε′ = ε − 2 ln(1 + c/(nΛ)) with Δ = 0 takes that factor twice, where
 * once is enough. Where it is not positive, Δ = c/(n(e^{ε/4} − 1)) − Λ makes the factor e^{ε/4}, and ε′ = ε/2.
 *
 * Both need the minimum itself; it is found until the gradient is 1e-10 of what it consists of.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkEpsilon, checkPositive, invalid } from '@eigenveil/privacy/parts';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { RealDraws } from '../privacy/random/real.ts';

type Rows = readonly (readonly number[])[];

interface Regularised {
  /** Λ. */
  readonly lambda: number;
  /** Infinity gives the minimum of J. */
  readonly epsilon: number;
}

/** The largest ℓ″. */
const CURVATURE = 1 / 4;
/** Lengths that rounding makes of 1. */
const LONGEST = 1 + 1e-9;
const TOLERANCE = 1e-10;
const MOST_STEPS = 200;

/**
 * @param labels 0 or 1, one a row
 * @returns f with noise on it
 * @throws ERR_DP_PARAMETER for rows, labels, Λ or ε out of range
 */
export function outputPerturbed(
  source: RandomSource,
  rows: Rows,
  labels: readonly number[],
  { lambda, epsilon }: Regularised,
): number[] {
  checkEpsilon(epsilon);
  const found = minimum(rows, labels, { lambda });
  if (epsilon === Infinity) return found;
  const noise = ballNoise(source, found.length, (rows.length * lambda * epsilon) / 2);
  return found.map((weight, i) => weight + noise[i]!);
}

/**
 * @param labels 0 or 1, one a row
 * @returns f, the minimum of the objective with noise in it
 * @throws ERR_DP_PARAMETER for rows, labels, Λ or ε out of range
 */
export function objectivePerturbed(
  source: RandomSource,
  rows: Rows,
  labels: readonly number[],
  { lambda, epsilon }: Regularised,
): number[] {
  checkEpsilon(epsilon);
  if (epsilon === Infinity) return minimum(rows, labels, { lambda });
  const n = rows.length;
  const { slack, left } = shareOfObjective(n, { lambda, epsilon });
  const noise = ballNoise(source, rows[0]?.length ?? 0, left / 2);
  return minimum(rows, labels, { lambda: lambda + slack, tilt: noise.map((b) => b / n) });
}

/** Gives what noise in an objective takes by the printed rule: Δ (`slack`) and ε′ (`left`). */
export function shareOfObjective(
  rows: number,
  { lambda, epsilon }: Regularised,
): { readonly slack: number; readonly left: number } {
  const left = epsilon - 2 * Math.log1p(CURVATURE / (rows * lambda));
  if (left > 0) return { slack: 0, left };
  return { slack: CURVATURE / (rows * Math.expm1(epsilon / 4)) - lambda, left: epsilon / 2 };
}

/** Density ∝ exp(−β‖b‖): a length of Gamma(d, 1/β), in any direction. */
export function ballNoise(source: RandomSource, dimensions: number, beta: number): number[] {
  const draws = new RealDraws(source);
  const direction = Array.from({ length: dimensions }, () => draws.normal());
  const length = draws.gamma(dimensions) / beta;
  return direction.map((x) => (length * x) / Math.hypot(...direction));
}

/** The class of a row: 1 where fᵀx is positive. */
export const classOf = (weights: readonly number[], row: readonly number[]): number =>
  Number(dot(weights, row) > 0);

interface Objective {
  readonly lambda: number;
  /** The coefficients of a linear term. */
  readonly tilt?: readonly number[];
}

/**
 * The minimum of Σ ℓ(y fᵀx)/n + Λ‖f‖²/2 + tiltᵀf, by Newton's method with steps that are halved while they do not descend.
 * @throws ERR_DP_PARAMETER for rows, labels or Λ out of range
 */
export function minimum(rows: Rows, labels: readonly number[], { lambda, tilt }: Objective): number[] {
  checkPositive('lambda', lambda);
  checkRows(rows, labels);
  const d = rows[0]!.length;
  const linear = tilt ?? new Array<number>(d).fill(0);
  const signed = rows.map((row, i) => row.map((x) => (labels[i] === 1 ? x : -x)));
  const at = (f: readonly number[]) =>
    signed.reduce((sum, row) => sum + lossAt(dot(f, row)), 0) / rows.length +
    (lambda * dot(f, f)) / 2 +
    dot(linear, f);
  let f = new Array<number>(d).fill(0);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { gradient, hessian, size } = derivatives(signed, f, lambda, linear);
    if (Math.hypot(...gradient) <= TOLERANCE * size) return f;
    const move = new CholeskyDecomposition(hessian).solve(Matrix.columnVector(gradient)).to1DArray();
    // Rounding of terms of this size may hide a descent near the minimum: that is let through.
    const most = at(f) + 1e-14 * size * (1 + Math.hypot(...f));
    let share = 1;
    let next = f;
    do {
      next = f.map((weight, i) => weight - share * move[i]!);
      share /= 2;
    } while (at(next) > most && share > 1e-12);
    f = next;
  }
  throw new Error(`the minimum was not found in ${MOST_STEPS} steps`);
}

/** The gradient with the size of what it is summed from, and the second derivatives. */
function derivatives(signed: Rows, f: readonly number[], lambda: number, linear: readonly number[]) {
  const d = f.length;
  const gradient = f.map((weight, i) => lambda * weight + linear[i]!);
  const curved = new Float64Array(d * d);
  for (const row of signed) {
    // −ℓ′, and ℓ″ as it follows from it.
    const slope = 1 / (1 + Math.exp(dot(f, row)));
    const curvature = slope * (1 - slope);
    for (let i = 0; i < d; i += 1) {
      gradient[i]! -= (slope * row[i]!) / signed.length;
      const factor = (curvature * row[i]!) / signed.length;
      for (let j = 0; j <= i; j += 1) curved[i * d + j]! += factor * row[j]!;
    }
  }
  const hessian = Matrix.zeros(d, d);
  for (let i = 0; i < d; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const value = curved[i * d + j]! + (i === j ? lambda : 0);
      hessian.set(i, j, value);
      hessian.set(j, i, value);
    }
  }
  return { gradient, hessian, size: 1 + lambda * Math.hypot(...f) + Math.hypot(...linear) };
}

/** ℓ, without an overflow. */
const lossAt = (z: number): number => (z > 0 ? Math.log1p(Math.exp(-z)) : Math.log1p(Math.exp(z)) - z);

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

function checkRows(rows: Rows, labels: readonly number[]): void {
  if (rows.length === 0) throw invalid('rows', 'at least one', 'none');
  if (!rows.every((row) => row.length === rows[0]!.length && Math.hypot(...row) <= LONGEST)) {
    throw invalid('rows', 'rows of one length in the unit ball', 'others');
  }
  if (labels.length !== rows.length || !labels.every((label) => label === 0 || label === 1)) {
    throw invalid('labels', `${rows.length} of 0 and 1, one a row`, 'others');
  }
}
