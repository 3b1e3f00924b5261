/**
 * The computation of a closed task, stage by stage: fix the records, aggregate and blind, have the CSP
 * unblind, decompose with it in a two-party protocol, sign the projection, have its digest countersigned.
 * Each stage ends in one durable transaction, so that it can be resumed after a crash of either server; what
 * is drawn at random is drawn once and persisted before it is used.
 */
import type { PaillierPool } from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import { blind, draw } from '@eigenveil/protocol/servers';
import type { TaskId } from '@eigenveil/task';
import { errorCodeOf, FINAL_STATES, type TaskState, toProblem } from '@eigenveil/wire';
import { eraseAll } from '../store/rules.ts';
import type { DataUserStore, StageResult, StoredTask } from '../store/store.ts';
import type { CspClient } from '../tasks/csp.ts';
import type { OpenTask, Tasks } from '../tasks/tasks.ts';
import type { Aggregation } from './aggregation.ts';
import { Decomposition, type DecompositionDependencies } from './decomposition.ts';
import { failedBy, isFatal, isFault, MOST_FAULTS } from './failures.ts';
import type { Fixing } from './fixing.ts';
import type { Provenances } from './provenances.ts';
import { sealDrawn } from './sealed-drawn.ts';
import type { Turn } from './work-queue.ts';

/**
 * The time for which, and how often, a task that the CSP has answered waits for a process that may hold the
 * answer. Such a process has products to do still (half a minute at 400 features) and PERSISTENCE_MILLISECONDS to
 * reach the database; each wait of its line ends after two minutes.
 */
const HOLDER_MILLISECONDS = 300_000;
const HOLDER_PAUSE_MILLISECONDS = 500;

/** The time for which, and how often, a database that fails is tried again for the result of a stage. */
const PERSISTENCE_MILLISECONDS = 30_000;
const PERSISTENCE_PAUSE_MILLISECONDS = 500;

export interface ComputationDependencies extends DecompositionDependencies {
  readonly store: DataUserStore;
  readonly tasks: Pick<Tasks, 'agreed' | 'forget' | 'propose' | 'signsOf'>;
  readonly aggregation: Pick<Aggregation, 'aggregate'>;
  readonly fixing: Pick<Fixing, 'fix'>;
  readonly csp: Pick<CspClient, 'openChannel' | 'closeChannel' | 'end'>;
  readonly provenances: Pick<Provenances, 'unblind' | 'countersign'>;
  /**
   * Says whether other processes work on tasks of this store, one of which may hold an answer that this one
   * is refused.
   */
  readonly isShared: boolean;
  readonly paillier: PaillierPool;
  /** The source from which blinding values and noise for differential privacy are drawn. */
  readonly randomness: RandomSource;
  /** Told of every stage that ends, and of every one that has to be tried again, for logs and metrics. */
  readonly onStage: (event: { taskId: TaskId } & ({ state: TaskState } | { error: unknown })) => void;
}

export class Computation {
  readonly #deps: ComputationDependencies;
  readonly #decomposition: Decomposition;

  constructor(dependencies: ComputationDependencies) {
    this.#deps = dependencies;
    this.#decomposition = new Decomposition(dependencies);
  }

  /**
   * Does the next stage of a task, as Workers say. It also tells whoever asks for the task about an error
   * that another attempt may correct.
   */
  async step(taskId: TaskId, turn: Turn): Promise<boolean> {
    try {
      return await this.#step(taskId, turn);
    } catch (error) {
      if (!turn.signal.aborted) await this.tellWaiting(taskId, error);
      throw error;
    }
  }

  /** Tells whoever asks for the task why it waits. */
  async tellWaiting(taskId: TaskId, error: unknown): Promise<void> {
    this.#deps.onStage({ taskId, error });
    const { code, detail, title } = toProblem(error);
    const waiting = { code, message: detail ?? title };
    // The database itself may be what stopped the task.
    await this.#deps.store.setActivity(taskId, { waiting }).catch(() => undefined);
  }

  async #step(taskId: TaskId, turn: Turn): Promise<boolean> {
    const { store } = this.#deps;
    const stored = await store.task(taskId);
    if (stored === undefined) return false;
    if (stored.state === 'proposed') {
      await this.#deps.tasks.propose(taskId);
      return true;
    }
    if (FINAL_STATES.includes(stored.state)) {
      await this.#decomposition.waitForOutcome(taskId, turn);
      await eraseAll(store, taskId);
      if (!stored.endedAtCsp) await this.#endAtCsp(stored);
      return false;
    }
    const stage = this.#stageOf(stored);
    if (stage === undefined) return false;
    const started = performance.now();
    const result = await this.#attempt(stage.run, stored, turn);
    const timing = { stage: stage.name, milliseconds: performance.now() - started };
    // One of several processes that come here moves the task on; nothing of what the others have drawn is
    // kept or sent.
    if (result !== undefined && (await this.#advance(stored, { ...result, timing }))) {
      this.#deps.onStage({ taskId, state: result.to });
    }
    return true;
  }

