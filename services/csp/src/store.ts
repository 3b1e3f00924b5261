/**
 * What the CSP must not forget: enrolled owners, task keys (sealed), verified records and the additive shares it holds.
 * Every method is one transaction; when its promise resolves, its effect is durable. Those that make, use or destroy a key or shares
 * write an entry of the audit log in the same transaction.
 */

import type { AnswerStore } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, OwnerId, Thumbprint } from '@eigenveil/wire';

/** A task as the CSP keeps it. Sealed members are gone (null) once the task no longer needs them. */
export interface StoredTask {
  readonly task: Task;
  readonly digest: Digest;
  readonly agreement: string;
  /** `agreed` until the one unblinding is complete, `unblinded` until the data user ends the task. */
  readonly state: 'agreed' | 'unblinded' | 'ended';
  readonly sealedSecretKey: Uint8Array | null;
  /** Digest of the one unblinding request that this task has, from the moment before it is decrypted. */
  readonly unblindingDigest: Digest | null;
  /** Of an unblinded task: gone once no answer may be given any more. */
  readonly sealedShares: Uint8Array | null;
}

export interface VerifiedRecord {
  readonly ownerId: OwnerId;
  readonly contributionDigest: Digest;
}

export interface UnblindingRequest {
  readonly requestDigest: Digest;
  /** The number of verified records on which the decision to unblind is based. */
  readonly verifiedOwners: number;
}

export interface CspStore extends AnswerStore {
  addEnrolmentTokens(tokenHashes: readonly string[], expiresAt: Date): Promise<void>;

  /**
   * Uses up an enrolment token for the holder of a key and returns that holder's owner id: `freshId`, or the one it
   * already has. The same token and key again give the same answer, so a lost response can be asked for again.
   * @throws ERR_ENROLMENT_TOKEN for a token that is unknown, expired or used for another key
   */
  enrol(tokenHash: string, thumbprint: Thumbprint, freshId: OwnerId, now: Date): Promise<OwnerId>;

  /** The key thumbprint of an enrolled owner. */
  ownerThumbprint(ownerId: OwnerId): Promise<Thumbprint | undefined>;

  /** Stores a new task, or returns the one that already has this id, whatever its parameters. */
  insertTask(task: StoredTask): Promise<StoredTask>;
  task(taskId: TaskId): Promise<StoredTask | undefined>;

  /**
   * Adds verified records and returns how many owners there are now. A record that is already there is no change, nor is that of an owner
   * who has withdrawn.
   * @throws ERR_CONTRIBUTION_CONFLICT for another digest of the same owner, ERR_TASK_CLOSED for a new one once the
   * unblinding has begun, ERR_TASK_FULL for more owners than the slots have room for.
   */
  addRecords(taskId: TaskId, records: readonly VerifiedRecord[]): Promise<number>;
  countRecords(taskId: TaskId): Promise<number>;
  /** Up to `limit` records of owners whose ids come after `after`, in the order of their ids' characters. */
  records(taskId: TaskId, after: OwnerId | '', limit: number): Promise<VerifiedRecord[]>;

  /**
   * Takes the owner out of the task for good, whether its record is there or may still come; once it is, no change.
   * @throws ERR_TASK_CLOSED when the unblinding has begun.
   */
  withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void>;

  /**
   * Binds the task's one unblinding to a request, if the task is `agreed`, not bound to another one, and has as many
   * records as the decision was based on; returns whether it did. To be called before anything is decrypted.
   */
  beginUnblinding(taskId: TaskId, request: UnblindingRequest): Promise<boolean>;

  /** Keeps the shares that the unblinding gave and destroys the secret key, unless the task has ended meanwhile. */
  completeUnblinding(taskId: TaskId, sealedShares: Uint8Array): Promise<void>;

  /** Counts a computation that is about to start with an unblinded task's shares; returns whether there are any. */
  noteStart(taskId: TaskId): Promise<boolean>;

  /**
   * Counts an answer that is about to be given with an unblinded task's shares, and destroys them for good with the last of `most`. Returns
   * how many may follow, or undefined when there are no shares or as many answers already.
   */
  noteAnswer(taskId: TaskId, most: number): Promise<number | undefined>;

  /**
   * Counts a run of the one answer of a task that is about to show its first matrix, and returns how many there were with it. The first is counted as
   * an answer. Undefined where there is no answer, or there were `most` runs: then it is given up.
   */
  noteRun(taskId: TaskId, most: number): Promise<number | undefined>;

  /** Destroys a task's shares and its one answer, which counts as given from now on: no run of it follows. */
  giveUpAnswer(taskId: TaskId): Promise<void>;

  /**
   * Keeps the digest of an unblinded task's projection, for good and unless there is one; returns the one that is kept, or undefined when there
   * is none and the task is not, or no longer, unblinded.
   */
  registerProjection(taskId: TaskId, digest: Digest): Promise<Digest | undefined>;

  /** Ends a task and destroys its secret key, shares, answer and records. */
  endTask(taskId: TaskId): Promise<void>;

  /** Tasks that have not ended although their deadline lies before `time`. */
  overdueTasks(time: Date): Promise<TaskId[]>;

  /** Goes over the sealed secret keys, shares and seeds, see SealedStore. */
  reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number>;

  close(): void;
}

/** The places for which values are sealed. */
export const secretKeyPlace = (taskId: string) => `csp/tasks/${taskId}/secret_key`;
export const answerPlace = (taskId: string) => `csp/tasks/${taskId}/answer`;
export const sharesPlace = (taskId: string) => `csp/tasks/${taskId}/shares`;
