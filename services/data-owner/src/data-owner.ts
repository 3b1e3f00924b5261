/**
 * A data owner's part in the protocol: enrol once, contribute encrypted statistics of its rows to a task, withdraw, and
 * fetch the signed projection.
 */
import type { Encrypter } from '@eigenveil/paillier/owner';
import { systemRandomness } from '@eigenveil/privacy';
import {
  type AgreedTask,
  type Contributor,
  contribute,
  openAgreed,
  signRecord,
} from '@eigenveil/protocol/owner';
import { flatten, type Statistics } from '@eigenveil/statistics/owner';
import type { Task, TaskId } from '@eigenveil/task';
import {
  COUNTER,
  type Counted,
  type CounterRequest,
  CounterResponse,
  digestBytes,
  EnrolmentResponse,
  type ErrorCode,
  errorCodeOf,
  isTransient,
  JwkSet,
  linkOf,
  NextTask,
  ProjectionResponse,
  type PublicJwk,
  RECEIPT,
  type Receipt,
  ReceiptResponse,
  type ServiceAddress,
  ServiceClient,
  ServiceError,
  SignedTask,
  type Thumbprint,
  thumbprintOf,
  verifyStatement,
} from '@eigenveil/wire';
import { z } from 'zod';
import { type BudgetStatus, budgetStatus } from './budget.ts';
import { askOnly, charge, checkCharge, confirmLedger, setElsewhere } from './charging.ts';
import { DEFAULT_DATASET } from './dataset.ts';
import { checkedLedger, type Elsewhere } from './ledger.ts';
import { type BrokenRule, brokenRules, checkPolicy, checkRows, type OwnerPolicy } from './policy.ts';
import { type Evidence, type TaskResult, verifyResult } from './result.ts';
import { enter, entryFor, type NextOf, newestAfter, type OwnSeries } from './series.ts';
import type { Enrolment, OwnerState, PendingContribution, SeriesEntry } from './state.ts';
import { untilReady, type Waiting } from './waiting.ts';

export interface DataOwnerOptions {
  /** An OwnerHome; for tasks without differential privacy a MemoryOwnerState will do. */
  readonly state: OwnerState;
  readonly policy: OwnerPolicy;
  /** A PaillierPool; or what makes whole contributions, as the worker of a page does. */
  readonly paillier: Encrypter | Contributor;
  /** How long to go on trying while a service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

/** A task that this owner has verified. */
interface VerifiedTask extends AgreedTask {
  readonly signed: SignedTask;
}

export interface ContributeOptions {
  /**
   * To give up a pending contribution of other statistics, which only a task can whose owners add no noise. The data user may have taken it all
   * the same: then it refuses this one (ERR_CONTRIBUTION_CONFLICT).
   */
  readonly discardPending?: boolean;
  /** SHA-256, hexadecimal, of what the rows were read from, asked for once they are summed: so that a retry with another file can be told so. */
  readonly sourceDigest?: () => string | undefined;
  /** The name of the rows, which their budget is kept under; rows that are in two data sets are counted in each alone. */
  readonly dataset?: string | undefined;
  /** Told when the CSP could not be asked whether the ledger is the newest, and why: what was put back from a backup is not noticed then. */
  readonly onUncounted?: (reason: string) => void;
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
 * const receipt = await owner.contribute({ url: text }, TaskId.parse(text), async (task) => {
 *   const accumulator = new RowAccumulator(task);
 *   for (const row of rows) accumulator.add(row);
 *   return accumulator.statistics();
 * });
 */
export class DataOwner {
  readonly #options: DataOwnerOptions;

  constructor(options: DataOwnerOptions) {
    this.#options = options;
  }

  /**
   * Enrols at the CSP whose identity key has the pinned thumbprint, with a one-time token. Enrolling again renews the
   * owner token.
   * @throws ERR_CSP_IDENTITY, ERR_ENROLMENT_TOKEN
   */
  async enrol(csp: ServiceAddress, enrolmentToken: string, cspThumbprint: Thumbprint): Promise<Enrolment> {
    const { state } = this.#options;
    const client = this.#client(csp, { kind: 'key', key: await state.signingKey() });
    try {
      const { keys } = await client.send({ method: 'GET', path: '/.well-known/jwks.json', response: JwkSet });
      const cspKey = await pinned(keys, cspThumbprint);
      const path = '/enrolments';
      const answer = await client.send({
        method: 'POST',
        path,
        json: { enrolmentToken },
        response: EnrolmentResponse,
      });
      const enrolment = { ...answer, cspKey, csp };
      await state.saveEnrolment(enrolment);
      return enrolment;
    } finally {
      await client.close();
    }
  }

