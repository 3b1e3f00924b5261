/**
 * The computations of the demo with everybody's rows at hand, by the library that the service runs: settings of the trust engine, equal error rates, and the
 * trust that stays inside the service. Rows and templates are the same as the service's, except for frames, which change no score.
 */
import {
  type Decision,
  type Engine,
  makeTemplate,
  type ScoreKind,
  Scorer,
  type TrustSettings,
  trustSettings,
} from '@eigenveil/authentication';
import { UserId } from '@eigenveil/authenticator/relying';
import type { Projector } from '@eigenveil/data-owner';
import { type Comparison, pool } from '@eigenveil/testbed/recognition/error-rates';
import { scaledManhattan } from '@eigenveil/testbed/recognition/manhattan';
import {
  inTime,
  type Parts,
  type People,
  preparation,
  type Row,
  signedLogarithm,
} from '@eigenveil/testbed/recognition/people';

export interface Subject {
  readonly name: string;
  readonly userId: UserId;
  /** The rows, as the file has them. */
  readonly rows: Parts;
  /** Reduced, without a frame. */
  readonly windows: Parts<Float64Array>;
  /** Prepared, and not reduced. */
  readonly raw: Parts;
}

export function subjectsOf({ people }: People, projector: Projector, logUnit: number): Subject[] {
  const prepare = preparation(
    people.flatMap(({ rows }) => inTime(rows).early),
    logUnit,
  );
  const reduce = (row: Row) =>
    projector.transform(Float64Array.from(row, (cell) => signedLogarithm(cell, logUnit)));
  return people.map(({ name, rows }) => ({
    name,
    userId: UserId.parse(`user-${name}`),
    rows: inTime(rows),
    windows: inTime(rows.map(reduce)),
    raw: inTime(rows.map(prepare)),
  }));
}

/** Everybody's windows against everybody's template: impostors have the victim's device, so they are compared in its frame. */
export function projectedComparisons(
  subjects: readonly Subject[],
  kind: ScoreKind,
  part: 'middle' | 'late',
): Comparison[] {
  return comparisonsOf(
    subjects,
    ({ windows }) => windows[part],
    ({ windows }) => {
      const scorer = new Scorer(makeTemplate(windows.early), kind);
      return (window) => scorer.score(window);
    },
  );
}

/** The scores of rows that are not reduced, by the scaled Manhattan distance. */
export function rawComparisons(subjects: readonly Subject[]): Comparison[] {
  return comparisonsOf(
    subjects,
    ({ raw }) => raw.late,
    ({ raw }) => scaledManhattan(raw.early).score,
  );
}

function comparisonsOf<Probe>(
  subjects: readonly Subject[],
  probesOf: (source: Subject) => readonly Probe[],
  scoreBy: (target: Subject) => (probe: Probe) => number,
): Comparison[] {
  return subjects.flatMap((target) => {
    const score = scoreBy(target);
    return subjects.map((source) => ({
      target: target.name,
      source: source.name,
      scores: probesOf(source).map(score),
    }));
  });
}

/** The number of windows in which a user may be asked for another proof by mistake once. */
export const WINDOWS_PER_FALSE_STEP_UP = 100;

/** From the middle 20 % of everybody's rows, by the target that an operator sets. */
export function calibrated(subjects: readonly Subject[], kind: ScoreKind): TrustSettings {
  const { genuine, impostor } = pool(projectedComparisons(subjects, kind, 'middle'));
  return trustSettings(genuine, impostor, { windowsPerFalseStepUp: WINDOWS_PER_FALSE_STEP_UP });
}

/** After one window, before the relying application answers. */
export interface Moment {
  readonly decision: Decision;
  /** The level that the service keeps to itself. */
  readonly trust: number;
}

/**
 * Returns what the service must have decided about windows of a session: the first step-up is confirmed, later ones if `isGenuine`, and a lock ends it.
 */
export function replay(engine: Engine, scores: readonly number[], isGenuine: boolean): Moment[] {
  const moments: Moment[] = [];
  let state = engine.start();
  for (const score of scores) {
    state = engine.observe(state, score);
    moments.push({ decision: state.decision, trust: state.evidence });
    if (state.decision === 'lock') break;
    if (isAnswered(state.decision, moments.length - 1, isGenuine)) state = engine.confirmed(state);
  }
  return moments;
}

/** True if the relying application confirms: whoever takes the device over has it unlocked, and cannot prove who they are later. */
export function isAnswered(decision: Decision, window: number, isGenuine: boolean): boolean {
  return decision === 'step-up' && (window === 0 || isGenuine);
}
