/**
 * What the data user must not forget: tasks and their progress, contributions, and what was drawn once for a task.
 * Every method is one transaction; when its promise resolves, its effect is durable.
 */
import type { Digest, ErrorCode, OwnerId, Task, TaskId, TaskState } from '@eigenveil/wire';

export interface StoredTask {
  readonly task: Task;
  readonly state: TaskState;
  /** The CSP's signature; null while the task is only `proposed`. */
  readonly agreement: string | null;
  /** The blinding values and this server's noise, sealed; drawn once, wiped when the task ends. */
  readonly sealedBlinding: Uint8Array | null;
  /** The exact blinded ciphertexts, so that a repeated unblinding request is byte-identical. */
  readonly blinded: Uint8Array | null;
  /** The signed projection of a task that is `done`. */
  readonly projection: string | null;
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
  /** Milliseconds per stage. */
  readonly timings: Readonly<Record<string, number>>;
  /** Whether the CSP has been told that the task has ended. */
  readonly endedAtCsp: boolean;
}

export interface StoredContribution {
  readonly ownerId: OwnerId;
  readonly digest: Digest;
  /** Ciphertexts; null once the task has ended or the owner has withdrawn. */
  readonly bytes: Uint8Array | null;
  /** The owner-signed record. */
  readonly record: string;
  readonly receipt: string;
  readonly withdrawn: boolean;
}

/** What changes when a stage of the computation is complete. */
export interface StageResult {
  readonly to: TaskState;
  readonly sealedBlinding?: Uint8Array;
  readonly blinded?: Uint8Array;
  readonly projection?: string;
  readonly failure?: NonNullable<StoredTask['failure']>;
  /** Of the stage, added to its earlier runs. */
  readonly timing?: { readonly stage: string; readonly milliseconds: number };
}

export interface DataUserStore {
  insertTask(task: Task): Promise<void>;
  task(taskId: TaskId): Promise<StoredTask | undefined>;
  /** Tasks that are not final, or of whose end the CSP does not know. */
  unfinishedTasks(): Promise<TaskId[]>;
  openTask(taskId: TaskId, agreement: string): Promise<void>;

  /**
   * Stores a contribution if the task is open, not full and the owner has none; otherwise returns the one that the owner
   * already has. Throws ERR_TASK_CLOSED, ERR_TASK_CANCELLED or ERR_TASK_FULL.
   */
  insertContribution(taskId: TaskId, contribution: StoredContribution): Promise<StoredContribution>;
  contribution(taskId: TaskId, ownerId: OwnerId): Promise<StoredContribution | undefined>;
  /** Marks a contribution as withdrawn and destroys its bytes, if the task is open. Throws as insertContribution. */
  withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void>;
  countContributions(taskId: TaskId): Promise<number>;
  /** Up to `limit` contributions that count, of owners after `after`, in the order of owner ids. */
  contributions(taskId: TaskId, after: OwnerId | '', limit: number): Promise<StoredContribution[]>;

  /**
   * Closes an open task if it has its minimum of contributions; no change if it is closed or further. Throws
   * ERR_MINIMUM_OWNERS (the task stays open), ERR_TASK_CANCELLED, ERR_TASK_CLOSED for one that failed or never opened.
   */
  closeTask(taskId: TaskId): Promise<void>;

  /** Moves a task on if it is still in state `from`; returns whether it was. Final states destroy what must go. */
  advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean>;
  markEndedAtCsp(taskId: TaskId): Promise<void>;
  /** Goes over the sealed blinding values, see SealedStore. */
  reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number>;
  close(): void;
}

/** The place for which a task's blinding values are sealed. */
export const blindingPlace = (taskId: string) => `data-user/tasks/${taskId}/blinding`;

/** States from which nothing follows. */
export const FINAL_STATES: readonly TaskState[] = ['done', 'cancelled', 'failed'];
