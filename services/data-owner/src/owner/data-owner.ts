/**
 * A data owner's part in the protocol: it enrols once, contributes encrypted statistics of its rows to a
 * task, withdraws, and fetches the signed projection.
 */
import type { Encrypter } from '@eigenveil/paillier/owner';
import { CodedError, type Words } from '@eigenveil/platform';
import { type Contributor, signsOf } from '@eigenveil/protocol/owner';
import { type FoundGrains, flatten, type Statistics } from '@eigenveil/statistics/owner';
import type { Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  RECEIPT,
  type Receipt,
  type ServiceAddress,
  type TaskState,
  type Thumbprint,
  verifyStatement,
} from '@eigenveil/wire';
import { type BudgetStatus, budgetStatus, eventOf, isCharged } from '../budget/budget.ts';
import { checkCharge, LedgerCounter, type LeftAfter, leftAfter } from '../budget/charging.ts';
import { DEFAULT_DATASET } from '../budget/dataset.ts';
import { checkedLedger, type Elsewhere } from '../budget/ledger.ts';
import {
  type Attempts,
  type Basis,
  chainLength,
  type DataUser,
  type Named,
  OwnerConnection,
  type VerifiedTask,
} from './connection.ts';
import { type ContributeOptions, preparedContribution, send } from './contribution.ts';
import { type OwnFloorTold, planOwnFloor } from './own-floor.ts';
import { type BrokenRule, brokenRules, checkPolicy, checkRows, type OwnerPolicy } from './policy.ts';
import { type Evidence, type TaskResult, untilReady, verifyResult, type Waiting } from './result.ts';
import { type OwnSeries, SeriesKeeper } from './series.ts';
import { checkState, type Enrolment, hasContributed, type OwnerState } from './state.ts';
import { requireNoWithdrawal, withdrawAtCsp, withdrawAtDataUser } from './withdrawal.ts';

/**
 * Does a piece of work that has a name, which a trace may show. `taskId` is the task that the work is about.
 */
export type RunSpan = <Result>(
  name: string,
  taskId: TaskId | null,
  work: () => Promise<Result>,
) => Promise<Result>;

/** Requests are tried as often as `Attempts` says; by default once. */
export interface DataOwnerOptions extends Attempts {
  /** An OwnerHome; for tasks without differential privacy a MemoryOwnerState will do. */
  readonly state: OwnerState;
  readonly policy: OwnerPolicy;
  /** A PaillierPool; or an object that makes whole contributions, as the worker of a page does. */
  readonly paillier: Encrypter | Contributor;
  /** Traces each piece of the owner's work; by default nothing is traced. */
  readonly span?: RunSpan | undefined;
}

/** Statistics of an owner's rows. */
export interface Summed extends Statistics {
  /**
   * The distances between the values of each column that was read, as `statisticsThrough` and a
   * RowAccumulator find them. Absent: not known.
   */
  readonly grains?: FoundGrains | undefined;
}

/** A task that this owner takes; `isKept` where it has contributed to it before, whatever the policy says by now. */
interface AcceptedTask extends VerifiedTask {
  readonly isKept: boolean;
}

type Summarise = (task: Task, signs: Int32Array | undefined, basis: Basis) => Promise<Summed>;

/** The charge that a contribution would cause. */
export interface Rehearsal {
  /** The data set that it would be charged to. */
  readonly dataset: string;
  readonly event: ReturnType<typeof eventOf>;
  /** True if it was charged before, which is done once. */
  readonly charged: boolean;
  /**
   * The noise that would be added to the sums because of the owner's rows; null where no owner adds a floor
   * to the task's.
   */
  readonly ownFloor: OwnFloorTold | null;
}

/**
 * @example
 * import { DataOwner, OwnerHome, OwnerPolicy, PaillierPool, RowAccumulator, TaskId } from '@eigenveil/data-owner';
 *
 * const owner = new DataOwner({
 *   state: new OwnerHome('/var/lib/eigenveil-owner'),
 *   policy: OwnerPolicy.parse({ minimumOwners: 5 }),
 *   paillier: new PaillierPool({ threads: 0 }),
 * });
 * // enrolled before
 * const receipt = await owner.contribute({ url: text }, TaskId.parse(text), async (task, signs) => {
 *   const accumulator = new RowAccumulator(task, signs);
 *   for (const row of rows) accumulator.add(row);
 *   return { ...accumulator.statistics(), grains: accumulator.grains() };
 * });
 */
