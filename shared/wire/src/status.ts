/** How far tasks at the data user are, as it tells its operator; needs nothing of the system, so that pages read it, too. */
import { DifferentialPrivacy, Task, TaskId } from '@eigenveil/task/schema';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from './errors.ts';
import { printable } from './printable.ts';

/** What a peer says for people to read: it reaches terminals, logs and pages. */
export const PeerText = z.string().overwrite((text) => printable(text));

/** A stable code of an error. */
export const CodeOfError = z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]);

/** Of a task at the data user, in the order in which they follow one another; the last three are final. */
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

/** What is counted of a two-party computation. `simulated` has none. */
export const ComputationUnit = z.enum(['AND gates', 'products']);
export type ComputationUnit = z.infer<typeof ComputationUnit>;

export const TaskStatus = z.strictObject({
  taskId: TaskId,
  state: TaskState,
  contributions: z.int().min(0),
  /** What the result costs in privacy; null: it is exact, and nothing bounds what it tells about a row. */
  differentialPrivacy: DifferentialPrivacy.nullable(),
  failure: z.strictObject({ code: CodeOfError, message: PeerText }).optional(),
  /** Why the current stage has to be tried again. */
  waiting: z.strictObject({ code: PeerText, message: PeerText }).optional(),
  /** How far a two-party computation is, and since how many seconds; `planned` once that has been counted. */
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
});
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A page of the data user's tasks, the one proposed last first. */
export const TaskList = z.strictObject({
  tasks: z.array(
    z.strictObject({
      taskId: TaskId,
      state: TaskState,
      method: Task.shape.method,
      contributions: z.int().min(0),
      deadline: Task.shape.deadline,
    }),
  ),
  /** Whether there are tasks that were proposed before these. */
  older: z.boolean(),
});
export type TaskList = z.infer<typeof TaskList>;
