/**
 * The owner's actions on this page: the code of the command line, with a state in the browser and a worker
 * for rows and ciphertexts.
 */
import {
  type Basis,
  type BrokenRule,
  type BudgetStatus,
  DataOwner,
  DEFAULT_DATASET,
  type Elsewhere,
  type Evidence,
  type OwnerPolicy,
  ownFloorInWords,
  planOwnFloor,
  type TaskResult,
} from '@eigenveil/data-owner/portable';
import type { Words } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import { claimedSigner, RECEIPT, type Receipt, verifyStatement } from '@eigenveil/wire';
import type { OwnerLink } from '@eigenveil/wire/owner-link';
import type { OnProgress, ReadingOptions, RowsRead } from './jobs.ts';
import { BrowserState, type DeviceStatus, type TaskEntry } from './state.ts';
import { type JobOptions, OwnerWorker } from './worker-client.ts';

/**
 * The time for which requests are repeated while a service cannot be reached. It is short, since people are
 * waiting.
 */
const PATIENCE_MILLISECONDS = 15_000;

/** A task and the address of its data user. */
interface TaskPlace {
  readonly id: TaskId;
  readonly dataUser: string;
}

/** Callbacks for somebody who contributes: they report progress and ask questions. */
export interface Contributing {
  readonly onReading: OnProgress;
  readonly onEncrypting: OnProgress;
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
   * @throws ERR_OWNER_HOME where the browser keeps nothing, TypeError where the host does not have the
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

  /** Returns the task that the CSP has signed, and the rules of the policy that it breaks. No row is read. */
  async inspect({ id, dataUser }: TaskPlace): Promise<{
    task: Task;
    basis: Basis;
    refined?: Basis[number];
    broken: readonly BrokenRule[];
    policy: OwnerPolicy;
  }> {
    const [owner, policy] = await Promise.all([this.#dataOwner(), this.state.policy()]);
    return { ...(await owner.inspect({ url: dataUser }, id)), policy };
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
    { onReading, onEncrypting, confirm, signal }: Contributing,
  ): Promise<Receipt> {
    return this.state.exclusively(async () => {
      const owner = await this.#dataOwner({ onProgress: onEncrypting, signal });
      const read = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
        const job = { file, task, basis, options, signs };
        const rows = await this.worker.readRows(job, { onProgress: onReading, signal });
        const own = planOwnFloor(task, basis, await this.state.policy(), rows.grains);
        await confirm(rows, own === undefined ? [] : ownFloorInWords(own.told));
        signal.throwIfAborted();
        return { ...rows.statistics, grains: rows.grains };
      };
      return owner.contribute({ url: dataUser }, id, read, { discardPending, dataset });
    });
  }

  /**
   * Returns the newest task that renews this one, which the page then knows, or null if there is none that
   * the policy takes.
   * @throws as DataOwner.series
   */
  async next({ id, dataUser }: TaskPlace): Promise<TaskId | null> {
    const { newest } = await (await this.#dataOwner()).series({ url: dataUser }, id);
    if (newest === null || newest.id === id) return null;
    await this.state.addTask(newest.id, dataUser);
    return newest.id;
  }

  /**
   * Returns the data set that the task is charged to, or else the default, and the names of all that have
   * spent anything.
   */
  async datasets(id: TaskId): Promise<{ readonly dataset: string; readonly known: readonly string[] }> {
    const ledger = await this.state.ledger();
    const charged = ledger.find(({ event }) => event.kind !== 'set' && event.taskId === id);
    const known = [...new Set(ledger.map((it) => it.dataset))];
    return { dataset: charged?.dataset ?? DEFAULT_DATASET, known };
  }

  /** @returns whether the data user has confirmed it: see DataOwner.withdraw */
  withdraw({ id, dataUser }: TaskPlace, insist: boolean): Promise<boolean> {
    return this.state.exclusively(async () =>
      (await this.#dataOwner()).withdraw({ url: dataUser }, id, { insist }),
    );
  }

  /** Returns the result with its provenance checked, and waits for it until the signal aborts. */
  async result(
    { id, dataUser }: TaskPlace,
    signal: AbortSignal,
    onWait: (reason: string) => void,
  ): Promise<TaskResult> {
    const owner = await this.#dataOwner();
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

  async #dataOwner(by: JobOptions = {}): Promise<DataOwner> {
    return new DataOwner({
      state: this.state,
      policy: await this.state.policy(),
      paillier: { contribution: (agreed, values) => this.worker.contribution(agreed, values, by) },
      patienceMilliseconds: PATIENCE_MILLISECONDS,
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
