/**
 * The state that the CSP must not lose: enrolled owners, task keys (sealed), verified records and the
 * additive shares it holds. Every method is one transaction; when its promise resolves, its effect is
 * durable. Methods that make, use or destroy a key or shares write an entry of the audit log in the same
 * transaction.
 */
import type { AnswerStore, Sealer } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type {
  Counted,
  CounterRequest,
  Digest,
  FixationRequest,
  OwnerId,
  Projection,
  Thumbprint,
} from '@eigenveil/wire';
import { altered } from '../service/refusals.ts';

/** A task as the CSP keeps it. Sealed members are gone (null) once the task no longer needs them. */
export interface StoredTask {
  readonly task: Task;
  readonly digest: Digest;
  readonly agreement: string;
  /**
   * The state is `agreed` until the one unblinding is complete, then `unblinded` until the data user ends the
   * task.
   */
  readonly state: 'agreed' | 'unblinded' | 'ended';
  readonly sealedSecretKey: Uint8Array | null;
  /** The set of records that the task was fixed to: from then on none is added, withdrawn or revoked. */
  readonly fixation: FixationRequest | null;
  /** The digest of the one unblinding request that this task has, from the moment before it is decrypted. */
  readonly unblindingDigest: Digest | null;
  /** The shares of an unblinded task, until no more answer may be given. */
  readonly sealedShares: Uint8Array | null;
}

export interface VerifiedRecord {
  readonly ownerId: OwnerId;
  readonly contributionDigest: Digest;
}

/** Numbers that change with a task's records. As long as both stay the same, so do the records. */
export interface RecordChanges {
  readonly added: number;
  readonly removed: number;
}

/** Owners that are no longer admitted, in the order of their ids' characters. */
export interface RevokedOwners {
  readonly number: number;
  readonly owners: readonly OwnerId[];
}

/** The number of tasks that a data user may have. */
export interface TaskQuota {
  /** The most tasks that have not ended. */
  readonly openTasks: number;
  /** The most tasks proposed within the last 24 hours, ended or not. */
  readonly tasksPerDay: number;
}

export interface UnblindingRequest {
  readonly requestDigest: Digest;
  /** The number of verified records on which the decision to unblind is based. */
  readonly verifiedOwners: number;
}

export interface CspStore extends AnswerStore {
  addEnrolmentTokens(tokenHashes: readonly string[], expiresAt: Date): Promise<void>;

  /**
   * Uses up an enrolment token for the holder of a key. Returns that holder's owner id: `freshId`, or the one
   * it already has. The same token and key again give the same answer, so that a holder whose answer was lost
   * can ask again.
   * @throws ERR_ENROLMENT_TOKEN for a token that is unknown, expired, revoked or used for another key,
   *   ERR_OWNER_REVOKED for the key of a revoked owner, which does not use the token up
   */
  enrol(tokenHash: string, thumbprint: Thumbprint, freshId: OwnerId, now: Date): Promise<OwnerId>;

  /** Returns the key thumbprint of an enrolled owner. */
  ownerThumbprint(ownerId: OwnerId): Promise<Thumbprint | undefined>;

  /**
   * Counts the owner's next entry, if it follows the last one, and returns the count. Returns undefined for
   * an owner that has none and counts none now.
   */
  count(ownerId: OwnerId, next: CounterRequest): Promise<Counted | undefined>;

  /** Returns all owners that were ever revoked, with the number of the list. */
  revocations(): Promise<RevokedOwners>;
  isOwnerRevoked(ownerId: OwnerId): Promise<boolean>;
  isDataUserRevoked(dataUser: Thumbprint): Promise<boolean>;

  /**
   * Checks whether another task has room beside `onTheirWay` others whose keys are being made.
   * @throws ERR_QUOTA as insertTask does
   */
  requireQuota(dataUser: Thumbprint, quota: TaskQuota, onTheirWay: number): Promise<void>;

  /**
   * Stores a new task, or returns the one that already has this id, whatever its parameters.
   * @param sealedVectors the vectors of the earlier result that the task refines, if it refines one
   * @throws ERR_QUOTA when its data user already has as many as it may, ERR_AUTH_FORBIDDEN when it was
   *   revoked
   */
  insertTask(task: StoredTask, quota: TaskQuota, sealedVectors?: Uint8Array): Promise<StoredTask>;
  task(taskId: TaskId): Promise<StoredTask | undefined>;
  /** Returns the vectors of the earlier result that a task refines, until the task ends. */
  refinedVectors(taskId: TaskId): Promise<Uint8Array | undefined>;

  /**
   * Adds verified records and returns how many owners there are now. A record that is already there changes
   * nothing, nor does the record of an owner who has withdrawn.
   * @throws ERR_CONTRIBUTION_CONFLICT for another digest of the same owner, ERR_TASK_CLOSED for a new one
   *   once the records are fixed, ERR_OWNER_REVOKED for one of a revoked owner, ERR_TASK_FULL for more owners
   *   than the slots have room for. Then none was added.
   */
  addRecords(taskId: TaskId, records: readonly VerifiedRecord[]): Promise<number>;
  countRecords(taskId: TaskId): Promise<number>;
  recordChanges(taskId: TaskId): Promise<RecordChanges>;
  /**
   * Returns up to `limit` records of owners whose ids follow `after`, in the order of their ids' characters.
   */
  records(taskId: TaskId, after: OwnerId | '', limit: number): Promise<VerifiedRecord[]>;

