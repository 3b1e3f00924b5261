/**
 * Exact samples of noise in whole numbers: discrete Gaussian, discrete Laplace and rounded Gaussian, by the
 * algorithms of Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020).
 * Integers and rationals only. How long a draw takes depends on the value drawn, so an adversary who can time
 * it is out of scope.
 */

import { bitLength } from '@eigenveil/platform';
import { checkRational, integerSqrt, type Rational } from '../rational.ts';
import { RandomBits, type RandomSource } from './randomness.ts';

export interface DiscreteGaussianParameters {
  /** σ² >= 0, of any size; 0 draws only zeros. The variance of the noise is at most σ² (ibid., section 3). */
  readonly sigmaSquared: Rational;
}

/**
 * Draws integers y with probability proportional to exp(−y²/(2σ²)): algorithm 3.
 * @throws ERR_DP_PARAMETER when σ² is no rational >= 0
 * @example
 * import { discreteGaussianSampler, systemRandomness } from '@eigenveil/privacy';
 *
 * const sigmaSquared = { numerator: 25n, denominator: 1n };
 * const draw = discreteGaussianSampler(systemRandomness, { sigmaSquared });
 * const noise = [draw(), draw()];
 */
export function discreteGaussianSampler(
  source: RandomSource,
  { sigmaSquared }: DiscreteGaussianParameters,
): () => bigint {
  checkRational('sigmaSquared', sigmaSquared);
  const { numerator: p, denominator: q } = sigmaSquared;
  if (p === 0n) return () => 0n;
  const random = new RandomBits(source);
  // ⌊σ⌋ + 1: any positive t gives the same distribution, this one the fewest rejections.
  const t = integerSqrt(p / q) + 1n;
  const length = bitLength(t - 1n);
  const tq = t * q;
  const denominator = 2n * p * tq * t;
  return () => {
    for (;;) {
      const y = drawDiscreteLaplace(random, t, 1n, length);
      // (|y| − σ²/t)²/(2σ²) over the common denominator 2 p q t².
      const distance = (y < 0n ? -y : y) * tq - p;
      if (bernoulliExp(random, distance * distance, denominator)) return y;
    }
  };
}

export interface DiscreteLaplaceParameters {
  /** τ >= 0; 0 draws only zeros. */
  readonly scale: Rational;
}

/**
 * Draws integers y with probability proportional to exp(−|y|/τ): algorithm 2.
 * @throws ERR_DP_PARAMETER when the scale is no rational >= 0
 */
export function discreteLaplaceSampler(
  source: RandomSource,
  { scale }: DiscreteLaplaceParameters,
): () => bigint {
  checkRational('scale', scale);
  if (scale.numerator === 0n) return () => 0n;
  const random = new RandomBits(source);
  return () => drawDiscreteLaplace(random, scale.numerator, scale.denominator);
}

/** One draw for τ = t/s with t, s > 0. */
function drawDiscreteLaplace(random: RandomBits, t: bigint, s: bigint, length = bitLength(t - 1n)): bigint {
  for (;;) {
    const magnitude = drawGeometric(random, t, s, length);
    if (!random.coin()) return magnitude;
    // Otherwise zero, having two signs, would come twice as often as it should.
    if (magnitude !== 0n) return -magnitude;
  }
}

/** Integers y >= 0 with probability proportional to exp(−y/τ), τ = t/s with t, s > 0. */
export function drawGeometric(random: RandomBits, t: bigint, s: bigint, length = bitLength(t - 1n)): bigint {
  for (;;) {
    // x = u + t v has probability proportional to exp(−x/t), and ⌊x/s⌋ to exp(−⌊x/s⌋ s/t).
    const u = random.below(t, length);
    if (!bernoulliExpFraction(random, u, t)) continue;
    let v = 0n;
    while (bernoulliExpFraction(random, 1n, 1n)) v++;
    return (u + t * v) / s;
  }
}

/**
 * A coin falls heads with probability exactly exp(−γ) for a rational γ: algorithm 1.
 *
 * A coin of probability p is "U < p" for a uniform real U whose binary digits are drawn as they are needed.
 * Its first 32 digits decide all cases except one in 2^31 or so, with machine integers; the others are
 * decided exactly by BigInt. So nothing is rounded, and the result does not depend on how many digits are
 * drawn at once.
 */
const WORD_BITS = 32n;

/** Is true with probability exp(−numerator/denominator); numerator >= 0, denominator > 0. */
export function bernoulliExp(random: RandomBits, numerator: bigint, denominator: bigint): boolean {
  if (numerator <= denominator) return bernoulliExpFraction(random, numerator, denominator);
  // exp(−γ) = exp(−1)^⌊γ⌋ · exp(−(γ − ⌊γ⌋)); the first tails ends it, so a large γ costs no more than a small
  // one.
  const whole = numerator / denominator;
  for (let i = 0n; i < whole; i++) {
    if (!bernoulliExpFraction(random, 1n, 1n)) return false;
  }
  return bernoulliExpFraction(random, numerator - whole * denominator, denominator);
}

/**
 * Tosses coins of γ/1, γ/2, γ/3, … until one falls tails, for γ = numerator/denominator in [0, 1]; true if it
 * was an odd one.
 */
function bernoulliExpFraction(random: RandomBits, numerator: bigint, denominator: bigint): boolean {
  const leading = Number((numerator << WORD_BITS) / denominator);
  let k = 1;
  while (bernoulliOver(random, numerator, denominator, leading, k)) k++;
  return k % 2 === 1;
}

/** Is true with probability γ/k, where γ <= 1 and leading = ⌊γ · 2^32⌋. */
function bernoulliOver(
  random: RandomBits,
  numerator: bigint,
  denominator: bigint,
  leading: number,
  k: number,
): boolean {
  // U lies in [u, u + 1) · 2^−32; k u is exact in a double, as k! trials stand against a k beyond 2^21.
  const u = random.word();
  if (k * (u + 1) <= leading) return true;
  if (k * u > leading) return false;
  const factor = BigInt(k) * denominator;
  let digits = BigInt(u);
  let target = numerator << WORD_BITS;
  for (;;) {
    if ((digits + 1n) * factor <= target) return true;
    if (digits * factor >= target) return false;
    digits = (digits << WORD_BITS) | BigInt(random.word());
    target <<= WORD_BITS;
  }
}

export interface RoundedGaussianParameters {
  /** σ² >= 0 before rounding, which adds 1/12; 0 draws only zeros. */
  readonly sigmaSquared: Rational;
  /** s >= 0: drawn in steps of 2^-s. 0 is the discrete Gaussian itself. */
  readonly latticeBits: number;
}

/**
 * Samples a Gaussian rounded to integers, as closely as the discrete Gaussian on a finer lattice is one:
 * draws round(Y/2^s), Y a discrete Gaussian of parameter 4^s σ². Halves go up, for negative numbers as well,
 * so that adding an integer and rounding can change places: the proof in calibration/rounded-gaussian.ts
 * needs that.
 * @throws ERR_DP_PARAMETER when σ² is no rational >= 0
 */
export function roundedGaussianSampler(
  source: RandomSource,
  { sigmaSquared: { numerator, denominator }, latticeBits }: RoundedGaussianParameters,
): () => bigint {
  const bits = BigInt(latticeBits);
  const half = (1n << bits) >> 1n;
  const draw = discreteGaussianSampler(source, {
    sigmaSquared: { numerator: numerator << (2n * bits), denominator },
  });
  // The shift of a negative bigint rounds down.
  return () => (draw() + half) >> bits;
}
