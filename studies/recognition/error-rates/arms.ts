/** Error rates of every arm, with the settings that validation chose: intervals over people, by number of components, and goals with their verdicts. */
import { setImmediate } from 'node:timers/promises';
import { beside, type Figure, only, where } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, endsOf, interval, ofBothSets, overWindows, percent, RATE, ratesIn } from '../figures.ts';
import { KEYS, WALK } from '../people.ts';
import {
  ARM_TITLES,
  ARMS,
  type Arm,
  type Family,
  headlineArm,
  type Ranked,
  rawArms,
  runsOf,
  SERVICE_ARM,
} from '../scoring/arms.ts';
import { ratesOf } from '../scoring/rates.ts';
import { drawsOf, intervalOf, pairedInterval, resampledRates } from '../scoring/resampling.ts';
import { settingText } from '../scoring/settings.ts';
import { type ChosenPeople, chosenFor, type OfPeople, planFor } from './chosen.ts';

/** The numbers of resamples for intervals. */
const RESAMPLES = { full: 500, quick: 100 };

interface Case extends OfPeople {
  readonly part: 'choice' | 'test' | 'components';
  /** 0 where no interval is asked for. */
  readonly resamples: number;
}

/** The choices of validation, and the error rates that they had there. */
function choicesIn(ranked: Ranked): Tidy[] {
  return ARMS.map(({ name, family }) => {
    const [chosen] = ranked.get(name)!;
    if (chosen === undefined) throw new Error(`the grid has no setting for ${name}`);
    const { setting, perSample, overFive } = chosen;
    return {
      arm: name,
      family,
      setting: settingText(setting),
      k: setting.components,
      validation: percent(perSample),
      validationOverFive: percent(overFive),
    };
  });
}

const WINDOWS = [1, 5] as const;

/** An arm on the test rows, and its error rates in each resample. */
interface Tried {
  readonly arm: Arm;
  readonly rates: ReturnType<typeof ratesOf>;
  readonly resampled: Readonly<Record<(typeof WINDOWS)[number], readonly number[]>>;
}

const eerOf = ({ rates }: Tried, windows: 1 | 5): number =>
  percent(windows === 1 ? rates.perSample : rates.overFive);

/** Every arm on the test rows. */
export async function testsIn(
  { people: { dataset, people }, final, setting }: ChosenPeople,
  resamples: number,
  note: (text: string) => void = () => undefined,
): Promise<Tidy[]> {
  const draws = drawsOf(people.length, resamples, `bootstrap of ${dataset}`);
  const names = people.map(({ name }) => name);
  const tried: Tried[] = [];
  for (const arm of ARMS) {
    note(arm.name);
    await setImmediate(); // so that an interruption is heard
    const runs = runsOf(setting(arm.name), final);
    const over = (windows: number) => resampledRates(runs.test, windows, names, draws);
    tried.push({ arm, rates: ratesOf(runs), resampled: { 1: over(1), 5: over(5) } });
  }
  return tried.flatMap((one) => {
    const { name, family } = one.arm;
    const { overTen, perUser, before, det } = one.rates;
    return [
      ...WINDOWS.map((windows) => {
        const { fmr, fnmr } = windows === 1 ? one.rates.atThreshold : one.rates.atThresholdOverFive;
        return {
          windows,
          eer: eerOf(one, windows),
          ...percents('eer', intervalOf(one.resampled[windows])),
          ...lessRaw(one, windows, tried),
          fmr: percent(fmr),
          fnmr: percent(fnmr),
          ...(windows === 1 && { perUser: percent(perUser), before: percent(before) }),
        };
      }),
      { windows: 10, eer: percent(overTen) },
      ...det.map(({ fmr, fnmr }) => ({ falseMatches: percent(fmr), falseNonMatches: percent(fnmr) })),
    ].map((record): Tidy => ({ arm: name, family, ...record }));
  });
}

const percents = (name: string, { low, high }: { readonly low: number; readonly high: number }) =>
  endsOf(name, { low: percent(low), high: percent(high) });

/** Against the raw arm of the same family that did better in the test. */
function lessRaw(one: Tried, windows: 1 | 5, tried: readonly Tried[]): Tidy {
  const raw = rawArms(one.arm.family).map((name) => tried.find(({ arm }) => arm.name === name)!);
  const best = raw.reduce((a, b) => (eerOf(b, windows) < eerOf(a, windows) ? b : a));
  return {
    lessRaw: Number((eerOf(one, windows) - eerOf(best, windows)).toFixed(4)),
    ...percents('lessRaw', pairedInterval(one.resampled[windows], best.resampled[windows])),
  };
}

