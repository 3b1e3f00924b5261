/** The words for states, and for what a task waits for: one place for all of them. */
import type { Task } from '@eigenveil/task/schema';
import type { TaskProgress, TaskState, WaitingCode } from '@eigenveil/wire/console';
import { count, number } from '../common/format.ts';

export const METHODS: Readonly<Record<Task['method']['kind'], string>> = {
  pca: 'PCA',
  dca: 'DCA',
  lda: 'LDA',
  mdr: 'MDR',
  ridge: 'Ridge regression',
  histogram: 'Histogram',
};

export const STATES: Readonly<Record<TaskState, { readonly name: string; readonly says: string }>> = {
  proposed: { name: 'Proposed', says: 'The CSP checks and signs the task; owners cannot see it before.' },
  open: { name: 'Open', says: 'Owners can contribute.' },
  closed: {
    name: 'Closed',
    says: 'No more contributions; the data user adds them up, encrypted, and blinds the sum.',
  },
  blinded: { name: 'Blinded', says: 'The CSP checks the owners’ records and decrypts the blinded sum.' },
  unblinded: { name: 'Computing', says: 'Data user and CSP compute the projection together.' },
  decomposed: { name: 'Computed', says: 'The CSP countersigns the digest of the projection.' },
  done: { name: 'Done', says: 'The result is there.' },
  cancelled: { name: 'Cancelled', says: 'The contributions were destroyed. There will be no result.' },
  failed: { name: 'Failed', says: 'The task has ended without a result.' },
};

/** Says whether no other state follows this one. */
export function isFinal(state: TaskState): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

const OBSTACLES: Readonly<Record<TaskProgress['status']['waitsFor']['who'], string>> = {
  owners: 'Owners have to fix what stops it.',
  operator: 'You have to fix what stops it.',
  csp: 'The operator of the CSP has to fix what stops it.',
  'data user': 'The operator of this service has to fix what stops it.',
  nobody: 'It needs no help.',
};

const WAITING: Readonly<Record<WaitingCode, (progress: TaskProgress) => string>> = {
  signature: () => 'The CSP has to sign the proposed task. Nothing is for you to do.',
  contributions: ({ minimumOwners }) =>
    `Owners have to contribute, until there is the minimum of ${number(minimumOwners)}. Send them the id of the task.`,
  close: ({ minimumOwners }) =>
    `You may close the task: the minimum of ${number(minimumOwners)} is reached. More owners can contribute until you do, or until the deadline.`,
  end: ({ minimumOwners }) =>
    `The task closes by itself: the minimum of ${number(minimumOwners)} is reached, and more owners can contribute until then. You may close it before.`,
  'close full': () => 'You can close the task: it has its largest number of contributions.',
  'close overdue': () =>
    'You have to close the task: its deadline has passed, and there are enough contributions.',
  closing: () => 'The task closes by itself now. Nothing is for you to do.',
  cancel: ({ minimumOwners }) =>
    `You have to cancel the task: its deadline has passed with fewer than the ${number(minimumOwners)} contributions that it needs. Create another one with a later deadline.`,
  records: () =>
    'The CSP has to take the owners’ records as final. Contributions of owners whom it has revoked are dropped first.',
  aggregation: () => 'The data user adds up the contributions, encrypted, and blinds the sum.',
  unblinding: () => 'The CSP decrypts the blinded sum.',
  computation: () => 'The data user and the CSP compute the projection together.',
  countersignature: () => 'The CSP countersigns the digest of the result.',
  obstacle: ({ status }) =>
    `The last attempt has failed; it is tried again by itself. ${OBSTACLES[status.waitsFor.who]}`,
  nothing: () => 'Nobody has to do anything.',
};

/**
 * Says who has to do what. The text has no count that changes, so that screen readers can read it whenever it
 * changes.
 */
export function waitingWords(progress: TaskProgress): string {
  return WAITING[progress.status.waitsFor.code](progress);
}

/** Describes a number of contributions against the bounds of the task. */
export function contributionWords({ status, minimumOwners, maximumOwners }: TaskProgress): string {
  return `${count(status.contributions, 'contribution')}; at least ${number(minimumOwners)}, at most ${number(maximumOwners)}`;
}
