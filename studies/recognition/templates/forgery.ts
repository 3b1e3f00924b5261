/** The number of attempts until a forged stream of windows is allowed, and how often users' own streams are. */
import { setImmediate } from 'node:timers/promises';
import { type Figure, least, most, only, where } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, columnsOf, interval, ofBothSets, SHARE } from '../figures.ts';
import { attackedIn, type OfTemplates, planTemplates } from './attacked.ts';
import { forge, STRATEGIES } from './forging.ts';

/** Attempts at most. */
const LIMITS = [1, 3, 5, 10, 20, 60, 100];

interface Case extends OfTemplates {
  readonly attempts: string;
}

/** The share of people by the attack that does best with a score and an engine. */
function bestIn(records: readonly Tidy[]): Tidy[] {
  const forged = records.filter(({ allowed }) => allowed !== undefined);
  const same = Map.groupBy(forged, ({ dataset, against, score, engine, attempts }) =>
    JSON.stringify({ dataset, against, score, engine, attempts }),
  );
  return [...same].map(([of, attacks]) => ({
    ...(JSON.parse(of) as Tidy),
    allowed: Math.max(...attacks.map(({ allowed }) => allowed as number)),
  }));
}

/** Returns the range from the least to the most over scores and engines. */
const reach =
  (digits: number, column = 'allowed', unit = ''): Figure =>
  (records) => {
    const form = { digits, percent: true } as const;
    const ends = [...new Set([least(column, form)(records).text, most(column, form)(records).text])];
    return { value: undefined, text: `${ends.join('–')}${unit}` };
  };

const WHOLE = { digits: 0, percent: true } as const;
const against = (of: string, attempts: number) => ({ of: 'best', where: { against: of, attempts } });
const ZEROS = 'windows of zeros';
const zerosIn = (set: string) => ({ where: { against: set, attack: ZEROS, attempts: 1 } });
const genuineIn = (set: string) => ({ where: { against: set } });

export const forgery = defineStudy<Case>({
  id: 'recognition/forgery',
  plan: (asked) => planTemplates(asked, 'forgery', () => ({ attempts: LIMITS.join(' ') })),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ people }) => people,
  async *measure(chosen, bench) {
    const { scene, kind } = await attackedIn(chosen, bench);
    const limits = chosen.attempts.split(' ').map(Number);
    for (const other of ['nothing', 'everybody'] as const)
      for (const score of ['euclidean', 'mahalanobis'] as const)
        for (const engine of ['trust', 'sequential'] as const) {
          const setting = { score, against: other, engine };
          for (const strategy of STRATEGIES) {
            bench.note(`${score}, against ${other}, ${engine}: ${strategy.name}`);
            const { byAttempts, genuine } = forge(scene, { kind, ...setting }, strategy, limits);
            for (const { attempts, allowed } of byAttempts)
              yield { ...setting, attack: strategy.name, attempts, ...columnsOf('allowed', allowed) };
            // Users' own streams have no strategy.
            if (strategy === STRATEGIES[0]) yield { ...setting, ...columnsOf('stay', genuine) };
            await setImmediate(); // so that an interruption is heard
          }
        }
  },
  columns: { ...COLUMNS, against: { title: 'set against' } },
  frames: { best: bestIn },
  tables: {
    best: {
      of: 'best',
      caption:
        'In short: people for whom some forged stream was allowed, in percent, by attempts; the least and the most over scores and engines, by the attack that did best',
      rows: ['dataset', 'against'],
      across: { column: 'attempts', cell: reach(1) },
    },
    attempts: {
      where: ({ attempts }) => attempts !== undefined,
      caption: 'People for whom a forged stream was allowed, in percent, by attempts',
      rows: ['dataset', 'score', 'against', 'engine', 'attack'],
      across: {
        column: 'attempts',
        cell: (records) =>
          (records[0]?.attempts === 1 ? interval('allowed', SHARE) : only('allowed', SHARE))(records),
      },
    },
    users: {
      where: ({ stay }) => stay !== undefined,
      caption: 'The users themselves: sessions of their last 40 % that stay at `allow` as long',
      rows: ['dataset', 'score', 'against', 'engine'],
      cells: { 'stay, %': interval('stay', SHARE) },
    },
  },
  facts: {
    ...ofBothSets({
      firstMost: { ...against('everybody', 1), figure: most('allowed', WHOLE) },
      thirdLeast: { ...against('everybody', 3), figure: least('allowed', WHOLE) },
      fifthLeast: { ...against('everybody', 5), figure: least('allowed', WHOLE) },
      fifthMost: { ...against('everybody', 5), figure: most('allowed', WHOLE) },
      tenthLeast: { ...against('everybody', 10), figure: least('allowed', WHOLE) },
      tenthMost: { ...against('everybody', 10), figure: most('allowed', WHOLE) },
      zerosAlone: { ...zerosIn('nothing'), figure: reach(0, 'allowed', ' %') },
      zerosSet: { ...zerosIn('everybody'), figure: reach(0, 'allowed', ' %') },
      zerosMost: { ...zerosIn('everybody'), figure: most('allowed', WHOLE) },
      zerosAloneLeast: { ...zerosIn('nothing'), figure: least('allowed', WHOLE) },
      stayLeast: { ...genuineIn('everybody'), figure: least('stay', WHOLE) },
      stayMost: { ...genuineIn('everybody'), figure: most('stay', WHOLE) },
      stayAloneLeast: { ...genuineIn('nothing'), figure: least('stay', WHOLE) },
      stayAloneMost: { ...genuineIn('nothing'), figure: most('stay', WHOLE) },
    }),
    climbs: {
      where: { against: 'everybody', attempts: 100 },
      figure: (records) => {
        const by = (attack: string) => where({ attack }, most('allowed', WHOLE))(records).value ?? Number.NaN;
        const value = by('hill climbing') - by('means of others');
        return { value, text: (100 * value).toFixed(0) };
      },
    },
  },
  holds: {
    zerosPassAlone: (fact) => fact('walkZerosAloneLeast') > 0 && fact('keysZerosAloneLeast') > 0,
    zerosStopped: (fact) => fact('walkZerosMost') === 0 && fact('keysZerosMost') === 0,
    usersStay: (fact) =>
      ['walk', 'keys'].every(
        (set) =>
          fact(`${set}StayLeast`) >= fact(`${set}StayAloneLeast`) &&
          fact(`${set}StayMost`) >= fact(`${set}StayAloneMost`),
      ),
    attemptsAdd: (fact) =>
      fact('keysFirstMost') === 0 &&
      ['walk', 'keys'].every((set) => fact(`${set}TenthLeast`) > fact(`${set}FirstMost`)),
    climbingAddsLittle: (fact) => fact('climbs') < 0.05,
    threeAreEnough: (fact) =>
      ['walk', 'keys'].every((set) => fact(`${set}ThirdLeast`) > 0.1 && fact(`${set}FifthLeast`) > 0.3),
  },
  words: new URL('forgery.md', import.meta.url),
});
