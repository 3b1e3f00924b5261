/**
 * How many attempts it takes until a forged stream of windows is allowed, with the decision engines as they are.
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
import { predictableRandomness } from '@eigenveil/privacy';
import { eigenpairs } from '../methods/matrix.ts';
import { RealDraws } from '../random/real.ts';
import { covarianceOf, meanOfRows } from './alignment.ts';
import { type Interval, shareOf } from './intervals.ts';
import type { Row } from './people.ts';
import { type Kind, reduced, vectorsOf } from './projections.ts';
import { type Scene, templateOf } from './scene.ts';

export type EngineKind = 'trust' | 'sequential';

export interface ForgerySetting {
  readonly kind: Kind;
  readonly score: ScoreKind;
  readonly engine: EngineKind;
}

/** Windows after a confirmed step-up from which a template learns, by default of the service. */
export const WINDOWS_TO_WIN = 50;
/** What engines are set to: windows of the right user to a false step-up, and error rates of a test. */
const WINDOWS_PER_FALSE_STEP_UP = 200;
const RATES = { falseStepUp: 0.01, falseLock: 0.001, missedImpostor: 0.01 } as const;

/** The forger's next window, all of a stream alike, after what the last ones lasted. */
type Forger = (told: readonly { readonly window: Row; readonly lasted: number }[]) => Row;

interface Knowledge {
  readonly others: readonly (readonly Row[])[];
  readonly draws: RealDraws;
}

export interface Strategy {
  readonly name: string;
  readonly knows: string;
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

export const STRATEGIES: readonly Strategy[] = [
  {
    name: 'other people’s means',
    knows: 'other people’s rows; nothing of earlier attempts is used',
    forger: ({ others, draws }) => {
      const { mean, step } = population(others);
      const tried = others.map(meanOfRows);
      return (told) => (told.length === 0 ? mean : (tried[told.length - 1] ?? step(mean, 1, draws)));
    },
  },
  {
    name: 'hill climbing',
    knows: 'other people’s rows; after how many windows each attempt ended',
    forger: ({ others, draws }) => {
      const { mean, step } = population(others);
      let [best, lasted, size]: [Row, number, number] = [mean, 0, 1];
      return (told) => {
        const last = told.at(-1);
        if (last === undefined) return mean;
        if (last.lasted >= lasted) {
          if (last.lasted > lasted) size *= GROWTH;
          [best, lasted] = [last.window, last.lasted];
        } else size *= DECAY;
        return step(best, Math.min(size, 2), draws);
      };
    },
  },
];

export interface Forgery extends ForgerySetting {
  readonly dataset: string;
  readonly strategy: string;
  /** Attempts at most, and the share of people for whom some forged stream was allowed by then. */
  readonly byAttempts: readonly { readonly attempts: number; readonly allowed: Interval }[];
  /** Of streams of the users themselves, from their last 40 %: the share that would have stayed at `allow` as long, or to their end. */
  readonly genuine: Interval;
}

export function forge(
  scene: Scene,
  setting: ForgerySetting,
  strategy: Strategy,
  limits: readonly number[],
): Forgery {
  const { subjects, dataset } = scene;
  const vectors = vectorsOf(
    setting.kind,
    subjects.map(({ early }) => early),
  );
  const windows = subjects.map(({ early, middle, late }) => ({
    early: reduced(vectors, early),
    middle: reduced(vectors, middle),
    late: reduced(vectors, late),
  }));
  const scorers = windows.map(({ early }) => new Scorer(templateOf(early), setting.score));
  const engine = calibrated(
    setting.engine,
    scorers,
    windows.map(({ middle }) => middle),
  );
  const most = Math.max(...limits);
  const took = windows.map((_, victim) => {
    const others = windows.flatMap(({ early, middle, late }, p) =>
      p === victim ? [] : [[...early, ...middle, ...late]],
    );
    const draws = new RealDraws(predictableRandomness(`${dataset} ${strategy.name} ${victim}`));
    return attemptsTaken(strategy.forger({ others, draws }), engine, scorers[victim]!, most);
  });
  const survived = windows.filter(({ late }, p) => {
    const stream = Array.from({ length: WINDOWS_TO_WIN }, (_, i) => late[i % late.length]!);
    return lasts(engine, scorers[p]!, stream) >= WINDOWS_TO_WIN;
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

function attemptsTaken(next: Forger, engine: Engine, scorer: Scorer, most: number): number {
  const told: { window: Row; lasted: number }[] = [];
  while (told.length < most) {
    const window = next(told);
    const lasted = lasts(engine, scorer, new Array<Row>(WINDOWS_TO_WIN).fill(window));
    if (lasted >= WINDOWS_TO_WIN) return told.length + 1;
    told.push({ window, lasted });
  }
  return Infinity;
}

/** Windows of a stream before the session leaves `allow`. */
function lasts(engine: Engine, scorer: Scorer, stream: readonly Row[]): number {
  let state = engine.confirmed(engine.start());
  for (const [i, window] of stream.entries()) {
    state = engine.observe(state, scorer.score(Float64Array.from(window)));
    if (state.decision !== 'allow') return i;
  }
  return stream.length;
}

/** By scores of the middle 20 %, which neither templates nor attacks use. */
function calibrated(
  kind: EngineKind,
  scorers: readonly Scorer[],
  middle: readonly (readonly Row[])[],
): Engine {
  const scores = (own: boolean) =>
    scorers.flatMap((scorer, p) =>
      middle.flatMap((rows, q) =>
        (p === q) === own ? rows.map((row) => scorer.score(Float64Array.from(row))) : [],
      ),
    );
  const [genuine, impostor] = [scores(true), scores(false)];
  return kind === 'trust'
    ? new TrustEngine(trustSettings(genuine, impostor, { windowsPerFalseStepUp: WINDOWS_PER_FALSE_STEP_UP }))
    : new SequentialEngine({ ...likelihoodRatios(genuine, impostor), ...RATES });
}
