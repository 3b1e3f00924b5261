/**
 * The work queue of several processes over one PostgreSQL. pg-boss hands out jobs, at least once each; that a
 * task is worked on by one process at a time rests on a lock of the database instead, and that a result
 * counts once on the store:
 *
 * - A job that two processes believe to have (one was slow to say that it lives) is worked on by the one that
 *   has the lock. The other tries again later, when there is nothing left to do.
 * - A process that is cut off from the database loses the lock. It stops before the server gives it to
 *   another; should a stage end all the same, moving the task on is a compare-and-set, and failing it needs
 *   the lock (Turn.confirm). Two who aggregate draw different blindings; what only one of them has stored is
 *   what everybody sends afterwards.
 * - Whoever connects to the CSP last replaces those before. Only one who has the lock connects, and one who
 *   has lost it does not mistake the CSP's refusal for the end of the task.
 * - A job that is lost (its process was killed while it sent it) is sent again: for a task by the next sweep
 *   of any process, for a batch by the process that works on the task. Sent twice, it is there once (policy
 *   `exclusive`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import {
  type HeldLock,
  PostgresSockets,
  type PostgresWaits,
  parsePostgresUrl,
  reasonOf,
  SERVER_CODES,
  timesOfWaits,
  tryLock,
  withinTime,
} from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { errorCodeOf } from '@eigenveil/wire';
import { type Job, type JobResult, PgBoss, type WorkOptions } from 'pg-boss';
import { beingWorkedOn, type Turn, type Workers, type WorkQueue } from './work-queue.ts';

/** The schema of the tables of pg-boss. */
const JOBS_SCHEMA = 'eigenveil_jobs';
const TASKS = 'tasks';
const BATCHES = 'batches';
/** Tasks that one process works on at a time; each has a connection to the database for its lock. */
const TASKS_AT_A_TIME = 4;
/** Connections of pg-boss. */
const CONNECTIONS = 3;
/**
 * Batches of a task that are in the queue at a time: however many owners there are, the queue stays short.
 */
const MOST_BATCHES = 1000;
/**
 * The time for which a process that stops waits for batches that it has begun; another one begins again what
 * was not finished.
 */
const LEAVE_MILLISECONDS = 8000;

export interface PostgresQueueTimes {
  /** The time after which a process looks again for tasks that nobody has been told of. */
  readonly sweepMilliseconds: number;
  /**
   * The time after which a batch that is still missing is sent again, which does nothing if its job is still
   * there.
   */
  readonly resendMilliseconds: number;
  /**
   * The pauses before a process looks again which batches are missing: the first one is doubled each time, up
   * to the longest.
   */
  readonly firstLookMilliseconds: number;
  readonly longestLookMilliseconds: number;
  /** The time after which it looks again for jobs that must be tried again; 0.5 at least. */
  readonly pollSeconds: number;
  /**
   * The pauses before a job that failed is tried again: the first one is about doubled with each failure, up
   * to the longest. Whole numbers.
   */
  readonly firstRetrySeconds: number;
  readonly longestRetrySeconds: number;
}
export const POSTGRES_QUEUE_TIMES: PostgresQueueTimes = {
  sweepMilliseconds: 60_000,
  resendMilliseconds: 10_000,
  firstLookMilliseconds: 20,
  longestLookMilliseconds: 1000,
  pollSeconds: 2,
  firstRetrySeconds: 1,
  longestRetrySeconds: 5, // for that long at most nobody takes up what a process has left that died
};

/** The time after which a process says again that it works on a job, in heartbeats: two times may fail. */
const REFRESH = 0.3;
/**
 * The time after which a process looks again for jobs of others that died, in heartbeats, rounded up to whole
 * seconds.
 */
const LOOK = 0.5;
const queueOf = ({ firstRetrySeconds, longestRetrySeconds }: PostgresQueueTimes) =>
  ({
    policy: 'exclusive',
    notify: true,
    expireInSeconds: 24 * 3600, // the longest that there is: the heartbeat of each job decides
    retryLimit: 1_000_000,
    retryDelay: firstRetrySeconds,
    retryBackoff: true,
    retryDelayMax: longestRetrySeconds,
    deleteAfterSeconds: 60,
  }) as const;
const workOf = ({ pollSeconds }: PostgresQueueTimes, heartbeatSeconds: number): WorkOptions => ({
  pollingIntervalSeconds: pollSeconds,
  notifyPollingIntervalSeconds: pollSeconds, // notified of new jobs, but not of those to be tried again
  heartbeatRefreshSeconds: REFRESH * heartbeatSeconds,
});

