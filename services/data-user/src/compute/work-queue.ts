/** Where work is handed out: tasks, each to one process at a time, and their batches, to any number of processes. */

import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';

/** The time during which a process is the only one that works on a task. */
export interface Turn {
  /** Aborted when the process has to leave the task: it stops, or may no longer be the only one. */
  readonly signal: AbortSignal;
  /** @throws Error unless nobody else can have worked on the task since the turn began */
  confirm(): Promise<void>;
}

/** What a process does with the work that it is given. */
export interface Workers {
  /** Tasks with something left to do. */
  unfinished(): Promise<TaskId[]>;
  /**
   * Does the next stage of a task; returns whether another may follow.
   * @throws Error for what another attempt may mend
   */
  step(taskId: TaskId, turn: Turn): Promise<boolean>;
  /**
   * Aggregates a batch of a task, unless the task has moved on.
   * @throws Error for what another attempt may mend
   */
  batch(taskId: TaskId, number: number): Promise<void>;
  /** Told why a batch has to be tried again, when no step of the task throws it. */
  waits(taskId: TaskId, error: unknown): Promise<void>;
}

export interface WorkQueue {
  /** Gives work to this process from now on, first what an earlier one has left unfinished. */
  start(workers: Workers): Promise<void>;
  /** Has somebody work on a task until nothing is left to do. */
  offer(taskId: TaskId): Promise<void>;
  /**
   * Does `work` as the only one that works on the task.
   * @throws ERR_BUSY when somebody else does
   */
  take<Result>(taskId: TaskId, work: (turn: Turn) => Promise<Result>): Promise<Result>;
  /** Has the batches of a task aggregated that `missing` names, until it names none. */
  aggregate(taskId: TaskId, missing: () => Promise<readonly number[]>, turn: Turn): Promise<void>;
  /** How much has been handed out, or waits to be, and is not done. */
  lengths(): Promise<{ readonly tasks: number; readonly batches: number }>;
  /** Leaves what is unfinished to whoever comes next; resolves when this process works on nothing any more. */
  close(): Promise<void>;
}

export function beingWorkedOn(taskId: TaskId): CodedError {
  return new CodedError(CODES.ERR_BUSY, `task ${taskId} is being worked on`, { retryAfterSeconds: 1 });
}