  /**
   * The task, if the pinned CSP has signed it and the owner's policy allows it.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, ERR_POLICY
   */
  async task(dataUser: ServiceAddress, taskId: TaskId): Promise<Task> {
    return this.#withService(dataUser, async (client) => (await this.#accept(client, taskId)).task);
  }

  /**
   * The task, if the pinned CSP has signed it, and the rules of the owner's policy that it breaks. Nothing but the request for the task is sent.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async inspect(
    dataUser: ServiceAddress,
    taskId: TaskId,
    dataset = DEFAULT_DATASET,
  ): Promise<{ task: Task; broken: BrokenRule[]; overBudget: string | null }> {
    const { state, policy } = this.#options;
    return this.#withService(dataUser, async (client) => {
      const { task } = await this.#fetch(client, taskId);
      const overBudget = await checkCharge(state, policy, dataset, task).then(
        () => null,
        (error: unknown) => {
          if (error instanceof ServiceError) return error.message;
          throw error;
        },
      );
      return { task, broken: brokenRules(policy, task), overBudget };
    });
  }

  /** What each data set has spent, by this owner's ledger. Nobody is asked. */
  async budget(): Promise<BudgetStatus[]> {
    const { state, policy } = this.#options;
    return budgetStatus(policy, checkedLedger(await state.ledger()));
  }

  /**
   * Says what a data set has spent that the ledger does not have: before there was one, or in entries that were lost. A ledger that the CSP has
   * counted otherwise goes on from there.
   * @throws ERR_POLICY for less than was said before, ERR_PEER_UNREACHABLE and as the CSP refuses
   */
  async setBudget(dataset: string, elsewhere: Elsewhere): Promise<void> {
    const { state } = this.#options;
    if (!state.canComeBack) return setElsewhere(state, dataset, elsewhere, undefined);
    const { csp } = await this.#enrolment();
    if (csp === undefined) throw new ServiceError('ERR_PEER_UNREACHABLE', CSP_UNKNOWN);
    return this.#withService(csp, async (client) => {
      await setElsewhere(state, dataset, elsewhere, await this.#count(client, askOnly));
      await confirmLedger(state, (request) => this.#count(client, request));
    });
  }

  /**
   * Contributes the statistics that `summarise` computes, which is called only after the task was accepted and only if there is no
   * receipt yet. Returns the receipt; after a lost answer, the very same bytes are sent again for the same statistics, and others are
   * refused unless the pending ones are given up.
   * @throws ERR_CONTRIBUTION_PENDING, ERR_CONTRIBUTION_WITHDRAWN, ERR_BUDGET_EXHAUSTED, ERR_BUDGET_RESTORED and what the policy, the statistics and
   *   the data user refuse
   */
  async contribute(
    dataUser: ServiceAddress,
    taskId: TaskId,
    summarise: (task: Task) => Promise<Statistics>,
    options: ContributeOptions = {},
  ): Promise<Receipt> {
    const { state, policy } = this.#options;
    const { dataset = DEFAULT_DATASET } = options;
    return this.#withService(dataUser, async (client) => {
      await this.#requireNoWithdrawal(taskId);
      const accepted = await this.#accept(client, taskId);
      const kept = await state.receipt(taskId);
      if (kept !== undefined) return verifyStatement(RECEIPT, kept, accepted.agreement.dataUserKey);
      await checkCharge(state, policy, dataset, accepted.task);
      const enter = await this.#entrance(client, accepted.task);
      const statistics = await summarise(accepted.task);
      checkRows(policy, accepted.task, statistics);
      const values = flatten(accepted.task, statistics);
      await enter();
      const pending = await this.#pending(accepted, values, options);
      // Again, now that what is sent is kept: another process may have been done meanwhile, and noise have been drawn twice.
      await this.#requireNoWithdrawal(taskId);
      const keptMeanwhile = await state.receipt(taskId);
      if (keptMeanwhile !== undefined)
        return verifyStatement(RECEIPT, keptMeanwhile, accepted.agreement.dataUserKey);
      const path = `/tasks/${taskId}/contribution`;
      const headers = { 'eigenveil-record': pending.record };
      const { bytes } = pending;
      const { receipt } = await client.send({
        method: 'PUT',
        path,
        bytes,
        headers,
        response: ReceiptResponse,
      });
      const claims = await verifyStatement(RECEIPT, receipt, accepted.agreement.dataUserKey);
      if (claims.taskId !== taskId || claims.contributionDigest !== digestBytes('contribution', bytes)) {
        throw new ServiceError(
          'ERR_RECEIPT_INVALID',
          '"receipt" expected the digest of the contribution that was sent',
        );
      }
      await state.saveReceipt(taskId, receipt);
      return claims;
    });
  }

