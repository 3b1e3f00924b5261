/**
 * The stage `decompose` of a task: the data user's end of the two-party computation, from the channel to the
 * signed projection, and the public times that an answer and its outcome keep to.
 */
import { CodedError } from '@eigenveil/platform';
import { longestResult, resultOf, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { type AnswerStore, keptAnswer, type Sealer } from '@eigenveil/server';
import { programOf, type Task, type TaskId } from '@eigenveil/task';
import {
  type Channel,
  type Clock,
  type DataUserInput,
  MOST_RUNS,
  type Pace,
  type Progress,
  TWO_PARTY_PROTOCOLS,
  waitUntil,
} from '@eigenveil/two-party';
import {
  CODES,
  digestProjection,
  newSalt,
  PROJECTION,
  type Projection,
  type SigningKey,
  signStatement,
} from '@eigenveil/wire';
import { answerPlace, type DataUserStore, type StageResult, type StoredTask } from '../store/store.ts';
import type { CspClient } from '../tasks/csp.ts';
import type { OpenTask } from '../tasks/tasks.ts';
import { failedBy, isFault, MOST_FAULTS } from './failures.ts';
import { withDrawn } from './sealed-drawn.ts';
import type { Turn } from './work-queue.ts';

/** The time between two notes of how far a computation is. */
const PROGRESS_MILLISECONDS = 1000;
/** The time after which a database that fails is tried again for the count of a fault. */
const FAULT_PAUSE_MILLISECONDS = 500;
/** The time after which a two-party computation looks again whether its task has been cancelled. */
const WATCH_MILLISECONDS = 500;

export interface DecompositionDependencies {
  readonly store: Pick<DataUserStore, 'state' | 'drawn' | 'setActivity' | 'countRun' | 'addFault'> &
    AnswerStore;
  readonly csp: Pick<CspClient, 'openChannel' | 'closeChannel'>;
  readonly clock: Clock;
  /**
   * The time from what the CSP sends last, or from the rotated matrix, to this server's next byte: see Pace.
   */
  readonly paceOf: (task: Task) => number;
  /** Told when a pace could not be kept. */
  readonly onMiss: (event: { taskId: TaskId; milliseconds: number }) => void;
  readonly sealer: Sealer;
  readonly key: SigningKey;
}

export class Decomposition {
  readonly #deps: DecompositionDependencies;
  /**
   * The times at which it must be clear what came of an answer: a digest is registered at the CSP then, or
   * the CSP is told of the task's end.
   */
  readonly #ends = new Map<TaskId, number>();
  /** The number of faults that a task has had with this one. */
  readonly #counted = new WeakMap<object, number>();

  constructor(dependencies: DecompositionDependencies) {
    this.#deps = dependencies;
  }

  /** @param input this server's shares, and signs of a task with a sketch */
  async run(
    stored: StoredTask,
    { shares, signs }: Pick<DataUserInput, 'shares' | 'signs'>,
    { signal }: Pick<Turn, 'signal'>,
  ): Promise<StageResult> {
    // The process was stopped when the last of them had been counted.
    if (stored.faults >= MOST_FAULTS)
      return failedBy(
        stored,
        new CodedError(CODES.ERR_OT_CHECK, `${MOST_FAULTS} attempts ended with a fault`),
      );
    const { csp, key, clock, paceOf, onMiss } = this.#deps;
    const { task } = stored;
    const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
    const answer = protocol.answersOnce ? { answer: await this.#answerOf(task.id) } : {};
    const channel = await csp.openChannel(task.id);
    const watch = this.#closeWhenOver(channel, task.id);
    const milliseconds = paceOf(task);
    const pace: Pace = {
      milliseconds,
      clock,
      onMiss: (late) => onMiss({ taskId: task.id, milliseconds: late }),
    };
    let hasAnswer = false;
    const onAnswer = () => {
      hasAnswer = true;
      this.#ends.set(task.id, clock.now() + milliseconds);
    };
    const beforeAbort = async (error: unknown) => {
      if (!hasAnswer) await this.#countFault(task.id, error, signal);
    };
    let result: Projection;
    try {
      const computation = { task, program: programOf(task) };
      const input = { shares, signs, pace, onAnswer, beforeAbort, ...answer };
      const shifted = await protocol.runDataUser(channel, computation, input, this.#progressOf(task.id));
      result = resultOf(task, shifted);
    } catch (error) {
      // A fault of an answer is its outcome, and final: by another attempt the CSP would learn that something
      // is.
      if (hasAnswer) return failedBy(stored, error);
      throw error;
    } finally {
      clearInterval(watch);
      await csp.closeChannel(channel);
    }
    const projection = await signStatement(PROJECTION, key, result, longestResult(task));
    const salt = newSalt();
    const provenance = { salt, projectionDigest: digestProjection(salt, projection) };
    return { to: 'decomposed', projection, provenance };
  }

  /** This server's shares, of what was drawn for the task. */
  async sharesOf(open: Pick<OpenTask, 'task' | 'packing'>): Promise<DataUserInput['shares']> {
    const { store, sealer } = this.#deps;
    const sealed = (await store.drawn(open.task.id, 'sealedBlinding'))!;
    return withDrawn(sealer, open, sealed, (drawn) => sharesAtDataUser(open.task, drawn));
  }

  /**
   * Returns how many faults the task has had with this error, where it is one that was counted before the CSP
   * heard of it.
   */
  faultsWith(error: unknown): number | undefined {
    return typeof error === 'object' && error !== null ? this.#counted.get(error) : undefined;
  }

  /**
   * Counts a fault durably before the CSP hears of it: it may be a guess at this server's secrets. A database
   * that fails is tried again until it takes the count, and the line stays silent meanwhile; only a process
   * that ends before loses it.
   */
  async #countFault(taskId: TaskId, error: unknown, signal: AbortSignal): Promise<void> {
    if (!isFault(error)) return;
    for (;;) {
      try {
        this.#counted.set(error as object, await this.#deps.store.addFault(taskId));
        return;
      } catch {
        await this.#deps.clock.sleep(FAULT_PAUSE_MILLISECONDS, signal);
      }
    }
  }

  /**
   * The one answer of a task whose protocol gives one only: the same in every run, whichever process it runs
   * in.
   */
  async #answerOf(taskId: TaskId): Promise<NonNullable<DataUserInput['answer']>> {
    const { store, sealer } = this.#deps;
    const noteMatrix = async () => {
      // A CSP that has broken the line so often has seen as often how long this server took.
      if ((await store.countRun(taskId)) > MOST_RUNS)
        throw new CodedError(
          CODES.ERR_TASK_ANSWERED,
          `the line broke in ${MOST_RUNS} runs of the answer: the data need a new task`,
        );
    };
    return { ...(await keptAnswer(store, sealer, answerPlace(taskId), taskId)), noteMatrix };
  }

  /**
   * Breaks off a two-party computation when the task is cancelled, which may be by another process. Not when
   * the turn is over: whoever has the next one breaks it off at the CSP, and until then it may still come to
   * its result, which is taken once.
   */
  #closeWhenOver(channel: Channel, taskId: TaskId): NodeJS.Timeout {
    const { store, csp } = this.#deps;
    const look = async () => {
      if ((await store.state(taskId)) !== 'unblinded') await csp.closeChannel(channel);
    };
    return setInterval(() => look().catch(() => undefined), WATCH_MILLISECONDS);
  }

  /**
   * Waits until some time after an answer, so that the CSP is not told of the end the sooner or later because
   * of its outcome.
   */
  async waitForOutcome(taskId: TaskId, { signal }: Turn): Promise<void> {
    const { clock, onMiss } = this.#deps;
    const moment = this.#ends.get(taskId);
    if (moment === undefined) return;
    const late = clock.now() - moment;
    if (late > 0) onMiss({ taskId, milliseconds: late });
    await waitUntil(moment, clock, signal);
    this.#ends.delete(taskId);
  }

  /** Writes down how far a two-party computation is, not too often. */
  #progressOf(taskId: TaskId) {
    const started = performance.now();
    let next = started;
    return (progress: Progress) => {
      const now = performance.now();
      if (now < next) return;
      next = now + PROGRESS_MILLISECONDS;
      const activity = { progress: { ...progress, seconds: (now - started) / 1000 } };
      this.#deps.store.setActivity(taskId, activity).catch(() => undefined);
    };
  }
}
