/**
 * The messages between the operator's console and the data user: sessions, and streams of what changes. This
 * file needs nothing of the system, so that the page reads it with the schemas that the service answers by.
 */
import { Task } from '@eigenveil/task/schema';
import { z } from 'zod';
import { CodeOfError } from '../errors.ts';
import { ComputationUnit, TaskList, TaskState, TaskStatus } from './status.ts';

export { FINAL_STATES, MOST_SOUGHT, TaskList, TaskOwners, TaskState, WaitingCode } from './status.ts';

/** UTC, with milliseconds; always by the clock of the data user, never by the page's. */
const Moment = z.iso.datetime();

/** `POST /console/session`. Any text is read, so that a refusal tells nothing about the form of a token. */
export const ConsoleSessionRequest = z.strictObject({ token: z.string().max(1024) });
export type ConsoleSessionRequest = z.infer<typeof ConsoleSessionRequest>;

/** The answer to it, and to a renewal (`POST /console/session/renewal` with the bearer, body `{}`). */
export const ConsoleSession = z.strictObject({
  /** The token for `Authorization: Bearer …`. It is a secret, which is in the memory of the page alone. */
  bearer: z.string().max(2048),
  /**
   * The time of the answer. `expiresAt` less this is how long the bearer holds, whatever the page's clock
   * says.
   */
  at: Moment,
  /** 15 minutes from `at`, or `endsAt` where that is sooner. */
  expiresAt: Moment,
  /** 8 hours after the exchange of the token. No renewal changes it. */
  endsAt: Moment,
});
export type ConsoleSession = z.infer<typeof ConsoleSession>;

/**
 * The longest list of arrivals; of more contributions it is thinned out evenly, and the first and the last
 * stay.
 */
export const MOST_ARRIVALS = 500;

/** A task as the console shows it. Nothing in it says which owner did what. */
export const TaskProgress = z.strictObject({
  /** The time at which it was so. */
  at: Moment,
  status: TaskStatus,
  minimumOwners: Task.shape.minimumOwners,
  maximumOwners: Task.shape.maximumOwners,
  deadline: Task.shape.deadline,
  /**
   * When which number of contributions was stored, ascending in both; withdrawn ones are left out. At most
   * MOST_ARRIVALS.
   */
  arrivals: z.array(z.strictObject({ at: Moment, contributions: z.int().min(1) })).max(MOST_ARRIVALS),
  /** Uploads that were refused, by code, the most frequent first. Counts may lag by some seconds. */
  refused: z.array(z.strictObject({ code: CodeOfError, count: z.int().min(1), lastAt: Moment })),
  /**
   * The states that the task has been in, in their order; what was before this was recorded is left out.
   * `endedAt` is null of the current state, and `milliseconds` is the work of the stage that ended in the
   * next state, null before and where there is none.
   */
  stages: z.array(
    z.strictObject({
      state: TaskState,
      startedAt: Moment,
      endedAt: Moment.nullable(),
      milliseconds: z.number().min(0).nullable(),
    }),
  ),
  /**
   * The progress of a two-party computation; null if none runs. `planned` and `secondsLeft` are null while
   * they are not known.
   */
  computation: z
    .strictObject({
      unit: ComputationUnit,
      done: z.int().min(0),
      planned: z.int().min(0).nullable(),
      secondsLeft: z.number().min(0).nullable(),
    })
    .nullable(),
});
export type TaskProgress = z.infer<typeof TaskProgress>;

/** A stream is lines of JSON (NDJSON), each ended by a line feed. */
export const STREAM_MEDIA_TYPE = 'application/x-ndjson';

/** A stream says something at least this often; silence of three times as long is a broken line. */
export const HEARTBEAT_MILLISECONDS = 4000;

/**
 * A line of a stream. The first is an `update`, sent at once; others follow when something has changed. A
 * stream that ends without a line `end` was broken off: ask again after a pause.
 */
function lineWith<Update extends z.ZodType>(update: Update) {
  return z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('update'), update }),
    z.strictObject({ kind: z.literal('heartbeat'), at: Moment }),
    z.strictObject({
      kind: z.literal('end'),
      /**
       * - `final`: the task has ended, nothing follows
       * - `session`: the bearer that the stream was asked with is over; ask again with a renewed one
       * - `closing`: the service stops; ask again, another process may answer
       * - `failed`: the service could not go on (it cannot reach its database, say); ask again after a pause
       */
      reason: z.enum(['final', 'session', 'closing', 'failed']),
    }),
  ]);
}

/** A line of `GET /tasks/:taskId/progress`. */
export const TaskProgressLine = lineWith(TaskProgress);
export type TaskProgressLine = z.infer<typeof TaskProgressLine>;

/** A line of `GET /progress`: the tasks proposed last, as `GET /tasks` has them. */
export const TaskListLine = lineWith(TaskList);
export type TaskListLine = z.infer<typeof TaskListLine>;
