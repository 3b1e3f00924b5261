/** Where each value of the statistics sits inside packed plaintexts: a pure function of the task. */

import { makePacking, type Packing } from '@eigenveil/paillier';
import { largestEntry } from '@eigenveil/privacy';
import { noisePlanOf } from './privacy.ts';
import { checkTask, collectsR, type StatisticsTask, summedClasses } from './task.ts';

/** No entry of R and of V, no M, is larger in magnitude: of all owners together, and of the sums over classes as well. */
export interface StatisticsBounds {
  readonly R: bigint;
  readonly V: bigint;
  readonly M: bigint;
}

/**
 * With u = 2^fractionBits, every discretised cell lies in [-u, u]; with Q = maximumOwners · maximumSamplesPerOwner,
 * there are at most Q rows. So over all owners together
 * - an entry of R is a sum of at most Q products of two cells: |R| <= u²·Q;
 * - an entry of V_k is a sum of at most Q cells: |V_k| <= u·Q;
 * - 0 <= M_k <= Q.
 * The bounds are reached (all cells at an end of their range). Every partial sum obeys the bound of the total.
 *
 * Under differential privacy no row is longer than B, so that u is at most B; and noise comes on top, of at most its tail per value but for a
 * probability of 2^-40, and the shift of R. Sums of V and M over K classes hold the noise of K values.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function statisticsBounds(task: StatisticsTask): StatisticsBounds {
  const samples = BigInt(task.maximumOwners) * BigInt(task.maximumSamplesPerOwner);
  const unit = 1n << BigInt(task.fractionBits);
  const plan = noisePlanOf(task);
  if (plan === undefined) return { R: samples * unit ** 2n, V: samples * unit, M: samples };
  const { clippingBound: bound, tails, shift } = plan;
  const entry = largestEntry(plan);
  const classes = BigInt(Math.max(...summedClasses(task)));
  return {
    R: samples * (bound < unit ** 2n ? bound : unit ** 2n) + tails.R + shift,
    V: samples * (entry < unit ? entry : unit) + classes * tails.V,
    M: samples + classes * tails.M,
  };
}

/**
 * The packing of the task's flat statistics (see `flatten`), wide enough for the sum over all owners.
 *
 * The values obey `statisticsBounds`, and 0 <= owners <= maximumOwners.
 * A value of magnitude at most B fits b-bit two's complement, [-2^(b-1), 2^(b-1)), when 2^(b-1) > B. The bounds are
 * reached, so b is the least that will do; and as every partial sum obeys the bound of the total, no order of adding
 * contributions leaves its slot. What blinding adds on top is the packing's.
 * @throws StatisticsError ERR_TASK_INVALID; PrivacyError ERR_DP_PARAMETER; PaillierError ERR_PACKING_TOO_NARROW when a slot does not fit the key
 */
export function layout(task: StatisticsTask): Packing {
  checkTask(task);
  const d = task.features.length;
  const bounds = statisticsBounds(task);
  const bitsOfR = signedBits(bounds.R);
  const bitsOfV = signedBits(bounds.V);
  const bitsOfM = signedBits(bounds.M);
  const classes = summedClasses(task).reduce((sum, count) => sum + count, 0);
  const classBits = [...new Array<number>(d).fill(bitsOfV), bitsOfM];
  const lengthOfR = collectsR(task.method) ? (d * (d + 1)) / 2 : 0;
  const valueBits = [
    ...new Array<number>(lengthOfR).fill(bitsOfR),
    ...Array.from({ length: classes }, () => classBits).flat(),
    signedBits(BigInt(task.maximumOwners)),
  ];
  return makePacking({
    valueBits,
    statisticalSecurityBits: task.statisticalSecurityBits,
    // Every plaintext below 2^(bits(n) - 1) is below n.
    plaintextBits: task.keyBits - 1,
  });
}

/** The least b with bound < 2^(b-1). */
function signedBits(bound: bigint): number {
  return bound.toString(2).length + 1;
}
