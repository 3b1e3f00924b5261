/**
 * Counts of bins from noisy coefficients, by least squares: B = (AᵀA)⁻¹Aᵀ.
 *
 * Of all unbiased linear restorations it has the least error for every sum of counts (Gauss and Markov), and what it gives is consistent: with `tree` it is
 * the restoration of Boost, with `privelet`, where A is square, A⁻¹. (AᵀA)⁻¹ is Σ_k ψ_k J_k (covariance.ts), so it takes O(N) per height.
 */
import { coefficientsByLevel } from './covariance.ts';
import { blockSums, checkLength, coefficientCount, type Strategy } from './strategy.ts';

/**
 * By: the counts that explain noisy coefficients best, in the order of the bins. Unbiased, consistent, of either sign, and not whole.
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
