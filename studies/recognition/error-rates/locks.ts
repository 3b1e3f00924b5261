/**
 * Windows until step-up and lock, by the decision engines of the service. They are set from the scores of the 20 % before the test: all users'
 * together, so that one setting serves all. Each session begins confirmed, at `allow`, and has the test windows of one person by time. An impostor's
 * session is one who took over a device that was unlocked, and who cannot pass a step-up.
 */
import { type Engine, engineOf, likelihoodRatios, trustSettings } from '@eigenveil/authentication';
import { type Comparison, pool } from '@eigenveil/testbed/recognition/error-rates';
import { only } from '../../instrument/figure.ts';
import { median } from '../../instrument/statistics.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, ofBothSets, percent, RATE } from '../figures.ts';
import { runsOf, SERVICE_ARM } from '../scoring/arms.ts';
import { chosenFor, type OfPeople, planFor, sessionsMissing } from './chosen.ts';

/** Stated to the engines. */
const WINDOWS_PER_FALSE_STEP_UP = 500;
const SEQUENTIAL_RATES = { falseStepUp: 0.002, falseLock: 0.0001, missedImpostor: 0.01 } as const;

const ENGINES = ['trust', 'sequential'] as const;
type EngineName = (typeof ENGINES)[number];

interface LockFigures {
  /** Impostors' sessions that got a step-up, and a lock, before the stream ended; in [0, 1]. */
  readonly impostorsSteppedUp: number;
  readonly impostorsLocked: number;
  /** Median number of windows until then; Infinity where more than half of the streams ended before. */
  readonly windowsToStepUp: number;
  readonly windowsToLock: number;
  /** Users' own sessions with a step-up, or a lock. */
  readonly usersSteppedUp: number;
  readonly usersLocked: number;
  /** The number of windows in users' own sessions, in all. */
  readonly windows: number;
}

/** Engines take distances: 0 or more, and larger is stranger. The order stays. */
export const asDistance = (score: number): number => Math.exp(score);

function lockFigures(
  name: EngineName,
  thresholds: readonly Comparison[],
  test: readonly Comparison[],
): LockFigures {
  const engine = engineFrom(name, thresholds);
  const sessions = test.map(({ target, source, scores }) => ({
    own: target === source,
    windows: scores.length,
    ...sessionOf(engine, scores.map(asDistance)),
  }));
  const [users, impostors] = [sessions.filter(({ own }) => own), sessions.filter(({ own }) => !own)];
  const share = (of: typeof sessions, what: 'stepUp' | 'lock') =>
    of.filter((session) => session[what] < Infinity).length / of.length;
  return {
    impostorsSteppedUp: share(impostors, 'stepUp'),
    impostorsLocked: share(impostors, 'lock'),
    windowsToStepUp: middle(impostors.map(({ stepUp }) => stepUp)),
    windowsToLock: middle(impostors.map(({ lock }) => lock)),
    usersSteppedUp: share(users, 'stepUp'),
    usersLocked: share(users, 'lock'),
    windows: users.reduce((sum, { windows }) => sum + windows, 0),
  };
}

/** Set from scores of both kinds; it takes them as distances. */
export function engineFrom(name: EngineName, thresholds: readonly Comparison[]): Engine {
  const { genuine, impostor } = pool(thresholds);
  const [users, others] = [genuine.map(asDistance), impostor.map(asDistance)];
  return name === 'trust'
    ? engineOf({
        kind: 'trust',
        ...trustSettings(users, others, { windowsPerFalseStepUp: WINDOWS_PER_FALSE_STEP_UP }),
      })
    : engineOf({ kind: 'sequential', ...SEQUENTIAL_RATES, ...likelihoodRatios(users, others) });
}

/** Returns the number of windows up to the first step-up, and up to the lock; Infinity if never. */
export function sessionOf(
  engine: Engine,
  scores: readonly number[],
): { readonly stepUp: number; readonly lock: number } {
  let state = engine.confirmed(engine.start());
  let stepUp = Infinity;
  for (const [i, score] of scores.entries()) {
    state = engine.observe(state, score);
    if (state.decision !== 'allow') stepUp = Math.min(stepUp, i + 1);
    if (state.decision === 'lock') return { stepUp, lock: i + 1 };
  }
  return { stepUp, lock: Infinity };
}

/** The median, where Infinity is larger than any number. */
function middle(values: readonly number[]): number {
  const finite = values.filter(Number.isFinite);
  if (2 * finite.length <= values.length) return Infinity;
  return median(values.map((value) => (value === Infinity ? Number.MAX_VALUE : value)));
}

const inWindows = (count: number): number | string => (count < Infinity ? count : 'not reached');

export const locks = defineStudy<OfPeople>({
  id: 'recognition/locks',
  plan: async (asked) => {
    const { cases, omissions = [] } = await planFor(asked, 'locks', () => [{}]);
    return { cases, omissions: [...omissions, ...sessionsMissing(asked, 'locks')] };
  },
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: () => 2,
  async measure(chosen, bench) {
    const { final, setting } = await chosenFor(chosen, bench);
    const { thresholds, test } = runsOf(setting(SERVICE_ARM), final);
    return ENGINES.map((engine): Tidy => {
      const figures = lockFigures(engine, thresholds[0]!, test[0]!);
      return {
        engine,
        windowsToStepUp: inWindows(figures.windowsToStepUp),
        windowsToLock: inWindows(figures.windowsToLock),
        impostorsSteppedUp: percent(figures.impostorsSteppedUp),
        impostorsLocked: percent(figures.impostorsLocked),
        usersSteppedUp: percent(figures.usersSteppedUp),
        usersLocked: percent(figures.usersLocked),
        windows: figures.windows,
      };
    });
  },
  columns: COLUMNS,
  tables: {
    sessions: {
      caption:
        'Median windows of an impostor, and percent of sessions with a step-up or a lock before their end',
      rows: ['dataset', 'engine'],
      cells: {
        'windows to step-up': only('windowsToStepUp'),
        'windows to lock': only('windowsToLock'),
        'impostors stepped up': only('impostorsSteppedUp', RATE),
        'impostors locked': only('impostorsLocked', RATE),
        'users stepped up': only('usersSteppedUp', RATE),
        'users locked': only('usersLocked', RATE),
        'windows of users': only('windows'),
      },
    },
  },
  facts: ofBothSets({
    impostorsLocked: { where: { engine: 'trust' }, figure: only('impostorsLocked', RATE) },
    usersLocked: { where: { engine: 'trust' }, figure: only('usersLocked', RATE) },
  }),
  holds: {
    usersAreLocked: (fact) => fact('walkUsersLocked') > 10 && fact('walkImpostorsLocked') < 90,
  },
  words: new URL('locks.md', import.meta.url),
});
