/**
 * Collection: the data user checks a contribution, stores it durably and answers with a signed receipt. One
 * contribution per owner and task; the same bytes again get the same receipt.
 */

import { setImmediate } from 'node:timers/promises';
import type { PaillierPool } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import type { Owner } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  claimedSigner,
  type Digest,
  digestBytes,
  digestHasher,
  LONGEST_RECORD,
  type OwnerId,
  type Piece,
  piecesOf,
  RECEIPT,
  RECORD,
  type SigningKey,
  signStatement,
  type UploadResponse,
  verifyStatement,
} from '@eigenveil/wire';
import type { z } from 'zod';
import { GroupedInserts } from '../store/grouped-inserts.ts';
import { incomplete, requireSame } from '../store/rules.ts';
import type { DataUserStore, StoredContribution } from '../store/store.ts';
import type { OpenTask, Tasks } from '../tasks/tasks.ts';

type Upload = z.infer<typeof UploadResponse>;

export class Collection {
  readonly #store: DataUserStore;
  readonly #inserts: GroupedInserts;
  readonly #pieces = new PieceLimit();
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

  /**
   * The exact length of a contribution's body, in bytes, known before a byte of it is read: 0 where it has
   * come in pieces before.
   */
  async expectedBytes(taskId: TaskId): Promise<number> {
    const { packing, publicKey } = await this.#tasks.agreed(taskId);
    const { length } = packing.plaintexts;
    return piecesOf(length, publicKey.ciphertextBytes).length > 0 ? 0 : length * publicKey.ciphertextBytes;
  }

  /**
   * Takes a contribution: `bytes` are its ciphertexts, `record` is the owner's signed statement about it.
   * Returns the receipt once the contribution is durable.
   * @throws ERR_RECORD_INVALID, ERR_TASK_MISMATCH, ERR_CONTRIBUTION_CONFLICT, ERR_CONTRIBUTION_WITHDRAWN,
   *   ERR_TASK_CLOSED, ERR_TASK_CANCELLED, ERR_TASK_DEADLINE, ERR_TASK_FULL, ERR_CIPHERTEXT_INVALID,
   *   ERR_CIPHERTEXT_LENGTH, ERR_CONTRIBUTION_INCOMPLETE
   */
  async contribute(taskId: TaskId, owner: Owner, record: string, bytes: Uint8Array): Promise<string> {
    const open = await this.#tasks.agreed(taskId);
    const pieces = piecesOf(open.packing.plaintexts.length, open.publicKey.ciphertextBytes);
    const claims = await this.#checkRecord(record, owner, open);
    const digest = claims.contributionDigest;
    if (pieces.length === 0 && digestBytes('contribution', bytes) !== digest) throw otherDigest();
    // A repeat gets its receipt even after the task was closed: the first answer may have been lost.
    const known = await this.#store.contribution(taskId, owner.ownerId);
    if (known !== undefined) return receiptOf(known, digest);
    this.#checkTime(open.task);
    const stored = await this.#inserts.insert(taskId, async () => {
      const content =
        pieces.length === 0
          ? { bytes: await this.#checked(open, bytes, open.packing.plaintexts.length) }
          : { bytes, uploadId: await this.#uploaded(taskId, owner, digest, pieces) };
      const receivedAt = this.#now().toISOString();
      const { title } = open.task;
      const told = { ...claims, receivedAt, ...(title !== undefined && { title }) };
      const receipt = await signStatement(RECEIPT, this.#key, told);
      return { ownerId: owner.ownerId, digest, record, receipt, ...content };
    });
    return receiptOf(stored, digest);
  }

  /**
   * Takes a piece of a contribution whose signed record is `record`, and returns how many there are once it
   * is durable. `read` gives its bytes, given their exact number.
   * @throws as `contribute`, ERR_BUSY, ERR_BODY_INVALID for a piece that contributions to this task do not
   *   have, and as `read`
   */
  async takePiece(
    taskId: TaskId,
    owner: Owner,
    record: string,
    number: number,
    read: (expectedBytes: number) => Promise<Uint8Array>,
  ): Promise<Upload> {
    const open = await this.#tasks.agreed(taskId);
    const { contributionDigest } = await this.#checkRecord(record, owner, open);
    const { ciphertextBytes } = open.publicKey;
    const piece = piecesOf(open.packing.plaintexts.length, ciphertextBytes)[number];
    if (piece === undefined)
      throw new CodedError(
        CODES.ERR_BODY_INVALID,
        '"piece" expected one that contributions to this task have',
      );
    this.#checkTime(open.task);
    return this.#pieces.take(owner.ownerId, async () => {
      const count = piece.to - piece.from;
      const bytes = await this.#checked(open, await read(count * ciphertextBytes), count, piece.from);
      const { ownerId } = owner;
      const pieces = await this.#store.addPiece(taskId, {
        ownerId,
        digest: contributionDigest,
        number,
        bytes,
      });
      return { contributionDigest, pieces };
    });
  }

  /** Returns how much of its contribution an owner has handed in. */
  async upload(taskId: TaskId, { ownerId }: Owner): Promise<Upload> {
    const { packing, publicKey } = await this.#tasks.agreed(taskId);
    const all = piecesOf(packing.plaintexts.length, publicKey.ciphertextBytes).length;
    const known = await this.#store.contribution(taskId, ownerId);
    if (known !== undefined && known.digest !== '' && !known.withdrawn)
      return { contributionDigest: known.digest, pieces: all };
    const upload = await this.#store.upload(taskId, ownerId);
    return upload === undefined
      ? { contributionDigest: null, pieces: 0 }
      : { contributionDigest: upload.digest, pieces: upload.pieces };
  }

  /**
   * Withdraws the owner while the task is open. It is final, so that a contribution that is repeated, or that
   * is only now on its way, cannot bring it back.
   * @throws ERR_CONTRIBUTION_UNKNOWN, ERR_TASK_CLOSED, ERR_TASK_CANCELLED
   */
  async withdraw(taskId: TaskId, owner: Owner): Promise<void> {
    await this.#tasks.agreed(taskId);
    await this.#store.withdraw(taskId, owner.ownerId);
  }

  /** These ciphertexts, if they are such. */
  async #checked(
    { publicKey }: OpenTask,
    bytes: Uint8Array,
    count: number,
    firstIndex = 0,
  ): Promise<Uint8Array> {
    await this.#paillier.check(publicKey, bytes, count, firstIndex);
    return bytes;
  }

  /**
   * The upload that has all pieces and the digest of the record. Nothing is added to it or taken from it any
   * more, but as a whole; one that turns out to have another digest is deleted, or its owner could never hand
   * in the right one.
   */
  async #uploaded(
    taskId: TaskId,
    { ownerId }: Owner,
    digest: Digest,
    pieces: readonly Piece[],
  ): Promise<number> {
    const upload = await this.#store.upload(taskId, ownerId);
    if (upload?.digest !== digest || upload.pieces < pieces.length) throw incomplete();
    const hasher = digestHasher('contribution');
    for (const { number } of pieces) {
      const bytes = await this.#store.uploadedPiece(upload.id, number);
      if (bytes === undefined) throw incomplete();
      hasher.update(bytes);
      await setImmediate(); // a piece takes about a millisecond, for which nothing else is answered
    }
    if (hasher.digest() === digest) return upload.id;
    await this.#store.dropUpload(upload.id);
    throw otherDigest();
  }

  async #checkRecord(record: string, owner: Owner, open: OpenTask) {
    // A record is checked as the CSP will check it: one that it refuses would hold up the task of all owners.
    const isTakenByCsp =
      record.length <= LONGEST_RECORD && claimedSigner(RECORD, record).x === owner.publicJwk.x;
    if (!isTakenByCsp) {
      throw new CodedError(
        CODES.ERR_RECORD_INVALID,
        `"Eigenveil-Record" expected at most ${LONGEST_RECORD} characters that name the owner's key`,
      );
    }
    const claims = await verifyStatement(RECORD, record, owner.publicJwk);
    if (claims.ownerId !== owner.ownerId) throw otherDigest();
    const isForTask =
      claims.taskId === open.task.id &&
      claims.taskDigest === open.agreement.taskDigest &&
      claims.publicKeyDigest === open.publicKeyDigest;
    if (!isForTask)
      throw new CodedError(
        CODES.ERR_TASK_MISMATCH,
        '"Eigenveil-Record" expected this task and its Paillier key',
      );
    return claims;
  }

  #checkTime({ deadline }: Task): void {
    if (this.#now() > new Date(deadline)) {
      throw new CodedError(CODES.ERR_TASK_DEADLINE, `"deadline" expected a contribution before ${deadline}`);
    }
  }
}