  /**
   * The series that a task is of, as this owner knows it.
   * @throws ERR_SERIES_INVALID where the data user has another task for the next one, ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async series(dataUser: ServiceAddress, taskId: TaskId): Promise<OwnSeries> {
    return this.#withService(dataUser, async (client) => {
      const { task } = await this.#fetch(client, taskId);
      const entries = await this.#entries(client, linkOf(task).seriesId);
      const most = this.#options.policy.series?.most ?? 0;
      const last = entries.at(-1);
      const newest = last === undefined ? task : await newestAfter(last, most, this.#nextOf(client));
      const isReceived = last !== undefined && (await this.#options.state.receipt(last.taskId)) !== undefined;
      return { entries, isReceived, newest };
    });
  }

  /** Checks the task's place in its series; what it returns keeps that this owner contributes to it. */
  async #entrance(client: ServiceClient, task: Task): Promise<() => Promise<void>> {
    const { state, policy } = this.#options;
    const { series } = state;
    if (series === undefined && task.series !== undefined)
      throw new ServiceError(
        'ERR_POLICY',
        '"series" expected none, since this state keeps no series: keep the state in a folder (OwnerHome)',
      );
    // A first task of a series that the policy does not agree to needs no entry: see #entries.
    if (series === undefined || policy.series === undefined) return async () => {};
    const entries = await this.#entries(client, linkOf(task).seriesId);
    const about = { now: new Date(), nextOf: this.#nextOf(client) };
    const entry = await entryFor(task, entries, policy.series, about);
    return async () => {
      if (entry !== undefined) await enter(series, entries.length, entry);
    };
  }

