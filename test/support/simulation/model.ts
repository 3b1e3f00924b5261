/**
 * What the services may be in, as far as it shows from outside: the beliefs that explain every answer up to now. A
 * request whose answer was lost leaves several; requests that ran at once are explained by any order of them.
 */
import type { ErrorCode } from '@eigenveil/wire';
import type { Request, Version } from './operations.ts';

/** Of an owner's contribution: which bytes were taken, if any were. */
export type Held = 'none' | Version | 'withdrawn';

/** `closed` is any state from the end of collection to the result. */
export type Phase = 'open' | 'closed' | 'done' | 'cancelled' | 'failed';

export interface Belief {
  readonly phase: Phase;
  readonly owners: readonly Held[];
}

/** What decides about requests besides the belief. */
export interface Conditions {
  readonly minimumOwners: number;
  readonly maximumOwners: number;
  /** Whether the task's deadline has passed. */
  readonly isLate: boolean;
  /** Whether it has passed so long ago that a data user which starts cancels the task. */
  readonly isAbandoned: boolean;
  /** With what a computation may fail, after all that was done to it. */
  readonly allowedFailures: ReadonlySet<ErrorCode>;
}

/** `taken`, a stable code, or for a status its phase and its number of contributions. */
export type Outcome = string;
export const TAKEN: Outcome = 'taken';
export const statusOutcome = (phase: Phase, contributions: number): Outcome =>
  `${phase} with ${contributions}`;

/** What came of a request: an answer, or none; `done` says what is known then of whether the service has carried it out. */
export type Observation =
  | { readonly request: Request; readonly outcome: Outcome }
  | { readonly request: Request; readonly done: 'no' | 'maybe' | 'yes' };

type Step = readonly [Outcome, Belief];

export const initialBelief = (owners: number): Belief => ({
  phase: 'open',
  owners: new Array<Held>(owners).fill('none'),
});

export function contributing({ owners }: Belief): number {
  return owners.filter(isContribution).length;
}

/**
 * The beliefs that remain after requests which ran at once. None remain if no order of the requests explains what was
 * observed: then the services have broken their contract.
 */
export function observe(
  beliefs: readonly Belief[],
  observations: readonly Observation[],
  conditions: Conditions,
): Belief[] {
  const settled = distinct(beliefs.flatMap((belief) => background(belief, conditions)));
  if (observations.length === 0) return settled;
  const next = observations.flatMap((observation, i) => {
    const others = observations.toSpliced(i, 1);
    return settled.flatMap((belief) => observe(explain(belief, observation, conditions), others, conditions));
  });
  return distinct(next);
}

/** A closed task goes on by itself, and one that nobody closes is cancelled some day. */
function background(belief: Belief, { allowedFailures, isAbandoned }: Conditions): Belief[] {
  if (belief.phase === 'open' && isAbandoned) return [belief, { ...belief, phase: 'cancelled' }];
  if (belief.phase !== 'closed') return [belief];
  const ends: Phase[] = allowedFailures.size > 0 ? ['closed', 'done', 'failed'] : ['closed', 'done'];
  return ends.map((phase) => ({ ...belief, phase }));
}

function explain(belief: Belief, observation: Observation, conditions: Conditions): Belief[] {
  const steps = stepsOf(belief, observation.request, conditions);
  if ('outcome' in observation) {
    return steps.filter(([outcome]) => outcome === observation.outcome).map(([, next]) => next);
  }
  const before = observation.done === 'yes' ? [] : [belief];
  const after = observation.done === 'no' ? [] : steps.map(([, next]) => next);
  return [...before, ...after];
}

function stepsOf(belief: Belief, request: Request, conditions: Conditions): readonly Step[] {
  switch (request.kind) {
    case 'contribute':
      return [contribute(belief, request.owner, request.version, conditions)];
    case 'withdraw':
      return [withdraw(belief, request.owner)];
    case 'send again':
      // The proof of the very same request is used up, unless the service has never seen it or was restarted since.
      return [['ERR_PROOF_REPLAYED', belief], ...stepsOf(belief, request.request, conditions)];
    case 'close':
      return [close(belief, conditions)];
    case 'cancel':
      return [cancel(belief)];
    case 'status':
      return [[statusOutcome(belief.phase, contributing(belief)), belief]];
    case 'result':
      return resultOutcomes(belief, conditions).map((outcome) => [outcome, belief]);
    case 'projection':
      return isContribution(belief.owners[request.owner]!)
        ? resultOutcomes(belief, conditions).map((outcome) => [outcome, belief])
        : [['ERR_AUTH_FORBIDDEN', belief]];
  }
}

function contribute(belief: Belief, owner: number, version: Version, conditions: Conditions): Step {
  const held = belief.owners[owner]!;
  if (held === version) return [TAKEN, belief];
  if (held === 'withdrawn') return ['ERR_CONTRIBUTION_WITHDRAWN', belief];
  if (held !== 'none') return ['ERR_CONTRIBUTION_CONFLICT', belief];
  if (conditions.isLate) return ['ERR_TASK_DEADLINE', belief];
  if (belief.phase !== 'open') return [closedCode(belief), belief];
  if (contributing(belief) >= conditions.maximumOwners) return ['ERR_TASK_FULL', belief];
  return [TAKEN, { ...belief, owners: belief.owners.with(owner, version) }];
}

function withdraw(belief: Belief, owner: number): Step {
  const held = belief.owners[owner]!;
  if (held === 'withdrawn') return [TAKEN, belief];
  if (belief.phase !== 'open')
    return [held === 'none' ? 'ERR_CONTRIBUTION_UNKNOWN' : closedCode(belief), belief];
  // Of an owner that has not contributed, too: its contribution may be under way.
  return [TAKEN, { ...belief, owners: belief.owners.with(owner, 'withdrawn') }];
}

function close(belief: Belief, { minimumOwners }: Conditions): Step {
  if (belief.phase === 'closed' || belief.phase === 'done') return [TAKEN, belief];
  if (belief.phase !== 'open') return [closedCode(belief), belief];
  if (contributing(belief) < minimumOwners) return ['ERR_MINIMUM_OWNERS', belief];
  return [TAKEN, { ...belief, phase: 'closed' }];
}

function cancel(belief: Belief): Step {
  if (belief.phase === 'done' || belief.phase === 'failed') return ['ERR_TASK_CLOSED', belief];
  return [TAKEN, { ...belief, phase: 'cancelled' }];
}

function resultOutcomes({ phase }: Belief, { allowedFailures }: Conditions): readonly Outcome[] {
  if (phase === 'done') return [TAKEN];
  if (phase === 'cancelled') return ['ERR_TASK_CANCELLED'];
  return phase === 'failed' ? [...allowedFailures] : ['ERR_NOT_READY'];
}

function closedCode({ phase }: Belief): ErrorCode {
  return phase === 'cancelled' ? 'ERR_TASK_CANCELLED' : 'ERR_TASK_CLOSED';
}

function isContribution(held: Held): held is Version {
  return held === 'first' || held === 'other';
}

function distinct(beliefs: readonly Belief[]): Belief[] {
  return [...new Map(beliefs.map((belief) => [JSON.stringify(belief), belief])).values()];
}