export class DataOwner {
  readonly #options: DataOwnerOptions;
  readonly #span: RunSpan;
  readonly #connection: OwnerConnection;
  readonly #counter: LedgerCounter;
  readonly #series: SeriesKeeper;

  constructor(options: DataOwnerOptions) {
    const { state, policy, span = (_name, _taskId, work) => work() } = options;
    const { patienceMilliseconds = 0, onRetry, signal } = options;
    this.#options = options;
    this.#span = span;
    this.#connection = new OwnerConnection(state, { patienceMilliseconds, onRetry, signal });
    this.#counter = new LedgerCounter(state, this.#connection);
    this.#series = new SeriesKeeper(state, policy, this.#connection);
  }

  /**
   * Enrols at the CSP whose identity key has the pinned thumbprint, with a one-time token. Enrolling again
   * renews the owner token.
   * @throws ERR_CSP_IDENTITY, ERR_ENROLMENT_TOKEN
   */
  async enrol(csp: ServiceAddress, enrolmentToken: string, cspThumbprint: Thumbprint): Promise<Enrolment> {
    return this.#span('enrol', null, () => this.#connection.enrol(csp, enrolmentToken, cspThumbprint));
  }

  /**
   * Returns the task, if the pinned CSP has signed it and the owner's policy allows it, or something was
   * contributed to it before.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, ERR_POLICY
   */
  async task(dataUser: ServiceAddress, taskId: TaskId): Promise<Task> {
    return this.#connection.withDataUser(
      dataUser,
      async (client) => (await this.#accept(client, taskId)).task,
    );
  }

  /**
   * Returns the task, if the pinned CSP has signed it, and the rules of the owner's policy that it breaks, by
   * itself or by what was contributed to its series before. Nothing is sent except the requests for it, for
   * what it stands on and for its series.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, and about what it stands on as `contribute`
   */
  async inspect(
    dataUser: ServiceAddress,
    taskId: TaskId,
  ): Promise<Named & { task: Task; broken: BrokenRule[] }> {
    return this.#about(dataUser, 'inspect', taskId, async (client) => {
      const { task } = await this.#connection.task(client, taskId);
      const named = await this.#connection.named(client, task);
      const ofTask = brokenRules(this.#options.policy, task, chainLength(named));
      return { task, ...named, broken: [...ofTask, ...(await this.#series.broken(client, task))] };
    });
  }

  /**
   * Returns what a data set can still give to a task, before its rows are read. No service is asked.
   * @returns `overBudget`, the reason why it cannot give this result, or null; and what it can give after it
   */
  async afford(task: Task, dataset: string): Promise<LeftAfter & { readonly overBudget: Words | null }> {
    const { state, policy } = this.#options;
    const overBudget = await this.overBudget(task, dataset);
    if (overBudget !== null) return { overBudget, left: 0, ofWholes: '0' };
    return { overBudget, ...(await leftAfter(state, policy, dataset, task)) };
  }

  /** Returns the reason why a data set cannot give the result of a task, or null. No service is asked. */
  async overBudget(task: Task, dataset = DEFAULT_DATASET): Promise<Words | null> {
    try {
      await checkCharge(this.#options.state, this.#options.policy, dataset, task);
      return null;
    } catch (error) {
      if (error instanceof CodedError) return error.words;
      throw error;
    }
  }

  /** Returns the state of a task, by the word of its data user alone. */
  async state(dataUser: ServiceAddress, taskId: TaskId): Promise<TaskState> {
    return this.#about(dataUser, 'state', taskId, async (client) => (await client.state({ taskId })).state);
  }

  /** Returns what each data set has spent, by this owner's ledger. No service is asked. */
  async budget(): Promise<BudgetStatus[]> {
    const { state, policy } = this.#options;
    return budgetStatus(policy, checkedLedger(await state.ledger()));
  }

  /**
   * Says what a data set has spent that the ledger does not have: in another way, under another key, or in
   * entries that were lost. If the CSP has counted another ledger than this one, this one continues from what
   * was counted.
   * @throws ERR_POLICY for less than was said before, ERR_PEER_UNREACHABLE and as the CSP refuses
   */
  async setBudget(dataset: string, elsewhere: Elsewhere): Promise<void> {
    return this.#span('set budget', null, () => this.#counter.setElsewhere(dataset, elsewhere));
  }

  /**
   * Contributes the statistics that `summarise` computes, and returns the receipt.
   *
   * `summarise` is called only after the task was accepted and every link of its basis was verified, and only
   * if there is no receipt yet. For a task with a sketch it gets Ω: the signs, and before them the vectors of
   * a result that the sketch refines. It must first reduce the rows of a task with a basis by that basis: see
   * `statisticsThrough`.
   *
   * After an answer was lost, the very same bytes are sent again for the same statistics; other statistics
   * are refused unless the pending ones are given up. A policy that has changed meanwhile refuses neither those
   * bytes nor a receipt.
   * @throws ERR_BASIS_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_INVALID, ERR_CONTRIBUTION_PENDING,
   *   ERR_CONTRIBUTION_WITHDRAWN, ERR_BUDGET_EXHAUSTED, ERR_BUDGET_RESTORED and what the policy, the
   *   statistics and the data user refuse
   */
  async contribute(
    dataUser: ServiceAddress,
    taskId: TaskId,
    summarise: Summarise,
    options: ContributeOptions = {},
  ): Promise<Receipt> {
    const { state } = this.#options;
    return this.#about(dataUser, 'contribute', taskId, async (client) => {
      await requireNoWithdrawal(state, taskId);
      const accepted = await this.#accept(client, taskId, options);
      const kept = await state.receipt(taskId);
      if (kept !== undefined) return verifyStatement(RECEIPT, kept, accepted.agreement.dataUserKey);
      const { enter, ...contributed } = await this.#summarised(client, accepted, summarise, options.dataset);
      if (contributed.own !== undefined) options.onOwnFloor?.(contributed.own.told);
      await enter();
      const owner = { ...this.#options, connection: this.#connection, counter: this.#counter };
      const pending = await this.#span('prepare', taskId, () =>
        preparedContribution(owner, accepted, contributed, options),
      );
      // This is checked again now that the contribution is kept: another process may have finished meanwhile,
      // and noise may have been drawn twice.
      await requireNoWithdrawal(state, taskId);
      const keptMeanwhile = await state.receipt(taskId);
      if (keptMeanwhile !== undefined)
        return verifyStatement(RECEIPT, keptMeanwhile, accepted.agreement.dataUserKey);
      const { receipt, digest } = await this.#span('send', taskId, () =>
        send(client, accepted, pending, options.onProgress),
      );
      const claims = await verifyStatement(RECEIPT, receipt, accepted.agreement.dataUserKey);
      const isOfTask = claims.taskId === taskId && claims.title === accepted.task.title;
      if (!isOfTask || claims.contributionDigest !== digest) {
        throw new CodedError(
          CODES.ERR_RECEIPT_INVALID,
          '"receipt" expected the digest of the contribution that was sent, and the title of its task',
        );
      }
      await state.saveReceipt(taskId, receipt);
      return claims;
    });
  }

