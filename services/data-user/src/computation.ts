/**
 * The computation of a closed task, stage by stage: aggregate and blind, have the CSP unblind, decompose with it in a
 * two-party protocol, sign the projection, have its digest countersigned. Each stage ends in one durable transaction, so that it can be
 * resumed after a crash of either server; what is drawn at random is drawn once and persisted before it is used.
 */
import type { PaillierPool } from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import { blind, type Drawn, draw, resultOf, sharesAtDataUser } from '@eigenveil/protocol/servers';
import { type Sealer, ServerError } from '@eigenveil/server';
import { programOf, type Task, type TaskId } from '@eigenveil/task';
import {
  type Channel,
  type Clock,
  type Pace,
  TWO_PARTY_PROTOCOLS,
  TwoPartyError,
  waitUntil,
} from '@eigenveil/two-party';
import {
  digestProjection,
  type ErrorCode,
  errorCodeOf,
  newSalt,
  PROJECTION,
  type Projection,
  RECORDS_PER_REQUEST,
  type SigningKey,
  signStatement,
  type TaskState,
  toProblem,
} from '@eigenveil/wire';
import type { Aggregation } from './aggregation.ts';
import type { CspClient } from './csp-client.ts';
import type { Provenances } from './provenances.ts';
import {
  blindingPlace,
  type DataUserStore,
  FINAL_STATES,
  type StageResult,
  type StoredTask,
} from './store.ts';
import { eraseAll } from './store-rules.ts';
import type { OpenTask, Tasks } from './tasks.ts';
import type { Turn } from './work-queue.ts';

/** Requests with records that are under way at a time: enough that the CSP never waits for the next. */
const RECORD_REQUESTS = 4;

/** How often it is written down how far a computation is. */
const PROGRESS_MILLISECONDS = 1000;
/** How often a two-party computation looks whether its task has been cancelled. */
const WATCH_MILLISECONDS = 500;

/**
 * For how long, and how often, a task that the CSP has answered waits for a process that may hold the answer. Such a process has products to do
 * still (a minute at 200 features) and PERSISTENCE_MILLISECONDS to reach the database; each wait of its line ends after two minutes.
 */
const HOLDER_MILLISECONDS = 300_000;
const HOLDER_PAUSE_MILLISECONDS = 500;

/** For how long, and how often, a database that fails is tried again for the result of a stage. */
const PERSISTENCE_MILLISECONDS = 30_000;
const PERSISTENCE_PAUSE_MILLISECONDS = 500;

/** Attempts at a computation that end with a fault of a program or in what came over the line. */
const MOST_FAULTS = 3;

/** Errors before an answer that no further attempt can mend. All others are tried again, since a person may mend them (a wrong clock, say). */
const FATAL_CODES: ReadonlySet<ErrorCode> = new Set([
  'ERR_MINIMUM_OWNERS',
  'ERR_OWNER_COUNT',
  'ERR_UNBLINDING_CONFLICT',
  'ERR_FULL_RANK',
  'ERR_TOO_MANY_COMPONENTS',
  'ERR_TASK_CLOSED',
  'ERR_TASK_UNKNOWN',
  'ERR_TASK_MISMATCH',
  'ERR_DATABASE_ALTERED',
  'ERR_RECORD_INVALID',
  'ERR_CONTRIBUTION_CONFLICT',
  'ERR_CIPHERTEXT_INVALID',
  'ERR_CIPHERTEXT_LENGTH',
  'ERR_PACKING_OVERFLOW',
  'ERR_TASK_FULL',
  'ERR_CHANNEL_MESSAGE',
  'ERR_OT_POINT',
  'ERR_GARBLING_MESSAGE',
  'ERR_TASK_ANSWERED',
  'ERR_PROJECTION_CONFLICT',
  'ERR_PROVENANCE_INVALID',
]);

/** Checks of what came over the line before the answer; and what is no fault of ours or the peer's, but unknown. */
const FAULTS: ReadonlySet<ErrorCode> = new Set(['ERR_OT_CHECK', 'ERR_INTERNAL']);

