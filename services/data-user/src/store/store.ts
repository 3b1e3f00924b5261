/**
 * The store of what the data user must not forget: tasks and their progress, contributions, and what was
 * drawn once for a task. Every method is one transaction; when its promise resolves, its effect is durable.
 */
import type { CodedError } from '@eigenveil/platform';
import type { AnswerStore } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, ErrorCode, OwnerId, TaskState, TaskStatus, TreeContribution } from '@eigenveil/wire';
import type { OperatorStore } from '../tasks/operators.ts';

export interface StoredTask {
  readonly task: Task;
  readonly state: TaskState;
  /** The CSP's signature; null while the task is only `proposed`. */
  readonly agreement: string | null;
  /** The last sequence number that a contribution has got, 0 for none. */
  readonly lastSequence: number;
  /** Contributions that count: those that were not withdrawn. */
  readonly contributions: number;
  /** The signed projection of a task that is `decomposed` or `done`. */
  readonly projection: string | null;
  readonly provenance: StoredProvenance;
  /** The failure of a task that has failed, or is `decomposed` and will have. */
  readonly failure: { readonly code: ErrorCode; readonly message: string } | null;
  /** Milliseconds per stage. */
  readonly timings: Readonly<Record<string, number>>;
  /** The times at which it came to each state, ISO 8601; only what was recorded. */
  readonly entered: Entered;
  readonly activity: Activity;
  /** Attempts at the two-party computation that ended with a fault. */
  readonly faults: number;
  /** The last sequence number up to which the CSP has the records. */
  readonly recordsSent: number;
  /** Says whether the CSP has been told that the task has ended. */
  readonly endedAtCsp: boolean;
  readonly fixation: Fixation | null;
}

/**
 * The values that were drawn for a task and what followed from them. For a sketch they are tens of megabytes,
 * so whoever needs it reads it by itself.
 */
export interface StoredDrawn {
  /** The blinding values and this server's noise, sealed; drawn once, wiped when the task ends. */
  readonly sealedBlinding: Uint8Array | null;
  /** The exact blinded ciphertexts, so that a repeated unblinding request is byte-identical. */
  readonly blinded: Uint8Array | null;
}

/**
 * The set of records that the CSP was asked to take as final. Kept before it is asked, for a lost answer:
 * what it has fixed once it will never take otherwise, and what it may have fixed nobody may change here.
 */
export interface Fixation {
  readonly verifiedOwners: number;
  /** The root of the ContributionTree over them. */
  readonly contributionsRoot: Digest;
  /** Says whether the CSP has said so; from then on nothing changes. */
  readonly isFixed: boolean;
}

/** The facts that are kept of the newest list of revoked owners, beside these. */
export interface StoredRevocations {
  readonly number: number;
  /** The time by the CSP's clock, as toISOString writes it. */
  readonly issuedAt: string;
}

/** A task's provenance as far as it is known, member by member as it gets known. */
export interface StoredProvenance {
  /** The CSP's signed statement of which records it verified, once the task is `unblinded`. */
  readonly statement?: string;
  /**
   * The digest of a task that is `decomposed` or further, which is registered at the CSP, drawn once and kept
   * before it is sent. Without salt, it is of no projection.
   */
  readonly projectionDigest?: Digest;
  readonly salt?: Digest;
  readonly countersignature?: string;
}

export type Entered = Readonly<Partial<Record<TaskState, string>>>;

/** The part of a task that is shown while it goes on: little, since it is read again and again. */
export type WatchedTask = Pick<
  StoredTask,
  | 'task'
  | 'state'
  | 'contributions'
  | 'lastSequence'
  | 'failure'
  | 'timings'
  | 'entered'
  | 'activity'
  | 'fixation'
> & {
  /** The most frequent first. */
  readonly refused: readonly Refused[];
};

/** Uploads that were refused with a code: how many, and when the last, ISO 8601. */
export interface Refused {
  readonly code: ErrorCode;
  readonly count: number;
  readonly lastAt: string;
}

