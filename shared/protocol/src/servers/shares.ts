/** Both servers' additive shares, in the ring of the task's two-party protocol. */
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics';
import { type StatisticsTask, shiftOf } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS, toRing } from '@eigenveil/two-party';
import type { Drawn } from './blind.ts';

/** What the shares of a task are a function of. */
export type SharedTask = StatisticsTask & { readonly twoParty: keyof typeof TWO_PARTY_PROTOCOLS };

/**
 * The CSP's additive shares: what it reads from the slots, which are values with their blinding, and its noise.
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtCsp(task: SharedTask, slots: readonly bigint[], randomness: RandomSource): bigint[] {
  const noise = drawNoise(task, 'csp', randomness);
  return toShares(
    task,
    slots.map((slot, i) => slot + noise[i]!),
  );
}

/**
 * The data user's additive shares: with the CSP's they add up to the statistics, the servers' noise and the public shift.
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtDataUser(task: SharedTask, { blinding, noise }: Drawn): bigint[] {
  const shift = shiftOf(task);
  return toShares(
    task,
    blinding.map((value, i) => noise[i]! + shift[i]! - value),
  );
}

function toShares(task: SharedTask, integers: readonly bigint[]): bigint[] {
  return toRing(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), integers);
}
