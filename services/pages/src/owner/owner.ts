/**
 * The owner's actions on this page: the code of the command line, with a state in the browser and a worker
 * for rows and ciphertexts.
 */
import {
  type Attempts,
  type Basis,
  type BrokenRule,
  type BudgetStatus,
  DataOwner,
  DEFAULT_DATASET,
  type Elsewhere,
  type Evidence,
  hasContributed,
  type OwnerPolicy,
  ownFloorInWords,
  planOwnFloor,
  type TaskResult,
} from '@eigenveil/data-owner/portable';
import type { CodedError, Words } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import { claimedSigner, RECEIPT, type Receipt, type TaskState, verifyStatement } from '@eigenveil/wire';
import type { OwnerLink } from '@eigenveil/wire/owner-link';
import type { OnProgress, ReadingOptions, RowsRead } from './jobs.ts';
import { online } from './online.ts';
import { BrowserState, type DeviceStatus, type TaskEntry } from './state.ts';
import { type JobOptions, OwnerWorker } from './worker-client.ts';

/**
 * The time for which requests are repeated while a service cannot be reached. It is short, since people are
 * waiting.
 */
const PATIENCE_MILLISECONDS = 15_000;
/** The time for which requests of a contribution are repeated: people see it, and may stop it. */
const CONTRIBUTING_PATIENCE_MILLISECONDS = 600_000;

/** A task and the address of its data user. */
interface TaskPlace {
  readonly id: TaskId;
  readonly dataUser: string;
}

/** The results that a data set can still give to a task: see DataOwner.afford. */
export interface DatasetBudget {
  readonly dataset: string;
  readonly overBudget: Words | null;
  readonly left: number;
  readonly ofWholes: string;
}

/** Callbacks for somebody who contributes: they report progress and ask questions. */
export interface Contributing {
  readonly onReading: OnProgress;
  readonly onEncrypting: OnProgress;
  /** Told in bytes how much of a contribution was sent that takes several requests. */
  readonly onSending: OnProgress;
  /** Told why a request has failed that is going to be repeated. */
  readonly onRetry: (error: CodedError) => void;
  /**
   * Resolves when the owner wants the rows to be sent, and throws otherwise.
   * @param ownFloor sentences about noise that is added to the owner's sums
   */
  readonly confirm: (read: RowsRead, ownFloor: readonly (Words | string)[]) => Promise<void>;
  readonly signal: AbortSignal;
}

export class Owner {
  readonly state: BrowserState;
  readonly worker: OwnerWorker;

  private constructor(state: BrowserState, worker: OwnerWorker) {
    this.state = state;
    this.worker = worker;
  }

  /**
   * @throws ERR_OWNER_HOME where the browser keeps nothing, ERR_WORKER where the host does not have the
   *   page's own worker
   */
  static async open(): Promise<Owner> {
    // Both are loaded at once, so that a host that has lost the worker or changed it is noticed before
    // anybody chooses a file.
    const [worker, state] = await Promise.all([OwnerWorker.load(), BrowserState.open()]);
    return new Owner(state, worker);
  }

