/** The one error class of this package: every failure that a task's author can act on carries a stable code. */

export type TaskErrorCode =
  | 'ERR_FULL_RANK'
  | 'ERR_KEY_TOO_SHORT'
  | 'ERR_PROGRAM_INVALID'
  | 'ERR_TASK_INVALID'
  | 'ERR_TOO_MANY_COMPONENTS';

/** Messages name a task's parameters, which are public. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly code: TaskErrorCode;

  constructor(code: TaskErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