  /** What is kept of a series. Of a first task that this owner contributed to before it kept any, it is made up for now. */
  async #entries(client: ServiceClient, seriesId: TaskId): Promise<readonly SeriesEntry[]> {
    const { state } = this.#options;
    const entries = (await state.series?.entries(seriesId)) ?? [];
    const isKnown = ((await state.receipt(seriesId)) ?? (await state.pending(seriesId))) !== undefined;
    if (state.series === undefined || entries.length > 0 || !isKnown) return entries;
    const { task } = await this.#fetch(client, seriesId);
    const epsilon = task.differentialPrivacy?.epsilon ?? null;
    await enter(state.series, 0, { ...linkOf(task), epsilon, at: new Date().toISOString() });
    return state.series.entries(seriesId);
  }

  #nextOf(client: ServiceClient): NextOf {
    return async (taskId) => {
      const path = `/tasks/${taskId}/next`;
      const { next } = await client.send({ method: 'GET', path, response: NextTask });
      return next && (await openAgreed(next, (await this.#enrolment()).cspKey)).task;
    };
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
    const confirmed = await this.#withService(dataUser, async (client) => {
      await state.beginWithdrawal(taskId);
      const path = `/tasks/${taskId}/contribution`;
      try {
        await client.send({ method: 'DELETE', path, response: z.undefined() });
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
    const address = csp ?? (await this.#enrolment()).csp;
    if (address === undefined) {
      throw new ServiceError(
        'ERR_PEER_UNREACHABLE',
        'the CSP was not told of the withdrawal: its address is not known, repeat with --csp-url',
      );
    }
    await this.#withService(address, (client) =>
      client.send({ method: 'DELETE', path: `/tasks/${taskId}/record`, response: z.undefined() }),
    );
  }

  /**
   * The result of a task, checked as verifyResult does.
   * @param waiting to wait for a result that is not there yet; by default it is asked for once
   * @throws as `verifyResult`, and ERR_NOT_READY
   */
  async result(dataUser: ServiceAddress, taskId: TaskId, waiting?: Waiting): Promise<TaskResult> {
    return this.#withService(dataUser, async (client) => {
      const { signed } = await this.#accept(client, taskId);
      const path = `/tasks/${taskId}/projection`;
      const ask = () => client.send({ method: 'GET', path, response: ProjectionResponse });
      const answer = await (waiting === undefined ? ask() : untilReady(ask, waiting));
      return this.verify({ ...signed, ...answer });
    });
  }

  /** Checks a result that was fetched before, without any service: see verifyResult. */
  async verify(evidence: Evidence): Promise<TaskResult> {
    return verifyResult(evidence, this.#options.state, await this.#enrolment());
  }

  async #requireNoWithdrawal(taskId: TaskId): Promise<void> {
    if (await this.#options.state.hasWithdrawn(taskId)) {
      throw new ServiceError(
        'ERR_CONTRIBUTION_WITHDRAWN',
        'this owner has withdrawn from the task for good; repeat "withdraw" if it could not finish',
      );
    }
  }

  /**
   * The contribution of these values that is kept, made if there is none.
   * @throws ERR_CONTRIBUTION_PENDING if one of others is
   */
  async #pending(
    accepted: VerifiedTask,
    values: readonly bigint[],
    { discardPending, sourceDigest: source, dataset = DEFAULT_DATASET, onUncounted }: ContributeOptions,
  ): Promise<PendingContribution> {
    const { state, policy } = this.#options;
    const { id, differentialPrivacy } = accepted.task;
    const dataDigest = await state.digestOfData(id, values);
    const hash = source?.();
    // Keyed as that of the statistics, which are never one value alone: a file of few rows could be guessed.
    const sourceDigest = hash === undefined ? undefined : await state.digestOfData(id, [BigInt(`0x${hash}`)]);
    const drawsNoise = differentialPrivacy?.noise === 'owners';
    let pending = await state.pending(id);
    if (
      pending !== undefined &&
      pending.dataDigest !== dataDigest &&
      discardPending === true &&
      !drawsNoise
    ) {
      await state.discardPending(id);
      pending = undefined;
    }
    if (pending === undefined || pending.dataDigest === dataDigest) {
      // Also where it was kept by a release that charged nothing. What is charged already is not charged again.
      await charge(state, policy, dataset, accepted.task);
      await this.#confirm(onUncounted);
      pending ??= await this.#prepare(accepted, values, { dataDigest, sourceDigest });
    }
    if (pending.dataDigest === dataDigest) return pending;
    const others = `a contribution ${whatDiffers(pending.sourceDigest, sourceDigest)} to this task has no receipt yet, and may have been taken`;
    throw new ServiceError(
      'ERR_CONTRIBUTION_PENDING',
      drawsNoise
        ? `${others}: give its rows again, or withdraw; it cannot be discarded, since noise is drawn once`
        : `${others}: give its rows again, withdraw, or give it up with --discard-pending`,
    );
  }

  async #prepare(
    accepted: VerifiedTask,
    values: readonly bigint[],
    digests: Pick<PendingContribution, 'dataDigest' | 'sourceDigest'>,
  ): Promise<PendingContribution> {
    const { state, paillier } = this.#options;
    const { ownerId } = await this.#enrolment();
    // Noise is drawn once per task: it goes into the very bytes that are kept before they are sent for the first time.
    const bytes =
      'contribution' in paillier
        ? await paillier.contribution(accepted, values)
        : await contribute(accepted, values, { paillier, randomness: systemRandomness });
    const record = await signRecord(accepted.agreement, bytes, { ownerId, key: await state.signingKey() });
    // Encryption is randomised: only stored bytes can be repeated exactly after an answer was lost.
    return state.keepPending(accepted.task.id, { record, bytes, ...digests });
  }

  /**
   * Has the CSP count the ledger. Where it cannot be asked, the owner goes on, and an old ledger is not noticed.
   * @throws ERR_BUDGET_RESTORED
   */
  async #confirm(onUncounted?: (reason: string) => void): Promise<void> {
    const { state } = this.#options;
    if (!state.canComeBack) return;
    const { csp } = await this.#enrolment();
    if (csp === undefined) return onUncounted?.(CSP_UNKNOWN);
    try {
      await this.#withService(csp, (client) =>
        confirmLedger(state, (request) => this.#count(client, request)),
      );
    } catch (error) {
      // A CSP of an earlier release has no counter.
      if (!isTransient(error) && errorCodeOf(error) !== 'ERR_ROUTE_UNKNOWN') throw error;
      onUncounted?.((error as Error).message);
    }
  }

  async #count(client: ServiceClient, json: CounterRequest): Promise<Counted> {
    const { cspKey, ownerId } = await this.#enrolment();
    const path = '/owners/counter';
    const { counter } = await client.send({ method: 'POST', path, json, response: CounterResponse });
    const counted = await verifyStatement(COUNTER, counter, cspKey);
    if (counted.ownerId !== ownerId)
      throw new ServiceError('ERR_PEER_PROTOCOL', '"counter" expected that of this owner');
    return counted;
  }

  async #accept(client: ServiceClient, taskId: TaskId): Promise<VerifiedTask> {
    const accepted = await this.#fetch(client, taskId);
    checkPolicy(this.#options.policy, accepted.task);
    checkState(this.#options.state, accepted.task);
    return accepted;
  }

  async #fetch(client: ServiceClient, taskId: TaskId): Promise<VerifiedTask> {
    const { cspKey } = await this.#enrolment();
    const signed = await client.send({ method: 'GET', path: `/tasks/${taskId}`, response: SignedTask });
    const agreed = await openAgreed(signed, cspKey);
    if (signed.task.id !== taskId)
      throw new ServiceError('ERR_AGREEMENT_INVALID', '"taskId" expected the task that was asked for');
    return { ...agreed, signed };
  }

  async #enrolment(): Promise<Enrolment> {
    const enrolment = await this.#options.state.enrolment();
    if (enrolment === undefined)
      throw new ServiceError('ERR_AUTH_REQUIRED', 'not enrolled yet: run "eigenveil-owner enrol" first');
    return enrolment;
  }

  async #withService<T>(service: ServiceAddress, work: (client: ServiceClient) => Promise<T>): Promise<T> {
    const { ownerToken } = await this.#enrolment();
    const client = this.#client(service, {
      kind: 'key',
      key: await this.#options.state.signingKey(),
      token: ownerToken,
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  #client(
    { url, ca }: ServiceAddress,
    credentials: ConstructorParameters<typeof ServiceClient>[0]['credentials'],
  ) {
    return new ServiceClient({
      url,
      ca,
      credentials,
      patienceMilliseconds: this.#options.patienceMilliseconds ?? 0,
    });
  }
}

