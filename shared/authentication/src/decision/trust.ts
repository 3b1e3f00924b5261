/**
 * A trust level that rises and falls with each window: Bours, "Continuous keystroke dynamics: a different perspective towards biometric
 * evaluation", Information Security Technical Report 17, 2012. How far it moves is the bounded curve of Mondal and Bours, "A computational
 * approach to the continuous authentication biometric system", Information Sciences 304, 2015.
 */
import { checkScore, type Decision, type Engine, type EngineState, invalidSettings } from './decision.ts';

export interface TrustSettings {
  /** A: the score at which trust stays as it is. Lower ones are rewarded, higher ones punished. */
  readonly threshold: number;
  /** B: how many units of score it takes from there to a clear case. */
  readonly width: number;
  /** C: the largest reward of one window, in (0, 100]. */
  readonly reward: number;
  /** D: the largest penalty of one window, in [1, 100]. */
  readonly penalty: number;
  /** Below this level, a step-up is due. */
  readonly stepUpBelow: number;
  /** Below this level, the session is locked; less than `stepUpBelow`. */
  readonly lockBelow: number;
  /** From this level on, the engine counts as confident; at least `stepUpBelow`. */
  readonly confidentFrom: number;
}

const FULL_TRUST = 100;

export class TrustEngine implements Engine {
  readonly #settings: TrustSettings;

  /** @throws ERR_SETTINGS_INVALID when a setting is out of its range */
  constructor(settings: TrustSettings) {
    checkSettings(settings);
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

/** min(−D + D (1 + 1/C) / (1/C + exp((score − A) / B)), C): −D for the strangest windows, 0 at A, at most C. */
export function trustChange(settings: TrustSettings, score: number): number {
  const { threshold, width, reward, penalty } = settings;
  const strangeness = Math.exp((score - threshold) / width);
  return Math.min(-penalty + (penalty * (1 + 1 / reward)) / (1 / reward + strangeness), reward);
}

function checkSettings(settings: TrustSettings): void {
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
