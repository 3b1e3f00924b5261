/**
 * States, what a task waits for, and what can be done about refusals and failures, in words for the operator: one
 * place for all of them.
 */
import { FINAL_STATES, type TaskProgress, type TaskState, type WaitingCode } from '@eigenveil/wire/console';
import { type ErrorCode, errorCodeOf, titleOf } from '@eigenveil/wire/errors';
import { count, exactTime, number } from '../common/format.ts';
import type { Followed } from './follow.ts';

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
  return FINAL_STATES.includes(state);
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
    `Waiting for at least ${count(minimumOwners, 'contribution')}. Send owners what stands below.`,
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

/** The codes of a line that does not reach the data user, or not in time. */
const LOST: readonly ErrorCode[] = ['ERR_PEER_UNREACHABLE', 'ERR_PEER_TIMEOUT'];

/**
 * Says whether what is shown is up to date.
 * @param what what is followed, such as `The list`
 */
export function freshnessWords(what: string, followed: Followed<unknown>): string {
  const { state, error } = followed;
  switch (state) {
    case 'connecting':
      return 'Asking the data user…';
    case 'live':
      return `${what} is live.`;
    case 'quiet':
      return `${staleWords(followed)}It may be busy, or the connection may be lost.`;
    case 'final':
      return 'This task has ended.';
    case 'broken': {
      const code = errorCodeOf(error);
      const why = code === undefined || LOST.includes(code) ? 'Connection lost' : titleOf(code);
      return `${why}. ${staleWords(followed)}Retrying…`;
    }
    case 'failed':
      return `${what} is not followed any more.`;
  }
}

/** Says since when what is shown may be out of date; nothing while there is nothing to see. */
function staleWords({ update, heardAt }: Followed<unknown>): string {
  if (update === null || heardAt === null) return '';
  return `Nothing was heard from the data user since ${exactTime(heardAt)}, so what you see may be out of date. `;
}

const CLIENT =
  'The owner’s program or what lies between has changed the request. Let the owner update, and look for a proxy that rewrites requests.';
const LATER = 'Nothing is lost: the owner’s program tries again by itself.';

/**
 * Has every code with which `PUT /tasks/:taskId/contribution` may refuse, except faults of the service
 * itself.
 */
const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  ERR_TASK_UNKNOWN:
    'The owner has another task’s id, or that of a task that is not open yet. Send the id again.',
  ERR_TASK_MISMATCH:
    'The owner signed a record for another task or another key. Let it fetch the task again and contribute again.',
  ERR_TASK_CLOSED: 'The owner came after the task was closed. It can take part in another task.',
  ERR_TASK_CANCELLED: 'The owner came after the task was cancelled. Tell it the id of the next one.',
  ERR_TASK_DEADLINE: 'The owner came after the deadline. If too many did, create a task with a later one.',
  ERR_TASK_FULL:
    'The task has its largest number of owners, which never changes. Close it, or create another one with room for more.',
  ERR_RECORD_INVALID:
    'The owner’s signed record is not valid: its program is old or was changed, or it signs with another key than it enrolled with. Let it update and, if that does not help, enrol again.',
  ERR_CONTRIBUTION_CONFLICT:
    'The owner has contributed before, and now sends other bytes: another file, or a second machine. The first contribution counts. To replace it, the owner withdraws, which is for good in this task.',
  ERR_CONTRIBUTION_INCOMPLETE:
    'Pieces of a long contribution were not there: two processes of one owner may send different bytes. The owner’s program goes on by itself with what is missing.',
  ERR_CONTRIBUTION_WITHDRAWN:
    'The owner has withdrawn from this task, which is for good. It can take part in another one.',
  ERR_OWNER_REVOKED:
    'The CSP’s operator has revoked this owner, which is for good. If it should take part, the operator invites it, and it enrols with a new key.',
  ERR_CIPHERTEXT_INVALID:
    'The ciphertexts are not of this task’s key. Let the owner update its program and contribute again.',
  ERR_CIPHERTEXT_LENGTH:
    'The contribution has the wrong length: it was made for other parameters. Let the owner fetch the task again.',
  ERR_BODY_LENGTH: 'The upload was cut off, or made for other parameters. Let the owner contribute again.',
  ERR_BODY_TOO_LARGE:
    'The upload is longer than a contribution to this task. Let the owner fetch the task again.',
  ERR_BODY_MALFORMED: CLIENT,
  ERR_BODY_INVALID: CLIENT,
  ERR_CONTENT_TYPE: CLIENT,
  ERR_HEADERS_TOO_LARGE: CLIENT,
  ERR_AUTH_REQUIRED:
    'The owner could not prove who it is: its clock is more than a minute off, it asks under another address than the service’s public one, or it is not enrolled at the CSP.',
  ERR_AUTH_FORBIDDEN:
    'The owner is not allowed to contribute. It has to enrol at the CSP that this task names.',
  ERR_TOKEN_EXPIRED:
    'The owner’s enrolment has expired. The CSP’s operator gives it a new enrolment token; with the same key it stays the same owner.',
  ERR_PROOF_REPLAYED:
    'A request came twice with one proof. Once is a repeated packet; often is somebody who replays requests, of whom the log of the service tells more.',
  ERR_REQUEST_TIMEOUT: `The owner’s line is slow or broke off. ${LATER}`,
  ERR_RATE_LIMITED: `Too many requests from one address. ${LATER} If a proxy stands before the service, all owners share one address: whoever runs the service has to limit at the proxy instead.`,
};