  /**
   * Moves the task on, also when the database is away for a moment: hours of work would be lost with a
   * result, and an answer that is given once is not given again. It is a compare-and-set, so it needs no turn
   * and may be tried after it was done.
   */
  async #advance({ task, state }: StoredTask, result: StageResult): Promise<boolean> {
    const { store, clock } = this.#deps;
    const started = clock.now();
    for (;;) {
      try {
        return await store.advance(task.id, state, result);
      } catch (error) {
        if (clock.now() - started > PERSISTENCE_MILLISECONDS) throw error;
      }
      await clock.sleep(PERSISTENCE_PAUSE_MILLISECONDS);
    }
  }

  #stageOf({ state }: StoredTask) {
    if (state === 'closed') return { name: 'aggregate', run: this.#aggregate };
    if (state === 'blinded') return { name: 'unblind', run: this.#unblind };
    if (state === 'unblinded') return { name: 'decompose', run: this.#decompose };
    if (state === 'decomposed') return { name: 'register', run: this.#register };
    return undefined;
  }

  /**
   * Runs a stage. An error that another attempt cannot correct becomes the failure of the task; undefined if
   * the task has moved on.
   */
  async #attempt(stage: Stage, stored: StoredTask, turn: Turn): Promise<StageResult | undefined> {
    const { store, tasks } = this.#deps;
    try {
      return await stage.call(this, stored, await tasks.agreed(stored.task.id), turn);
    } catch (error) {
      if ((await store.state(stored.task.id)) !== stored.state) return undefined;
      // Two processes at the CSP are each other's errors: one whose turn is over must not fail the other's
      // task.
      turn.signal.throwIfAborted();
      const isAnswered = errorCodeOf(error) === 'ERR_TASK_ANSWERED';
      if (isAnswered && (await this.#comesFromAnother(stored, error, turn))) return undefined;
      await turn.confirm();
      if (!isFatal(error) && !(await this.#isOneTooMany(stored, error))) throw error;
      return failedBy(stored, error);
    }
  }

  /**
   * Says whether the result of a task that the CSP has answered is stored within the time that it may take:
   * by a process that lost its turn, but not the answer. It needs no turn for that, only that nobody has
   * failed the task; whoever has the turn waits and keeps others from it.
   */
  async #comesFromAnother({ task, state }: StoredTask, error: unknown, { signal }: Turn): Promise<boolean> {
    const { store, clock, isShared } = this.#deps;
    if (!isShared) return false;
    await this.tellWaiting(task.id, error);
    for (const until = clock.now() + HOLDER_MILLISECONDS; clock.now() < until; ) {
      await clock.sleep(HOLDER_PAUSE_MILLISECONDS, signal);
      if ((await store.state(task.id)) !== state) return true;
    }
    return false;
  }

  /**
   * Faults of a computation, other than of the line, are tried again a few times only: a program that fails
   * does so again, and how often a garbler may provoke the same fault is how much it could learn from it.
   */
  async #isOneTooMany({ task, state }: StoredTask, error: unknown): Promise<boolean> {
    if (state !== 'unblinded' || !isFault(error)) return false;
    const counted = this.#decomposition.faultsWith(error) ?? (await this.#deps.store.addFault(task.id));
    return counted >= MOST_FAULTS;
  }

  async #aggregate({ task }: StoredTask, open: OpenTask, turn: Turn): Promise<StageResult> {
    const { aggregation, fixing, paillier, sealer, randomness } = this.#deps;
    await fixing.fix(task.id, turn); // nobody leaves the task any more
    const aggregate = await aggregation.aggregate(open, turn);
    const signs = await this.#deps.tasks.signsOf(open);
    // In a function of its own: nothing holds what is drawn, other than sealed, while it is encrypted.
    const drawAndBlind = () => {
      const drawn = draw({ ...open, signs }, randomness);
      const sealedBlinding = sealDrawn(sealer, open, drawn);
      return { sealedBlinding, blinding: blind(open, aggregate, drawn, paillier) };
    };
    const { sealedBlinding, blinding } = drawAndBlind();
    return { to: 'blinded', sealedBlinding, blinded: await blinding };
  }

  async #unblind(stored: StoredTask): Promise<StageResult> {
    return { to: 'unblinded', provenance: { statement: await this.#deps.provenances.unblind(stored) } };
  }

  async #decompose(stored: StoredTask, open: OpenTask, turn: Turn): Promise<StageResult> {
    const signs = await this.#deps.tasks.signsOf(open);
    const shares = await this.#decomposition.sharesOf(open);
    this.#deps.tasks.forget(stored.task.id);
    return this.#decomposition.run(stored, { shares, signs }, turn);
  }

  /** The digest lies in the store before it leaves for the first time: after a crash it is the same one. */
  async #register(
    { task, failure, provenance }: StoredTask,
    _open: OpenTask,
    turn: Turn,
  ): Promise<StageResult> {
    const { provenances } = this.#deps;
    await this.#decomposition.waitForOutcome(task.id, turn);
    const countersignature = await provenances.countersign(task, provenance.projectionDigest!);
    const ends = failure === null ? ({ to: 'done' } as const) : ({ to: 'failed', failure } as const);
    return { ...ends, provenance: { countersignature } };
  }

  async #endAtCsp({ task }: StoredTask): Promise<void> {
    const { csp, store } = this.#deps;
    try {
      await csp.end({ taskId: task.id });
    } catch (error) {
      // A task that the CSP never agreed to has nothing to end.
      if (errorCodeOf(error) !== 'ERR_TASK_UNKNOWN') throw error;
    }
    await store.markEndedAtCsp(task.id);
  }
}

type Stage = (stored: StoredTask, open: OpenTask, turn: Turn) => Promise<StageResult>;