interface TaskJob {
  readonly taskId: TaskId;
}
interface BatchJob extends TaskJob {
  readonly number: number;
}

/** The values of the settings of these names. */
export interface JobWaits extends PostgresWaits {
  readonly jobHeartbeatSeconds: number;
  readonly jobNoticeSeconds: number;
}

export interface PostgresWorkQueueOptions {
  /** The address as parsePostgresUrl takes it. */
  readonly url: string;
  readonly waits: JobWaits;
  /** Batches that this process works on at a time. */
  readonly batches: number;
  /** Told of what went wrong between this process and the database; it is tried again. */
  readonly onError: (error: unknown) => void;
  readonly times?: PostgresQueueTimes | undefined;
}

export class PostgresWorkQueue implements WorkQueue {
  readonly #options: PostgresWorkQueueOptions;
  readonly #times: PostgresQueueTimes;
  readonly #boss: PgBoss;
  readonly #sockets = new PostgresSockets();
  readonly #stopping = new AbortController();
  /** Tasks that were left because the process stops. */
  readonly #left = new Set<TaskId>();
  #sweep: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  /**
   * Connects and makes or migrates the tables of pg-boss.
   * @throws ERR_DATABASE
   */
  static async open(options: PostgresWorkQueueOptions): Promise<PostgresWorkQueue> {
    const queue = new PostgresWorkQueue(options);
    try {
      await queue.#boss.start();
      const settings = queueOf(queue.#times);
      for (const name of [TASKS, BATCHES]) {
        await queue.#boss.createQueue(name, settings);
        const { policy, ...changeable } = settings; // it may have been made with other settings
        await queue.#boss.updateQueue(name, changeable);
      }
    } catch (error) {
      const { prompt } = timesOfWaits(options.waits);
      await queue.#sockets.end(queue.#boss.stop({ graceful: false }), prompt);
      throw new CodedError(
        SERVER_CODES.ERR_DATABASE,
        `the queue of jobs cannot be opened: ${reasonOf(error)}`,
      );
    }
    return queue;
  }

  private constructor(options: PostgresWorkQueueOptions) {
    this.#options = options;
    this.#times = options.times ?? POSTGRES_QUEUE_TIMES;
    const { jobHeartbeatSeconds } = options.waits;
    const { answer, prompt } = timesOfWaits(options.waits);
    const lookSeconds = Math.ceil(LOOK * jobHeartbeatSeconds);
    const { host, port, database, user, password, ssl } = parsePostgresUrl(options.url);
    this.#boss = new PgBoss({
      ...{ host, port, database, user, ssl, ...(password === undefined ? {} : { password }) },
      application_name: 'eigenveil jobs',
      max: CONNECTIONS,
      connectionTimeoutMillis: prompt,
      // These are set as for any of pg's pools, which this becomes.
      ...{ query_timeout: answer, stream: this.#sockets.stream },
      schema: JOBS_SCHEMA,
      schedule: false,
      useListenNotify: true,
      superviseIntervalSeconds: lookSeconds,
      monitorIntervalSeconds: lookSeconds,
      maintenanceIntervalSeconds: 300,
      reindex: false, // the tables stay small
      monitorVacuum: false,
    });
    this.#boss
      .on('error', options.onError)
      .on('warning', ({ message }) => options.onError(new Error(message)));
  }

  async start(workers: Workers): Promise<void> {
    const work = workOf(this.#times, this.#options.waits.jobHeartbeatSeconds);
    await this.#boss.work<TaskJob>(TASKS, { ...work, localConcurrency: TASKS_AT_A_TIME }, ([job]) =>
      this.#workOn(workers, job!),
    );
    const options = {
      ...work,
      localConcurrency: this.#options.batches,
      perJobResults: true,
      // Two, since pg-boss asks for more at once only after a job that had company.
      batchSize: 2,
      burstWhenBatchFull: true,
    } as const;
    await this.#boss.work<BatchJob>(BATCHES, options, (jobs) => this.#aggregate(workers, jobs));
    const sweep = () => this.#offerUnfinished(workers).catch((error) => this.#tell(error));
    await sweep();
    this.#sweep = setInterval(sweep, this.#times.sweepMilliseconds);
  }

  async offer(taskId: TaskId): Promise<void> {
    // The next sweep finds what cannot be sent.
    await this.#send([taskId]).catch((error) => this.#tell(error));
  }