/**
 * A guarantee counts every row once and draws its noise once. A state that ends with the process could promise neither: the next process would be
 * another owner, who contributes the same rows with other noise.
 */
function checkState({ isDurable }: OwnerState, { differentialPrivacy }: Task): void {
  if (isDurable || differentialPrivacy === null) return;
  throw new ServiceError(
    'ERR_POLICY',
    '"differentialPrivacy" expected null, since this state is in memory: after a restart the same rows could be contributed once more, with other noise, and the guarantee would not hold; keep the state in a folder (OwnerHome)',
  );
}

const CSP_UNKNOWN = 'the address of the CSP is not known: enrol again';

/** Then the contribution counts, or there is none that could. */
const WITHDRAWAL_REFUSED: ReadonlySet<string | undefined> = new Set([
  'ERR_CONTRIBUTION_UNKNOWN',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_CLOSED',
  'ERR_TASK_UNKNOWN',
] satisfies ErrorCode[]);

/** How what was contributed differs from what is to be, whose statistics are others. */
function whatDiffers(before: string | undefined, now: string | undefined): string {
  if (before === undefined || now === undefined) return 'of other rows';
  return before === now
    ? 'of the same file, read otherwise,'
    : 'of another file than this one, with other rows,';
}

async function pinned(keys: readonly PublicJwk[], thumbprint: Thumbprint): Promise<PublicJwk> {
  for (const key of keys) if ((await thumbprintOf(key)) === thumbprint) return key;
  throw new ServiceError(
    'ERR_CSP_IDENTITY',
    `"csp" expected an identity key with the pinned thumbprint ${thumbprint}`,
  );
}
