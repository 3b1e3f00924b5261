/** Hands out work: tasks, each to one process at a time, and their batches, to any number of processes. */

import { setTimeout as sleep } from 'node:timers/promises';
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

/** A process's ways to do the work that it is given. */
export interface Workers {
  /** Tasks with something left to do. */
  unfinished(): Promise<TaskId[]>;
  /**
   * Does the next stage of a task; returns whether another may follow.
   * @throws Error for an error that another attempt may correct
   */
  step(taskId: TaskId, turn: Turn): Promise<boolean>;
  /**
   * Aggregates a batch of a task, unless the task has moved on.
   * @throws Error for an error that another attempt may correct
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
  /** Says how much has been handed out, or waits to be, and is not done. */
  lengths(): Promise<{ readonly tasks: number; readonly batches: number }>;
  /**
   * Leaves what is unfinished to whoever comes next; resolves when this process works on nothing any more.
   */
  close(): Promise<void>;
}

export function beingWorkedOn(taskId: TaskId): CodedError {
  return new CodedError(CODES.ERR_BUSY, `task ${taskId} is being worked on`, { retryAfterSeconds: 1 });
}

/**
 * The pauses before a task that failed is tried again: the first one is doubled with each failure, up to the
 * longest. Milliseconds.
 */
export interface LocalQueueTimes {
  readonly firstBackoff: number;
  readonly longestBackoff: number;
}
const LOCAL_QUEUE_TIMES: LocalQueueTimes = { firstBackoff: 250, longestBackoff: 30_000 };

/**
 * The work queue of a data user that is one process. It forgets what it is given: the store knows what is
 * unfinished.
 */
export class LocalWorkQueue implements WorkQueue {
  readonly #slots: Slots;
  readonly #times: LocalQueueTimes;
  readonly #held = new Map<TaskId, Promise<unknown>>();
  /** Tasks that were offered while they were worked on: there may be more to do than was seen. */
  readonly #again = new Set<TaskId>();
  readonly #stopping = new AbortController();
  #workers: Workers | undefined;
  #batches = 0;

  /** @param options.batches how many are worked on at a time, over all tasks */
  constructor(options: { batches: number; times?: LocalQueueTimes | undefined }) {
    this.#slots = new Slots(options.batches);
    this.#times = options.times ?? LOCAL_QUEUE_TIMES;
  }

  async start(workers: Workers): Promise<void> {
    this.#workers = workers;
    for (const taskId of await workers.unfinished()) await this.offer(taskId);
  }

  async offer(taskId: TaskId): Promise<void> {
    if (this.#workers === undefined) return; // it will be among the unfinished
    if (this.#held.has(taskId)) this.#again.add(taskId);
    else if (!this.#stopping.signal.aborted) void this.#hold(taskId, (turn) => this.#workOn(taskId, turn));
  }

  async take<Result>(taskId: TaskId, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    if (this.#held.has(taskId)) throw beingWorkedOn(taskId);
    return this.#hold(taskId, work);
  }

  async aggregate(taskId: TaskId, missing: () => Promise<readonly number[]>, turn: Turn): Promise<void> {
    const numbers = await missing();
    const rest = oneByOne(numbers);
    let begun = 0;
    const work = async () => {
      for (const number of rest) {
        turn.signal.throwIfAborted();
        begun += 1;
        await this.#slots
          .use(() => this.#workers!.batch(taskId, number))
          .finally(() => {
            this.#batches -= 1;
          });
      }
    };
    this.#batches += numbers.length;
    const ended = await Promise.allSettled(Array.from({ length: this.#slots.count }, work));
    this.#batches -= numbers.length - begun;
    for (const { reason } of ended.filter((it) => it.status === 'rejected')) throw reason;
  }

  async lengths() {
    return { tasks: this.#held.size, batches: this.#batches };
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#held.values());
  }

  async #hold<Result>(taskId: TaskId, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    // Nobody else has the database open, so a turn lasts as long as the process wants it to.
    const held = work({ signal: this.#stopping.signal, confirm: async () => undefined });
    this.#held.set(taskId, held);
    try {
      return await held;
    } finally {
      this.#held.delete(taskId);
      if (this.#again.delete(taskId)) await this.offer(taskId);
    }
  }

  async #workOn(taskId: TaskId, turn: Turn): Promise<void> {
    const { firstBackoff, longestBackoff } = this.#times;
    let backoff = firstBackoff;
    for (let mayFollow = true; mayFollow && !turn.signal.aborted; ) {
      try {
        mayFollow = await this.#workers!.step(taskId, turn);
        backoff = firstBackoff;
      } catch {
        await sleep(backoff, undefined, { signal: turn.signal }).catch(() => undefined);
        backoff = Math.min(2 * backoff, longestBackoff);
      }
    }
  }
}

/**
 * A generator, unlike an array's iterator, is over for all loops that share it as soon as one of them throws.
 */
function* oneByOne(numbers: readonly number[]): Generator<number, void> {
  yield* numbers;
}

/** Lets a given number do something at a time. */
class Slots {
  readonly count: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.count = count;
    this.#free = count;
  }

  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
