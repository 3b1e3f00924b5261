/**
 * The CSP's duties: it enrols owners, makes and signs a Paillier key for each task, verifies owners' records,
 * unblinds once, and keeps its additive shares for the two-party computation. It never sees an unblinded
 * value.
 */
import { randomBytes } from 'node:crypto';
import { type Ciphertext, type PaillierPool, SecretKey } from '@eigenveil/paillier';
import { CodedError, Integers } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { shareBits, signsOf, unblind } from '@eigenveil/protocol/servers';
import { hashOneTimeToken, keptAnswer, type Sealer } from '@eigenveil/server';
import { layout } from '@eigenveil/statistics';
import { refinedResult, type Task, type TaskId } from '@eigenveil/task';
import { type KeptAnswer, MOST_RUNS } from '@eigenveil/two-party';
import {
  CODES,
  COUNTER,
  COUNTERSIGNATURE,
  ContributionTree,
  type CounterRequest,
  type Digest,
  digestBytes,
  digestPublicKey,
  type EnrolmentResponse,
  errorCodeOf,
  type FixationRequest,
  issueOwnerToken,
  NO_ENTRY,
  OwnerId,
  type PublicJwk,
  REVOCATIONS,
  type SignedLink,
  type SigningKey,
  STATEMENT,
  signStatement,
  type Thumbprint,
} from '@eigenveil/wire';
import {
  answerPlace,
  type CspStore,
  openJson,
  openVectors,
  type StoredTask,
  secretKeyPlace,
  sharesPlace,
  type VerifiedRecord,
} from '../store/store.ts';
import { type AgreedTask, Agreements } from './agreements.ts';
import { type CspPolicy, oldestDeadline } from './policy.ts';
import { verifyRecord } from './records.ts';
import { answered, dataUserRevoked, ended, notUnblinded, ownerRevoked, recordsChanged } from './refusals.ts';

export interface CspDependencies {
  readonly store: CspStore;
  readonly sealer: Sealer;
  readonly paillier: PaillierPool;
  readonly key: SigningKey;
  readonly policy: CspPolicy;
  readonly now: () => Date;
  /** The source of the noise for differential privacy. */
  readonly randomness: RandomSource;
}

/** The CSP's input to the two-party computation of a task. */
export interface TwoPartyState {
  readonly task: Task;
  readonly shares: Integers;
  /** The signs of Ω, in a task with a sketch. */
  readonly signs?: Int32Array | undefined;
  readonly verifiedOwners: number;
}

export class CspService {
  readonly #deps: CspDependencies;
  readonly #onEnded: ((taskId: TaskId) => void)[] = [];
  readonly #agreements: Agreements;

  constructor(dependencies: CspDependencies) {
    this.#deps = dependencies;
    this.#agreements = new Agreements(dependencies);
  }

  /** Calls `listener` for every task that ends, so that no work goes on with what is destroyed then. */
  onEnded(listener: (taskId: TaskId) => void): void {
    this.#onEnded.push(listener);
  }

  /**
   * Enrols the holder of `thumbprint`'s key.
   * @throws ERR_ENROLMENT_TOKEN, ERR_OWNER_REVOKED
   */
  async enrol(enrolmentToken: string, thumbprint: Thumbprint): Promise<EnrolmentResponse> {
    const { store, key, policy, now } = this.#deps;
    const freshId = OwnerId.parse(randomBytes(16).toString('base64url'));
    const ownerId = await store.enrol(hashOneTimeToken(enrolmentToken), thumbprint, freshId, now());
    const lifetimeSeconds = policy.ownerTokenLifetimeSeconds;
    return { ownerId, ownerToken: await issueOwnerToken(key, { ownerId, thumbprint, lifetimeSeconds }) };
  }