export interface ComputationDependencies {
  readonly store: DataUserStore;
  readonly tasks: Pick<Tasks, 'agreed' | 'propose'>;
  readonly aggregation: Pick<Aggregation, 'aggregate'>;
  readonly csp: Pick<CspClient, 'sendRecords' | 'openChannel' | 'closeChannel' | 'end'>;
  readonly provenances: Pick<Provenances, 'unblind' | 'countersign'>;
  readonly clock: Clock;
  /** From what the CSP sends last, or from the rotated matrix, to this server's next byte: see Pace. */
  readonly paceOf: (task: Task) => number;
  /** Told when a pace could not be kept. */
  readonly onMiss: (event: { taskId: TaskId; milliseconds: number }) => void;
  /** Whether other processes work on tasks of this store, one of which may hold an answer that this one is refused. */
  readonly isShared: boolean;
  readonly paillier: PaillierPool;
  readonly sealer: Sealer;
  readonly key: SigningKey;
  /** What blinding values and noise for differential privacy are drawn from. */
  readonly randomness: RandomSource;
  /** Told of every stage that ends, and of every one that has to be tried again, for logs and metrics. */
  readonly onStage: (event: { taskId: TaskId } & ({ state: TaskState } | { error: unknown })) => void;
}

export class Computation {
  readonly #deps: ComputationDependencies;
  /** When it must be clear what came of an answer: a digest is registered at the CSP then, or the CSP is told of the task's end. */
  readonly #ends = new Map<TaskId, number>();

  constructor(dependencies: ComputationDependencies) {
    this.#deps = dependencies;
  }

