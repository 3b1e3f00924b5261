/** Additive shares in the ring of a task's two-party protocol. */
import type { StatisticsTask } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS, toRing } from '@eigenveil/two-party';

/** What the shares of a task are a function of. */
export type SharedTask = StatisticsTask & { readonly twoParty: keyof typeof TWO_PARTY_PROTOCOLS };

export function toShares(task: SharedTask, integers: readonly bigint[]): bigint[] {
  return toRing(TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task), integers);
}
