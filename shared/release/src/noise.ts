/**
 * The noise of a strategy's coefficients: how much a budget takes, exact draws of it, and the moments that
 * errors follow from.
 *
 * Without δ every server adds discrete Laplace noise of scale τ = Δ₁/ε to each coefficient, Δ₁ the joint L1
 * sensitivity: densities of neighbours differ by at most e^(Δ₁/τ) = e^ε. With δ it adds a rounded Gaussian
 * (shared/privacy, calibration/rounded-gaussian.ts) for the joint L2 sensitivity. Coefficients are integers
 * and so is noise; both may go around a ring. One server's noise keeps (ε, δ) against whoever lacks it: the
 * other server's only adds to it. Noise must be drawn once: the mean of several draws is closer to the
 * counts.
 *
 * Moments. A discrete Laplace number is the difference of two geometric ones, whose cumulants with v = p/(1 −
 * p)², p = e^(−1/τ), are κ₂ = v and κ₄ = v(6v + 1). So κ₂ = 2v = 1/(2 sinh²(1/2τ)) and κ₄ = 2v(6v + 1).
 * Rounding a Gaussian of deviation σ >= 1 adds 1/12 to κ₂ and −1/120 to κ₄, up to some multiples of
 * e^(−2π²σ²) < 3·10^−9.
 */

import {
  calibrateRoundedGaussian,
  discreteLaplaceSampler,
  latticeBitsFor,
  type RandomSource,
  type Rational,
  roundedGaussianSampler,
} from '@eigenveil/privacy';
import {
  checkCount,
  checkEpsilon,
  invalid,
  type Neighbours,
  rationalOf,
  roundedUp,
} from '@eigenveil/privacy/parts';
import type { Strategy } from './strategy.ts';

/** ε alone is for discrete Laplace noise; with δ the noise is a rounded Gaussian. */
export interface ReleaseBudget {
  readonly epsilon: number;
  readonly dpDelta?: number;
}

/** One server's noise on each coefficient. */
export type CoefficientNoise =
  | { readonly kind: 'laplace'; readonly scale: Rational }
  | { readonly kind: 'gaussian'; readonly sigmaSquared: Rational; readonly latticeBits: number };

/**
 * The noise with which one server makes the coefficients of all features private.
 * @throws ERR_DP_PARAMETER for a budget that is not finite and positive, or one that would need Gaussian
 *   noise of a deviation below 1
 */
export function calibrateRelease(
  strategy: Strategy,
  of: { readonly features: number; readonly neighbours: Neighbours; readonly budget: ReleaseBudget },
): CoefficientNoise {
  const { epsilon, dpDelta } = of.budget;
  checkEpsilon(epsilon);
  if (epsilon === Infinity) throw invalid('epsilon', 'a finite number > 0', epsilon);
  const { l1, l2Squared } = sensitivityOf(strategy, of.features, of.neighbours);
  if (dpDelta === undefined) {
    const { numerator, denominator } = rationalOf('epsilon', epsilon);
    return { kind: 'laplace', scale: { numerator: BigInt(l1) * denominator, denominator: numerator } };
  }
  if (l2Squared === 0)
    return { kind: 'gaussian', sigmaSquared: { numerator: 0n, denominator: 1n }, latticeBits: 0 };
  // Few digits, so that its square is exact.
  const multiplier = roundedUp(calibrateRoundedGaussian({ sensitivity: 1, epsilon, dpDelta }));
  const { numerator, denominator } = rationalOf('multiplier', multiplier);
  const sigmaSquared = { numerator: numerator ** 2n * BigInt(l2Squared), denominator: denominator ** 2n };
  if (sigmaSquared.numerator < sigmaSquared.denominator) {
    throw invalid('epsilon', 'a smaller number, for noise of a deviation of at least 1', epsilon);
  }
  return { kind: 'gaussian', sigmaSquared, latticeBits: latticeBitsFor(sigmaSquared, epsilon) };
}

