/**
 * What the CSP must not forget: enrolled owners, task keys (sealed), verified records and the additive shares it holds.
 * Every method is one transaction; when its promise resolves, its effect is durable.
 */
import type { Digest, OwnerId, Task, TaskId, Thumbprint } from '@eigenveil/wire';

/** A task as the CSP keeps it. Sealed members are gone (null) once the task no longer needs them. */
export interface StoredTask {
  readonly task: Task;
  readonly digest: Digest;
  readonly agreement: string;
  /** `agreed` until the one unblinding, `unblinded` until the data user ends the task. */
  readonly state: 'agreed' | 'unblinded' | 'ended';
  readonly sealedSecretKey: Uint8Array | null;
  /** Digest of the one unblinding request that was answered. */
  readonly unblindingDigest: Digest | null;
  readonly sealedShares: Uint8Array | null;
}

export interface VerifiedRecord {
  readonly ownerId: OwnerId;
  readonly contributionDigest: Digest;
}

export interface Unblinding {
  readonly requestDigest: Digest;
  readonly sealedShares: Uint8Array;
  /** The number of verified records on which the decision to unblind was based. */
  readonly verifiedOwners: number;
}

export interface CspStore {
  addEnrolmentTokens(tokenHashes: readonly string[], expiresAt: Date): Promise<void>;

  /**
   * Uses up an enrolment token for the holder of a key and returns that holder's owner id: `freshId`, or the one it
   * already has. The same token and key again give the same answer, so a lost response can be asked for again.
   * Throws ERR_ENROLMENT_TOKEN for a token that is unknown, expired or used for another key.
   */
  enrol(tokenHash: string, thumbprint: Thumbprint, freshId: OwnerId, now: Date): Promise<OwnerId>;

  /** The key thumbprint of an enrolled owner. */
  ownerThumbprint(ownerId: OwnerId): Promise<Thumbprint | undefined>;

  /** Stores a new task, or returns the one that already has this id, whatever its parameters. */
  insertTask(task: StoredTask): Promise<StoredTask>;
  task(taskId: TaskId): Promise<StoredTask | undefined>;

  /**
   * Adds verified records and returns how many owners there are now. A record that is already there is no change;
   * throws ERR_CONTRIBUTION_CONFLICT for another digest of the same owner, ERR_TASK_CLOSED for a new one after the
   * unblinding.
   */
  addRecords(taskId: TaskId, records: readonly VerifiedRecord[]): Promise<number>;
  countRecords(taskId: TaskId): Promise<number>;

  /**
   * Marks the task as unblinded and destroys its secret key, if it is still `agreed` and has as many records as the
   * decision was based on; returns whether it did.
   */
  completeUnblinding(taskId: TaskId, unblinding: Unblinding): Promise<boolean>;

  /** Ends a task and destroys its secret key, shares and records. */
  endTask(taskId: TaskId): Promise<void>;

  close(): void;
}
