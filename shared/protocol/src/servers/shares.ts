/** Both servers' additive shares, in the ring of the task's two-party protocol. */
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics';
import { computedValues, type StatisticsTask, shiftOf } from '@eigenveil/task';
import { sumShares, TWO_PARTY_PROTOCOLS, toRing } from '@eigenveil/two-party';
import type { Drawn } from './blind.ts';
import { drawSumNoise } from './sum-noise.ts';

/** What the shares of a task are a function of. */
export type SharedTask = StatisticsTask & { readonly twoParty: keyof typeof TWO_PARTY_PROTOCOLS };

/**
 * The CSP's additive shares: what it reads from the slots, which are values with their blinding, in the units that servers compute with, and its noise. Of a histogram those
 * of its sums.
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtCsp(task: SharedTask, slots: readonly bigint[], randomness: RandomSource): bigint[] {
  if (task.method.kind === 'histogram') return noisySums(task, slots, drawSumNoise(task, randomness));
  const noise = drawNoise(task, 'csp', randomness);
  return toShares(
    task,
    computedValues(task, slots).map((value, i) => value + noise[i]!),
  );
}

/**
 * The data user's additive shares: with the CSP's they add up to the statistics, the servers' noise and the public shift (`computedValues`).
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtDataUser(task: SharedTask, { blinding, noise }: Drawn): bigint[] {
  if (task.method.kind === 'histogram')
    return noisySums(
      task,
      blinding.map((value) => -value),
      noise,
    );
  const shift = computedValues(task, shiftOf(task));
  // In one pass: of a sketch, integers of which these are reduced would be tens of megabytes.
  const bits = TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task);
  return computedValues(task, blinding).map((value, i) =>
    BigInt.asUintN(bits[i]!, noise[i]! + shift[i]! - value),
  );
}

/**
 * Of a histogram, shares are those of its sums: the strategy is linear, so each server applies it to its own, and adds its own noise, before anything leaves
 * it. In the ring, whatever noise was drawn: to refuse some would tell something of the rows.
 */
function noisySums(task: SharedTask, integers: readonly bigint[], noise: readonly bigint[]): bigint[] {
  return toShares(
    task,
    sumShares(task, integers).map((sum, i) => sum + noise[i]!),
  );
}

function toShares(task: SharedTask, integers: readonly bigint[]): bigint[] {
  return toRing(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), integers);
}
