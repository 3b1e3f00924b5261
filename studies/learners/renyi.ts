/**
 * The cost of many steps of a Gaussian mechanism on Poisson samples: Rényi differential privacy and its ε for a δ.
 *
 * Proof note. Each row is in a step's sample with probability q, on its own; neighbours differ by one row more or less, and the step adds N(0, σ²C²) to a
 * sum to which a row adds a vector of length C at most. For whole α >= 2 the Rényi divergence of order α, in either direction, is at most
 *
 *   ln(Σ_k binom(α, k) (1 − q)^{α−k} q^k exp(k(k − 1)/(2σ²)))/(α − 1)
 *
 * (Mironov, Talwar and Zhang, "Rényi differential privacy of the sampled Gaussian mechanism", 2019, section 3.3; Abadi et al., "Deep learning with
 * differential privacy", 2016, bound the same moments). T steps, each chosen by what came before, add up. ε for δ follows from any α:
 * ε = R(α) + ln(1 − 1/α) − (ln δ + ln α)/(α − 1) (Canonne, Kamath and Steinke 2020, proposition 12). Sampling lots of a fixed size, or going through
 * shuffled rows, is another mechanism, to which this does not apply.
 */
import {
  checkCount,
  checkDelta,
  checkEpsilon,
  checkPositive,
  invalid,
  leastThatHolds,
} from '@eigenveil/privacy/parts';
import type { Budget } from '../privacy/methods/stage.ts';

/** Orders that are tried; any of them gives a bound. */
export const ORDERS: readonly number[] = [
  ...Array.from({ length: 62 }, (_, i) => i + 2),
  ...[72, 80, 96, 128, 192, 256, 384, 512, 1024],
];
/** Relative, of sums of a thousand terms. */
const ROUNDING = 1e-10;

export interface SampledGaussian {
  /** q in (0, 1]. */
  readonly rate: number;
  /** σ, the deviation in units of C. */
  readonly noise: number;
  /** T. */
  readonly steps: number;
}

/** @throws ERR_DP_PARAMETER for a mechanism out of range, or α no whole number >= 2 */
export function renyiOf({ rate, noise, steps }: SampledGaussian, alpha: number): number {
  checkRate(rate);
  checkPositive('noise', noise);
  checkCount('steps', steps, 1);
  checkCount('alpha', alpha, 2);
  if (rate === 1) return (steps * alpha) / (2 * noise ** 2);
  const logs: number[] = [];
  let binomial = 0;
  for (let k = 0; k <= alpha; k += 1) {
    logs.push(
      binomial + (alpha - k) * Math.log1p(-rate) + k * Math.log(rate) + (k * (k - 1)) / (2 * noise ** 2),
    );
    binomial += Math.log((alpha - k) / (k + 1));
  }
  const largest = Math.max(...logs);
  const sum = logs.reduce((total, log) => total + Math.exp(log - largest), 0);
  return ((steps * Math.max(0, largest + Math.log(sum))) / (alpha - 1)) * (1 + ROUNDING);
}

/**
 * The ε that the steps keep with δ, the least over ORDERS.
 * @throws ERR_DP_PARAMETER for a mechanism or δ out of range
 */
export function epsilonOfSteps(mechanism: SampledGaussian, dpDelta: number): number {
  checkDelta(dpDelta);
  const bounds = ORDERS.map(
    (alpha) =>
      renyiOf(mechanism, alpha) +
      Math.log1p(-1 / alpha) -
      (Math.log(dpDelta) + Math.log(alpha)) / (alpha - 1),
  );
  return Math.max(0, Math.min(...bounds));
}

/**
 * The least σ with which the steps keep (ε, δ), rounded up; 0 for ε = Infinity.
 * @throws ERR_DP_PARAMETER for parameters out of range
 */
export function noiseOfSteps(
  { rate, steps }: Omit<SampledGaussian, 'noise'>,
  { epsilon, dpDelta }: Budget,
): number {
  checkRate(rate);
  checkCount('steps', steps, 1);
  checkEpsilon(epsilon);
  checkDelta(dpDelta);
  if (epsilon === Infinity) return 0;
  const key = `${rate} ${steps} ${epsilon} ${dpDelta}`;
  const noise =
    known.get(key) ??
    leastThatHolds((it) => epsilonOfSteps({ rate, steps, noise: it }, dpDelta) <= epsilon, 1);
  known.set(key, noise);
  return noise;
}

/** Each takes some hundredths of a second, and experiments ask for few, often. */
const known = new Map<string, number>();

function checkRate(rate: number): void {
  if (!(rate > 0 && rate <= 1)) throw invalid('rate', 'a number in (0, 1]', rate);
}
