/**
 * A control, never a result: each person's rows in random order before they are split. Neighbours in time then stand on both sides, and what a person changes over
 * time is learnt from before it is tested. A service has no such rates: its windows come after enrolment.
 */
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import type { People } from '../people.ts';
import { headlineArm, runsOf } from './arms.ts';
import { type Facts, percent } from './facts.ts';
import { finalOf } from './protocol.ts';
import { ratesOf } from './rates.ts';
import { type Ranked, settingOf } from './seen.ts';

/** Orders that rates are averaged over. */
export const SHUFFLES = 5;

/** Every person keeps their own rows. */
export function withoutTime({ dataset, features, people }: People, order: number): People {
  return {
    dataset,
    features,
    people: people.map(({ name, rows }) => ({
      name,
      rows: shuffled(rows, generator(seedOf(`${dataset} ${name} in random order ${order}`))),
    })),
  };
}

export const SHUFFLED_ARMS = ['manhattan', headlineArm('frames'), headlineArm('insiders')];

/** With the settings that validation chose by time. */
export function shuffledFacts(people: People, ranked: Ranked): Facts {
  const facts: Facts = {};
  for (let order = 1; order <= SHUFFLES; order += 1) {
    const final = finalOf(withoutTime(people, order));
    for (const arm of SHUFFLED_ARMS) {
      const { perSample, overFive } = ratesOf(runsOf(settingOf(ranked, arm), final));
      facts[`shuffled/${arm}/perSample/${order}`] = percent(perSample);
      facts[`shuffled/${arm}/overFive/${order}`] = percent(overFive);
    }
  }
  return facts;
}
