/**
 * Collection: the data user checks a contribution, stores it durably and answers with a signed receipt. One
 * contribution per owner and task; the same bytes again get the same receipt.
 */
import type { PaillierPool } from '@eigenveil/paillier';
import type { Owner } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import {
  claimedSigner,
  type Digest,
  digestBytes,
  LONGEST_RECORD,
  RECEIPT,
  RECORD,
  ServiceError,
  type SigningKey,
  signStatement,
  verifyStatement,
} from '@eigenveil/wire';
import { GroupedInserts } from './grouped-inserts.ts';
import type { DataUserStore, StoredContribution } from './store.ts';
import type { OpenTask, Tasks } from './tasks.ts';

export class Collection {
  readonly #store: DataUserStore;
  readonly #inserts: GroupedInserts;
  readonly #tasks: Tasks;
  readonly #paillier: PaillierPool;
  readonly #key: SigningKey;
  readonly #now: () => Date;

  constructor(dependencies: {
    store: DataUserStore;
    tasks: Tasks;
    paillier: PaillierPool;
    key: SigningKey;
    now: () => Date;
  }) {
    this.#store = dependencies.store;
    this.#inserts = new GroupedInserts(dependencies.store);
    this.#tasks = dependencies.tasks;
    this.#paillier = dependencies.paillier;
    this.#key = dependencies.key;
    this.#now = dependencies.now;
  }

  /** The exact length of a contribution's body, in bytes: known before a byte of it is read. */
  async expectedBytes(taskId: TaskId): Promise<number> {
    const { packing, publicKey } = await this.#tasks.agreed(taskId);
    return packing.plaintexts.length * publicKey.ciphertextBytes;
  }

  /**
   * Takes a contribution: `bytes` are its ciphertexts, `record` is the owner's signed statement about it. Returns the
   * receipt once the contribution is durable.
   * @throws ERR_RECORD_INVALID, ERR_TASK_MISMATCH, ERR_CONTRIBUTION_CONFLICT, ERR_CONTRIBUTION_WITHDRAWN,
   * ERR_TASK_CLOSED, ERR_TASK_CANCELLED, ERR_TASK_DEADLINE, ERR_TASK_FULL, ERR_CIPHERTEXT_INVALID,
   * ERR_CIPHERTEXT_LENGTH
   */
  async contribute(taskId: TaskId, owner: Owner, record: string, bytes: Uint8Array): Promise<string> {
    const open = await this.#tasks.agreed(taskId);
    const digest = digestBytes('contribution', bytes);
    const claims = await this.#checkRecord(record, owner, open, digest);
    // A repeat gets its receipt even after the task was closed: the first answer may have been lost.
    const known = await this.#store.contribution(taskId, owner.ownerId);
    if (known !== undefined) return receiptOf(known, digest);
    this.#checkTime(open.task);
    const stored = await this.#inserts.insert(taskId, async () => {
      await this.#paillier.decode(open.publicKey, bytes, open.packing.plaintexts.length);
      const receivedAt = this.#now().toISOString();
      const receipt = await signStatement(RECEIPT, this.#key, { ...claims, receivedAt });
      return { ownerId: owner.ownerId, digest, bytes, record, receipt };
    });
    return receiptOf(stored, digest);
  }

  /**
   * Withdraws the owner while the task is open. It is final, so that a contribution that is repeated, or that is only now on its way,
   * cannot bring it back.
   * @throws ERR_CONTRIBUTION_UNKNOWN, ERR_TASK_CLOSED, ERR_TASK_CANCELLED
   */
  async withdraw(taskId: TaskId, owner: Owner): Promise<void> {
    await this.#tasks.agreed(taskId);
    await this.#store.withdraw(taskId, owner.ownerId);
  }

  async #checkRecord(record: string, owner: Owner, open: OpenTask, digest: Digest) {
    // As the CSP will: one record that it refuses would hold up the task of all owners.
    const isTakenByCsp =
      record.length <= LONGEST_RECORD && claimedSigner(RECORD, record).x === owner.publicJwk.x;
    if (!isTakenByCsp) {
      throw new ServiceError(
        'ERR_RECORD_INVALID',
        `"Eigenveil-Record" expected at most ${LONGEST_RECORD} characters that name the owner's key`,
      );
    }
    const claims = await verifyStatement(RECORD, record, owner.publicJwk);
    if (claims.ownerId !== owner.ownerId || claims.contributionDigest !== digest) {
      throw new ServiceError(
        'ERR_RECORD_INVALID',
        '"Eigenveil-Record" expected the digest of this body and this owner',
      );
    }
    const isForTask =
      claims.taskId === open.task.id &&
      claims.taskDigest === open.agreement.taskDigest &&
      claims.publicKeyDigest === open.publicKeyDigest;
    if (!isForTask)
      throw new ServiceError(
        'ERR_TASK_MISMATCH',
        '"Eigenveil-Record" expected this task and its Paillier key',
      );
    return claims;
  }

  #checkTime({ deadline }: Task): void {
    if (this.#now() > new Date(deadline)) {
      throw new ServiceError('ERR_TASK_DEADLINE', `"deadline" expected a contribution before ${deadline}`);
    }
  }
}

function receiptOf(contribution: StoredContribution, digest: Digest): string {
  if (contribution.withdrawn) {
    throw new ServiceError('ERR_CONTRIBUTION_WITHDRAWN', 'the owner has withdrawn from this task for good');
  }
  if (contribution.digest !== digest) {
    throw new ServiceError('ERR_CONTRIBUTION_CONFLICT', 'the owner has contributed other bytes to this task');
  }
  return contribution.receipt;
}
