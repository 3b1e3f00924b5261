/**
 * The number of attempts until a forged stream of windows is allowed, with the decision engines as they are.
 *
 * An attempt is a session at `allow`, right after the user has confirmed a step-up: only from there can windows alone gain anything. The attacker has
 * the device with the victim's frame, injects windows instead of the user's, and sees after how many of them the session leaves `allow`: the user's
 * screen tells. It has the projection and other people's rows. It wins when the stream stays at `allow` for as many windows as a template learns from.
 */

import {
  type Engine,
  likelihoodRatios,
  type ScoreKind,
  Scorer,
  SequentialEngine,
  TrustEngine,
  trustSettings,
} from '@eigenveil/authentication';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { eigenpairs } from '../../privacy/methods/matrix.ts';
import { RealDraws } from '../../privacy/random/real.ts';
import { covarianceOf, meanOfRows } from '../alignment.ts';
import { type Interval, shareOf } from '../intervals.ts';
import type { Row } from '../people.ts';
import { type Kind, projectionOf, reduced } from './projections.ts';
import { type Scene, templateOf } from './scene.ts';

type EngineKind = 'trust' | 'sequential';

interface ForgerySetting {
  readonly kind: Kind;
  readonly score: ScoreKind;
  /** The reference for a window's distance in the user's own unit: everybody, as in the service's score, or nothing. */
  readonly against: 'nothing' | 'everybody';
  readonly engine: EngineKind;
}

/** Windows after a confirmed step-up from which a template learns, by default of the service. */
const WINDOWS_TO_WIN = 50;
/** The settings of engines: windows of the right user to a false step-up, and error rates of a test. */
const WINDOWS_PER_FALSE_STEP_UP = 200;
const RATES = { falseStepUp: 0.01, falseLock: 0.001, missedImpostor: 0.01 } as const;

interface Attempt {
  readonly stream: readonly Row[];
  readonly lasted: number;
}

/** The forger's next stream, after what the last ones lasted. It is repeated as long as it must. */
type Forger = (told: readonly Attempt[]) => readonly Row[];

interface Knowledge {
  readonly others: readonly (readonly Row[])[];
  readonly draws: RealDraws;
}

interface Strategy {
  readonly name: string;
  readonly forger: (knowledge: Knowledge) => Forger;
}

/** Variances of people's windows about the mean of all, along their axes. */
function population(others: readonly (readonly Row[])[]) {
  const mean: Row = meanOfRows(others.map(meanOfRows));
  const axes = eigenpairs(covarianceOf(others.map(meanOfRows))).map(({ value, vector }) =>
    vector.map((x) => x * Math.sqrt(Math.max(value, 0))),
  );
  const step = (from: Row, size: number, draws: RealDraws): Row =>
    axes.reduce<Row>((row, axis) => {
      const normal = draws.normal() * size;
      return row.map((x, i) => x + normal * axis[i]!);
    }, from);
  return { mean, step };
}

/** Growth after a success and after a failure, in balance at one success in five (Rechenberg 1973). */
const [GROWTH, DECAY] = [1.5, 1.5 ** -0.25];

/** Attempts with other people's means, before climbing begins from the best. */
const SOUNDINGS = 10;

export const STRATEGIES: readonly Strategy[] = [
  {
    name: 'windows of zeros',
    forger: ({ others }) => {
      const zeros = others[0]![0]!.map(() => 0);
      return () => [zeros];
    },
  },
  {
    name: 'strangers’ own windows',
    forger:
      ({ others }) =>
      (told) =>
        others[told.length % others.length]!,
  },
  {
    name: 'means of others',
    forger: ({ others, draws }) => {
      const { mean, step } = population(others);
      const tried = [mean, ...others.map(meanOfRows)];
      return (told) => [tried[told.length] ?? step(mean, 1, draws)];
    },
  },
  {
    name: 'hill climbing',
    forger: ({ others, draws }) => {
      const { mean, step } = population(others);
      const tried = [mean, ...others.map(meanOfRows)].slice(0, SOUNDINGS);
      let [best, lasted, size]: [Row, number, number] = [mean, 0, 0.5];
      return (told) => {
        const last = told.at(-1);
        if (last !== undefined && last.lasted >= lasted) {
          if (last.lasted > lasted && told.length > SOUNDINGS) size *= GROWTH;
          [best, lasted] = [last.stream[0]!, last.lasted];
        } else if (told.length > SOUNDINGS) size *= DECAY;
        return [tried[told.length] ?? step(best, size, draws)];
      };
    },
  },
];