/** Test error rates of the best setting that validation has for each number of components. */
function componentsIn({ ranked, final }: Pick<ChosenPeople, 'ranked' | 'final'>): Tidy[] {
  const arms = ARMS.filter(
    ({ method, family, scores }) =>
      family !== 'outsiders' && (method === 'pca' || method === 'dca') && scores === undefined,
  );
  return arms.flatMap(({ name, family }) => {
    const sizes = new Set(ranked.get(name)!.map(({ setting }) => setting.components));
    return [...sizes]
      .sort((a, b) => a - b)
      .flatMap((k) => {
        const { setting } = ranked.get(name)!.find((it) => it.setting.components === k)!;
        return ratesIn(ratesOf(runsOf(setting, final))).map((rates) => ({ arm: name, family, k, ...rates }));
      });
  });
}

/** Pooled EER in percent of users whom the projection was learnt from. */
const GOALS: Readonly<Record<string, { readonly 1: number; readonly 5: number; readonly mostK: number }>> = {
  [KEYS]: { 1: 5.5, 5: 2.5, mostK: 20 },
  [WALK]: { 1: 9.5, 5: 9, mostK: 12 },
};

/** Figures of the headline's arms beside their goals. The goal against raw rows is an interval at or below 0. */
function goalsIn(records: readonly Tidy[]): Tidy[] {
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed');
  return records.flatMap((record) => {
    const goal = GOALS[String(record.dataset)];
    const { dataset, family, windows, eer } = record;
    const isHeadline = record.part === 'test' && record.arm === headlineArm(family as Family);
    if (goal === undefined || !isHeadline || !(windows === 1 || windows === 5)) return [];
    const choice = records.find(
      (it) => it.part === 'choice' && it.dataset === dataset && it.arm === record.arm,
    );
    return [
      {
        ...record,
        ...(choice && { k: choice.k! }),
        mostK: goal.mostK,
        goal: goal[windows],
        verdict: verdict((eer as number) <= goal[windows]),
        againstRaw: verdict((record.lessRawHigh as number) <= 0),
      },
    ];
  });
}

const arm = (name: string, figure: Figure): Figure => where({ arm: name }, figure);
const single = (figure: Figure): Figure => where({ windows: 1 }, figure);
const EER = interval('eer', RATE);
const LESS_RAW = interval('lessRaw', { ...RATE, signed: true });
const ERRORS = beside(' / ', only('fmr', RATE), only('fnmr', RATE));
const VALIDATION = beside(' / ', only('validation', RATE), only('validationOverFive', RATE));
const rateOf = (name: string): Figure => arm(name, single(only('eer', RATE)));
const eersOf = (name: string, title: string) => ({
  [title]: { where: { part: 'test', arm: name, windows: 1 }, figure: EER },
  [`${title}OverFive`]: { where: { part: 'test', arm: name, windows: 5 }, figure: EER },
});
/** The columns of a score: what validation had, and what the test has. */
const scoreOf = (name: string, title: string) => ({
  [`${title}Validation`]: { where: { part: 'choice', arm: name }, figure: VALIDATION },
  [`${title}Test`]: { where: { part: 'test', arm: name }, figure: overWindows() },
});

