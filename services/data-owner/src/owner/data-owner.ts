/**
 * A data owner's part in the protocol: enrol once, contribute encrypted statistics of its rows to a task, withdraw, and
 * fetch the signed projection.
 */
import type { Encrypter } from '@eigenveil/paillier/owner';
import { CodedError, type Words, words } from '@eigenveil/platform';
import { type Contributor, signsOf } from '@eigenveil/protocol/owner';
import { type FoundGrains, flatten, type Statistics } from '@eigenveil/statistics/owner';
import type { Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  type ErrorCode,
  errorCodeOf,
  RECEIPT,
  type Receipt,
  type ServiceAddress,
  type Thumbprint,
  verifyStatement,
} from '@eigenveil/wire';
import { type BudgetStatus, budgetStatus, eventOf, isCharged } from '../budget/budget.ts';
import { checkCharge } from '../budget/charging.ts';
import { LedgerCounter } from '../budget/counter.ts';
import { DEFAULT_DATASET } from '../budget/dataset.ts';
import { checkedLedger, type Elsewhere } from '../budget/ledger.ts';
import { SeriesKeeper } from '../series/keeper.ts';
import type { OwnSeries } from '../series/series.ts';
import { type Basis, chainLength, type Named } from './basis.ts';
import { type DataUser, OwnerConnection, type VerifiedTask } from './connection.ts';
import { type OwnFloorTold, planOwnFloor } from './own-floor.ts';
import { type BrokenRule, brokenRules, checkPolicy, checkRows, type OwnerPolicy } from './policy.ts';
import { type ContributeOptions, preparedContribution } from './preparation.ts';
import { type Evidence, type TaskResult, verifyResult } from './result.ts';
import { send } from './sending.ts';
import type { Enrolment, OwnerState } from './state.ts';
import { member, ownerTerm } from './terms.ts';
import { untilReady, type Waiting } from './waiting.ts';

/** Does a piece of work that has a name, which a trace may tell of; `taskId`: what it is about. */
export type RunSpan = <Result>(
  name: string,
  taskId: TaskId | null,
  work: () => Promise<Result>,
) => Promise<Result>;

export interface DataOwnerOptions {
  /** An OwnerHome; for tasks without differential privacy a MemoryOwnerState will do. */
  readonly state: OwnerState;
  readonly policy: OwnerPolicy;
  /** A PaillierPool; or what makes whole contributions, as the worker of a page does. */
  readonly paillier: Encrypter | Contributor;
  /** How long to go on trying while a service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
  /** For traces of what the owner does; by default there are none. */
  readonly span?: RunSpan | undefined;
}

/** Statistics of an owner's rows. */
export interface Summed extends Statistics {
  /** How far the values of the columns that were read lie apart, as `statisticsThrough` and a RowAccumulator find it. Absent: not known. */
  readonly grains?: FoundGrains | undefined;
}

type Summarise = (task: Task, signs: Int32Array | undefined, basis: Basis) => Promise<Summed>;

