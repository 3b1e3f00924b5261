/** What both decision engines share: decisions, and a state that goes in and comes out. */
import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from '../codes.ts';

/** `allow`: go on. `step-up`: ask the user for another proof. `lock`: end the session, and let nobody in until it is unlocked. */
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
 * Decisions only get stricter by scores: from `allow` to `step-up` to `lock`. Only `confirmed` leads back to `allow`, and nothing leads away from
 * `lock` but a new `start`. Whoever holds a state decides when either is due: a service asks its relying application.
 */
export interface Engine {
  /** Of a new session, or after a restart: at `step-up`. */
  start(): EngineState;
  /**
   * After one more score.
   * @throws ERR_SCORE_INVALID when the score is negative or no number; infinity is a score
   */
  observe(state: EngineState, score: number): EngineState;
  /** After the user has proved who they are in another way: at `allow`, with full confidence. A locked state stays locked. */
  confirmed(state: EngineState): EngineState;
}

/** Refuses what no scorer gives: a NaN would compare false with every threshold, and let in. */
export function checkScore(score: number): void {
  if (!(score >= 0))
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_SCORE_INVALID,
      '"score" expected a distance of a Scorer, 0 or more',
    );
}

export function invalidSettings(what: string): CodedError {
  return new CodedError(AUTHENTICATION_CODES.ERR_SETTINGS_INVALID, what);
}
