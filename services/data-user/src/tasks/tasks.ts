/**
 * Tasks at the data user: proposed to the CSP, opened under its signature, closed or cancelled by the
 * operator.
 */
import { CodedError } from '@eigenveil/platform';
import { verifyBasis } from '@eigenveil/projection';
import { type AgreedTask, openAgreed, signsOf } from '@eigenveil/protocol/servers';
import { DAY_MILLISECONDS, type Task, type TaskCreation, type TaskId } from '@eigenveil/task';
import { checkComputable } from '@eigenveil/two-party';
import {
  CODES,
  type Digest,
  digestPublicKey,
  digestTask,
  type ErrorCode,
  type OwnerId,
  type ProjectionResponse,
  type ResultResponse,
  type SignedLink,
  type SignedTask,
  type TaskList,
  type TaskStatus,
  type Thumbprint,
  toProblem,
} from '@eigenveil/wire';
import { type Provenances, provenanceOf } from '../compute/provenances.ts';
import type { WorkQueue } from '../compute/work-queue.ts';
import { statusOf } from '../console/progress.ts';
import { unknownTask } from '../store/rules.ts';
import type { DataUserStore, StoredTask } from '../store/store.ts';
import type { Chains } from './chains.ts';
import type { CspClient } from './csp.ts';
import type { Revocations } from './revocations.ts';

/** A task that the CSP has signed. */
export interface OpenTask extends AgreedTask {
  /** The digest of the public key, as owners sign it in their records. */
  readonly publicKeyDigest: Digest;
}

const REMEMBERED_TASKS = 64;
/** The number of values of all remembered tasks together. Each takes some hundred bytes of their packings. */
const REMEMBERED_VALUES = 1_500_000;
/**
 * Errors after which the CSP may or may not have agreed to the task. Some of them mean that it has not looked
 * at the task, since it does not know yet who asks.
 */
const UNDECIDED: ReadonlySet<ErrorCode> = new Set([
  'ERR_PEER_UNREACHABLE',
  'ERR_PEER_TIMEOUT',
  'ERR_PEER_CERTIFICATE',
  'ERR_PEER_PROTOCOL',
  'ERR_PROTOCOL_VERSION',
  'ERR_BUSY',
  'ERR_RATE_LIMITED',
  'ERR_REQUEST_TIMEOUT',
  'ERR_DATABASE_UNREACHABLE',
  'ERR_INTERNAL',
  'ERR_AUTH_REQUIRED',
  'ERR_AUTH_FORBIDDEN',
  'ERR_PROOF_REPLAYED',
]);
/** The number of tasks on a page. */
const LISTED_TASKS = 100;

export class Tasks {
  readonly #store: DataUserStore;
  readonly #csp: CspClient;
  readonly #thumbprint: Thumbprint;
  readonly #now: () => Date;
  readonly #queue: WorkQueue;
  readonly #provenances: Pick<Provenances, 'ofOwner'>;
  readonly #revocations: Pick<Revocations, 'requireFresh'>;
  readonly #chains: Chains;
  /** The tasks that were asked for last: a task never changes, so it is verified once. */
  readonly #verified = new Map<TaskId, OpenTask>();

  constructor(dependencies: {
    store: DataUserStore;
    csp: CspClient;
    thumbprint: Thumbprint;
    now: () => Date;
    queue: WorkQueue;
    provenances: Pick<Provenances, 'ofOwner'>;
    revocations: Pick<Revocations, 'requireFresh'>;
    chains: Chains;
  }) {
    this.#store = dependencies.store;
    this.#csp = dependencies.csp;
    this.#thumbprint = dependencies.thumbprint;
    this.#now = dependencies.now;
    this.#queue = dependencies.queue;
    this.#provenances = dependencies.provenances;
    this.#revocations = dependencies.revocations;
    this.#chains = dependencies.chains;
  }