function receiptOf(contribution: StoredContribution, digest: Digest): string {
  requireSame(contribution, digest);
  return contribution.receipt;
}

function otherDigest(): CodedError {
  return new CodedError(
    CODES.ERR_RECORD_INVALID,
    '"Eigenveil-Record" expected the digest of this body and this owner',
  );
}

/**
 * Pieces in memory at a time, while they are read, checked and stored: each is half a megabyte, and a few
 * times that while it is checked.
 */
const MOST_PIECES = 32;
/** One that a broken line has left behind, and its repetition: nobody can keep others away by holding all. */
const MOST_PER_OWNER = 2;
const RETRY_AFTER_SECONDS = 1;

/** Limits how many pieces of contributions are in memory at a time, whatever the number of owners. */
class PieceLimit {
  readonly #underWay = new Map<OwnerId, number>();
  #count = 0;

  /** @throws ERR_BUSY when there are too many, and as `work` */
  async take<T>(ownerId: OwnerId, work: () => Promise<T>): Promise<T> {
    const own = this.#underWay.get(ownerId) ?? 0;
    if (this.#count >= MOST_PIECES || own >= MOST_PER_OWNER)
      throw new CodedError(CODES.ERR_BUSY, 'too many pieces of contributions are on their way', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    this.#count += 1;
    this.#underWay.set(ownerId, own + 1);
    try {
      return await work();
    } finally {
      this.#count -= 1;
      const left = this.#underWay.get(ownerId)! - 1;
      if (left > 0) this.#underWay.set(ownerId, left);
      else this.#underWay.delete(ownerId);
    }
  }
}
