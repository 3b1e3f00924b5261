/** Where each value of the statistics sits inside packed plaintexts: a pure function of the task. */

import { makePacking, type Packing } from '@eigenveil/paillier/owner';
import { type StatisticsTask, valueBitsOf } from '@eigenveil/task';

/**
 * The packing of the task's flat statistics (see `flatten`), wide enough for the sum over all owners. What blinding adds to the width of a
 * value is the packing's.
 * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER, ERR_PACKING_TOO_NARROW when a slot does not fit the key
 * @example
 * import { layout } from '@eigenveil/statistics';
 *
 * const ciphertexts = layout(task).plaintexts.length; // of one contribution
 */
export function layout(task: StatisticsTask): Packing {
  return makePacking({
    valueBits: valueBitsOf(task),
    statisticalSecurityBits: task.statisticalSecurityBits,
    // Every plaintext below 2^(bits(n) - 1) is below n.
    plaintextBits: task.keyBits - 1,
  });
}
