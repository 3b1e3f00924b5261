/**
 * Restores counts of bins from noisy coefficients, by least squares: B = (AᵀA)⁻¹Aᵀ; and tells their errors
 * exactly.
 *
 * Of all unbiased linear restorations it has the least error for every sum of counts (Gauss and Markov), and
 * what it gives is consistent: with `tree` it is the restoration of Boost, with `privelet`, where A is
 * square, A⁻¹. (AᵀA)⁻¹ is Σ_k ψ_k J_k, as is shown below, so it takes O(N) per height.
 */

import { checkCount, invalid } from '@eigenveil/privacy/parts';
import { type Fraction, toNumber } from './fraction.ts';
import { blockSums, checkLength, coefficientCount, type Strategy } from './strategy.ts';

/**
 * The errors of restored counts, exactly: covariances by the height of the lowest common ancestor, and the
 * error of any interval in O(log N).
 *
 * All is in units of the variance of one coefficient's noise, which is independent and the same for all. The
 * covariance of By is then Σ = BBᵀ = (AᵀA)⁻¹. Let J_k be the matrix with 1 where two bins lie below one node
 * of height k, and s_k the number of bins below it.
 *
 * Lemma. AᵀA = Σ_k γ_k J_k. For `tree` a node's row a gives aaᵀ, so that γ_k = 1 for all k; for `flat` γ =
 * (1, 0). For `privelet` a node of height k with halves L and R has aaᵀ = 2 (1_L 1_Lᵀ + 1_R 1_Rᵀ) − 1 1ᵀ over
 * its bins: all of height k give 2 J_{k−1} − J_k, and the total J_h. The sum is 2 J_0 + J_1 + … + J_{h−1}. So
 * Privelet is Boost on a tree without a root whose leaves count double, and their errors are alike.
 *
 * Theorem. With c_k = Σ_{j <= k} γ_j s_j, Σ = Σ_k ψ_k J_k, ψ_0 = 1/c_0, ψ_k = −γ_k/(c_{k−1} c_k). Proof. By
 * induction over heights. M_k, the part of AᵀA below a node of height k that stops at height k, has M_k 1 =
 * c_k 1. From M_k = diag(M_{k−1}) + γ_k 1 1ᵀ and Sherman and Morrison, M_k⁻¹ = diag(M_{k−1}⁻¹) − γ_k
 * (1/c_{k−1})²/(1 + γ_k s_k/c_{k−1}) 1 1ᵀ, where c_{k−1} + γ_k s_k = c_k. ∎
 *
 * Hence Σ_ij = Φ_k = Σ_{j >= k} ψ_j, k the height of the lowest common ancestor of i and j: for Privelet Φ_h
 * = 0 and Φ_{k+1} = Φ_k + 4^−k/2, as in theorem 2 of Wu, Chen, Cai and Wang, "Error analysis of
 * differentially private data publication under the matrix mechanism" (2018). And the error of the sum over
 * an interval I is 1ᵀΣ1 = Σ_k ψ_k Σ_v |v ∩ I|² over the nodes v of height k, of which all except two lie in I
 * or out of it: their algorithm 3 for every strategy of this kind. Integers throughout, over the common
 * denominator Π c_k: the terms nearly cancel.
 */

/** Bins from, from + 1, …, to − 1. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The numbers that the errors of a strategy follow from, by height. */
interface Levels {
  /** s_k: bins below a node. */
  readonly sizes: readonly bigint[];
  /** ψ_k, times the common denominator. */
  readonly psi: readonly bigint[];
  readonly denominator: bigint;
  /** c_k at the root: every row and column of Σ sums to 1/c. */
  readonly rootSum: bigint;
}

const kept = new WeakMap<Strategy, Levels>();

export function levelsOf(strategy: Strategy): Levels {
  const found = kept.get(strategy);
  if (found !== undefined) return found;
  const sizes = [1n];
  for (const fanout of strategy.fanouts) sizes.push(sizes.at(-1)! * BigInt(fanout));
  const gamma = gramWeights(strategy);
  let rootSum = 0n;
  const sums = sizes.map((size, k) => {
    rootSum += gamma[k]! * size;
    return rootSum;
  });
  const denominator = sums.reduce((product, sum) => product * sum, 1n);
  const psi = sums.map((sum, k) =>
    k === 0 ? denominator / sum : (-gamma[k]! * denominator) / (sums[k - 1]! * sum),
  );
  const levels = { sizes, psi, denominator, rootSum };
  kept.set(strategy, levels);
  return levels;
}

/** γ_k, by height. */
function gramWeights({ kind, fanouts }: Strategy): bigint[] {
  const height = fanouts.length;
  return Array.from({ length: height + 1 }, (_, k) => {
    if (kind === 'tree' || height === 0) return 1n;
    if (kind === 'flat') return k === 0 ? 1n : 0n;
    if (k === 0) return 2n;
    return k < height ? 1n : 0n;
  });
}

/** ψ_k as doubles. */
function coefficientsByLevel(strategy: Strategy): number[] {
  const { psi, denominator } = levelsOf(strategy);
  return psi.map((numerator) => toNumber({ numerator, denominator }));
}

/**
 * Φ_k for k = 0 (a count's own variance) up to the root's height: the covariance of two counts whose lowest
 * common ancestor has height k.
 */
