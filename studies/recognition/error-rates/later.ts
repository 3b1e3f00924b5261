/**
 * Users who join later. Ranges and projection are learnt from some people, the others enrol with their own rows and are compared among themselves: targets
 * and impostors both unseen. Beside it, the same people in the same pairs where the projection was learnt from everybody.
 */

import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { type Comparison, equalErrorRates } from '@eigenveil/testbed/recognition/error-rates';
import { mean, only, where } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, ofBothSets, RATE, ratesIn } from '../figures.ts';
import { KEYS, type People, WALK } from '../people.ts';
import { ARM_TITLES, headlineArm } from '../scoring/arms.ts';
import { normalised } from '../scoring/comparisons.ts';
import { distancesOf, type Final, learn } from '../scoring/protocol.ts';
import type { Setting } from '../scoring/settings.ts';
import { chosenFor, type OfPeople, planFor } from './chosen.ts';

/** People whom the projection is learnt from. */
const LEARNT_FROM: Readonly<Record<string, number>> = { [KEYS]: 40, [WALK]: 24 };
/** A share of the other people. */
const SHARE_LEARNT_FROM = 2 / 3;
const SPLITS: Readonly<Record<Scale, number>> = { full: 10, quick: 2 };
const ARMS = ['manhattan', headlineArm('frames'), headlineArm('insiders')];
/** The goal, in points. */
const MOST = 1;

interface Case extends OfPeople {
  readonly splits: number;
  readonly learntFrom: number;
}

const learntFrom = ({ dataset, people }: People): number =>
  LEARNT_FROM[dataset] ?? Math.round(SHARE_LEARNT_FROM * people.length);

interface UnseenSplit {
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

/** Each split's mean difference, and whether it keeps to the goal. Splits overlap: they have no interval of their own. */
function differencesIn(records: readonly Tidy[]): Tidy[] {
  const same = Map.groupBy(records, ({ dataset, arm, windows }) => `${dataset} ${arm} ${windows}`);
  return [...same.values()].map((of) => {
    const [later, there] = ['later', 'there'].map(
      (who) => mean('eer')(of.filter((record) => record.who === who)).value!,
    );
    const { dataset, arm, windows } = of[0]!;
    const difference = later! - there!;
    return {
      ...{ dataset: dataset!, arm: arm!, windows: windows! },
      ...{ later: later!, there: there!, difference, verdict: difference <= MOST ? 'met' : 'missed' },
    };
  });
}

const single = { windows: 1 };
const five = { windows: 5 };

export const later = defineStudy<Case>({
  id: 'recognition/later',
  plan: (asked) =>
    planFor(asked, 'later', (people) => [{ splits: SPLITS[asked.scale], learntFrom: learntFrom(people) }]),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ splits }) => splits / 2,
  async *measure(chosen, bench) {
    const { final, setting } = await chosenFor(chosen, bench);
    for (const arm of ARMS) {
      for (let split = 1; split <= chosen.splits; split += 1) {
        const seed = `${chosen.dataset} joins later ${split}`;
        const { unseen, seen } = unseenSplit(setting(arm), final, chosen.learntFrom, seed);
        for (const rates of ratesIn(unseen)) yield { arm, split, who: 'later', ...rates };
        for (const rates of ratesIn(seen)) yield { arm, split, who: 'there', ...rates };
      }
    }
  },
  columns: { ...COLUMNS, arm: { values: ARM_TITLES } },
  frames: { differences: differencesIn },
  tables: {
    later: {
      of: 'differences',
      caption: 'EER in percent of users who join later, and of the same had they been there',
      rows: ['dataset', 'arm'],
      cells: {
        later: where(single, only('later', RATE)),
        there: where(single, only('there', RATE)),
        difference: where(single, only('difference', { ...RATE, signed: true })),
        goal: where(single, only('verdict')),
        'over five, later': where(five, only('later', RATE)),
        'over five, there': where(five, only('there', RATE)),
        'over five, difference': where(five, only('difference', { ...RATE, signed: true })),
        'over five, goal': where(five, only('verdict')),
      },
    },
  },
  facts: ofBothSets({
    difference: {
      of: 'differences',
      where: { arm: headlineArm('frames'), windows: 1 },
      figure: only('difference', { ...RATE, signed: true }),
    },
  }),
  holds: {
    laterIsWorse: (fact) => fact('keysDifference') > MOST && fact('walkDifference') > MOST,
  },
  words: new URL('later.md', import.meta.url),
});