/** The part of each task that a list of tasks has. */
export type ListedTask = Pick<StoredTask, 'task' | 'state' | 'contributions'>;

/** The activity of the process that works on a task at the moment, for whoever asks. */
export type Activity = Pick<TaskStatus, 'waiting' | 'progress'>;

export interface StoredContribution {
  readonly ownerId: OwnerId;
  /** This and the receipt are empty of an owner who withdrew before a contribution came. */
  readonly digest: Digest | '';
  readonly receipt: string;
  readonly withdrawn: boolean;
}

/** An owner in a task. */
export type StoredOwner = Omit<StoredContribution, 'digest'> & { readonly sequence: number };

export interface NewContribution {
  readonly ownerId: OwnerId;
  readonly digest: Digest;
  /** Ciphertexts; none of a contribution that has come in pieces. */
  readonly bytes: Uint8Array;
  /** The id of the upload that it is, if it has come in pieces. */
  readonly uploadId?: number;
  /** The owner-signed record. */
  readonly record: string;
  readonly receipt: string;
}

/**
 * A contribution that comes in pieces, as far as it has come. Pieces are only ever added to it: what an owner
 * begins again, with another digest, has another id.
 */
export interface StoredUpload {
  readonly id: number;
  /** The digest that the owner's record says; whether the pieces have it is known once all are there. */
  readonly digest: Digest;
  /** The number of pieces: 0, 1, … up to this. */
  readonly pieces: number;
}

/** The next piece of a contribution. */
export interface NewPiece {
  readonly ownerId: OwnerId;
  readonly digest: Digest;
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * Contributions get sequence numbers 1, 2, 3, … as they are stored; batch i of a task is those of a fixed
 * stretch of numbers, less what was withdrawn.
 */
export interface Batch {
  /** 0, 1, 2, … */
  readonly number: number;
  /** The first and the last sequence number. */
  readonly first: number;
  readonly last: number;
}

/** The product of a batch's ciphertexts, position by position. */
export interface PartialProduct {
  readonly batch: Batch;
  /** The number of contributions that went into it. */
  readonly contributions: number;
  /** Ciphertexts; null for no contribution, and where they are in pieces. */
  readonly bytes: Uint8Array | null;
  /** The product of contributions that have come in pieces, if there are any, piece by piece. */
  readonly pieces?: readonly Uint8Array[];
}

/** The changes when a stage of the computation is complete. */
export interface StageResult {
  readonly to: TaskState;
  readonly sealedBlinding?: Uint8Array;
  readonly blinded?: Uint8Array;
  readonly projection?: string;
  /** The provenance that gets known of it, beside what is known. */
  readonly provenance?: StoredProvenance;
  readonly failure?: NonNullable<StoredTask['failure']>;
  /** The time of the stage, added to its earlier runs. */
  readonly timing?: { readonly stage: string; readonly milliseconds: number };
}

export interface DataUserStore extends AnswerStore {
  readonly operators: OperatorStore;
  /** Stores a task as proposed; no change if there is one with its id. */
  insertTask(task: Task): Promise<void>;
  task(taskId: TaskId): Promise<StoredTask | undefined>;
  /** Reads the state alone, for whoever asks again and again: a task of thousands of features is long. */
  state(taskId: TaskId): Promise<TaskState | undefined>;
  /** One member of it; null where nothing is drawn, or not any more. */
  drawn(taskId: TaskId, member: keyof StoredDrawn): Promise<Uint8Array | null>;
  watched(taskId: TaskId): Promise<WatchedTask | undefined>;
  /** The task that is done and whose projection was registered with this digest. */
  taskOfProjection(digest: Digest): Promise<StoredTask | undefined>;
  /** Adds to what was refused; what is of no task is dropped. */
  addRefused(refused: readonly (Refused & { readonly taskId: TaskId })[]): Promise<void>;
  /**
   * Up to `limit` tasks, the one proposed last first; with `before` only those that were proposed before it,
   * and with a text in `sought` only those whose id or title has it, in upper or lower case.
   */
  tasks(page: {
    readonly before: TaskId | null;
    readonly sought: string;
    readonly limit: number;
  }): Promise<ListedTask[]>;
  /** Tasks with something left to do: neither open nor final, or final without the CSP knowing of it. */
  unfinishedTasks(): Promise<TaskId[]>;
  /** Opens a task if it is still proposed; returns whether it was. */
  openTask(taskId: TaskId, agreement: string): Promise<boolean>;