  async take<Result>(taskId: TaskId, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    const lock = await tryLock(this.#options.url, `eigenveil task ${taskId}`, this.#options.waits);
    if (lock === undefined) throw beingWorkedOn(taskId);
    try {
      return await work(this.#turnOf(lock));
    } finally {
      await lock.release();
    }
  }

  async aggregate(taskId: TaskId, missing: () => Promise<readonly number[]>, turn: Turn): Promise<void> {
    const { firstLookMilliseconds, longestLookMilliseconds, resendMilliseconds } = this.#times;
    const sent = new Map<number, number>();
    for (let pause = firstLookMilliseconds; ; pause = Math.min(2 * pause, longestLookMilliseconds)) {
      const next = (await missing()).slice(0, MOST_BATCHES);
      if (next.length === 0) return;
      turn.signal.throwIfAborted();
      const now = performance.now();
      const due = next.filter(
        (number) => now >= (sent.get(number) ?? Number.NEGATIVE_INFINITY) + resendMilliseconds,
      );
      if (due.length > 0) {
        const jobs = due.map((number) => ({ data: { taskId, number }, singletonKey: `${taskId}/${number}` }));
        await this.#insert(BATCHES, jobs);
      }
      for (const number of due) sent.set(number, now);
      await sleep(pause, undefined, { signal: turn.signal });
    }
  }

  async lengths() {
    const [tasks, batches] = await Promise.all([TASKS, BATCHES].map((name) => this.#length(name)));
    return { tasks: tasks!, batches: batches! };
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#sweep);
    await this.#sockets.end(this.#leave(), 2 * LEAVE_MILLISECONDS);
  }

  async #leave(): Promise<void> {
    const workers = Promise.all([TASKS, BATCHES].map((name) => this.#boss.offWork(name)));
    await withinTime(workers, LEAVE_MILLISECONDS);
    await this.#send([...this.#left]).catch((error) => this.#tell(error));
    await this.#boss.stop({ graceful: false });
  }

  async #workOn(workers: Workers, { data: { taskId } }: Job<TaskJob>): Promise<void> {
    try {
      await this.take(taskId, async (turn) => {
        while (await workers.step(taskId, turn)) turn.signal.throwIfAborted();
      });
    } catch (error) {
      if (this.#stopping.signal.aborted) this.#left.add(taskId);
      // pg-boss tries again later. It writes down what it is thrown, and a peer's words may hold what no
      // database takes (U+0000).
      else throw new Error(errorCodeOf(error) ?? 'ERR_INTERNAL');
    }
  }

  async #aggregate(workers: Workers, jobs: readonly Job<BatchJob>[]): Promise<JobResult[]> {
    const results: JobResult[] = [];
    for (const { id, data } of jobs) {
      try {
        this.#stopping.signal.throwIfAborted();
        await workers.batch(data.taskId, data.number);
        results.push({ id, status: 'completed' });
      } catch (error) {
        if (!this.#stopping.signal.aborted) await workers.waits(data.taskId, error);
        results.push({ id, status: 'failed' });
      }
    }
    return results;
  }

  async #offerUnfinished(workers: Workers): Promise<void> {
    await this.#send(await workers.unfinished());
  }

  async #send(taskIds: readonly TaskId[]): Promise<void> {
    if (taskIds.length === 0) return;
    const jobs = taskIds.map((taskId) => ({ data: { taskId }, singletonKey: taskId }));
    await this.#insert(TASKS, jobs);
  }

  /**
   * A job has the heartbeat of the process that sends it. pg-boss takes any for a job, but none under ten
   * seconds for a queue.
   */
  async #insert(queue: string, jobs: readonly { data: object; singletonKey: string }[]): Promise<void> {
    const { jobHeartbeatSeconds: heartbeatSeconds } = this.#options.waits;
    await this.#boss.insert(
      queue,
      jobs.map((job) => ({ ...job, heartbeatSeconds })),
    );
  }

  #turnOf(lock: HeldLock): Turn {
    return {
      signal: AbortSignal.any([lock.signal, this.#stopping.signal]),
      confirm: () => lock.confirm(),
    };
  }

  /** Now and then: without a database every worker fails every few seconds. */
  #tell(error: unknown): void {
    const now = performance.now();
    if (now < this.#toldAt + 1000 * this.#options.waits.jobNoticeSeconds) return;
    this.#toldAt = now;
    this.#options.onError(error);
  }

  async #length(name: string): Promise<number> {
    const [stats] = await this.#boss.getQueueStats(name);
    return stats === undefined ? 0 : stats.queuedCount + stats.activeCount;
  }
}
