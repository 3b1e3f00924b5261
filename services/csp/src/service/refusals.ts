/** Errors with which several files refuse to work on a task. */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';

/** Only somebody who can write the database can cause this error; no request can. */
export function altered(cause?: unknown): never {
  throw new CodedError(
    CODES.ERR_DATABASE_ALTERED,
    'the stored task expected the parameters that this CSP has signed: its database was changed',
    { cause },
  );
}

export function ended(): CodedError {
  return new CodedError(CODES.ERR_TASK_CLOSED, 'the task has ended');
}

export function notUnblinded(): CodedError {
  return new CodedError(CODES.ERR_NOT_READY, 'the task has not been unblinded');
}

export function answered(): CodedError {
  return new CodedError(
    CODES.ERR_TASK_ANSWERED,
    'the task was answered as often as it may be: its result is lost, and the data need a new task',
  );
}

export function ownerRevoked(): CodedError {
  return new CodedError(
    CODES.ERR_OWNER_REVOKED,
    'expected no owner whom this CSP has revoked: the list of them names it, and what it has sent must be dropped',
  );
}

export function dataUserRevoked(): CodedError {
  return new CodedError(
    CODES.ERR_AUTH_FORBIDDEN,
    'this CSP has revoked the data user with this key, for good: ask its operator',
  );
}

export function recordsChanged(): CodedError {
  return new CodedError(
    CODES.ERR_RECORDS_CHANGED,
    '"contributionsRoot" expected that of the records that count here: one was withdrawn, revoked or added, so look again',
  );
}