/** Returns advice about a refused upload. */
export function adviceFor(code: ErrorCode): string {
  return ADVICE[code] ?? 'Whoever runs the service finds more about it in the log.';
}

const NEW_TASK = 'The data need a new task.';

const FAILURES: Partial<Readonly<Record<ErrorCode, string>>> = {
  ERR_OWNER_COUNT:
    'An owner’s program is broken or lies. Which one cannot be seen, for contributions are encrypted. Create a new task with owners that you trust more.',
  ERR_MINIMUM_OWNERS:
    'The CSP has revoked owners after the task was closed, and the others are too few. Create a new task with more owners.',
  ERR_RECORDS_CHANGED:
    'An owner has withdrawn at the CSP but not here, so that the two servers never had the same owners. Create a new task.',
  ERR_OWNER_REVOKED:
    'The CSP refuses an owner whom its list of revoked owners does not name. Ask its operator, and create a new task.',
  ERR_PACKING_OVERFLOW:
    'An owner had more rows than the task allows, or lied about them. Create a new task, if need be with larger bounds.',
  ERR_TASK_ANSWERED:
    'The CSP has answered as often as it may, and the answer was lost. Another task over the same rows is a second answer about them, and both together tell more than each. Ask the owners before you create one.',
  ERR_ANSWER_DIFFERS: `One of the servers was changed while a computation was broken off, or it deviates. Ask the CSP’s operator. ${NEW_TASK}`,
  ERR_PROJECTION_CONFLICT:
    'Another result of this task was registered at the CSP. Is there a copy of this service with the same key, or an old database?',
  ERR_UNBLINDING_CONFLICT:
    'This service’s database is not the one that asked before: it was restored or copied.',
  ERR_TASK_CLOSED: `The CSP has ended the task, as it does long after the deadline. ${NEW_TASK}`,
  ERR_TASK_RESTORED: `The service was restored from a backup. ${NEW_TASK}`,
  ERR_TASK_REFUSED:
    'The CSP’s policy does not allow such a task. Change what the message names, and create it again.',
  ERR_QUOTA:
    'The CSP limits how many tasks a data user opens. Finish or cancel others, or ask its operator for more, and create the task again.',
  ERR_SIMULATED_REFUSED:
    'Choose “garbled” or “rotated” as the two-party protocol, and create the task again.',
  ERR_DATABASE_ALTERED: 'The CSP’s database was changed by somebody else. Tell its operator at once.',
  ERR_NOT_POSITIVE_DEFINITE: 'Create a new task with a larger ridge.',
  ERR_ILL_CONDITIONED:
    'Create a new task with a larger ridge, or leave out features that follow from others.',
  ERR_SINGLE_CLASS: 'All rows had one label. Ask the owners whether they named the right column.',
  ERR_NO_SAMPLES: 'No owner had a row. Ask them whether they named the right file.',
  ERR_STATISTICS_INVALID:
    'The sums are not those of any rows: an owner’s program is broken or lies. Create a new task with owners that you trust more.',
};

/** Returns advice about a task that has failed. */
export function adviceForFailure(code: ErrorCode): string {
  return FAILURES[code] ?? `${NEW_TASK} Whoever runs the service finds more about it in the log.`;
}
