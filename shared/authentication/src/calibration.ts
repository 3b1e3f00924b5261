/**
 * Makes settings from scores: a threshold, and a trust engine of which is known how rarely it troubles the
 * right user.
 *
 * Scores are in each user's own unit (see Scorer), which needs no template but that user's, so that one
 * setting serves all users.
 */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { type TrustSettings, trustChange } from './decision.ts';
import { sorted } from './ratios.ts';
import { type ScoreKind, Scorer } from './scorer.ts';
import { makeTemplate } from './template.ts';

/**
 * Contiguous parts of an enrolment: neighbours in time are alike, and would make scores look better than they
 * are.
 */
const PARTS = 5;

/**
 * Scores of a user's own windows, each against a template of the windows of other times: what is known of the
 * user's scores at enrolment.
 * @param windows at least 10, in the order of time
 * @throws ERR_TOO_FEW_WINDOWS, ERR_WINDOW_INVALID
 */
export function crossScores(windows: readonly Float64Array[], kind: ScoreKind): number[] {
  if (windows.length < 2 * PARTS)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_TOO_FEW_WINDOWS,
      `expected at least ${2 * PARTS} windows, got ${windows.length}: record more first`,
    );
  const part = (i: number) => Math.floor((i * PARTS) / windows.length);
  return Array.from({ length: PARTS }, (_, left) => left).flatMap((left) => {
    const scorer = new Scorer(makeTemplate(windows.filter((_, i) => part(i) !== left)), kind);
    return windows.filter((_, i) => part(i) === left).map((window) => scorer.score(window));
  });
}

interface ErrorRates {
  readonly threshold: number;
  /** False match rate: share of impostors' scores below the threshold. */
  readonly falseMatch: number;
  /** False non-match rate: share of users' scores at or above it. */
  readonly falseNonMatch: number;
}

/**
 * The threshold at which both error rates are as equal as they get.
 * @throws ERR_CALIBRATION_INVALID when there are fewer than 20 scores of a kind, or one is no distance
 */
export function equalErrors(genuine: readonly number[], impostor: readonly number[]): ErrorRates {
  const users = sorted('genuine', genuine);
  const others = sorted('impostor', impostor);
  let best: ErrorRates | undefined;
  let [i, j] = [0, 0];
  for (const threshold of new Set(Float64Array.from([...users, ...others]).sort())) {
    while (i < users.length && users[i]! < threshold) i += 1;
    while (j < others.length && others[j]! < threshold) j += 1;
    const rates = { threshold, falseMatch: j / others.length, falseNonMatch: 1 - i / users.length };
    if (best === undefined || gap(rates) < gap(best)) best = rates;
  }
  return best!;
}

function gap({ falseMatch, falseNonMatch }: ErrorRates): number {
  return Math.abs(falseMatch - falseNonMatch);
}

export interface TrustTarget {
  /** Windows of the right user from one false step-up to the next, on average at least; above 1. */
  readonly windowsPerFalseStepUp: number;
}

const LEVELS = { stepUpBelow: 60, lockBelow: 20, confidentFrom: 90 } as const;
const REWARDS = [0.25, 0.5, 1, 2, 4, 8] as const;
/** Widths as shares of the distance between the medians of both kinds of scores. */
const WIDTHS = [0.02, 0.05, 0.1, 0.2, 0.4] as const;
/** Quantiles stand for all scores, so that the search costs the same for a million of them. */
const QUANTILES = 400;

/**
 * Settings of a trust engine that finds impostors soonest among those that keep the target. For independent
 * scores the drop of trust under the right user is a random walk that is reflected at full trust: where E
 * exp(−θ Δ) <= 1 for a change Δ, it takes at least exp(θ h) windows on average to fall by h (Lorden,
 * "Procedures for reacting to a change in distribution", Annals of Mathematical Statistics 42(6), 1971). The
 * penalty is chosen so that this is the target; threshold, width and reward so that an impostor's trust falls
 * fastest.
 * @throws ERR_CALIBRATION_INVALID when no settings keep the target, and as equalErrors; RangeError on a
 *   target of no more than 1
 */
