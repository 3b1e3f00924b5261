/** Why the CSP does not work on a task, where several of its files say so. */
import { ServiceError } from '@eigenveil/wire';

/** Nobody but who can write the database brings this about: no request does. */
export function altered(cause?: unknown): never {
  throw new ServiceError(
    'ERR_DATABASE_ALTERED',
    'the stored task expected the parameters that this CSP has signed: its database was changed',
    { cause },
  );
}

export function ended(): ServiceError {
  return new ServiceError('ERR_TASK_CLOSED', 'the task has ended');
}

export function notUnblinded(): ServiceError {
  return new ServiceError('ERR_NOT_READY', 'the task has not been unblinded');
}

export function answered(): ServiceError {
  return new ServiceError(
    'ERR_TASK_ANSWERED',
    'the task was answered as often as it may be: its result is lost, and the data need a new task',
  );
}

export function ownerRevoked(): ServiceError {
  return new ServiceError(
    'ERR_OWNER_REVOKED',
    'expected no owner whom this CSP has revoked: the list of them names it, and what it has sent is to be dropped',
  );
}

export function dataUserRevoked(): ServiceError {
  return new ServiceError(
    'ERR_AUTH_FORBIDDEN',
    'this CSP has revoked the data user with this key, for good: ask its operator',
  );
}

export function recordsChanged(): ServiceError {
  return new ServiceError(
    'ERR_RECORDS_CHANGED',
    '"contributionsRoot" expected that of the records that count here: one was withdrawn, revoked or added, so look again',
  );
}