  /**
   * Takes the owner out of the task for good, whether its record is there or may still come. A second call
   * changes nothing.
   * @throws ERR_TASK_CLOSED when the records are fixed.
   */
  withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void>;

  /**
   * Fixes an agreed task to this set of records, if it is not fixed and the records are as they were when the
   * set was computed. Returns whether it did.
   */
  fixRecords(taskId: TaskId, fixation: FixationRequest, asOf: RecordChanges): Promise<boolean>;

  /**
   * Binds the task's one unblinding to a request, if the task is `agreed`, not bound to another one, and has
   * as many records as the decision was based on. Returns whether it did. Call it before anything is
   * decrypted.
   */
  beginUnblinding(taskId: TaskId, request: UnblindingRequest): Promise<boolean>;

  /**
   * Keeps the shares that the unblinding gave and destroys the secret key, unless the task has ended
   * meanwhile.
   */
  completeUnblinding(taskId: TaskId, sealedShares: Uint8Array): Promise<void>;

  /**
   * Counts a computation that is about to start with an unblinded task's shares. Returns whether there are
   * shares.
   */
  noteStart(taskId: TaskId): Promise<boolean>;

  /**
   * Counts an answer that is about to be given with an unblinded task's shares, and destroys the shares for
   * good with the last of `most`. Returns how many may follow, or undefined when there are no shares or
   * `most` answers were given.
   */
  noteAnswer(taskId: TaskId, most: number): Promise<number | undefined>;

  /**
   * Counts a run of the task's one answer that is about to show its first matrix. Returns the number of runs
   * with this one. The first is counted as an answer. Returns undefined where there is no answer, or there
   * were `most` runs: then the answer is given up.
   */
  noteRun(taskId: TaskId, most: number): Promise<number | undefined>;

  /** Destroys a task's shares and its one answer, which counts as given from now on: no run of it follows. */
  giveUpAnswer(taskId: TaskId): Promise<void>;

  /**
   * Keeps the digest of an unblinded task's projection, for good, unless there is one. Returns the digest
   * that is kept, or undefined when there is none and the task is not, or no longer, unblinded.
   */
  registerProjection(taskId: TaskId, digest: Digest): Promise<Digest | undefined>;

  /** Returns the task whose projection has this digest, ended or not. */
  taskOfProjection(digest: Digest): Promise<Task | undefined>;

  /** Ends a task and destroys its secret key, shares, answer, records, and the vectors that it refines. */
  endTask(taskId: TaskId): Promise<void>;

  /** Returns the tasks that have not ended although their deadline lies before `time`. */
  overdueTasks(time: Date): Promise<TaskId[]>;

  /** Goes over the sealed secret keys, shares, seeds and vectors (see SealedStore). */
  reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number>;

  close(): void;
}

/** The places for which values are sealed. */
export const secretKeyPlace = (taskId: string) => `csp/tasks/${taskId}/secret_key`;
export const answerPlace = (taskId: string) => `csp/tasks/${taskId}/answer`;
export const sharesPlace = (taskId: string) => `csp/tasks/${taskId}/shares`;
export const vectorsPlace = (taskId: string) => `csp/tasks/${taskId}/vectors`;

const NUMBER_BYTES = 8;

/** Seals a secret as JSON. The bytes are overwritten after use; strings of the language cannot be. */
export function sealJson(sealer: Sealer, place: string, value: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value));
  try {
    return sealer.seal(place, bytes);
  } finally {
    bytes.fill(0);
  }
}

export function openJson(sealer: Sealer, place: string, sealed: Uint8Array): unknown {
  const { buffer, byteOffset, byteLength } = sealer.open(place, sealed);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  try {
    return JSON.parse(bytes.toString());
  } finally {
    bytes.fill(0);
  }
}

/**
 * Seals the vectors of an earlier result that a sketch refines, from which the CSP makes Ω. It knows that
 * result only for this purpose, and the seal prevents that anybody puts other vectors in the database.
 */
export function sealVectors(sealer: Sealer, { id }: Task, vectors: Projection['vectors']): Uint8Array {
  const numbers = vectors.flat();
  const bytes = Buffer.alloc(numbers.length * NUMBER_BYTES);
  for (const [i, number] of numbers.entries()) bytes.writeDoubleLE(number, i * NUMBER_BYTES);
  return sealer.seal(vectorsPlace(id), bytes);
}

/** @throws ERR_SEAL_BROKEN, ERR_DATABASE_ALTERED where they are missing */
export function openVectors(
  sealer: Sealer,
  { id, features }: Task,
  sealed: Uint8Array | undefined,
): Pick<Projection, 'vectors'> {
  if (sealed === undefined) altered();
  const { buffer, byteOffset, byteLength } = sealer.open(vectorsPlace(id), sealed);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const d = features.length;
  const number = (i: number) => bytes.readDoubleLE(i * NUMBER_BYTES);
  const vectors = Array.from({ length: byteLength / NUMBER_BYTES / d }, (_, j) =>
    Array.from({ length: d }, (__, i) => number(j * d + i)),
  );
  return { vectors };
}