  /**
   * Does what `contribute` does before it charges anything, and nothing more: it checks the task, the policy
   * and the budget, and `summarise` reads the rows. Nothing is encrypted, charged, kept or sent; the data
   * user sees that the task was asked for.
   * @throws as `contribute`
   */
  async rehearse(
    dataUser: ServiceAddress,
    taskId: TaskId,
    summarise: Summarise,
    { dataset = DEFAULT_DATASET }: Pick<ContributeOptions, 'dataset'> = {},
  ): Promise<Rehearsal> {
    return this.#about(dataUser, 'rehearse', taskId, async (client) => {
      const accepted = await this.#accept(client, taskId);
      const { own } = await this.#summarised(client, accepted, summarise, dataset);
      const ledger = checkedLedger(await this.#options.state.ledger());
      const event = eventOf(accepted.task, own);
      return { dataset, event, charged: isCharged(ledger, dataset, event), ownFloor: own?.told ?? null };
    });
  }

  /**
   * Returns the digest by which contributions to the task are compared: of the statistics that `summarise`
   * computes, under a secret of this owner. Nothing is charged, kept or sent.
   * @throws as `task`, and about what it stands on as `contribute`
   */
  async digest(dataUser: ServiceAddress, taskId: TaskId, summarise: Summarise): Promise<string> {
    return this.#about(dataUser, 'digest', taskId, async (client) => {
      const accepted = await this.#accept(client, taskId);
      const { basis, refined } = await this.#connection.named(client, accepted.task);
      const statistics = await summarise(accepted.task, signsOf(accepted, refined?.projection), basis);
      return this.#options.state.digestOfData(taskId, flatten(accepted.task, statistics));
    });
  }

  /**
   * Returns the values that this owner would contribute, how its rows compare with what the task says about
   * them, and the function that enters the task in its series.
   */
  async #summarised(
    client: DataUser,
    accepted: AcceptedTask,
    summarise: Summarise,
    dataset = DEFAULT_DATASET,
  ) {
    const { state, policy } = this.#options;
    const { task, isKept } = accepted;
    await checkCharge(state, policy, dataset, task);
    const enter = await this.#series.entrance(client, task);
    const named = await this.#connection.named(client, task);
    if (!isKept) checkPolicy(policy, task, chainLength(named));
    const signs = signsOf(accepted, named.refined?.projection);
    const statistics = await this.#span('read rows', task.id, () => summarise(task, signs, named.basis));
    if (!isKept) checkRows(policy, task, statistics);
    const own = planOwnFloor(task, named.basis, policy, statistics.grains);
    await checkCharge(state, policy, dataset, task, own);
    return { enter, values: flatten(task, statistics), own, signs };
  }

  /**
   * Returns the series that a task belongs to, as this owner knows it.
   * @throws ERR_SERIES_INVALID where the data user has another task for the next one, ERR_AGREEMENT_INVALID,
   *   ERR_KEY_INVALID
   */
  async series(dataUser: ServiceAddress, taskId: TaskId): Promise<OwnSeries> {
    return this.#about(dataUser, 'series', taskId, (client) => this.#series.series(client, taskId));
  }

  /**
   * Withdraws from the task for good while it is open, at the data user and then at the CSP. Once the
   * withdrawal has begun, nothing is contributed to the task any more, here and at the data user. If the
   * answer of one of them is lost, the withdrawal must be repeated. Resolves to true if the data user has
   * confirmed it.
   * @param options `csp`: another address of the CSP than that of the enrolment. `insist`: to tell the CSP
   *   whatever the data user answers, and even if it does not answer; if the data user uses the contribution,
   *   the task then fails for all.
   * @throws as the CSP refuses, and as the data user refuses unless the owner insists
   */
  async withdraw(
    dataUser: ServiceAddress,
    taskId: TaskId,
    { csp, insist = false }: { readonly csp?: ServiceAddress | undefined; readonly insist?: boolean } = {},
  ): Promise<boolean> {
    const { state } = this.#options;
    const confirmed = await this.#about(dataUser, 'withdraw', taskId, (client) =>
      withdrawAtDataUser(state, client, taskId, insist),
    );
    await this.#span('withdraw at the CSP', taskId, () =>
      withdrawAtCsp(state, this.#connection, taskId, confirmed, csp),
    );
    return confirmed;
  }

  /**
   * Returns the result of a task, checked as `verifyResult` does. The policy is not asked: there is a result
   * for those alone who have contributed.
   * @param waiting how to wait for a result that is not there yet; by default it is asked for once
   * @throws as `verifyResult`, and ERR_NOT_READY
   */
  async result(dataUser: ServiceAddress, taskId: TaskId, waiting?: Waiting): Promise<TaskResult> {
    return this.#about(dataUser, 'result', taskId, async (client) => {
      let accepted: VerifiedTask | undefined;
      const ask = async () => {
        accepted ??= await this.#connection.task(client, taskId);
        return { ...accepted.signed, ...(await client.projection({ taskId })) };
      };
      return this.verify(await (waiting === undefined ? ask() : untilReady(ask, waiting)));
    });
  }

  /** Checks a result that was fetched before, without any service: see `verifyResult`. */
  async verify(evidence: Evidence): Promise<TaskResult> {
    return verifyResult(evidence, this.#options.state, await this.#connection.enrolment());
  }

  /** Does work at a data user, as one span. */
  #about<Result>(
    service: ServiceAddress,
    name: string,
    taskId: TaskId,
    work: (client: DataUser) => Promise<Result>,
  ): Promise<Result> {
    return this.#span(name, taskId, () => this.#connection.withDataUser(service, work));
  }

  async #accept(
    client: DataUser,
    taskId: TaskId,
    { discardPending }: Pick<ContributeOptions, 'discardPending'> = {},
  ): Promise<AcceptedTask> {
    const { state, policy } = this.#options;
    const verified = await this.#connection.task(client, taskId);
    const isKept = await hasContributed(state, taskId, discardPending);
    if (!isKept) {
      checkPolicy(policy, verified.task);
      checkState(state, verified.task);
    }
    return { ...verified, isKept };
  }
}
