/** What the owner does on this page: the code of the command line, with a state in the browser and a worker for rows and ciphertexts. */
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
import { BrowserState } from './state.ts';
import { type JobOptions, OwnerWorker } from './worker-client.ts';

/** How long to go on trying while a service cannot be reached: people are waiting. */
const PATIENCE_MILLISECONDS = 15_000;

/** A task, and where it is. */
export interface TaskPlace {
  readonly id: TaskId;
  readonly dataUser: string;
}

/** What somebody who contributes is told and asked meanwhile. */
export interface Contributing {
  readonly onReading: OnProgress;
  readonly onEncrypting: OnProgress;
  /**
   * Resolves when the owner wants what was read to be sent, else throws.
   * @param ownFloor what the owner is told of noise that is added to its sums
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

  /** @throws ERR_OWNER_HOME where the browser keeps nothing, TypeError where the host does not have the page's own worker */
  static async open(): Promise<Owner> {
    // At once, so that a host that lost it or has another is noticed before anybody chooses a file.
    const [worker, state] = await Promise.all([OwnerWorker.load(), BrowserState.open()]);
    return new Owner(state, worker);
  }

  /** @throws as DataOwner.enrol */
  enrol({ csp, thumbprint }: OwnerLink, token: string): Promise<void> {
    return this.state.exclusively(async () => {
      await (await this.#dataOwner()).enrol({ url: csp }, token, thumbprint);
    });
  }

  /** The task that the CSP has signed, and what the policy has against it. No row is read. */
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
      let sourceDigest: string | undefined;
      const owner = await this.#dataOwner({ onProgress: onEncrypting, signal });
      const read = async (task: Task, signs: Int32Array | undefined, basis: Basis) => {
        const job = { file, task, basis, options, signs };
        const rows = await this.worker.readRows(job, { onProgress: onReading, signal });
        sourceDigest = rows.digest;
        const own = planOwnFloor(task, basis, await this.state.policy(), rows.grains);
        await confirm(rows, own === undefined ? [] : ownFloorInWords(own.told));
        signal.throwIfAborted();
        return { ...rows.statistics, grains: rows.grains };
      };
      return owner.contribute({ url: dataUser }, id, read, {
        discardPending,
        dataset,
        sourceDigest: () => sourceDigest,
      });
    });
  }

  /**
   * The task that renews this one, or the newest behind it, which the page then knows; null: there is none yet, or no more than the policy takes.
   * @throws as DataOwner.series
   */
  async next({ id, dataUser }: TaskPlace): Promise<TaskId | null> {
    const { newest } = await (await this.#dataOwner()).series({ url: dataUser }, id);
    if (newest === null || newest.id === id) return null;
    await this.state.addTask(newest.id, dataUser);
    return newest.id;
  }

  /** The data set that the task is charged to, else the default; and the names of all that have spent anything. */
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

  /** The result with its provenance checked, waited for as long as the signal lets it. */
  async result(
    { id, dataUser }: TaskPlace,
    signal: AbortSignal,
    onWait: (reason: string) => void,
  ): Promise<TaskResult> {
    const owner = await this.#dataOwner();
    return owner.result({ url: dataUser }, id, { milliseconds: LONGEST_WAIT_MILLISECONDS, signal, onWait });
  }

  /** Checks a result in a file, with no service. */
  async verify(evidence: Evidence): Promise<TaskResult> {
    return (await this.#dataOwner()).verify(evidence);
  }

  /** What each data set has spent, by the policy that is kept. */
  async budget(): Promise<BudgetStatus[]> {
    return (await this.#dataOwner()).budget();
  }

  /** Says what a data set has spent that this browser does not know: see DataOwner.setBudget. */
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

/** What a receipt says that is kept here. Whose signature it has was checked when it came. */
export function receiptOf(jws: string): Promise<Receipt> {
  return verifyStatement(RECEIPT, jws, claimedSigner(RECEIPT, jws));
}