  /** As of Workers: does the next stage of a task. What another attempt may mend it also tells whoever asks for the task. */
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
    // What stopped the task may be the database itself.
    await this.#deps.store.setActivity(taskId, { waiting }).catch(() => undefined);
  }

  /** Writes down how far a two-party computation is, not too often. */
  #progressOf(taskId: TaskId) {
    const started = performance.now();
    let next = started;
    return (progress: { andGates: number; plannedGates?: number }) => {
      const now = performance.now();
      if (now < next) return;
      next = now + PROGRESS_MILLISECONDS;
      const activity = { progress: { ...progress, seconds: (now - started) / 1000 } };
      this.#deps.store.setActivity(taskId, activity).catch(() => undefined);
    };
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
      await this.#waitForOutcome(taskId, turn);
      await eraseAll(store, taskId);
      if (!stored.endedAtCsp) await this.#endAtCsp(stored);
      return false;
    }
    const stage = this.#stageOf(stored);
    if (stage === undefined) return false;
    const started = performance.now();
    const result = await this.#attempt(stage.run, stored, turn);
    const timing = { stage: stage.name, milliseconds: performance.now() - started };
    // Of several processes that come here one moves the task on; nothing of what the others have drawn is kept or sent.
    if (result !== undefined && (await this.#advance(stored, { ...result, timing }))) {
      this.#deps.onStage({ taskId, state: result.to });
    }
    return true;
  }

  /**
   * Moves the task on, also when the database is away for a moment: hours of work would be lost with a result, and an answer that is
   * given once is not given again. It is a compare-and-set, so it needs no turn and may be tried after it was done.
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

  /** Runs a stage. An error that another attempt cannot mend becomes the failure of the task; undefined if the task has moved on. */
  async #attempt(stage: Stage, stored: StoredTask, turn: Turn): Promise<StageResult | undefined> {
    const { store, tasks } = this.#deps;
    try {
      return await stage.call(this, stored, await tasks.agreed(stored.task.id), turn);
    } catch (error) {
      if ((await store.task(stored.task.id))?.state !== stored.state) return undefined;
      // Two processes at the CSP are each other's errors: one whose turn is over must not fail the other's task.
      turn.signal.throwIfAborted();
      const code = errorCodeOf(error);
      if (code === 'ERR_TASK_ANSWERED' && (await this.#comesFromAnother(stored, error, turn)))
        return undefined;
      await turn.confirm();
      const isFatal = code !== undefined && FATAL_CODES.has(code);
      if (!isFatal && !(await this.#isOneTooMany(stored, error))) throw error;
      return failedBy(stored, error);
    }
  }

  /**
   * Whether the result of a task that the CSP has answered is stored within the time that it may take: by a process that lost its turn, but
   * not the answer. It needs no turn for that, only that nobody has failed the task; whoever has the turn waits and keeps others from it.
   */
  async #comesFromAnother({ task, state }: StoredTask, error: unknown, { signal }: Turn): Promise<boolean> {
    const { store, clock, isShared } = this.#deps;
    if (!isShared) return false;
    await this.tellWaiting(task.id, error);
    for (const until = clock.now() + HOLDER_MILLISECONDS; clock.now() < until; ) {
      await clock.sleep(HOLDER_PAUSE_MILLISECONDS, signal);
      if ((await store.task(task.id))?.state !== state) return true;
    }
    return false;
  }

  /**
   * Faults of a computation, other than of the line, are tried again a few times only: a program that fails does so again, and how often a garbler
   * may provoke the same fault is how much it could learn from it.
   */
  async #isOneTooMany({ task, state }: StoredTask, error: unknown): Promise<boolean> {
    if (state !== 'unblinded') return false;
    if (error instanceof ServerError) return false; // a key that this machine lacks, say: its operator mends that
    const code = errorCodeOf(error);
    const atCsp = error instanceof TwoPartyError && error.reason === 'ERR_COMPUTATION';
    if (code !== undefined && !FAULTS.has(code) && !atCsp) return false;
    return (await this.#deps.store.addFault(task.id)) >= MOST_FAULTS;
  }

  async #aggregate({ task }: StoredTask, open: OpenTask, turn: Turn): Promise<StageResult> {
    const { aggregation, paillier, sealer, randomness } = this.#deps;
    const aggregate = await aggregation.aggregate(open, turn);
    const drawn = draw(open, randomness);
    const blinded = await blind(open, aggregate, drawn, paillier);
    const sealedBlinding = sealer.seal(blindingPlace(task.id), encodeDrawn(drawn));
    return { to: 'blinded', sealedBlinding, blinded };
  }

  async #unblind(stored: StoredTask, _open: OpenTask, turn: Turn): Promise<StageResult> {
    await this.#sendRecords(stored, turn);
    return { to: 'unblinded', provenance: { statement: await this.#deps.provenances.unblind(stored) } };
  }

  /**
   * Sends the records that the CSP has not confirmed, some requests at a time. It confirms what it has stored durably, and this server
   * remembers that in the order of the sequence numbers: what is interrupted goes on from there.
   */
  async #sendRecords({ task, recordsSent }: StoredTask, turn: Turn): Promise<void> {
    const { csp, store } = this.#deps;
    for (let after = recordsSent; ; ) {
      turn.signal.throwIfAborted();
      const next = await store.records(task.id, after, RECORDS_PER_REQUEST * RECORD_REQUESTS);
      if (next.length === 0) return;
      const pages = Array.from({ length: Math.ceil(next.length / RECORDS_PER_REQUEST) }, (_, i) =>
        next.slice(i * RECORDS_PER_REQUEST, (i + 1) * RECORDS_PER_REQUEST).map(({ record }) => record),
      );
      const sent = await Promise.allSettled(pages.map((page) => csp.sendRecords(task.id, page)));
      for (const { reason } of sent.filter((it) => it.status === 'rejected')) throw reason;
      after = next.at(-1)!.sequence;
      await store.noteRecordsSent(task.id, after);
    }
  }

  async #decompose(stored: StoredTask): Promise<StageResult> {
    const { csp, sealer, key, clock, paceOf, onMiss, provenances } = this.#deps;
    const { task, sealedBlinding } = stored;
    // A release without provenance has unblinded the task: the same request again brings the statement.
    const statement = stored.provenance.statement ?? (await provenances.unblind(stored));
    const drawn = decodeDrawn(sealer.open(blindingPlace(task.id), sealedBlinding!));
    const shares = sharesAtDataUser(task, drawn);
    const protocol = TWO_PARTY_PROTOCOLS[task.twoParty];
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
    let result: Projection;
    try {
      const computation = { task, program: programOf(task) };
      const input = { shares, pace, onAnswer };
      const shifted = await protocol.runDataUser(channel, computation, input, this.#progressOf(task.id));
      result = resultOf(task, shifted);
    } catch (error) {
      // What is wrong with an answer is its outcome, and final: by another attempt the CSP would learn that something is.
      if (hasAnswer) return failedBy(stored, error);
      throw error;
    } finally {
      clearInterval(watch);
      await csp.closeChannel(channel);
    }
    const projection = await signStatement(PROJECTION, key, result);
    const salt = newSalt();
    const provenance = { statement, salt, projectionDigest: digestProjection(salt, projection) };
    return { to: 'decomposed', projection, provenance };
  }

  /** The digest lies in the store before it leaves for the first time: after a crash it is the same one. */
  async #register(
    { task, failure, provenance }: StoredTask,
    _open: OpenTask,
    turn: Turn,
  ): Promise<StageResult> {
    const { provenances } = this.#deps;
    await this.#waitForOutcome(task.id, turn);
    const countersignature = await provenances.countersign(task, provenance.projectionDigest!);
    const ends = failure === null ? ({ to: 'done' } as const) : ({ to: 'failed', failure } as const);
    return { ...ends, provenance: { countersignature } };
  }

  /**
   * Breaks off a two-party computation when the task is cancelled, which may be by another process. Not when the turn is over: whoever has
   * the next one breaks it off at the CSP, and until then it may still come to its result, which is taken once.
   */
  #closeWhenOver(channel: Channel, taskId: TaskId): NodeJS.Timeout {
    const { store, csp } = this.#deps;
    const look = async () => {
      const state = (await store.task(taskId))?.state;
      if (state !== 'unblinded') await csp.closeChannel(channel);
    };
    return setInterval(() => look().catch(() => undefined), WATCH_MILLISECONDS);
  }

  /** Until some time after an answer, so that the CSP is not told of the end the sooner or later for what came of it. */
  async #waitForOutcome(taskId: TaskId, { signal }: Turn): Promise<void> {
    const { clock, onMiss } = this.#deps;
    const moment = this.#ends.get(taskId);
    if (moment === undefined) return;
    const late = clock.now() - moment;
    if (late > 0) onMiss({ taskId, milliseconds: late });
    await waitUntil(moment, clock, signal);
    this.#ends.delete(taskId);
  }

  async #endAtCsp({ task }: StoredTask): Promise<void> {
    const { csp, store } = this.#deps;
    try {
      await csp.end(task.id);
    } catch (error) {
      // A task that the CSP never agreed to has nothing to end.
      if (errorCodeOf(error) !== 'ERR_TASK_UNKNOWN') throw error;
    }
    await store.markEndedAtCsp(task.id);
  }
}

/** Of an unblinded task a digest is registered in any case: one of no projection, since the CSP must not learn that there is none. */
function failedBy({ state, failure: known }: StoredTask, error: unknown): StageResult {
  const { code, detail, title } = toProblem(error);
  const failure = known ?? { code, message: detail ?? title };
  return state === 'unblinded'
    ? { to: 'decomposed', failure, provenance: { projectionDigest: newSalt() } }
    : { to: 'failed', failure };
}

type Stage = (stored: StoredTask, open: OpenTask, turn: Turn) => Promise<StageResult>;

function encodeDrawn({ blinding, noise }: Drawn): Uint8Array {
  return Buffer.from(JSON.stringify({ blinding: blinding.map(String), noise: noise.map(String) }));
}

function decodeDrawn(bytes: Uint8Array): Drawn {
  const { blinding, noise } = JSON.parse(Buffer.from(bytes).toString()) as Record<keyof Drawn, string[]>;
  return { blinding: blinding.map(BigInt), noise: noise.map(BigInt) };
}