/** Draws one server's noise, a coefficient at a time. */
export function noiseSampler(source: RandomSource, noise: CoefficientNoise): () => bigint {
  return noise.kind === 'laplace'
    ? discreteLaplaceSampler(source, noise)
    : roundedGaussianSampler(source, noise);
}

/** The moments of one coefficient's noise. */
export interface NoiseMoments {
  readonly variance: number;
  /** κ₄ = E x⁴ − 3 (E x²)². */
  readonly fourthCumulant: number;
}

/** The moments of the sum of the servers' noise; 2 where each adds all that is needed. */
export function noiseMoments(noise: CoefficientNoise, servers: number): NoiseMoments {
  const one = momentsOfOne(noise);
  return { variance: servers * one.variance, fourthCumulant: servers * one.fourthCumulant };
}

function momentsOfOne(noise: CoefficientNoise): NoiseMoments {
  if (noise.kind === 'gaussian') {
    const variance = Number(noise.sigmaSquared.numerator) / Number(noise.sigmaSquared.denominator);
    return variance === 0
      ? { variance, fourthCumulant: 0 }
      : { variance: variance + 1 / 12, fourthCumulant: -1 / 120 };
  }
  const scale = Number(noise.scale.numerator) / Number(noise.scale.denominator);
  if (scale === 0) return { variance: 0, fourthCumulant: 0 };
  const v = 1 / (4 * Math.sinh(1 / (2 * scale)) ** 2);
  return { variance: 2 * v, fourthCumulant: 2 * v * (6 * v + 1) };
}

/**
 * The sensitivity: how much one row changes the coefficients of a strategy.
 *
 * Every row is in exactly one bin of each of d histograms, one per feature. A single histogram first, N > 1,
 * m the height of the root: one row more or less adds a column of A. Its entries are 0 and ±1; nonzero are
 * the total's or the root's, and one for each further height: m + 1 for `tree` and `privelet`, 1 for `flat`.
 * So L1 = L2² = m + 1, or 1.
 *
 * A row in place of another adds column j less column i. Let k >= 1 be the height of the lowest common
 * ancestor of the bins i and j.
 * - `flat`: +1 and −1: L1 = L2² = 2.
 * - `tree`: nodes above both take +1 and −1, which cancel. At the heights 0 … k − 1 the nodes of i and j
 *   differ: L1 = L2² = 2k, at most 2m.
 * - `privelet`: what lies above the ancestor is 0 again, both being in the same half. The ancestor has i and
 *   j in different halves: ±2. Below it each has k − 1 nodes of its own: L1 = 2 + 2(k − 1) = 2k and L2² = 4 +
 *   2(k − 1) = 2k + 2, at most 2h and 2h + 2.
 *
 * All of these are reached. A row's bins of different features may be any, and histograms are apart: d of
 * them have d times L1, and d times L2².
 */

export interface Sensitivity {
  readonly l1: number;
  /** The square of the L2 sensitivity, an integer. */
  readonly l2Squared: number;
}

/**
 * The joint sensitivity of all coefficients of `features` histograms of this strategy.
 * @throws ERR_DP_PARAMETER unless there is at least one feature
 */
export function sensitivityOf(
  { kind, fanouts }: Strategy,
  features: number,
  neighbours: Neighbours,
): Sensitivity {
  checkCount('features', features, 1);
  const height = kind === 'flat' ? Math.min(1, fanouts.length) : fanouts.length;
  const one = (l1: number, l2Squared: number) => ({ l1: features * l1, l2Squared: features * l2Squared });
  if (neighbours === 'add-remove') {
    const nonzero = kind === 'flat' ? 1 : height + 1;
    return one(nonzero, nonzero);
  }
  // A single bin has every row, whichever it is.
  if (height === 0) return one(0, 0);
  return one(2 * height, kind === 'privelet' ? 2 * height + 2 : 2 * height);
}
