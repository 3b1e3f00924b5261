/**
 * The exact promise of Wishart noise on a matrix of second moments: (ε, δ), and never δ = 0.
 *
 * Proof note. Rows with ‖x‖₂ <= 1; neighbours differ by one row added or removed; A = Σ x xᵀ is released as A + W, where W is
 * d × d Wishart with k >= d + 1 degrees of freedom and scale matrix sI: density proportional to
 * |W|^((k−d−1)/2) exp(−tr W/(2s)) on the positive definite matrices. Let the row be x = √r u with ‖u‖ = 1 and r <= 1. Moving the origin
 * to A, the output is W without the row and W + r u uᵀ with it. Write T(X) = 1/(uᵀ X⁻¹ u).
 *
 * 1. X − r u uᵀ is positive definite just where T(X) > r, and |X − r u uᵀ| = |X| (1 − r/T). So the density ratio, without : with, is
 *    (1 − r/T)^(−(k−d−1)/2) exp(−r/(2s)) where T > r, and infinite elsewhere: a function of T alone.
 * 2. T(W)/s is chi-square with m = k − d + 1 degrees of freedom (Muirhead, "Aspects of multivariate statistical theory", theorem
 *    3.2.12), and T(W + r u uᵀ) = T(W) + r by the formula of Sherman and Morrison.
 *
 * Hence the mechanism is exactly as private as adding s χ²_m to a number that differs by r. In Y = T/(2s), a gamma variable of
 * shape a = m/2, and c = r/(2s): the log ratio is (a − 1) log(Y/(Y − c)) − c, falling in Y from infinity at Y = c to −c. With
 * G the distribution function, the least δ is the larger of
 *
 *   removing the row: G(y₀) − e^ε G(y₀ − c),                  y₀ = c/(1 − e^(−(ε + c)/(a − 1)))
 *   adding it:        (1 − G(y₁ − c)) − e^ε (1 − G(y₁)),      y₁ = c/(1 − e^(−(c − ε)/(a − 1))),  or 0 where c <= ε.
 *
 * Gamma densities of shape >= 1 are log-concave, so a larger shift is never harder to tell (Dong, Roth and Su, "Gaussian
 * differential privacy", 2022, proposition A.3), and r = 1 is the worst row. Replacing a row is removing one and adding one, hence
 * (2ε, (1 + e^ε)δ)-private.
 *
 * With k = d + 1, as "Wishart mechanism for differentially private principal components analysis" (Jiang, Xie and Zhang, 2016; there
 * with eigenvalues 3/(2nε) for Σ x xᵀ/n) and "Symmetric matrix perturbation for differentially-private principal component analysis"
 * (Imtiaz and Sarwate, 2016) have it, a = 1 and removing the row gives δ = 1 − e^(−c) for every ε: outputs that only the set
 * without the row can give. No scale makes that (ε, 0)-private, although both papers claim it: the density ratio is bounded
 * where both densities are positive, but the two do not live on the same matrices. Sheffet, "Old techniques in differentially
 * private linear regression" (2019, footnote 4), and Amin et al., "Differentially private covariance estimation" (2019, section 1.2),
 * have said that it is not private. Sheffet's own (ε, δ) with s = 1 is of the same family, with a k that is bounded, not exact.
 */

import {
  checkCount,
  checkDelta,
  checkEpsilon,
  checkPositive,
  invalid,
  leastThatHolds,
} from '@eigenveil/privacy/parts';
import { GAMMA_ERROR, gammaLowerTail, gammaUpperTail } from './gamma.ts';

/** d and k. */
interface Shape {
  readonly dimension: number;
  readonly degreesOfFreedom: number;
}

/**
 * The least δ for which the noise is (ε, δ)-differentially private when a row is added or removed, rounded up; in (0, 1].
 * `scale` is s, in squared units of the rows over their bound.
 * @throws ERR_DP_PARAMETER unless d >= 1, k >= d + 1, and ε and s are finite and positive
 */
export function dpDeltaOfWishart({
  dimension,
  degreesOfFreedom,
  scale,
  epsilon,
}: Shape & { readonly scale: number; readonly epsilon: number }): number {
  checkWishart(dimension, degreesOfFreedom);
  checkPositive('scale', scale);
  checkPositive('epsilon', epsilon);
  const a = (degreesOfFreedom - dimension + 1) / 2;
  const c = 1 / (2 * scale);
  // In every case tried, removing is the worse; as that is not proved, both are counted.
  const dpDelta = Math.max(deltaOfRemoving(a, c, epsilon), deltaOfAdding(a, c, epsilon));
  return Math.min(1, Math.max(Number.MIN_VALUE, dpDelta));
}

/** The first line of the proof note's two, rounded up. */
export function deltaOfRemoving(a: number, c: number, epsilon: number): number {
  const shifted = c / Math.expm1((epsilon + c) / (a - 1));
  return surplus(gammaLowerTail(a, shifted + c), gammaLowerTail(a, shifted), epsilon);
}

/** The second line, rounded up; `shifted` is y − c in both. */
export function deltaOfAdding(a: number, c: number, epsilon: number): number {
  if (c <= epsilon) return 0;
  const shifted = c / Math.expm1((c - epsilon) / (a - 1));
  return surplus(gammaUpperTail(a, shifted), gammaUpperTail(a, shifted + c), epsilon);
}

/** likely − e^ε · unlikely, rounded up; e^ε alone may overflow. */
function surplus(likely: number, unlikely: number, epsilon: number): number {
  return likely * (1 + GAMMA_ERROR) - Math.exp(epsilon + Math.log(unlikely)) * (1 - 2 * GAMMA_ERROR);
}

/**
 * The least scale s for which Wishart noise of k degrees of freedom is (ε, δ)-differentially private when a row is added or
 * removed, rounded up; 0 for ε = Infinity. The more degrees of freedom, the smaller s √k, by which entries off the diagonal
 * vary, towards that of symmetric Gaussian noise; the noise has mean s k I, which moves no eigenvector.
 * @throws ERR_DP_PARAMETER unless d >= 1, k >= d + 1, ε > 0 and δ in (0, 1)
 */
export function calibrateWishart({
  epsilon,
  dpDelta,
  ...shape
}: Shape & { readonly epsilon: number; readonly dpDelta: number }): number {
  checkWishart(shape.dimension, shape.degreesOfFreedom);
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  if (epsilon === Infinity) return 0;
  return leastThatHolds((scale) => dpDeltaOfWishart({ ...shape, scale, epsilon }) <= dpDelta, 1);
}

export function checkWishart(dimension: number, degreesOfFreedom: number): void {
  checkCount('dimension', dimension, 1);
  if (!(Number.isSafeInteger(degreesOfFreedom) && degreesOfFreedom > dimension)) {
    throw invalid('degreesOfFreedom', `an integer > ${dimension}, the dimension`, degreesOfFreedom);
  }
}
