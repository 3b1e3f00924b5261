/**
 * The two decision engines, a trust level and a sequential test, and what they share: decisions, and a state
 * that goes in and comes out.
 */

import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';

/**
 * `allow`: go on. `step-up`: ask the user for another proof. `lock`: end the session, and let nobody in until
 * it is unlocked.
 */
export type Decision = 'allow' | 'step-up' | 'lock';

/** Plain data. */
export interface EngineState {
  readonly decision: Decision;
  /** Trust level in [0, 100], or logarithm of the likelihood ratio of impostor to user. */
  readonly evidence: number;
  /** Windows since the engine was last not confident; 0 unless the decision is `allow`. */
  readonly confident: number;
}

/**
 * Decisions only get stricter by scores: from `allow` to `step-up` to `lock`. Only `confirmed` leads back to
 * `allow`, and nothing leads away from `lock` but a new `start`. Whoever holds a state decides when either is
 * due: a service asks its relying application.
 */
export interface Engine {
  /** Returns the state of a new session, or after a restart: at `step-up`. */
  start(): EngineState;
  /**
   * Returns the state after one more score.
   * @throws ERR_SCORE_INVALID when the score is negative or no number; infinity is a score
   */
  observe(state: EngineState, score: number): EngineState;
  /**
   * Returns the state after the user has proved who they are in another way: at `allow`, with full
   * confidence. A locked state stays locked.
   */
  confirmed(state: EngineState): EngineState;
}

/** Refuses what no scorer gives: a NaN would compare false with every threshold, and let in. */
function checkScore(score: number): void {
  if (!(score >= 0))
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_SCORE_INVALID,
      '"score" expected a distance of a Scorer, 0 or more',
    );
}

function invalidSettings(what: string): CodedError {
  return new CodedError(AUTHENTICATION_CODES.ERR_SETTINGS_INVALID, what);
}

export interface TrustSettings {
  /** A: the score at which trust stays as it is. Lower ones are rewarded, higher ones punished. */
  readonly threshold: number;
  /** B: how many units of score it takes from there to a clear case. */
  readonly width: number;
  /** C: the largest reward of one window, in (0, 100]. */
  readonly reward: number;
  /** D: the largest penalty of one window, in [1, 100]. */
  readonly penalty: number;
  /** The level below which a step-up is due. */
  readonly stepUpBelow: number;
  /** The level below which the session is locked; less than `stepUpBelow`. */
  readonly lockBelow: number;
  /** The level from which on the engine counts as confident; at least `stepUpBelow`. */
  readonly confidentFrom: number;
}

const FULL_TRUST = 100;

/**
 * A trust level that rises and falls with each window: Bours, "Continuous keystroke dynamics: a different
 * perspective towards biometric evaluation", Information Security Technical Report 17, 2012. How far it moves
 * is the bounded curve of Mondal and Bours, "A computational approach to the continuous authentication
 * biometric system", Information Sciences 304, 2015.
 */
export class TrustEngine implements Engine {
  readonly #settings: TrustSettings;

  /** @throws ERR_SETTINGS_INVALID when a setting is out of its range */
  constructor(settings: TrustSettings) {
    checkTrust(settings);
    this.#settings = settings;
  }

