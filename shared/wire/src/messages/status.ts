/**
 * The state of tasks at the data user, as it tells its operator; this file needs nothing of the system, so
 * that pages read it, too.
 */
import { TaskId } from '@eigenveil/task/ids';
import { DifferentialPrivacy, Task } from '@eigenveil/task/schema';
import { z } from 'zod';
import { CodeOfError, PeerText } from '../errors.ts';
import { OwnerId } from '../identity/owner-id.ts';

/**
 * The states of a task at the data user, in the order in which they follow one another; the last three are
 * final.
 */
export const TaskState = z.enum([
  'proposed',
  'open',
  'closed',
  'blinded',
  'unblinded',
  /** Computed or refused, and not yet countersigned by the CSP. */
  'decomposed',
  'done',
  'cancelled',
  'failed',
]);
export type TaskState = z.infer<typeof TaskState>;

/** States from which nothing follows. */
export const FINAL_STATES: readonly TaskState[] = ['done', 'cancelled', 'failed'];
/** The state alone, as owners get it. */
export const StateResponse = z.strictObject({ state: TaskState });

/** The unit in which a two-party computation is counted. `simulated` has none. */
export const ComputationUnit = z.enum(['AND gates', 'products']);
export type ComputationUnit = z.infer<typeof ComputationUnit>;

/**
 * The event that a task waits for, or the work at the moment. The words for each are the page's.
 * - `signature`: the CSP has not signed the proposed task
 * - `contributions`: owners have to contribute, there are fewer than the minimum
 * - `close`: there is the minimum of contributions and more may come; the operator closes when enough have
 * - `end`: the same, but the task will close by itself, when the time or the last contribution has come; the
 *   operator may do it before
 * - `close full`, `close overdue`: no more can come (the maximum is reached, the deadline has passed): the
 *   operator can close
 * - `closing`: the time or the last contribution has come, and the data user closes the task by itself
 * - `cancel`: the deadline has passed with fewer than the minimum: the task stays open until the operator
 *   cancels it, or it was kept long enough
 * - `aggregation`, `unblinding`, `computation`, `countersignature`: work of the servers
 * - `obstacle`: the current stage is tried again; `waiting` says why, and `who` has to repair it
 * - `nothing`: the task is final
 */
export const WaitingCode = z.enum([
  'signature',
  'contributions',
  'close',
  'end',
  'close full',
  'close overdue',
  'closing',
  'cancel',
  /** The CSP has to take the records of those who are in, and of nobody else, before anything is added up. */
  'records',
  'aggregation',
  'unblinding',
  'computation',
  'countersignature',
  'obstacle',
  'nothing',
]);
export type WaitingCode = z.infer<typeof WaitingCode>;

export const TaskStatus = z.strictObject({
  taskId: TaskId,
  title: Task.shape.title,
  state: TaskState,
  contributions: z.int().min(0),
  /** The cost of the result in privacy; null: it is exact, and nothing bounds what it tells about a row. */
  differentialPrivacy: DifferentialPrivacy.nullable(),
  failure: z.strictObject({ code: CodeOfError, message: PeerText }).optional(),
  /** The reason why the current stage has to be tried again. */
  waiting: z.strictObject({ code: PeerText, message: PeerText }).optional(),
  /**
   * The progress of a two-party computation, and the seconds since it began; `planned` is there once it has
   * been counted.
   */
  progress: z
    .strictObject({
      unit: ComputationUnit,
      done: z.int().min(0),
      planned: z.int().min(0).optional(),
      seconds: z.number().min(0),
    })
    .optional(),
  /** Milliseconds of work per stage so far. */
  timings: z.record(z.string(), z.number()),
  waitsFor: z.strictObject({
    who: z.enum(['owners', 'operator', 'csp', 'data user', 'nobody']),
    code: WaitingCode,
  }),
});
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A page of who contributed to a task and who withdrew, in the order in which the data user stored it. */
export const TaskOwners = z.strictObject({
  owners: z.array(
    z.strictObject({
      /** 1, 2, 3, …: its place in that order. */
      number: z.int().min(1),
      ownerId: OwnerId,
      /** The time that the receipt says; null for an owner who withdrew before a contribution came. */
      contributedAt: z.iso.datetime().nullable(),
      /** True for an owner who withdrew for good; its contribution is gone. */
      withdrawn: z.boolean(),
    }),
  ),
  /** True if there are more after these. */
  more: z.boolean(),
});
export type TaskOwners = z.infer<typeof TaskOwners>;

/** The longest text by which tasks are sought. */
export const MOST_SOUGHT = 200;
/** Text by which tasks are sought: a part of an id or of a title, in upper or lower case. */
export const Sought = z.string().max(MOST_SOUGHT);

/** A page of the data user's tasks, or of those that are sought, the one proposed last first. */
export const TaskList = z.strictObject({
  tasks: z.array(
    z.strictObject({
      taskId: TaskId,
      title: Task.shape.title,
      state: TaskState,
      method: Task.shape.method,
      contributions: z.int().min(0),
      deadline: Task.shape.deadline,
    }),
  ),
  /** True if there are tasks that were proposed before these. */
  older: z.boolean(),
});
export type TaskList = z.infer<typeof TaskList>;