export const arms = defineStudy<Case>({
  id: 'recognition/arms',
  plan: (asked) =>
    planFor(asked, 'arms', () =>
      (['choice', 'test', 'components'] as const).map((part) => ({
        part,
        resamples: part === 'test' ? RESAMPLES[asked.scale] : 0,
      })),
    ),
  titleOf: ({ dataset, part }) => `${dataset}, ${part}`,
  // Whatever is measured takes the choice first, so it is a case of its own.
  expectedSeconds: ({ part, grid }) =>
    grid === 'quick' ? 3 : { choice: 120, test: 40, components: 5 }[part],
  async measure(chosen, bench) {
    const by = await chosenFor(chosen, bench);
    if (chosen.part === 'choice') return choicesIn(by.ranked);
    return chosen.part === 'components' ? componentsIn(by) : testsIn(by, chosen.resamples, bench.note);
  },
  columns: {
    ...COLUMNS,
    arm: { values: ARM_TITLES },
    family: {
      title: 'scores',
      values: {
        frames: 'a frame for each user: what a service can compute',
        insiders: 'one frame for all users, cohort scores, impostors who are users',
        outsiders: 'one frame for all users, cohort scores, impostors who are not users',
      },
    },
    windows: { values: { 1: 'single rows', 5: 'means of five' } },
    setting: { title: 'setting' },
    k: { title: 'components' },
    falseMatches: { title: 'FMR in percent' },
  },
  frames: { goals: goalsIn },
  tables: {
    goals: {
      of: 'goals',
      caption:
        'DCA, users whom the projection was learnt from: pooled EER in percent with its 95 % interval and its goal, and the paired difference from the better raw arm with the same means, whose goal is an interval at or below 0',
      rows: ['dataset', 'family', 'windows'],
      cells: {
        k: only('k'),
        'at most': only('mostK'),
        EER,
        goal: only('goal'),
        'goal is': only('verdict'),
        'less raw': LESS_RAW,
        'that goal is': only('againstRaw'),
      },
    },
    errors: {
      where: { part: 'test' },
      caption:
        'Where the errors of DCA come from, with a frame for each user: EER of single rows in percent, and FMR and FNMR at the threshold from the 20 % before the test',
      rows: ['dataset'],
      cells: {
        'in the 20 % before': arm('dca', only('before', RATE)),
        'in the test': rateOf('dca'),
        FMR: arm('dca', single(only('fmr', RATE))),
        FNMR: arm('dca', single(only('fnmr', RATE))),
        'a threshold for each user': arm('dca', only('perUser', RATE)),
        'cohort scores, strangers': rateOf(headlineArm('outsiders')),
        'cohort scores, insiders': rateOf(headlineArm('insiders')),
        'score of the service': rateOf(SERVICE_ARM),
        'bare distances': rateOf('dca-bare'),
      },
    },
    arms: {
      where: ({ part, falseMatches }) => part !== 'components' && falseMatches === undefined,
      caption:
        '{dataset}, {family}: percent; “less raw” is the paired difference from the better raw arm of this table, FMR and FNMR are at the threshold from the 20 % before',
      each: ['dataset', 'family'],
      rows: ['arm'],
      cells: {
        k: only('k'),
        EER: single(EER),
        'over five': where({ windows: 5 }, EER),
        'over ten': where({ windows: 10 }, only('eer', RATE)),
        'less raw': single(LESS_RAW),
        'less raw over five': where({ windows: 5 }, LESS_RAW),
        'mean of users': only('perUser', RATE),
        'FMR / FNMR': single(ERRORS),
        'FMR / FNMR over five': where({ windows: 5 }, ERRORS),
      },
    },
    choice: {
      where: { part: 'choice' },
      caption: '{dataset}: what validation chose, and the EER that it had there',
      each: ['dataset'],
      rows: ['arm', 'setting'],
      cells: { 'single rows': only('validation', RATE), 'over five': only('validationOverFive', RATE) },
    },
    components: {
      where: { part: 'components' },
      caption:
        '{dataset}: EER in percent of single rows / over five by number of components; all else chosen by validation for each',
      each: ['dataset'],
      rows: ['arm'],
      across: { column: 'k', cell: overWindows() },
    },
  },
  charts: {
    components: {
      where: { part: 'components', windows: 1 },
      caption:
        '{dataset}: pooled EER of single rows by number of components; all else chosen by validation for each',
      each: ['dataset'],
      mark: 'line',
      x: { column: 'k' },
      y: { figure: only('eer'), title: 'EER in percent' },
      colour: 'arm',
    },
    det: {
      where: ({ arm: name, falseMatches }) =>
        falseMatches !== undefined &&
        ['dca', 'pca', 'manhattan', 'mahalanobis', 'random'].includes(String(name)),
      caption: '{dataset}: DET of single rows, a frame for each user: FNMR where FMR is at most this',
      each: ['dataset'],
      mark: 'line',
      x: { column: 'falseMatches', scale: 'log' },
      y: { figure: only('falseNonMatches'), title: 'FNMR in percent' },
      colour: 'arm',
      isKept: true,
    },
  },
  facts: ofBothSets({
    ...eersOf('dca', 'dca'),
    ...eersOf(SERVICE_ARM, 'service'),
    ...eersOf(headlineArm('insiders'), 'insiders'),
    ...eersOf(headlineArm('outsiders'), 'outsiders'),
    rate: { where: { part: 'test' }, figure: rateOf('dca') },
    before: { where: { part: 'test', arm: 'dca' }, figure: only('before', RATE) },
    fmr: { where: { part: 'test', arm: 'dca', windows: 1 }, figure: only('fmr', RATE) },
    fnmr: { where: { part: 'test', arm: 'dca', windows: 1 }, figure: only('fnmr', RATE) },
    ...scoreOf('dca-bare', 'bare'),
    ...scoreOf(SERVICE_ARM, 'set'),
  }),
  holds: {
    missedInFrames: (fact) =>
      fact('keysDca') > GOALS[KEYS]![1] &&
      fact('keysDcaOverFive') > GOALS[KEYS]![5] &&
      fact('walkDca') > GOALS[WALK]![1] &&
      fact('walkDcaOverFive') > GOALS[WALK]![5],
    usersMoveAway: (fact) =>
      ['keys', 'walk'].every(
        (set) => fact(`${set}Fnmr`) > fact(`${set}Fmr`) && fact(`${set}Rate`) > fact(`${set}Before`),
      ),
    cohortsHelp: (fact) => ['keys', 'walk'].every((set) => fact(`${set}Insiders`) < fact(`${set}Dca`)),
  },
  words: new URL('arms.md', import.meta.url),
});