  /** @throws as DataOwner.enrol */
  enrol({ csp, thumbprint }: OwnerLink, token: string): Promise<void> {
    return this.state.exclusively(async () => {
      await (await this.#dataOwner()).enrol({ url: csp }, token, thumbprint);
    });
  }

  /**
   * Returns the task that the CSP has signed, the rules of the policy that it breaks, and what the owner's
   * data sets can still give to it: first the one that is taken unless the owner names another. No row is
   * read. The page then has the task on its list.
   */
  async inspect({ id, dataUser }: TaskPlace): Promise<{
    task: Task;
    basis: Basis;
    refined?: Basis[number];
    broken: readonly BrokenRule[];
    policy: OwnerPolicy;
    budgets: readonly [DatasetBudget, ...DatasetBudget[]];
  }> {
    const [owner, policy, { dataset, known }] = await Promise.all([
      this.#dataOwner({ id }),
      this.state.policyFor(id),
      this.datasets(id),
    ]);
    const inspected = await owner.inspect({ url: dataUser }, id);
    await this.state.addTask(id, dataUser, inspected.task);
    const budgetOf = (name: string) => this.afford(id, inspected.task, name);
    const others = known.filter((name) => name !== dataset);
    const budgets = [await budgetOf(dataset), ...(await Promise.all(others.map(budgetOf)))] as const;
    return { ...inspected, policy, budgets };
  }

  /**
   * Puts a task on the list, once its data user has shown it; at once where this owner has a part in it, since
   * its data user may have forgotten it.
   * @throws as `inspect`
   */
  async list(place: TaskPlace): Promise<void> {
    const { id, dataUser } = place;
    const { state } = this;
    const isKnown = (await hasContributed(state, id)) || (await state.withdrawal(id)) !== undefined;
    if (isKnown) await state.addTask(id, dataUser);
    else await this.inspect(place);
  }

  /** Returns what a data set can still give to a task that was inspected. No row is read, and no service asked. */
  async afford(id: TaskId, task: Task, dataset: string): Promise<DatasetBudget> {
    return { dataset, ...(await (await this.#dataOwner({ id })).afford(task, dataset)) };
  }

  /**
   * Reads the file in the worker, asks, and sends.
   * @throws as DataOwner.contribute, as `confirm`, and the signal's reason
   */
  contribute(
    { id, dataUser }: TaskPlace,
    file: File,
    {
      discardPending,
      dataset,
      ...options
    }: ReadingOptions & { readonly discardPending: boolean; readonly dataset: string },
    { onReading, onEncrypting, onSending, onRetry, confirm, signal }: Contributing,
  ): Promise<Receipt> {
    return this.state.exclusively(async () => {
      const owner = await this.#dataOwner({
        id,
        worker: { onProgress: onEncrypting, signal },
        attempts: { patienceMilliseconds: CONTRIBUTING_PATIENCE_MILLISECONDS, onRetry, signal },
      });
      const read = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
        const job = { file, task, basis, options, signs };
        const rows = await this.worker.readRows(job, { onProgress: onReading, signal });
        const own = planOwnFloor(task, basis, await this.state.policyFor(id), rows.grains);
        await confirm(rows, own === undefined ? [] : ownFloorInWords(own.told));
        signal.throwIfAborted();
        return { ...rows.statistics, grains: rows.grains };
      };
      return owner.contribute({ url: dataUser }, id, read, {
        discardPending,
        dataset,
        onProgress: ({ done, of }) => onSending(done, of),
      });
    });
  }

  /**
   * Returns the newest task that renews this one, which the page then knows, or null if there is none that
   * the policy takes.
   * @throws as DataOwner.series
   */
  async next({ id, dataUser }: TaskPlace): Promise<Pick<Task, 'id' | 'title'> | null> {
    const { newest } = await (await this.#dataOwner({ id })).series({ url: dataUser }, id);
    if (newest === null || newest.id === id) return null;
    await this.state.addTask(newest.id, dataUser, newest);
    return newest;
  }

  /** Returns the state of a task, by the word of its data user. */
  async taskState({ id, dataUser }: TaskPlace): Promise<TaskState> {
    return (await this.#dataOwner({ id, attempts: { patienceMilliseconds: 0 } })).state(
      { url: dataUser },
      id,
    );
  }

  /**
   * Returns the data set that the task is charged to; or else the only one that has spent anything, or the
   * default; and the names of all that have spent anything.
   */
  async datasets(id: TaskId): Promise<{ readonly dataset: string; readonly known: readonly string[] }> {
    const ledger = await this.state.ledger();
    const charged = ledger.find(({ event }) => event.kind !== 'set' && event.taskId === id);
    const known = [...new Set(ledger.map((it) => it.dataset))];
    const only = known.length === 1 ? known[0] : undefined;
    return { dataset: charged?.dataset ?? only ?? DEFAULT_DATASET, known };
  }

  /**
   * Without a connection nothing begins, so that whoever gives up then has not withdrawn.
   * @returns whether the data user has confirmed it: see DataOwner.withdraw
   * @throws as DataOwner.withdraw, and the signal's reason
   */
  async withdraw(
    { id, dataUser }: TaskPlace,
    { insist, ...attempts }: Pick<Contributing, 'onRetry' | 'signal'> & { readonly insist: boolean },
  ): Promise<boolean> {
    await online(attempts);
    return this.state.exclusively(async () => {
      const owner = await this.#dataOwner({
        id,
        attempts: { patienceMilliseconds: PATIENCE_MILLISECONDS, ...attempts },
      });
      return owner.withdraw({ url: dataUser }, id, { insist });
    });
  }

  /** Returns the result with its provenance checked, and waits for it until the signal aborts. */
  async result(
    { id, dataUser }: TaskPlace,
    signal: AbortSignal,
    onWait: (reason: string, isDown: boolean) => void,
  ): Promise<TaskResult> {
    const owner = await this.#dataOwner({ id, attempts: { patienceMilliseconds: 0 } }); // asking again is part of the waiting

    return owner.result({ url: dataUser }, id, { milliseconds: LONGEST_WAIT_MILLISECONDS, signal, onWait });
  }

  /** Checks a result in a file, without a service. */
  async verify(evidence: Evidence): Promise<TaskResult> {
    return (await this.#dataOwner()).verify(evidence);
  }

  /** Returns the budget that each data set has spent, by the policy that is kept. */
  async budget(): Promise<BudgetStatus[]> {
    return (await this.#dataOwner()).budget();
  }

  /** Adds spending of a data set that this browser does not know (see DataOwner.setBudget). */
  setBudget(dataset: string, elsewhere: Elsewhere): Promise<void> {
    return this.state.exclusively(async () => (await this.#dataOwner()).setBudget(dataset, elsewhere));
  }

  /** @param of.id of the task that it is about, for which the policy may have exceptions */
  async #dataOwner({
    id,
    worker = {},
    attempts = { patienceMilliseconds: PATIENCE_MILLISECONDS },
  }: {
    readonly id?: TaskId;
    readonly worker?: JobOptions;
    readonly attempts?: Attempts;
  } = {}): Promise<DataOwner> {
    return new DataOwner({
      state: this.state,
      policy: await (id === undefined ? this.state.policy() : this.state.policyFor(id)),
      paillier: { contribution: (agreed, values) => this.worker.contribution(agreed, values, worker) },
      ...attempts,
    });
  }
}

const LONGEST_WAIT_MILLISECONDS = 24 * 3_600_000;

/** Returns the content of a receipt that is kept here. Its signature was checked when it arrived. */
export function receiptOf(jws: string): Promise<Receipt> {
  return verifyStatement(RECEIPT, jws, claimedSigner(RECEIPT, jws));
}

export interface OwnerViewProps {
  readonly owner: Owner;
  readonly status: DeviceStatus;
  /** Reads the state of this device again, after a change. */
  readonly look: () => void;
}

/** Properties of the parts of a task's view. */
export interface TaskPartProps extends OwnerViewProps {
  readonly entry: TaskEntry;
  /** Reads the owner's progress with the task again. */
  readonly lookAtEntry: () => void;
}