  /** Just enough trust for a step-up. */
  start(): EngineState {
    return { decision: 'step-up', evidence: this.#settings.stepUpBelow, confident: 0 };
  }

  observe(state: EngineState, score: number): EngineState {
    checkScore(score);
    if (state.decision === 'lock') return state;
    const { confidentFrom } = this.#settings;
    const trust = Math.min(Math.max(state.evidence + trustChange(this.#settings, score), 0), FULL_TRUST);
    const decision = this.#decide(state.decision, trust);
    const confident = decision === 'allow' && trust >= confidentFrom ? state.confident + 1 : 0;
    return { decision, evidence: trust, confident };
  }

  confirmed(state: EngineState): EngineState {
    return state.decision === 'lock' ? state : { decision: 'allow', evidence: FULL_TRUST, confident: 0 };
  }

  #decide(before: Decision, trust: number): Decision {
    if (trust < this.#settings.lockBelow) return 'lock';
    return before === 'step-up' || trust < this.#settings.stepUpBelow ? 'step-up' : 'allow';
  }
}

/**
 * min(−D + D (1 + 1/C) / (1/C + exp((score − A) / B)), C): −D for the strangest windows, 0 at A, at most C.
 */
export function trustChange(settings: TrustSettings, score: number): number {
  const { threshold, width, reward, penalty } = settings;
  const strangeness = Math.exp((score - threshold) / width);
  return Math.min(-penalty + (penalty * (1 + 1 / reward)) / (1 / reward + strangeness), reward);
}

function checkTrust(settings: TrustSettings): void {
  const { threshold, width, reward, penalty, stepUpBelow, lockBelow, confidentFrom } = settings;
  if (!(threshold > 0 && Number.isFinite(threshold)))
    throw invalidSettings(`"threshold" expected a score above 0, got ${threshold}`);
  if (!(width > 0 && Number.isFinite(width)))
    throw invalidSettings(`"width" expected a difference of scores above 0, got ${width}`);
  if (!(reward > 0 && reward <= FULL_TRUST))
    throw invalidSettings(`"reward" expected a number in (0, 100], got ${reward}`);
  if (!(penalty >= 1 && penalty <= FULL_TRUST))
    throw invalidSettings(`"penalty" expected a number from 1 to 100, got ${penalty}`);
  if (
    !(lockBelow > 0 && lockBelow < stepUpBelow && stepUpBelow <= confidentFrom && confidentFrom <= FULL_TRUST)
  )
    throw invalidSettings(
      `expected 0 < "lockBelow" < "stepUpBelow" <= "confidentFrom" <= 100, got ${lockBelow}, ${stepUpBelow}, ${confidentFrom}`,
    );
}

/** The logarithm of the likelihood ratio of impostor to user by score, as a staircase that never falls. */
export interface LikelihoodRatios {
  /** Scores at which the steps are, ascending. A score at an edge belongs to the step above. */
  readonly edges: readonly number[];
  /** One more than edges, finite, never falling; the first below 0, the last above. */
  readonly logRatios: readonly number[];
}

export interface SequentialSettings extends LikelihoodRatios {
  /** α of a test at `allow`, in (0, 0.5): how often it asks a user for a step-up who is the right one. */
  readonly falseStepUp: number;
  /** α of a test at `step-up`, in (0, 0.5): how often it locks a user out who is the right one. */
  readonly falseLock: number;
  /** β, in (0, 0.5): how often a test ends for an impostor. */
  readonly missedImpostor: number;
}

/**
 * Wald's sequential probability ratio test (Wald, "Sequential tests of statistical hypotheses", Annals of
 * Mathematical Statistics 16(2), 1945), one test after the other: are these the user's windows, or an
 * impostor's?
 *
 * A test ends for the user when the likelihood ratio of impostor to user falls to β, and against the user
 * when it rises to 1/α. These bounds are a little wider than Wald's approximate ones, β/(1 − α) and (1 −
 * β)/α, and keep both error rates of each test for certain: under the user's model the ratio is a nonnegative
 * martingale that begins at 1, and reaches 1/α with probability at most α (Ville 1939); likewise its inverse
 * under the impostor's. That leans on windows that are independent, and on models that are right.
 */
export class SequentialEngine implements Engine {
  readonly #edges: Float64Array;
  readonly #logRatios: Float64Array;
  readonly #toStepUp: number;
  readonly #toLock: number;
  readonly #toUser: number;

  /** @throws ERR_SETTINGS_INVALID when a setting is out of its range */
  constructor(settings: SequentialSettings) {
    checkSequential(settings);
    this.#edges = Float64Array.from(settings.edges);
    this.#logRatios = Float64Array.from(settings.logRatios);
    this.#toStepUp = -Math.log(settings.falseStepUp);
    this.#toLock = -Math.log(settings.falseLock);
    this.#toUser = Math.log(settings.missedImpostor);
  }

  start(): EngineState {
    return { decision: 'step-up', evidence: 0, confident: 0 };
  }

  observe(state: EngineState, score: number): EngineState {
    checkScore(score);
    const { decision } = state;
    if (decision === 'lock') return state;
    const evidence = state.evidence + this.#logRatio(score);
    if (evidence >= (decision === 'allow' ? this.#toStepUp : this.#toLock))
      return { decision: decision === 'allow' ? 'step-up' : 'lock', evidence: 0, confident: 0 };
    // While the evidence is on the user's side, windows count as confident.
    const confident = decision === 'allow' && evidence <= 0 ? state.confident + 1 : 0;
    return { decision, evidence: evidence <= this.#toUser ? 0 : evidence, confident };
  }

  confirmed(state: EngineState): EngineState {
    return state.decision === 'lock' ? state : { decision: 'allow', evidence: 0, confident: 0 };
  }

  #logRatio(score: number): number {
    const edges = this.#edges;
    let [from, to] = [0, edges.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (edges[middle]! <= score) from = middle + 1;
      else to = middle;
    }
    return this.#logRatios[from]!;
  }
}

function checkSequential(settings: SequentialSettings): void {
  const { falseStepUp, falseLock, missedImpostor, edges, logRatios } = settings;
  for (const [name, rate] of Object.entries({ falseStepUp, falseLock, missedImpostor }))
    if (!(rate > 0 && rate < 0.5))
      throw invalidSettings(`"${name}" expected an error rate in (0, 0.5), got ${rate}`);
  if (edges.length < 1 || logRatios.length !== edges.length + 1)
    throw invalidSettings(
      `"logRatios" expected one entry more than "edges", got ${logRatios.length} and ${edges.length}`,
    );
  if (!ascending(edges, (a, b) => a < b)) throw invalidSettings('"edges" expected finite scores, ascending');
  if (!ascending(logRatios, (a, b) => a <= b) || !(logRatios[0]! < 0 && logRatios.at(-1)! > 0))
    throw invalidSettings('"logRatios" expected finite numbers that never fall, from below 0 to above 0');
}

function ascending(values: readonly number[], inOrder: (a: number, b: number) => boolean): boolean {
  return values.every((value, i) => Number.isFinite(value) && (i === 0 || inOrder(values[i - 1]!, value)));
}

/** The settings of either engine, as plain JSON. */
export type EngineSettings =
  | ({ readonly kind: 'trust' } & TrustSettings)
  | ({ readonly kind: 'sequential' } & SequentialSettings);

/**
 * Makes the engine that the settings name.
 * @throws ERR_SETTINGS_INVALID when a setting is out of its range
 */
export function engineOf(settings: EngineSettings): Engine {
  return settings.kind === 'trust' ? new TrustEngine(settings) : new SequentialEngine(settings);
}