interface Forgery extends ForgerySetting {
  readonly dataset: string;
  readonly strategy: string;
  /** Attempts at most, and the share of people for whom some forged stream was allowed by then. */
  readonly byAttempts: readonly { readonly attempts: number; readonly allowed: Interval }[];
  /** The streams of the users themselves, from their last 40 %: the share that would have stayed at `allow` as long, or to their end. */
  readonly genuine: Interval;
}

export function forge(
  scene: Scene,
  setting: ForgerySetting,
  strategy: Strategy,
  limits: readonly number[],
): Forgery {
  const { subjects, dataset } = scene;
  const projection = projectionOf(
    setting.kind,
    subjects.map(({ early }) => early),
  );
  const windows = subjects.map(({ early, middle, late }) => ({
    early: reduced(projection, early),
    middle: reduced(projection, middle),
    late: reduced(projection, late),
  }));
  const scores = scoresOf(setting, windows);
  const engine = calibrated(
    setting.engine,
    scores,
    windows.map(({ middle }) => middle),
  );
  const most = Math.max(...limits);
  const took = windows.map((_, victim) => {
    const others = windows.flatMap(({ early, middle, late }, p) =>
      p === victim ? [] : [[...early, ...middle, ...late]],
    );
    const draws = new RealDraws(predictableRandomness(`${dataset} ${strategy.name} ${victim}`));
    return attemptsTaken(strategy.forger({ others, draws }), engine, scores[victim]!, most);
  });
  const survived = windows.filter(({ late }, p) => {
    return lasts(engine, scores[p]!, late) >= WINDOWS_TO_WIN;
  }).length;
  return {
    dataset,
    ...setting,
    strategy: strategy.name,
    byAttempts: limits.map((attempts) => ({
      attempts,
      allowed: shareOf(took.filter((taken) => taken <= attempts).length, took.length),
    })),
    genuine: shareOf(survived, windows.length),
  };
}

function attemptsTaken(next: Forger, engine: Engine, score: Score, most: number): number {
  const told: Attempt[] = [];
  while (told.length < most) {
    const stream = next(told);
    const lasted = lasts(engine, score, stream);
    if (lasted >= WINDOWS_TO_WIN) return told.length + 1;
    told.push({ stream, lasted });
  }
  return Infinity;
}

/** Windows of a stream, which is repeated, before the session leaves `allow`. */
function lasts(engine: Engine, score: Score, stream: readonly Row[]): number {
  const scores = stream.map(score);
  let state = engine.confirmed(engine.start());
  for (let i = 0; i < WINDOWS_TO_WIN; i++) {
    state = engine.observe(state, scores[i % scores.length]!);
    if (state.decision !== 'allow') return i;
  }
  return WINDOWS_TO_WIN;
}

type Score = (window: Row) => number;

/** Returns the scores by person. */
function scoresOf(
  { score, against }: ForgerySetting,
  people: readonly { readonly early: readonly Row[] }[],
): Score[] {
  return people.map(({ early }) => {
    const scorer = new Scorer(templateOf(early), score);
    return (window) => {
      const own = Float64Array.from(window);
      return against === 'nothing' ? scorer.distance(own) : scorer.score(own);
    };
  });
}

/** By scores of the middle 20 %, which neither templates nor attacks use. */
function calibrated(
  kind: EngineKind,
  scoresOfPeople: readonly Score[],
  middle: readonly (readonly Row[])[],
): Engine {
  const scores = (own: boolean) =>
    scoresOfPeople.flatMap((score, p) =>
      middle.flatMap((rows, q) => ((p === q) === own ? rows.map(score) : [])),
    );
  const [genuine, impostor] = [scores(true), scores(false)];
  return kind === 'trust'
    ? new TrustEngine(trustSettings(genuine, impostor, { windowsPerFalseStepUp: WINDOWS_PER_FALSE_STEP_UP }))
    : new SequentialEngine({ ...likelihoodRatios(genuine, impostor), ...RATES });
}
