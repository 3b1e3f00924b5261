/**
 * Tells how much noise each value of a task's statistics takes, and how far it may reach: a pure function of
 * the task, the same on every machine. docs/privacy.md derives it.
 *
 * Square roots are the only operations in doubles whose results are used as they are, and IEEE 754 rounds
 * them correctly. The noise multiplier takes exponentials too (for owners, logarithms as well), which it does
 * not, and is rounded up to ten digits.
 */

import { CodedError } from '@eigenveil/platform';
import { calibrateRoundedGaussian, latticeBitsFor, roundedUp } from '../calibration/rounded-gaussian.ts';
import { rhoOfBudget } from '../calibration/zcdp.ts';
import { PRIVACY_CODES } from '../codes.ts';
import type { RandomSource } from '../random/randomness.ts';
import { roundedGaussianSampler } from '../random/samplers.ts';
import { integerSqrt, type Rational, rationalOf, ZERO } from '../rational.ts';
import { countsAreProtected, sensitivitySquared } from './sensitivity.ts';
import { checkSetting, clippingBound, type StageTask } from './setting.ts';

/** One member per kind of value: entries of R, entries of V, M. */
export interface PerKind<T> {
  readonly R: T;
  readonly V: T;
  readonly M: T;
}

export interface NoisePlan {
  /** B²: no row is longer. */
  readonly clippingBound: bigint;
  /** σ² of one draw, which each server makes for all values, or each owner. 0: no noise. */
  readonly variances: PerKind<Rational>;
  /** s: noise is drawn in steps of 2^-s, and rounded. 0: drawn as integers, as owners do. */
  readonly latticeBits: PerKind<number>;
  /**
   * σ² of the entries of R off its diagonal, half of that on it: they weigh √2 times as much
   * (sensitivity.ts).
   */
  readonly offDiagonal: Rational;
  /** σ of a value's whole noise, of all draws together. */
  readonly deviations: PerKind<number>;
  /** No value's whole noise is larger, except with probability 2^-40 for the task. */
  readonly tails: PerKind<bigint>;
}

/** −log2 of the probability that any value leaves its slot, and one more: tails have two ends. */
const TAIL_BITS = 41;
/**
 * The share of the noise multiplier that the owners' sum may lose for not being a discrete Gaussian, see
 * `checkSum`.
 */
const SUM_SLACK = 2 ** -10;

/**
 * @throws ERR_DP_PARAMETER for a setting that is not valid, or that would need noise of a deviation below 1
 */
export function noisePlan(task: StageTask): NoisePlan {
  const { setting } = task;
  checkSetting(setting);
  const bound = clippingBound(task);
  const budget = { epsilon: setting.epsilon, dpDelta: setting.delta };
  // A sum of rounded numbers is not a rounded sum, so the owners' parts are discrete Gaussians, for which
  // zCDP has the theorem.
  const exact =
    setting.noise === 'owners'
      ? Math.sqrt(1 / (2 * rhoOfBudget(budget)))
      : calibrateRoundedGaussian({ sensitivity: 1, ...budget });
  const multiplier = roundedUp(setting.noise === 'owners' ? exact * (1 + SUM_SLACK) : exact);
  const scale = multiplier * multiplier * sensitivitySquared(task, setting.neighbours);
  const { weights } = task;
  const whole: PerKind<Rational> = {
    R: task.collectsR ? times(scale, bound ** 2n) : ZERO,
    V: times(scale / weights.V ** 2, bound),
    M: countsAreProtected(task, setting.neighbours) ? times(scale / weights.M ** 2, 1n) : ZERO,
  };
  const parts = BigInt(setting.honestOwners ?? 1);
  const variances = perKind(whole, ({ numerator, denominator }) => ({
    numerator,
    denominator: denominator * parts,
  }));
  const offDiagonal = { numerator: variances.R.numerator, denominator: 2n * variances.R.denominator };
  checkDeviations({ ...variances, R: offDiagonal });
  if (setting.noise === 'owners') checkSum(task, { ...variances, R: offDiagonal }, exact);
  // All owners may be more than those that are relied on.
  const draws = { servers: 2, csp: 1, owners: task.maximumOwners }[setting.noise];
  const deviations = perKind(variances, (variance) => Math.sqrt(draws * quotient(variance)));
  const reach = Math.sqrt(2 * Math.LN2 * (TAIL_BITS + Math.ceil(Math.log2(valuesOf(task)))));
  // Rounding adds up to a half to each of two draws. That of one alone leaves it within a tail, which is an
  // integer.
  const rounding = setting.noise === 'servers' ? 1n : 0n;
  const tails = perKind(deviations, (deviation) =>
    deviation === 0 ? 0n : BigInt(Math.ceil(deviation * reach)) + rounding,
  );
  return {
    clippingBound: bound,
    variances,
    // One lattice for all of R, fine enough for its lesser noise.
    latticeBits: perKind({ ...variances, R: offDiagonal }, (variance) =>
      setting.noise === 'owners' || variance.numerator === 0n ? 0 : latticeBitsFor(variance, setting.epsilon),
    ),
    offDiagonal,
    deviations,
    tails,
  };
}

