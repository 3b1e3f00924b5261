/**
 * Users who join later. Ranges and projection are learnt from some people, the others enrol with their own rows and are compared among themselves: targets
 * and impostors both unseen. Beside it, the same people in the same pairs where the projection was learnt from everybody.
 */

import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { normalised } from './comparisons.ts';
import { distancesOf, type Final, learn } from './protocol.ts';
import type { Setting } from './settings.ts';

/** People whom the projection is learnt from. */
export const LEARNT_FROM: Readonly<Record<string, number>> = { meu_keystroke: 40, wisdm_walk_user: 24 };

export interface UnseenSplit {
  readonly unseen: { readonly perSample: number; readonly overFive: number };
  /** The same people, had they been there from the beginning. */
  readonly seen: { readonly perSample: number; readonly overFive: number };
}

export function unseenSplit(setting: Setting, final: Final, learntFrom: number, seed: string): UnseenSplit {
  const order = shuffled(
    final.learn.map(({ name }) => name),
    generator(seedOf(seed)),
  );
  const later = new Set(order.slice(learntFrom));
  const among = <T extends { readonly name: string }>(people: readonly T[], are: boolean) =>
    people.filter(({ name }) => later.has(name) === are);
  const scores = (learners: Final['learn']): Comparison[] => {
    // The service has templates of all: their units set the common one.
    const all = normalised(distancesOf(learn(setting, learners), final.learn, final.test), setting);
    return all.filter(({ target, source }) => later.has(target) && later.has(source));
  };
  return {
    unseen: equalErrorRates(scores(among(final.learn, false))),
    seen: equalErrorRates(scores(final.learn)),
  };
}
