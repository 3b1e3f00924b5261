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