/** Values that take noise, as many as there are at most. */
export function valuesOf({ collectsR, features: d, classes }: StageTask): number {
  const sums = classes.reduce((sum, count) => sum + count, 0) * (d + 1);
  return sums + (collectsR ? (d * (d + 1)) / 2 : 0);
}

/** The factor has few digits: a square of ten, times some. */
function times(factor: number, value: bigint): Rational {
  const { numerator, denominator } = rationalOf('variance', factor);
  return { numerator: numerator * value, denominator };
}

function perKind<T, U>({ R, V, M }: PerKind<T>, map: (value: T) => U): PerKind<U> {
  return { R: map(R), V: map(V), M: map(M) };
}

/** Divides to 53 digits. */
function quotient({ numerator, denominator }: Rational): number {
  return Number(numerator) / Number(denominator);
}

function checkDeviations(variances: PerKind<Rational>): void {
  for (const [kind, { numerator, denominator }] of Object.entries<Rational>({ ...variances })) {
    if (numerator === 0n || numerator >= denominator) continue;
    throw new CodedError(
      PRIVACY_CODES.ERR_DP_PARAMETER,
      `"epsilon" expected smaller: the noise on ${kind} would have a deviation below 1`,
    );
  }
}

/**
 * The sum of n discrete Gaussians is not one, but nearly: Kairouz, Liu and Steinke, "The Distributed Discrete
 * Gaussian Mechanism for Federated Learning with Secure Aggregation" (2021), theorem 1. A sum of n with
 * deviation σ_i each is ε²/2-concentrated differentially private on D values with ε = Δ/(√n σ_i) + τ √D, τ =
 * 10 Σ_{k<n} exp(−2π² σ_i² k/(k + 1)) <= 10 (n − 1) exp(−π² σ_i²). Their proof compares densities value by
 * value, so σ_i may differ between values, and the least of them bounds τ. Here Δ/(√n σ_i) = 1/multiplier,
 * which was enlarged by 2^-10 to make room for τ √D. More owners than the honest ones only add noise to that.
 */
function checkSum(task: StageTask, variances: PerKind<Rational>, multiplier: number): void {
  const honest = task.setting.honestOwners!;
  const least = Math.min(
    ...Object.values<Rational>({ ...variances })
      .map(quotient)
      .filter((variance) => variance > 0),
  );
  const tau = 10 * (honest - 1) * Math.exp(-(Math.PI ** 2) * least);
  const room = 1 / multiplier - 1 / (multiplier * (1 + SUM_SLACK));
  // Half of the room: what is left covers the rounding of this very check.
  if (tau * Math.sqrt(valuesOf(task)) <= room / 2) return;
  throw new CodedError(
    PRIVACY_CODES.ERR_DP_PARAMETER,
    `"honestOwners" expected fewer: each owner's noise on a count would have a deviation of only ${Math.sqrt(least).toPrecision(2)}`,
  );
}

/** ⌊B⌋: no entry of a row, and no row, is longer. */
export function largestEntry({ clippingBound: bound }: NoisePlan): bigint {
  return integerSqrt(bound);
}

/**
 * Noise in the order of the flat statistics: the upper triangle of R where it is summed, per labelling
 * and class V and M, and 0 for the number of owners. Whoever draws must draw once per task: the mean of
 * several draws is closer to the statistics.
 */
export function sampleNoise(
  source: RandomSource,
  { collectsR, features: d, classes }: StageTask,
  { variances, offDiagonal, latticeBits }: Pick<NoisePlan, 'variances' | 'offDiagonal' | 'latticeBits'>,
): bigint[] {
  const sampler = (sigmaSquared: Rational, of: 'R' | 'V' | 'M') =>
    roundedGaussianSampler(source, { sigmaSquared, latticeBits: latticeBits[of] });
  const R = sampler(variances.R, 'R');
  const off = sampler(offDiagonal, 'R');
  const V = sampler(variances.V, 'V');
  const M = sampler(variances.M, 'M');
  const noise: bigint[] = [];
  for (let i = 0; collectsR && i < d; i += 1) {
    noise.push(R());
    for (let j = i + 1; j < d; j += 1) noise.push(off());
  }
  for (let k = classes.reduce((sum, count) => sum + count, 0); k > 0; k -= 1) {
    for (let i = 0; i < d; i += 1) noise.push(V());
    noise.push(M());
  }
  noise.push(0n);
  return noise;
}