  /**
   * Stores contributions that have come together, in one transaction. For each it returns what the owner then
   * has: this contribution, or the one that it had before; or why it was not taken: ERR_OWNER_REVOKED,
   * ERR_TASK_CLOSED, ERR_TASK_CANCELLED, ERR_TASK_FULL or, of one whose upload is not there any more,
   * ERR_CONTRIBUTION_INCOMPLETE.
   * @throws ERR_TASK_UNKNOWN
   */
  insertContributions(
    taskId: TaskId,
    contributions: readonly NewContribution[],
  ): Promise<(StoredContribution | CodedError)[]>;
  contribution(taskId: TaskId, ownerId: OwnerId): Promise<StoredContribution | undefined>;

  upload(taskId: TaskId, ownerId: OwnerId): Promise<StoredUpload | undefined>;
  /**
   * Adds the next piece to an owner's contribution and returns how many there are; one that is there already
   * is no change. The first piece of another digest takes the place of all that was there.
   * @throws ERR_CONTRIBUTION_INCOMPLETE for one that is not the next, and what insertContributions says of an
   *   owner who may not contribute
   */
  addPiece(taskId: TaskId, piece: NewPiece): Promise<number>;
  /** A piece's ciphertexts; undefined if the upload is not there any more. */
  uploadedPiece(uploadId: number, number: number): Promise<Uint8Array | undefined>;
  /** Deletes an upload that is not a contribution. */
  dropUpload(uploadId: number): Promise<void>;
  /**
   * The receipts of at most `most` contributions that count, evenly from the first to the last, each with how
   * many there were with it, in the order in which they were stored.
   */
  arrivals(
    taskId: TaskId,
    most: number,
  ): Promise<{ readonly receipt: string; readonly contributions: number }[]>;
  /**
   * Up to `limit` owners with sequence numbers above `after`, in their order, those who withdrew among them;
   * the receipt is empty as of a StoredContribution.
   */
  owners(taskId: TaskId, after: number, limit: number): Promise<StoredOwner[]>;
  /**
   * Marks the owner as withdrawn and destroys its contribution, if the task is open. An owner without one is
   * marked all the same, since its contribution may still be on the way.
   * @throws ERR_TASK_CLOSED, ERR_TASK_CANCELLED, ERR_CONTRIBUTION_UNKNOWN of a task that is no longer open,
   *   to an owner who is not in it
   */
  withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void>;

  /**
   * Remembers owners as revoked, for good, and the list that says so if it is newer than what is kept.
   * Returns how many are new.
   */
  keepRevocations(list: StoredRevocations, owners: readonly OwnerId[]): Promise<number>;
  revocations(): Promise<StoredRevocations | undefined>;
  isRevoked(ownerId: OwnerId): Promise<boolean>;
  /** Tasks from which dropRevoked would take something. */
  tasksWithRevoked(): Promise<TaskId[]>;
  /**
   * Destroys the contributions of revoked owners, who count as withdrawn from then on, and the partial
   * products that they are in: of a task that is open, or is closed and the CSP was not asked to fix its
   * records. Returns how many there were.
   */
  dropRevoked(taskId: TaskId): Promise<number>;
  /**
   * Puts `to` in place of `from`, if that is what stands there, the task is `closed` or `blinded`, and it
   * has as many contributions as `to` says; returns whether it did.
   */
  setFixation(taskId: TaskId, from: Fixation | null, to: Fixation | null): Promise<boolean>;

