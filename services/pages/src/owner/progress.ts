/** Says what comes next for an owner in a task, by what it has done there and the state that the data user tells. */
import { FINAL_STATES, type TaskState } from '@eigenveil/wire';
import type { TaskEntry } from './state.ts';
import type { Step } from './steps.tsx';

/** The state of a task in words for a list, as far as the page knows the task. */
export function stateInWords(entry: TaskEntry, state: TaskState, now: Date): string {
  const { deadline, releaseToOwners } = entry;
  const isLate = deadline !== undefined && new Date(deadline) < now;
  switch (state) {
    case 'proposed':
      return 'not open yet';
    case 'open':
      if (isLate) return 'closed to contributions: the deadline has passed';
      return deadline === undefined ? 'open' : 'open for contributions';
    case 'done': {
      const situation = {
        entry,
        state,
        isLate,
        isRefused: false,
        isReleased: releaseToOwners === true,
        fetched: 'none',
      } as const;
      if (progressOf(situation).canGetResult) return 'the result is ready';
      return releaseToOwners === false ? 'ended: the result is for the data user alone' : 'ended';
    }
    case 'cancelled':
      return 'cancelled: there is no result';
    case 'failed':
      return 'failed: there is no result';
    case 'closed':
    case 'blinded':
    case 'unblinded':
    case 'decomposed':
      return 'the result is being computed';
  }
}

/** The part of the result that this page has; `fetching`: it asks the data user until there is one. */
export type Fetched = 'none' | 'fetching' | 'checked';

export interface Situation {
  readonly entry: Pick<TaskEntry, 'receipt' | 'isPending' | 'withdrawal'>;
  /** Null where the data user does not tell it. */
  readonly state: TaskState | null;
  /** True if the deadline of the task has passed. */
  readonly isLate: boolean;
  /** True if the policy or this device refuses the task. */
  readonly isRefused: boolean;
  /** True if owners who contribute get the result. */
  readonly isReleased: boolean;
  readonly fetched: Fetched;
}

export interface Progress {
  /** Null where the way has ended before its last step. */
  readonly step: Step | null;
  /** Says what the owner can do now, or what it waits for. */
  readonly next: string;
  readonly canContribute: boolean;
  /**
   * `csp`: only the CSP takes a withdrawal now, since the data user has closed the task. `doubted`: neither
   * takes one if the task has ended, which the data user alone says. `no`: the CSP says so, too, by what it
   * has signed about the result; or this device does nothing any more.
   */
  readonly canWithdraw: 'yes' | 'csp' | 'doubted' | 'no';
  readonly canGetResult: boolean;
}

/** Returns whether an owner has any part in a task, by what this device has of it. */
export const hasPart = ({
  receipt,
  isPending,
  withdrawal,
}: Pick<TaskEntry, 'receipt' | 'isPending' | 'withdrawal'>): boolean =>
  receipt !== null || isPending || withdrawal !== null;

/** Returns whether an owner who has contributed waits for what becomes of the task. */
export function isWaiting(
  { receipt, withdrawal }: Pick<TaskEntry, 'receipt' | 'withdrawal'>,
  state: TaskState | null,
): boolean {
  return receipt !== null && withdrawal === null && (state === null || !FINAL_STATES.includes(state));
}

export function progressOf({ entry, state, isLate, isRefused, isReleased, fetched }: Situation): Progress {
  const { receipt, isPending, withdrawal } = entry;
  const isOpen = state === null || state === 'open' || state === 'proposed';
  const takesMore = isOpen && !isLate;
  const hasTakenPart = receipt !== null || isPending;
  const isLost = state === 'cancelled' || state === 'failed';
  const common = {
    canContribute: false,
    canWithdraw:
      fetched === 'checked' ? 'no' : isOpen ? 'yes' : FINAL_STATES.includes(state) ? 'doubted' : 'csp',
    canGetResult: isReleased && hasTakenPart && withdrawal === null && state !== 'cancelled',
  } as const;
  if (withdrawal === 'confirmed')
    return { ...common, step: null, next: 'You have withdrawn: there is nothing more to do here.' };
  if (isLost)
    return {
      ...common,
      step: hasTakenPart ? 'result' : 'contribution',
      next: `This task has ${state === 'failed' ? 'failed' : 'been cancelled'}: there is no result, and nothing to do here.`,
    };
  if (withdrawal === 'begun')
    return {
      ...common,
      step: 'contribution',
      next: 'Your withdrawal is not confirmed yet: withdraw once more.',
    };
  if (receipt !== null)
    return { ...common, step: 'result', next: nextOfContributor(state, isReleased, fetched) };
  // A contribution that may have been sent is sent again, whatever the policy says by now.
  if (isRefused && takesMore && !isPending)
    return {
      ...common,
      step: 'policy',
      next: 'Your policy or this device does not allow this task: see why.',
    };
  if (isPending)
    return {
      ...common,
      canContribute: true,
      step: 'contribution',
      next: takesMore
        ? 'Send your contribution again: it has no receipt yet.'
        : 'The task is closed. Send your contribution again: if it arrived before, you get its receipt.',
    };
  if (!takesMore)
    return {
      ...common,
      step: 'contribution',
      next:
        state === 'done'
          ? 'This task has ended without you: there is nothing to do here.'
          : 'This task takes no contributions any more: there is nothing to do here.',
    };
  return {
    ...common,
    canContribute: true,
    step: 'contribution',
    next: 'Choose your file of rows, and contribute.',
  };
}

function nextOfContributor(state: TaskState | null, isReleased: boolean, fetched: Fetched): string {
  if (!isReleased)
    return 'Your contribution is in, and the result goes to the data user alone: you are done.';
  if (fetched === 'checked') return 'You have the result, and it is checked: you are done.';
  if (state === 'done')
    return fetched === 'fetching'
      ? 'The result is ready, and is being fetched.'
      : 'The result is ready: get it.';
  return state === null || state === 'open' || state === 'proposed'
    ? 'Your contribution is in. The result comes once the data user has closed the task: come back then, or wait here.'
    : 'The task is closed, and its result is being computed: wait here, or come back.';
}