export function covarianceByHeight(strategy: Strategy): Fraction[] {
  const { psi, denominator } = levelsOf(strategy);
  let sum = 0n;
  return psi
    .toReversed()
    .map((value) => {
      sum += value;
      return { numerator: sum, denominator };
    })
    .toReversed();
}

/**
 * The height of the lowest common ancestor of two bins.
 * @throws ERR_DP_PARAMETER unless both are bins of the strategy
 */
export function commonHeight({ bins, fanouts }: Strategy, i: number, j: number): number {
  for (const [name, bin] of Object.entries({ i, j })) {
    checkCount(name, bin, 0);
    if (bin >= bins) throw invalid(name, `a bin below ${bins}`, bin);
  }
  let [height, left, right] = [0, i, j];
  for (; left !== right; height += 1) {
    left = Math.floor(left / fanouts[height]!);
    right = Math.floor(right / fanouts[height]!);
  }
  return height;
}

/**
 * The variance of the restored sum over an interval, in units of one coefficient's noise; O(log N).
 * @throws ERR_DP_PARAMETER unless 0 <= from <= to <= N
 * @example
 * import { intervalError, privelet } from '@eigenveil/release';
 *
 * intervalError(privelet(40), { from: 3, to: 2 ** 39 + 5 }).denominator > 0n; // → true
 */
export function intervalError(strategy: Strategy, { from, to }: Interval): Fraction {
  checkCount('from', from, 0);
  checkCount('to', to, from);
  if (to > strategy.bins) throw invalid('to', `at most ${strategy.bins}`, to);
  const { sizes, psi, denominator } = levelsOf(strategy);
  const [low, high] = [BigInt(from), BigInt(to)];
  const numerator = psi.reduce((sum, value, k) => sum + value * squaredOverlaps(low, high, sizes[k]!), 0n);
  return { numerator, denominator };
}

/** Σ |v ∩ I|² over consecutive blocks v of one size. */
function squaredOverlaps(from: bigint, to: bigint, size: bigint): bigint {
  const first = from / size;
  const last = to / size;
  if (first === last) return (to - from) ** 2n;
  const left = (first + 1n) * size - from;
  const right = to - last * size;
  return left ** 2n + (last - first - 1n) * size ** 2n + right ** 2n;
}

/**
 * The variance of (sum over the first `to` bins) − q · (sum over all), whose sign says on which side the
 * quantile q lies.
 * @throws ERR_DP_PARAMETER unless 0 <= to <= N
 */
export function quantileError(strategy: Strategy, to: number, q: number): number {
  return quantileFrom(strategy, toNumber(intervalError(strategy, { from: 0, to })), to, q);
}

// Σ1 = 1/c, so the mixed term needs no more than the number of bins.
const quantileFrom = (strategy: Strategy, ofPrefix: number, to: number, q: number): number =>
  ofPrefix + (q * q * strategy.bins - 2 * q * to) / Number(levelsOf(strategy).rootSum);

const keptPrefixes = new WeakMap<Strategy, Float64Array>();

/**
 * Returns the same as a function of `to` and q, for whoever asks for all of them: O(N log N) once per
 * strategy.
 */
export function quantileErrors(strategy: Strategy): (to: number, q: number) => number {
  let prefixes = keptPrefixes.get(strategy);
  if (prefixes === undefined) {
    prefixes = Float64Array.from({ length: strategy.bins + 1 }, (_, to) =>
      toNumber(intervalError(strategy, { from: 0, to })),
    );
    keptPrefixes.set(strategy, prefixes);
  }
  const errors = prefixes;
  return (to, q) => quantileFrom(strategy, errors[to]!, to, q);
}

/**
 * Returns By, the counts that explain noisy coefficients best, in the order of the bins. Unbiased,
 * consistent, of either sign, and not whole.
 * @throws ERR_DP_PARAMETER unless there are as many coefficients as `coefficientCount` says
 */
export function restore(strategy: Strategy, coefficients: readonly number[]): number[] {
  const { kind, bins, fanouts } = strategy;
  checkLength('coefficients', coefficients, coefficientCount(strategy));
  if (kind === 'flat') return [...coefficients];
  const weights = coefficientsByLevel(strategy);
  // Aᵀy, from the root down: what all nodes above a bin have, with their signs.
  let above = [coefficients[0]!];
  let at = 1;
  for (const fanout of fanouts.toReversed()) {
    const start = at;
    above = Array.from({ length: above.length * fanout }, (_, i) => {
      const parent = Math.floor(i / fanout);
      const own =
        kind === 'tree' ? coefficients[start + i]! : coefficients[start + parent]! * (i % 2 === 0 ? 1 : -1);
      return above[parent]! + own;
    });
    at += kind === 'tree' ? above.length : above.length / 2;
  }
  const sums = [above];
  for (const fanout of fanouts) sums.push(blockSums(sums.at(-1)!, fanout, 0, (a, b) => a + b));
  let counts = [weights.at(-1)! * sums.at(-1)![0]!];
  for (let height = fanouts.length - 1; height >= 0; height -= 1) {
    const fanout = fanouts[height]!;
    const parents = counts;
    counts = sums[height]!.map((sum, i) => parents[Math.floor(i / fanout)]! + weights[height]! * sum);
  }
  checkLength('counts', counts, bins);
  return counts;
}