  /**
   * Closes an open task if it has its minimum of contributions; no change if it is closed or further. With
   * `byItself`, the time that it is, only if the task then closes without its operator. Returns whether it
   * was closed by this.
   * @throws ERR_MINIMUM_OWNERS (the task stays open), ERR_TASK_CANCELLED, ERR_TASK_CLOSED for one that failed
   *   or never opened
   */
  closeTask(taskId: TaskId, byItself?: Date): Promise<boolean>;
  /** The open tasks that close without their operator, some time. */
  closingTasks(): Promise<ListedTask[]>;

  /**
   * Up to `limit` contributions that count, of owners whose ids come after `after`, in the order of their
   * ids' characters. They stay when their ciphertexts are gone.
   */
  contributions(taskId: TaskId, after: OwnerId | '', limit: number): Promise<TreeContribution[]>;
  /**
   * Up to `limit` records of contributions that count, with sequence numbers above `after`, in their order.
   */
  records(
    taskId: TaskId,
    after: number,
    limit: number,
  ): Promise<{ readonly sequence: number; readonly record: string }[]>;
  /**
   * Remembers that the CSP has all records with sequence numbers up to `sequence`; what was remembered never
   * goes back.
   */
  noteRecordsSent(taskId: TaskId, sequence: number): Promise<void>;
  /**
   * Up to `limit` ciphertexts of contributions that count, with sequence numbers above `after` and up to
   * `last`, in their order; of contributions that have come in pieces, those of one piece.
   */
  ciphertexts(
    taskId: TaskId,
    after: number,
    last: number,
    limit: number,
    piece?: number,
  ): Promise<{ readonly sequence: number; readonly bytes: Uint8Array }[]>;

  /**
   * Stores a batch's partial product and marks the contributions in it, if the task is `closed` and the batch
   * has none yet; returns whether it did.
   * @throws Error when it is not of exactly the contributions that count and have no mark
   */
  completeBatch(taskId: TaskId, product: PartialProduct): Promise<boolean>;
  /** The numbers of the batches that have their partial product. */
  completedBatches(taskId: TaskId): Promise<number[]>;
  /**
   * Up to `limit` partial products of batches above `after`, in their order; with `piece`, `bytes` are those
   * of this piece.
   */
  partialProducts(taskId: TaskId, after: number, limit: number, piece?: number): Promise<PartialProduct[]>;

  /**
   * Moves a task on if it is still in state `from`; returns whether it was. Final states destroy what was
   * drawn, and so does the way back to `closed`; the answer goes with the state `unblinded`.
   */
  advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean>;
  /**
   * Deletes the ciphertexts, partial products and records of up to `limit` contributions of a final task, and
   * one upload; returns whether some are left. What protects against replay stays: who has contributed, the
   * digest and the receipt.
   */
  eraseContributions(taskId: TaskId, limit: number): Promise<boolean>;
  markEndedAtCsp(taskId: TaskId): Promise<void>;

  /**
   * Need not be durable: it is written again as it changes. No change when nothing is left to do: what comes
   * late would stay.
   */
  setActivity(taskId: TaskId, activity: Activity): Promise<void>;
  /** Counts a fault of the two-party computation and returns how many there were. */
  addFault(taskId: TaskId): Promise<number>;
  /**
   * Counts a run of an unblinded task's one answer that has come to the first matrix, and returns how many
   * there were; 0 where there is no answer any more.
   */
  countRun(taskId: TaskId): Promise<number>;
  /** Goes over the sealed blinding values and seeds, see SealedStore. */
  reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** The places for which a task's blinding values and the seed of its one answer are sealed. */
export const blindingPlace = (taskId: string) => `data-user/tasks/${taskId}/blinding`;

export const answerPlace = (taskId: string) => `data-user/tasks/${taskId}/answer`;