  /**
   * Proposes a task to the CSP and opens it. A task with this id and these parameters is proposed once,
   * however often this is called and in however many processes. Where it is not known what the CSP has done
   * (ERR_PEER_UNREACHABLE and similar errors), the task stays proposed and is continued later.
   * @throws as checkComputable and the CSP; ERR_TASK_CONFLICT for other parameters, ERR_TASK_CANCELLED,
   *   ERR_BUSY while the task is proposed already
   */
  async create({ id, ...proposal }: TaskCreation): Promise<SignedTask> {
    const task: Task = {
      ...proposal,
      protocol: 'eigenveil/1',
      id,
      csp: this.#csp.thumbprint,
      dataUser: this.#thumbprint,
    };
    return this.open(task);
  }

  /** Does what `create` does for a task that names its parties: see Renewals. */
  async open(task: Task): Promise<SignedTask> {
    const { id } = task;
    const known = await this.#store.task(id);
    if (known === undefined) await this.#checkNew(task);
    if (known === undefined || known.state === 'proposed') await this.#begin(task);
    return signedAs(await this.#stored(id), task);
  }

  async #checkNew(task: Task): Promise<void> {
    checkComputable(task);
    await this.#chains.basisOf(task);
    if (new Date(task.deadline) <= this.#now())
      throw new CodedError(CODES.ERR_TASK_INVALID, '"deadline" expected a time in the future');
    await this.#csp.identity(); // nothing is proposed to a CSP of another identity
  }

  async #begin(task: Task): Promise<void> {
    try {
      await this.#queue.take(task.id, async () => {
        await this.#store.insertTask(task);
        await this.propose(task.id);
      });
    } finally {
      // The client may not ask again, so the queue continues the task, or tells the CSP that it has ended.
      if ((await this.#store.task(task.id))?.state !== 'open') await this.#queue.offer(task.id);
    }
  }

  /**
   * Has the CSP sign a proposed task and opens it. The caller must hold the task in the queue. The CSP
   * answers the same proposal the same way, so this can be repeated. A task that the CSP has refused fails;
   * this throws errors after which the CSP may or may not have agreed.
   */
  async propose(taskId: TaskId): Promise<void> {
    const { task, state } = await this.#stored(taskId);
    if (state !== 'proposed') return;
    try {
      const refined = await this.#chains.refinedBy(task);
      const { agreement } = await this.#csp.propose({ body: { task, ...(refined && { refined }) } });
      const signed = { task, agreement };
      await this.#verify(signed);
      await this.#store.openTask(task.id, signed.agreement); // unless it was cancelled meanwhile
    } catch (error) {
      const { code, detail, title } = toProblem(error);
      if (UNDECIDED.has(code)) throw error;
      await this.#store.advance(task.id, 'proposed', {
        to: 'failed',
        failure: { code, message: detail ?? title },
      });
    }
  }

  /**
   * Returns the task as owners get it.
   * @throws ERR_TASK_UNKNOWN
   */
  async signed(taskId: TaskId): Promise<SignedTask> {
    const { task, agreement } = await this.#stored(taskId);
    if (agreement === null)
      throw new CodedError(CODES.ERR_TASK_UNKNOWN, '"taskId" expected a task that was opened');
    return { task, agreement };
  }

  /**
   * Returns a signed task with its Paillier key.
   * @throws ERR_TASK_UNKNOWN, ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async agreed(taskId: TaskId): Promise<OpenTask> {
    const known = this.#verified.get(taskId);
    if (known !== undefined) return known;
    return this.#verify(await this.signed(taskId));
  }

  /**
   * Forgets a task, which is opened again when somebody asks for it: with thousands of features the packing
   * takes tens of megabytes.
   */
  forget(taskId: TaskId): void {
    this.#verified.delete(taskId);
  }

  /**
   * Returns Ω of a task with a sketch; undefined for others.
   * @throws as `verifyBasis` where it refines an earlier result
   */
  async signsOf(open: OpenTask): Promise<Int32Array | undefined> {
    const refined = await this.#chains.refinedBy(open.task);
    if (refined === undefined) return signsOf(open);
    const [link] = await verifyBasis(open.task, [refined], await this.#csp.identity());
    return signsOf(open, link!.projection);
  }

  /** Checks what the CSP signed, before owners get it: a key that they would all refuse opens no task. */
  async #verify(signed: SignedTask): Promise<OpenTask> {
    const agreed = await openAgreed(signed, await this.#csp.identity());
    const open = { ...agreed, publicKeyDigest: digestPublicKey(agreed.agreement.publicKey) };
    this.#remember(open);
    return open;
  }

  /** Remembers a task, and forgets those that were remembered first where there are too many. */
  #remember(open: OpenTask): void {
    const sizeOf = ({ packing }: OpenTask) => packing.valueBits.length;
    let values = [...this.#verified.values()].reduce((sum, it) => sum + sizeOf(it), sizeOf(open));
    for (const [id, it] of this.#verified) {
      if (this.#verified.size < REMEMBERED_TASKS && values <= REMEMBERED_VALUES) break;
      this.#verified.delete(id);
      values -= sizeOf(it);
    }
    this.#verified.set(open.task.id, open);
  }

  /**
   * Returns the tasks that were proposed last, or last before `before`: all of them, or those whose id or title
   * has the text `sought`.
   * @throws ERR_TASK_UNKNOWN when there is no task `before`
   */
  async list(before: TaskId | null, sought = ''): Promise<TaskList> {
    if (before !== null) await this.#stored(before);
    const found = await this.#store.tasks({ before, sought, limit: LISTED_TASKS + 1 });
    return {
      tasks: found.slice(0, LISTED_TASKS).map(({ task, state, contributions }) => ({
        taskId: task.id,
        title: task.title,
        state,
        method: task.method,
        contributions,
        deadline: task.deadline,
      })),
      older: found.length > LISTED_TASKS,
    };
  }

  /**
   * Returns the status of a task.
   * @throws ERR_TASK_UNKNOWN
   */
  async status(taskId: TaskId): Promise<TaskStatus> {
    return statusOf(await this.#stored(taskId), this.#now());
  }

  /**
   * Ends collection, so that the computation can start; closing a closed task changes nothing. Contributions
   * of revoked owners are dropped first.
   * @throws ERR_MINIMUM_OWNERS, ERR_REVOCATIONS_STALE, ERR_REVOCATIONS_INVALID (the task stays open),
   *   ERR_TASK_CANCELLED, ERR_TASK_CLOSED
   */
  async close(taskId: TaskId): Promise<void> {
    if ((await this.#stored(taskId)).state === 'open') await this.#revocations.requireFresh();
    await this.#store.closeTask(taskId);
  }

  /**
   * Closes a task that is declared to close by itself, if the time has come; returns whether this call closed
   * it.
   */
  async closeByItself(taskId: TaskId): Promise<boolean> {
    await this.#revocations.requireFresh();
    return this.#store.closeTask(taskId, this.#now());
  }

  /**
   * Cancels a task that is not final and destroys its contributions.
   * @throws ERR_TASK_CLOSED when it is done
   */
  async cancel(taskId: TaskId): Promise<void> {
    for (;;) {
      const { state } = await this.#stored(taskId);
      if (state === 'cancelled') return;
      if (state === 'done' || state === 'failed')
        throw new CodedError(CODES.ERR_TASK_CLOSED, `the task is ${state} already`);
      if (await this.#store.advance(taskId, state, { to: 'cancelled' })) return;
    }
  }

  /**
   * Cancels the open tasks whose deadline passed more than `retentionDays` ago, and yields each: nobody will
   * close them, and the CSP does not keep their keys for ever either.
   */
  async *cancelAbandoned(retentionDays: number): AsyncGenerator<TaskId, void> {
    const latest = this.#now().getTime() - retentionDays * DAY_MILLISECONDS;
    for (let before: TaskId | null = null; ; ) {
      const { tasks, older } = await this.list(before);
      for (const { taskId, state, deadline } of tasks) {
        if (state !== 'open' || new Date(deadline).getTime() >= latest) continue;
        if (await this.#store.advance(taskId, 'open', { to: 'cancelled' })) yield taskId;
      }
      if (!older) return;
      before = tasks.at(-1)!.taskId;
    }
  }

  /**
   * Returns the signed projection.
   * @throws ERR_NOT_READY, ERR_TASK_CANCELLED, or the error with which the task failed
   */
  async result(taskId: TaskId): Promise<ResultResponse> {
    const stored = await this.#stored(taskId);
    return { ...resultOf(stored), ...(await this.#basisOf(stored)) };
  }

  /**
   * Returns the results that the task stands on or refines, for owners who may contribute to it.
   * @throws ERR_TASK_UNKNOWN, ERR_TASK_INVALID for a task that names no earlier result
   */
  async basis(taskId: TaskId): Promise<{ readonly basis: SignedLink[] }> {
    const { task } = await this.signed(taskId);
    const { basis } = await this.#basisOf({ task });
    if (basis === undefined)
      throw new CodedError(
        CODES.ERR_TASK_INVALID,
        '"basis" expected of a task that stands on an earlier result, or refines one',
      );
    return { basis };
  }

  async #basisOf({ task }: Pick<StoredTask, 'task'>): Promise<{ basis?: SignedLink[] }> {
    const basis = await this.#chains.basisOf(task);
    return basis === undefined ? {} : { basis };
  }

  /**
   * Returns what `result` returns, for an owner: only if the task releases it and the owner has contributed.
   * @throws ERR_AUTH_FORBIDDEN
   */
  async resultFor(taskId: TaskId, ownerId: OwnerId): Promise<ProjectionResponse> {
    const stored = await this.#stored(taskId);
    const contribution = await this.#store.contribution(taskId, ownerId);
    if (!stored.task.releaseToOwners || contribution === undefined || contribution.withdrawn) {
      throw new CodedError(
        CODES.ERR_AUTH_FORBIDDEN,
        'the projection is released only to contributing owners, if the task says so',
      );
    }
    const { projection, provenance } = resultOf(stored);
    return {
      projection,
      provenance: provenance && (await this.#provenances.ofOwner(provenance, taskId, ownerId)),
      ...(await this.#basisOf(stored)),
    };
  }

  async #stored(taskId: TaskId): Promise<StoredTask> {
    const stored = await this.#store.task(taskId);
    if (stored === undefined) throw unknownTask();
    return stored;
  }
}

/** Returns a stored task to anyone who asks for one with these parameters. */
function signedAs({ task, state, agreement, failure }: StoredTask, asked: Task): SignedTask {
  if (digestTask(task) !== digestTask(asked))
    throw new CodedError(
      CODES.ERR_TASK_CONFLICT,
      '"id" expected the parameters that were proposed under it before',
    );
  if (agreement !== null) return { task, agreement };
  if (failure !== null) throw new CodedError(CODES[failure.code], failure.message);
  if (state === 'cancelled') throw new CodedError(CODES.ERR_TASK_CANCELLED, 'the task was cancelled');
  throw new CodedError(CODES.ERR_BUSY, 'the task is being proposed', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Seconds after which a client should ask again for a result that is not ready. */
const RETRY_AFTER_SECONDS = 1;

function resultOf({ state, failure, projection, provenance }: StoredTask): ResultResponse {
  // Before the task is final nobody learns how it ends: the CSP has not countersigned it.
  if (state === 'done') return { projection: projection!, provenance: provenanceOf(provenance) };
  if (state === 'failed') throw new CodedError(CODES[failure!.code], failure!.message);
  if (state === 'cancelled') throw new CodedError(CODES.ERR_TASK_CANCELLED, 'the task was cancelled');
  throw new CodedError(CODES.ERR_NOT_READY, `the task is ${state}`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
