/** Where each value of the statistics sits inside packed plaintexts: a pure function of the task. */

import { makePacking, type Packing } from '@eigenveil/paillier';
import {
  checkStatisticsTask,
  collectsR,
  type StatisticsTask,
  statisticsBounds,
  summedClasses,
} from '@eigenveil/task';

/**
 * The packing of the task's flat statistics (see `flatten`), wide enough for the sum over all owners.
 *
 * The values obey `statisticsBounds`, and 0 <= owners <= maximumOwners.
 * A value of magnitude at most B fits b-bit two's complement, [-2^(b-1), 2^(b-1)), when 2^(b-1) > B. The bounds are
 * reached, so b is the least that will do; and as every partial sum obeys the bound of the total, no order of adding
 * contributions leaves its slot. What blinding adds on top is the packing's.
 * @throws TaskError ERR_TASK_INVALID; PrivacyError ERR_DP_PARAMETER; PaillierError ERR_PACKING_TOO_NARROW when a slot does not fit the key
 */
export function layout(task: StatisticsTask): Packing {
  checkStatisticsTask(task);
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
