/**
 * The effect of the order of time on error rates: rows left out between the parts, and, as a control and never a result, each person's rows in random order before they
 * are split. Neighbours in time then stand on both sides, and what a person changes over time is learnt from before it is tested.
 */
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import { mean } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, ofBothSets, overWindows, RATE, ratesIn } from '../figures.ts';
import type { People } from '../people.ts';
import { ARM_TITLES, headlineArm, runsOf } from '../scoring/arms.ts';
import { type Final, finalOf, finalWithGaps } from '../scoring/protocol.ts';
import { ratesOf } from '../scoring/rates.ts';
import { type ChosenPeople, chosenFor, type OfPeople, planFor } from './chosen.ts';

/** Random orders that rates are averaged over. */
const SHUFFLES = 5;

interface Case extends OfPeople {
  readonly part: 'gaps' | 'shuffled';
}

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

const ARMS = {
  gaps: ['manhattan', headlineArm('frames')],
  shuffled: ['manhattan', headlineArm('frames'), headlineArm('insiders')],
};

/** The error rates with the settings that validation chose by time. */
function ordersIn({ people, setting }: Pick<ChosenPeople, 'people' | 'setting'>, part: Case['part']) {
  const ratesBy = (final: Final, more: Tidy): Tidy[] =>
    ARMS[part].flatMap((arm) =>
      ratesIn(ratesOf(runsOf(setting(arm), final))).map((rates) => ({ arm, ...more, ...rates })),
    );
  if (part === 'gaps')
    return [
      ...ratesBy(finalOf(people), { order: 'by time' }),
      ...ratesBy(finalWithGaps(people), { order: 'with gaps' }),
    ];
  return Array.from({ length: SHUFFLES }, (_, i) =>
    ratesBy(finalOf(withoutTime(people, i + 1)), { order: 'random', draw: i + 1 }),
  ).flat();
}

export const time = defineStudy<Case>({
  id: 'recognition/time',
  plan: (asked) => planFor(asked, 'time', () => (['gaps', 'shuffled'] as const).map((part) => ({ part }))),
  titleOf: ({ dataset, part }) => `${dataset}, ${part}`,
  expectedSeconds: () => 3,
  async measure(chosen, bench) {
    return ordersIn(await chosenFor(chosen, bench), chosen.part);
  },
  columns: {
    ...COLUMNS,
    arm: { values: ARM_TITLES },
    order: {
      values: {
        'with gaps': 'by time, a tenth left out between the parts',
        random: 'random (control)',
      },
    },
  },
  tables: {
    orders: {
      caption: 'EER in percent of single rows / over five, by the order of each user’s rows',
      rows: ['dataset', 'arm'],
      across: { column: 'order', cell: overWindows(mean('eer', RATE)) },
    },
  },
  facts: ofBothSets({
    random: { where: { arm: 'dca', order: 'random', windows: 1 }, figure: mean('eer', RATE) },
    byTime: { where: { arm: 'dca', order: 'by time', windows: 1 }, figure: mean('eer', RATE) },
  }),
  holds: {
    randomFlatters: (fact) => ['keys', 'walk'].every((set) => fact(`${set}Random`) < fact(`${set}ByTime`)),
  },
  words: new URL('time.md', import.meta.url),
});