  /** Counts an entry of an owner's ledger, if it is the next, and signs the new count (see COUNTER). */
  async count(ownerId: OwnerId, next: CounterRequest): Promise<string> {
    const counted = (await this.#deps.store.count(ownerId, next)) ?? { counter: 0, digest: NO_ENTRY };
    return signStatement(COUNTER, this.#deps.key, { ownerId, ...counted });
  }

  /**
   * Checks a proposed task and signs it with a Paillier key of its own. The same proposal again gets the same
   * agreement.
   * @param refined the earlier result that the task refines, if it refines one
   * @throws ERR_TASK_INVALID and other errors of a task's check, ERR_TASK_REFUSED, ERR_SIMULATED_REFUSED,
   *   ERR_TASK_CONFLICT, and as `refinedBy`
   */
  async agree(task: Task, dataUserKey: PublicJwk, refined?: SignedLink): Promise<string> {
    return this.#agreements.agree(task, dataUserKey, refined);
  }

  /**
   * Verifies owners' records and returns how many distinct owners are verified.
   * @throws ERR_RECORD_INVALID, ERR_OWNER_REVOKED, ERR_TASK_MISMATCH, ERR_CONTRIBUTION_CONFLICT,
   *   ERR_TASK_FULL, ERR_TASK_CLOSED, ERR_DATABASE_ALTERED
   */
  async addRecords(taskId: TaskId, dataUser: Thumbprint, records: readonly string[]): Promise<number> {
    const { agreed } = await this.#agreements.agreedTask(taskId, dataUser);
    const { taskDigest } = agreed;
    const about = { taskId, taskDigest, publicKeyDigest: digestPublicKey(agreed.publicKey) };
    const verified: VerifiedRecord[] = [];
    for (const record of records) verified.push(await verifyRecord(this.#deps.store, record, about));
    return this.#deps.store.addRecords(taskId, verified);
  }

  /**
   * Decrypts the blinded aggregate, once per task, and keeps the additive shares of its values. Returns the
   * signed statement about the records that it has verified. The same bytes again get the same answer; other
   * bytes are refused.
   * @throws ERR_MINIMUM_OWNERS, ERR_UNBLINDING_CONFLICT, ERR_CIPHERTEXT_INVALID, ERR_CIPHERTEXT_LENGTH,
   *   ERR_PACKING_OVERFLOW (which ends the task), ERR_TASK_CLOSED, ERR_DATABASE_ALTERED
   */
  async unblind(taskId: TaskId, dataUser: Thumbprint, blinded: Uint8Array): Promise<string> {
    const { store, paillier } = this.#deps;
    // The records are counted first: a task that ends meanwhile loses them, and is then found to have ended.
    const verifiedOwners = await store.countRecords(taskId);
    const stored = await this.#agreements.agreedTask(taskId, dataUser);
    const requestDigest = digestBytes('unblinding', blinded);
    checkRequest(stored, requestDigest);
    if (stored.state === 'unblinded') return this.#state(stored, requestDigest);
    checkOwners(stored.task, verifiedOwners);
    const secretKey = this.#openSecretKey(stored);
    const ciphertexts = await paillier.decode(
      secretKey.publicKey,
      blinded,
      layout(stored.task).plaintexts.length,
    );
    // The task is bound to the request before the decryption: the key never works on other ciphertexts from
    // here on.
    const bound = await store.beginUnblinding(taskId, { requestDigest, verifiedOwners });
    if (bound) await this.#decrypt(stored, secretKey, ciphertexts);
    // If something else came first (another request, more records, the end of the task), everything is
    // checked again.
    return bound ? this.#state(stored, requestDigest) : this.unblind(taskId, dataUser, blinded);
  }

  /**
   * Signs the digest of a task's projection. Only the first digest is signed; it is kept for good.
   * @throws ERR_PROJECTION_CONFLICT, ERR_NOT_READY before the unblinding, ERR_TASK_CLOSED,
   *   ERR_DATABASE_ALTERED
   */
  async countersign(taskId: TaskId, dataUser: Thumbprint, projectionDigest: Digest): Promise<string> {
    const { task, agreed } = await this.#agreements.agreedTask(taskId, dataUser);
    const kept = await this.#deps.store.registerProjection(task.id, projectionDigest);
    if (kept === undefined) throw (await this.hasEnded(taskId)) ? ended() : notUnblinded();
    if (kept !== projectionDigest) {
      throw new CodedError(
        CODES.ERR_PROJECTION_CONFLICT,
        '"projectionDigest" expected the one that was registered first',
      );
    }
    const { taskDigest } = agreed;
    return signStatement(COUNTERSIGNATURE, this.#deps.key, { taskId, taskDigest, projectionDigest });
  }

  /**
   * Takes an owner out of a task for good: its record does not count, even if it is handed in later.
   * @throws ERR_TASK_UNKNOWN, ERR_TASK_CLOSED once the records are fixed
   */
  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    const { store } = this.#deps;
    if ((await store.task(taskId)) === undefined)
      throw new CodedError(CODES.ERR_TASK_UNKNOWN, '"taskId" expected a task of this CSP');
    await store.withdraw(taskId, ownerId);
  }

  /**
   * Fixes a task to its set of records, if that is the `wanted` set: no record is added, withdrawn or revoked
   * from then on. The same set again gets the same answer. A task whose unblinding has begun has the records
   * that it had then, whether its data user had them fixed or not.
   * @throws ERR_RECORDS_CHANGED, ERR_MINIMUM_OWNERS, ERR_TASK_UNKNOWN, ERR_TASK_CLOSED,
   *   ERR_DATABASE_ALTERED
   */
  async fix(taskId: TaskId, dataUser: Thumbprint, wanted: FixationRequest): Promise<number> {
    const { store } = this.#deps;
    for (;;) {
      const before = await store.recordChanges(taskId);
      const { task, state, fixation, unblindingDigest } = await this.#agreements.agreedTask(taskId, dataUser);
      if (state === 'ended') throw ended();
      const isThis = await (fixation ? isSameSet(fixation, wanted) : this.#haveRecords(taskId, wanted));
      const after = await store.recordChanges(taskId);
      const isStill = after.added === before.added && after.removed === before.removed;
      if (!isStill) continue; // they may have changed while they were read
      if (!isThis) throw recordsChanged();
      checkOwners(task, wanted.verifiedOwners);
      const isFixed = fixation !== null || unblindingDigest !== null;
      if (isFixed || (await store.fixRecords(taskId, wanted, before))) return wanted.verifiedOwners;
    }
  }

  /** Returns the current list of revoked owners, signed. */
  async revocations(): Promise<string> {
    const { store, key, now } = this.#deps;
    const { number, owners } = await store.revocations();
    return signStatement(REVOCATIONS, key, { number, issuedAt: now().toISOString(), owners: [...owners] });
  }

  /** @throws ERR_OWNER_REVOKED */
  async requireOwner(ownerId: OwnerId): Promise<void> {
    if (await this.#deps.store.isOwnerRevoked(ownerId)) throw ownerRevoked();
  }

  /** @throws ERR_AUTH_FORBIDDEN for a data user that was revoked */
  async requireDataUser(dataUser: Thumbprint): Promise<void> {
    if (await this.#deps.store.isDataUserRevoked(dataUser)) throw dataUserRevoked();
  }

  /** Returns the exact length of an unblinding request, in bytes. */
  async expectedBytes(taskId: TaskId, dataUser: Thumbprint): Promise<number> {
    const { task } = await this.#agreements.agreedTask(taskId, dataUser);
    return layout(task).plaintexts.length * ciphertextBytes(task.keyBits);
  }

  /**
   * Returns the CSP's input to the two-party computation.
   * @throws ERR_NOT_READY before the unblinding, ERR_TASK_ANSWERED, ERR_TASK_CLOSED, ERR_DATABASE_ALTERED
   */
  async twoPartyState(taskId: TaskId, dataUser: Thumbprint): Promise<TwoPartyState> {
    const { store } = this.#deps;
    const { task, agreed, state, sealedShares } = await this.#agreements.agreedTask(taskId, dataUser);
    if (state === 'ended') throw ended();
    if (state === 'agreed') throw notUnblinded();
    if (sealedShares === null) throw answered();
    const bytes = this.#deps.sealer.open(sharesPlace(taskId), sealedShares);
    const shares = Integers.read(bytes, shareBits(task));
    const signs = await this.#signsOf({ task, agreed });
    return { task, shares, signs, verifiedOwners: await store.countRecords(taskId) };
  }

  /** Returns the signs of Ω for a task with a sketch. */
  async #signsOf({ task, agreed }: Pick<AgreedTask, 'task' | 'agreed'>): Promise<Int32Array | undefined> {
    const { store, sealer } = this.#deps;
    const refined =
      refinedResult(task) === undefined
        ? undefined
        : openVectors(sealer, task, await store.refinedVectors(task.id));
    return signsOf({ task, agreement: agreed }, refined);
  }

  /**
   * Counts a computation before it starts; no number of computations is too high.
   * @throws ERR_TASK_ANSWERED
   */
  async noteStart(taskId: TaskId): Promise<void> {
    if (!(await this.#deps.store.noteStart(taskId))) throw answered();
  }

  /**
   * Writes down an answer before it is given, and destroys the shares for good before the last. If several
   * computations come for the last answer, the first gets it; the others throw ERR_TASK_ANSWERED. Returns how
   * many answers may follow.
   */
  async noteAnswer({ id }: Task): Promise<number> {
    const left = await this.#deps.store.noteAnswer(id, this.#deps.policy.answersPerTask);
    if (left === undefined) throw answered();
    return left;
  }

  /**
   * Returns the one answer of a task whose protocol gives only one: the same in every run, until the task
   * ends or the answer is given up.
   * @throws ERR_TASK_CLOSED if the task has ended
   */
  async keptAnswer(taskId: TaskId): Promise<KeptAnswer> {
    const { store, sealer } = this.#deps;
    const giveUp = () => store.giveUpAnswer(taskId);
    return { ...(await keptAnswer(store, sealer, answerPlace(taskId), taskId)), giveUp };
  }

  /**
   * Writes down that a run of that answer is about to show something that depends on its secrets. Returns the
   * number of runs so far, with this one. A run that is the same as the one before reveals nothing new except
   * how long this server computes, so there are MOST_RUNS at most.
   * @throws ERR_TASK_ANSWERED when no run may follow
   */
  async noteRun(taskId: TaskId): Promise<number> {
    const runs = await this.#deps.store.noteRun(taskId, MOST_RUNS);
    if (runs === undefined) throw answered();
    return runs;
  }

  /**
   * Ends a task at the data user's request, finished or cancelled: its key, shares and records are destroyed.
   */
  async end(taskId: TaskId, dataUser: Thumbprint): Promise<void> {
    await this.#agreements.whenAgreed(taskId);
    await this.#agreements.task(taskId, dataUser);
    await this.#end(taskId);
  }

  /**
   * Returns the signed statement about a task that was unblinded with this request. Its set of records is
   * fixed.
   */
  async #state({ task, agreed }: AgreedTask, unblindingDigest: Digest): Promise<string> {
    const tree = await this.#records(task.id);
    if (await this.hasEnded(task.id)) throw ended(); // its records may have been deleted while they were read
    return signStatement(STATEMENT, this.#deps.key, {
      taskId: task.id,
      taskDigest: agreed.taskDigest,
      unblindingDigest,
      verifiedOwners: tree.size,
      contributionsRoot: tree.root(),
    });
  }

  #records(taskId: TaskId): Promise<ContributionTree> {
    return ContributionTree.read((after, limit) => this.#deps.store.records(taskId, after, limit));
  }

  /** The records are counted first, since a tree of many takes a while. */
  async #haveRecords(taskId: TaskId, wanted: FixationRequest): Promise<boolean> {
    if ((await this.#deps.store.countRecords(taskId)) !== wanted.verifiedOwners) return false;
    const tree = await this.#records(taskId);
    return tree.size === wanted.verifiedOwners && tree.root() === wanted.contributionsRoot;
  }

  /** Says whether a task has ended. Commands of the operator end tasks, too, without this service. */
  async hasEnded(taskId: TaskId): Promise<boolean> {
    return (await this.#deps.store.task(taskId))?.state === 'ended';
  }

  async #decrypt(
    { task, agreed }: AgreedTask,
    secretKey: SecretKey,
    ciphertexts: readonly Ciphertext[],
  ): Promise<void> {
    const { store, sealer, paillier, randomness } = this.#deps;
    const under = { task, secretKey, packing: layout(task), signs: await this.#signsOf({ task, agreed }) };
    let shares: Integers;
    try {
      shares = await unblind(under, ciphertexts, { paillier, randomness });
    } catch (error) {
      // An overflow of slots is one bit about the plaintexts: it is revealed once, and never for other
      // ciphertexts.
      if (errorCodeOf(error) === 'ERR_PACKING_OVERFLOW') await this.#end(task.id);
      throw error;
    }
    // Only the noise that the first of several equal requests has drawn is kept, and none of it has left
    // before: one draw per task.
    const sealedShares = sealer.seal(sharesPlace(task.id), shares.bytes);
    shares.bytes.fill(0);
    await store.completeUnblinding(task.id, sealedShares);
  }

  /**
   * Ends tasks that their data users have abandoned, so that no key outlives its task for long. Returns their
   * number.
   */
  async endOverdueTasks(): Promise<number> {
    const { store, policy, now } = this.#deps;
    const overdue = await store.overdueTasks(oldestDeadline(policy, now()));
    for (const taskId of overdue) await this.#end(taskId);
    return overdue.length;
  }

  async #end(taskId: TaskId): Promise<void> {
    await this.#deps.store.endTask(taskId);
    for (const listener of this.#onEnded) listener(taskId);
  }

  #openSecretKey({ task, sealedSecretKey }: StoredTask): SecretKey {
    if (sealedSecretKey === null) throw new CodedError(CODES.ERR_TASK_CLOSED, 'the key of the task is gone');
    return SecretKey.fromJSON(openJson(this.#deps.sealer, secretKeyPlace(task.id), sealedSecretKey), task);
  }
}

function isSameSet(one: FixationRequest, other: FixationRequest): boolean {
  return one.verifiedOwners === other.verifiedOwners && one.contributionsRoot === other.contributionsRoot;
}

function checkRequest({ state, unblindingDigest }: StoredTask, requestDigest: Digest): void {
  if (state === 'ended') throw ended();
  if (unblindingDigest !== null && unblindingDigest !== requestDigest) {
    throw new CodedError(
      CODES.ERR_UNBLINDING_CONFLICT,
      'the task was unblinded before, with other ciphertexts',
    );
  }
}

function checkOwners({ minimumOwners }: Task, verifiedOwners: number): void {
  if (verifiedOwners < minimumOwners) {
    const message = `"records" expected at least ${minimumOwners} verified owners, got ${verifiedOwners}`;
    throw new CodedError(CODES.ERR_MINIMUM_OWNERS, message);
  }
}

/** A ciphertext is below n². */
function ciphertextBytes(keyBits: number): number {
  return (2 * keyBits) / 8;
}