/** What a contribution would be charged. */
export interface Rehearsal {
  /** The data set that it would be charged to. */
  readonly dataset: string;
  readonly event: ReturnType<typeof eventOf>;
  /** Whether it was charged before, which is done once. */
  readonly charged: boolean;
  /** The noise that would be added to the sums for the rows' sake; null where no owner adds a floor to the task's. */
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
    const { state, policy, patienceMilliseconds, span = (_name, _taskId, work) => work() } = options;
    this.#options = options;
    this.#span = span;
    this.#connection = new OwnerConnection(state, patienceMilliseconds);
    this.#counter = new LedgerCounter(state, this.#connection);
    this.#series = new SeriesKeeper(state, policy, this.#connection);
  }

  /**
   * Enrols at the CSP whose identity key has the pinned thumbprint, with a one-time token. Enrolling again renews the
   * owner token.
   * @throws ERR_CSP_IDENTITY, ERR_ENROLMENT_TOKEN
   */
  async enrol(csp: ServiceAddress, enrolmentToken: string, cspThumbprint: Thumbprint): Promise<Enrolment> {
    return this.#span('enrol', null, () => this.#connection.enrol(csp, enrolmentToken, cspThumbprint));
  }

  /**
   * The task, if the pinned CSP has signed it and the owner's policy allows it.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, ERR_POLICY
   */
  async task(dataUser: ServiceAddress, taskId: TaskId): Promise<Task> {
    return this.#connection.withDataUser(
      dataUser,
      async (client) => (await this.#accept(client, taskId)).task,
    );
  }

  /**
   * The task, if the pinned CSP has signed it, and the rules of the owner's policy that it breaks. Nothing is sent but the requests for it and for what it
   * stands on.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, and of what it stands on as `contribute`
   */
  async inspect(
    dataUser: ServiceAddress,
    taskId: TaskId,
    dataset = DEFAULT_DATASET,
  ): Promise<Named & { task: Task; broken: BrokenRule[]; overBudget: Words | null }> {
    const { state, policy } = this.#options;
    return this.#about(dataUser, 'inspect', taskId, async (client) => {
      const { task } = await this.#connection.task(client, taskId);
      const named = await this.#connection.named(client, task);
      const overBudget = await checkCharge(state, policy, dataset, task).then(
        () => null,
        (error: unknown) => {
          if (error instanceof CodedError) return error.words;
          throw error;
        },
      );
      return { task, ...named, broken: brokenRules(policy, task, chainLength(named)), overBudget };
    });
  }

  /** What each data set has spent, by this owner's ledger. Nobody is asked. */
  async budget(): Promise<BudgetStatus[]> {
    const { state, policy } = this.#options;
    return budgetStatus(policy, checkedLedger(await state.ledger()));
  }

  /**
   * Says what a data set has spent that the ledger does not have: in another way, under another key, or in entries that were lost. A ledger that the CSP has
   * counted otherwise goes on from there.
   * @throws ERR_POLICY for less than was said before, ERR_PEER_UNREACHABLE and as the CSP refuses
   */
  async setBudget(dataset: string, elsewhere: Elsewhere): Promise<void> {
    return this.#span('set budget', null, () => this.#counter.setElsewhere(dataset, elsewhere));
  }

  /**
   * Contributes the statistics that `summarise` computes, of a task with a sketch by this Ω (signs, and first the vectors of a
   * result that it refines). It is called only after the task was accepted and only if there is no
   * receipt yet. Returns the receipt; after a lost answer, the very same bytes are sent again for the same statistics, and others are
   * refused unless the pending ones are given up. Rows of a task with a basis are to be reduced by it first: see `statisticsThrough`. Every link was
   * verified then.
   * @throws ERR_BASIS_INVALID, ERR_PROJECTION_INVALID, ERR_PROVENANCE_INVALID, ERR_CONTRIBUTION_PENDING, ERR_CONTRIBUTION_WITHDRAWN, ERR_BUDGET_EXHAUSTED, ERR_BUDGET_RESTORED and what the policy, the statistics and
   *   the data user refuse
   */
  async contribute(
    dataUser: ServiceAddress,
    taskId: TaskId,
    summarise: Summarise,
    options: ContributeOptions = {},
  ): Promise<Receipt> {
    const { state } = this.#options;
    const { dataset = DEFAULT_DATASET } = options;
    return this.#about(dataUser, 'contribute', taskId, async (client) => {
      await this.#requireNoWithdrawal(taskId);
      const accepted = await this.#accept(client, taskId);
      const kept = await state.receipt(taskId);
      if (kept !== undefined) return verifyStatement(RECEIPT, kept, accepted.agreement.dataUserKey);
      const { enter, ...contributed } = await this.#summarised(client, accepted, dataset, summarise);
      if (contributed.own !== undefined) options.onOwnFloor?.(contributed.own.told);
      await enter();
      const owner = { ...this.#options, connection: this.#connection, counter: this.#counter };
      const pending = await this.#span('prepare', taskId, () =>
        preparedContribution(owner, accepted, contributed, options),
      );
      // Again, now that what is sent is kept: another process may have been done meanwhile, and noise have been drawn twice.
      await this.#requireNoWithdrawal(taskId);
      const keptMeanwhile = await state.receipt(taskId);
      if (keptMeanwhile !== undefined)
        return verifyStatement(RECEIPT, keptMeanwhile, accepted.agreement.dataUserKey);
      const { receipt, digest } = await this.#span('send', taskId, () =>
        send(client, accepted, pending, options.onProgress),
      );
      const claims = await verifyStatement(RECEIPT, receipt, accepted.agreement.dataUserKey);
      if (claims.taskId !== taskId || claims.contributionDigest !== digest) {
        throw new CodedError(
          CODES.ERR_RECEIPT_INVALID,
          '"receipt" expected the digest of the contribution that was sent',
        );
      }
      await state.saveReceipt(taskId, receipt);
      return claims;
    });
  }

  /**
   * Does what `contribute` does before it charges anything, and nothing more: the task, the policy and the budget are checked, and `summarise` reads the
   * rows. Nothing is encrypted, charged, kept or sent; the data user sees that the task was asked for.
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
      const { own } = await this.#summarised(client, accepted, dataset, summarise);
      const ledger = checkedLedger(await this.#options.state.ledger());
      const event = eventOf(accepted.task, own);
      return { dataset, event, charged: isCharged(ledger, dataset, event), ownFloor: own?.told ?? null };
    });
  }

  /** The values that this owner would contribute, how they compare with what the task says of them, and what takes its place in a series. */
  async #summarised(client: DataUser, accepted: VerifiedTask, dataset: string, summarise: Summarise) {
    const { state, policy } = this.#options;
    const { task } = accepted;
    await checkCharge(state, policy, dataset, task);
    const enter = await this.#series.entrance(client, task);
    const named = await this.#connection.named(client, task);
    checkPolicy(policy, task, chainLength(named));
    const signs = signsOf(accepted, named.refined?.projection);
    const statistics = await this.#span('read rows', task.id, () => summarise(task, signs, named.basis));
    checkRows(policy, task, statistics);
    const own = planOwnFloor(task, named.basis, policy, statistics.grains);
    await checkCharge(state, policy, dataset, task, own);
    return { enter, values: flatten(task, statistics), own, signs };
  }

  /**
   * The series that a task is of, as this owner knows it.
   * @throws ERR_SERIES_INVALID where the data user has another task for the next one, ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async series(dataUser: ServiceAddress, taskId: TaskId): Promise<OwnSeries> {
    return this.#about(dataUser, 'series', taskId, (client) => this.#series.series(client, taskId));
  }

  /**
   * Withdraws from the task for good while it is open, at the data user and then at the CSP. Once it has begun, nothing is contributed to the
   * task any more, here and at the data user; after a lost answer of either it is to be repeated. Resolves to whether the data user has confirmed it.
   * @param options.csp another address of the CSP than that of the enrolment
   * @param options.insist to tell the CSP whatever the data user answers, and if it does not answer. If it uses the contribution, the task then fails
   *   for all.
   * @throws as the CSP refuses, and as the data user refuses unless the owner insists
   */
  async withdraw(
    dataUser: ServiceAddress,
    taskId: TaskId,
    { csp, insist = false }: { readonly csp?: ServiceAddress | undefined; readonly insist?: boolean } = {},
  ): Promise<boolean> {
    const { state } = this.#options;
    const confirmed = await this.#about(dataUser, 'withdraw', taskId, async (client) => {
      await state.beginWithdrawal(taskId);
      try {
        await client.withdraw({ taskId });
        return true;
      } catch (error) {
        if (insist) return false;
        // What was prepared or taken is kept, also after a withdrawal, so that nothing is drawn again even if the data user lies.
        if (WITHDRAWAL_REFUSED.has(errorCodeOf(error))) await state.endWithdrawal(taskId);
        throw error;
      }
    });
    await this.#withdrawAtCsp(taskId, csp);
    return confirmed;
  }

  /** So that the record does not count whatever the data user hands in. After the data user, which would else count an owner whom the CSP does not. */
  async #withdrawAtCsp(taskId: TaskId, csp: ServiceAddress | undefined): Promise<void> {
    await this.#span('withdraw at the CSP', taskId, () =>
      this.#connection.withCsp((client) => client.withdraw({ taskId }), csp),
    );
  }

  /**
   * The result of a task, checked as verifyResult does.
   * @param waiting to wait for a result that is not there yet; by default it is asked for once
   * @throws as `verifyResult`, and ERR_NOT_READY
   */
  async result(dataUser: ServiceAddress, taskId: TaskId, waiting?: Waiting): Promise<TaskResult> {
    return this.#about(dataUser, 'result', taskId, async (client) => {
      const { signed } = await this.#accept(client, taskId);
      const ask = () => client.projection({ taskId });
      const answer = await (waiting === undefined ? ask() : untilReady(ask, waiting));
      return this.verify({ ...signed, ...answer });
    });
  }

  /** Checks a result that was fetched before, without any service: see verifyResult. */
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

  async #requireNoWithdrawal(taskId: TaskId): Promise<void> {
    if (await this.#options.state.hasWithdrawn(taskId)) {
      throw new CodedError(
        CODES.ERR_CONTRIBUTION_WITHDRAWN,
        'this owner has withdrawn from the task for good; repeat "withdraw" if it could not finish',
      );
    }
  }

  async #accept(client: DataUser, taskId: TaskId): Promise<VerifiedTask> {
    const accepted = await this.#connection.task(client, taskId);
    checkPolicy(this.#options.policy, accepted.task);
    checkState(this.#options.state, accepted.task);
    return accepted;
  }
}

/**
 * A guarantee counts every row once and draws its noise once. A state that ends with the process could promise neither: the next process would be
 * another owner, who contributes the same rows with other noise.
 */
function checkState({ isDurable }: OwnerState, { differentialPrivacy }: Task): void {
  if (isDurable || differentialPrivacy === null) return;
  throw new CodedError(
    CODES.ERR_POLICY,
    words`${member('differentialPrivacy')} expected null, since ${ownerTerm('memory', 'this state is in memory: after a restart')} the same rows could be contributed once more, with other noise, and the guarantee would not hold${ownerTerm('noHome', '; keep the state in a folder (OwnerHome)')}`,
  );
}

/** Then the contribution counts, or there is none that could. */
const WITHDRAWAL_REFUSED: ReadonlySet<string | undefined> = new Set([
  'ERR_CONTRIBUTION_UNKNOWN',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_CLOSED',
  'ERR_TASK_UNKNOWN',
] satisfies ErrorCode[]);