export function trustSettings(
  genuine: readonly number[],
  impostor: readonly number[],
  { windowsPerFalseStepUp }: TrustTarget,
): TrustSettings {
  const exponent = exponentOf(windowsPerFalseStepUp);
  const { threshold: middle } = equalErrors(genuine, impostor);
  const [users, others] = [quantiles(sorted('genuine', genuine)), quantiles(sorted('impostor', impostor))];
  const [low, high] = [users.median, others.median];
  let best: { settings: TrustSettings; fall: number } | undefined;
  for (const threshold of [middle, (middle + low) / 2, (middle + high) / 2]) {
    for (const width of WIDTHS) {
      for (const reward of REWARDS) {
        if (!(high > low && threshold > 0)) continue;
        const shape = { threshold, width: width * (high - low), reward, ...LEVELS };
        const penalty = penaltyFor(shape, users, exponent);
        if (penalty === undefined) continue;
        const settings = { ...shape, penalty };
        const fall = -mean(others.values, (score) => trustChange(settings, score));
        if (fall > 0 && (best === undefined || fall > best.fall)) best = { settings, fall };
      }
    }
  }
  if (best === undefined) throw notReached(windowsPerFalseStepUp);
  return best.settings;
}

/** θ with exp(θ h) the target, h being the way from full trust to a step-up. */
function exponentOf(windowsPerFalseStepUp: number): number {
  if (!(windowsPerFalseStepUp > 1 && windowsPerFalseStepUp <= 1e12))
    throw new RangeError(
      `"windowsPerFalseStepUp" expected a number from 1 to 1e12, got ${windowsPerFalseStepUp}`,
    );
  return Math.log(windowsPerFalseStepUp) / (100 - LEVELS.stepUpBelow);
}

/**
 * A penalty in [1, 100] with E exp(−θ Δ) <= 1 under the users' scores, as large as bisection finds it;
 * undefined if 1 is too much. To n scores it adds one of the strangest kind: the next window may be stranger
 * than all so far.
 */
function penaltyFor(
  shape: Omit<TrustSettings, 'penalty'>,
  users: Quantiles,
  exponent: number,
): number | undefined {
  const strangest = 1 / (users.count + 1);
  const kept = (penalty: number) => {
    const settings = { ...shape, penalty };
    const factor = mean(users.values, (score) => Math.exp(-exponent * trustChange(settings, score)));
    return (1 - strangest) * factor + strangest * Math.exp(exponent * penalty) <= 1;
  };
  if (!kept(1)) return undefined;
  if (kept(100)) return 100;
  let [from, to] = [1, 100];
  while (to - from > 1e-3) {
    const middle = (from + to) / 2;
    if (kept(middle)) from = middle;
    else to = middle;
  }
  return from;
}

function notReached(windows: number): CodedError {
  return new CodedError(
    AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID,
    `the scores do not tell users from impostors well enough for ${windows} windows per false step-up: ask for fewer, or use another score`,
  );
}

/** The scores in parts of equal size, each by its largest: never less strange than they are. */
interface Quantiles {
  readonly values: Float64Array;
  readonly median: number;
  readonly count: number;
}

function quantiles(ascending: Float64Array): Quantiles {
  const count = ascending.length;
  const values = Float64Array.from({ length: Math.min(QUANTILES, count) }, (_, i) => {
    return ascending[Math.ceil(((i + 1) * count) / Math.min(QUANTILES, count)) - 1]!;
  });
  return { values, median: ascending[count >> 1]!, count };
}

function mean(values: Float64Array, of: (value: number) => number): number {
  let sum = 0;
  for (const value of values) sum += of(value);
  return sum / values.length;
}
