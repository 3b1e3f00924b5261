/**
 * The memory of an owner between its steps: its signing key, its enrolment, contributions that have no
 * receipt yet, receipts, withdrawals, and the ledger of its budgets. OwnerHome keeps it in a folder,
 * MemoryOwnerState as long as the process lives.
 */
import { CodedError, hmacSha256Hasher, randomBytes, toBase64url, words } from '@eigenveil/platform';
import { type Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  Digest,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  PublicJwk,
  ServiceUrl,
  type SigningKey,
} from '@eigenveil/wire';
import { z } from 'zod';
import type { LedgerEntry } from '../budget/ledger.ts';
import { member, ownerTerm } from './terms.ts';

/** The data that enrolment leaves behind. */
export const Enrolment = z.strictObject({
  ownerId: OwnerId,
  ownerToken: z.string(),
  /** The CSP's identity key, checked against the pinned thumbprint at enrolment. */
  cspKey: PublicJwk,
  /** The CSP's address at enrolment, and the certificates to trust there. */
  csp: z.strictObject({ url: ServiceUrl, ca: z.string().optional() }),
});
export type Enrolment = z.infer<typeof Enrolment>;

/** An encrypted contribution and its signed record, ready to be sent as often as it takes. */
export interface PendingContribution<Bytes = Uint8Array> {
  readonly record: string;
  readonly bytes: Bytes;
  /** The digest of the statistics that were encrypted, see digestOfData. */
  readonly dataDigest: string;
}

/** Bytes in memory, or bytes of a file that are read when they are asked for. */
export type Kept = Uint8Array | Blob;

/** A task of a series that this owner has contributed to, or was about to contribute to. */
export const SeriesEntry = z.strictObject({
  seriesId: TaskId,
  number: z.int().min(0),
  taskId: TaskId,
  taskDigest: Digest,
  parametersDigest: Digest,
  /** The ε of the task's guarantee; null: it has none. */
  epsilon: z.number().nullable(),
  /** The time of the contribution, by this machine's clock. */
  at: z.iso.datetime(),
});
export type SeriesEntry = z.infer<typeof SeriesEntry>;

/** The contributions of the owner to each series. Entries are only ever added. */
export interface SeriesState {
  /** Returns the entries of a series in their order. */
  entries(seriesId: TaskId): Promise<readonly SeriesEntry[]>;
  /**
   * Keeps the entry as the one after `before` others, and returns it; or returns the entry that is already
   * there, if somebody was faster.
   */
  keep(before: number, entry: SeriesEntry): Promise<SeriesEntry>;
}

/**
 * The stage of a withdrawal: `confirmed` once the CSP has said that this owner's record does not count. Until
 * then the contribution may count.
 */
export const Withdrawal = z.enum(['begun', 'confirmed']);
export type Withdrawal = z.infer<typeof Withdrawal>;

export interface OwnerState {
  /**
   * Absent in a state that forgets, or keeps no series: then the owner takes part in no renewal of a task.
   */
  readonly series?: SeriesState;
  /** True if the state outlives the process. A guarantee of differential privacy needs that. */
  readonly isDurable: boolean;
  /**
   * True if an earlier state may come back with the same key, as from a backup. Then the CSP's counter tells.
   */
  readonly canComeBack: boolean;
  /** Returns the owner's signing key, which is made on first use. */
  signingKey(): Promise<SigningKey>;
  enrolment(): Promise<Enrolment | undefined>;
  saveEnrolment(enrolment: Enrolment): Promise<void>;
  pending(taskId: TaskId): Promise<PendingContribution<Kept> | undefined>;
  /**
   * Puts the bytes of a long contribution where they take no memory, for keepPending. Absent in a state that
   * has no such place.
   */
  keepBytes?(taskId: TaskId, parts: AsyncIterable<Uint8Array>): Promise<Blob>;
  /**
   * Keeps a contribution and returns the one to send: this one, or the one that was kept meanwhile, since
   * only one can be taken.
   */
  keepPending(taskId: TaskId, fresh: PendingContribution<Kept>): Promise<PendingContribution<Kept>>;
  discardPending(taskId: TaskId): Promise<void>;
  /**
   * Returns a digest for one task under a secret of the state. It tells whether statistics are those that
   * were contributed, or are pending, without keeping them: the same rows in another order, from another
   * file or a query are the same contribution.
   */
  digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string>;
  /** Returns how far the owner's withdrawal from the task is; undefined: it has begun none. */
  withdrawal(taskId: TaskId): Promise<Withdrawal | undefined>;
  /** Keeps how far it is: `begun` before anybody is told, so that a lost answer leaves no doubt. */
  keepWithdrawal(taskId: TaskId, withdrawal: Withdrawal): Promise<void>;
  /**
   * Forgets the withdrawal, since it was refused: the contribution counts, or there is nothing to withdraw
   * from.
   */
  endWithdrawal(taskId: TaskId): Promise<void>;
  receipt(taskId: TaskId): Promise<string | undefined>;
  /** Keeps the receipt; the contribution need not be sent again. */
  saveReceipt(taskId: TaskId, receipt: string): Promise<void>;
  /** Returns the entries of the ledger in their order. */
  ledger(): Promise<readonly LedgerEntry[]>;
  /**
   * Adds an entry, durably, if there are exactly `length` before it, and returns whether it did. If several
   * processes add at the same time, exactly one of them does.
   */
  addToLedger(entry: LedgerEntry, length: number): Promise<boolean>;
}

/**
 * Refuses tasks under differential privacy with a state that ends with the process. A guarantee counts every
 * row once and draws its noise once, and such a state could promise neither: the next process would be
 * another owner, who contributes the same rows with other noise.
 * @throws ERR_POLICY
 */
export function checkState({ isDurable }: OwnerState, { differentialPrivacy }: Task): void {
  if (isDurable || differentialPrivacy === null) return;
  throw new CodedError(
    CODES.ERR_POLICY,
    words`${member('differentialPrivacy')} expected null, since ${ownerTerm('memory', 'this state is in memory: after a restart')} the same rows could be contributed once more, with other noise, and the guarantee would not hold${ownerTerm('noHome', '; keep the state in a folder (OwnerHome)')}`,
  );
}

/**
 * Returns whether something was contributed to the task, or may have been. Whatever the policy says by now,
 * nothing takes that back; and the same bytes alone are sent again, unless they are given up.
 */
export async function hasContributed(
  state: Pick<OwnerState, 'receipt' | 'pending'>,
  taskId: TaskId,
  discardPending = false,
): Promise<boolean> {
  if ((await state.receipt(taskId)) !== undefined) return true;
  return !discardPending && (await state.pending(taskId)) !== undefined;
}

export const newDataKey = (): Uint8Array => randomBytes(32);

/**
 * Values are hashed in parts: the text of hundreds of thousands of values would otherwise be in memory as a
 * whole.
 */
const HASHED_AT_ONCE = 4096;

/**
 * Returns a digest under a key, since statistics of few rows could be guessed from a plain digest by somebody
 * who gets only the digest.
 */
export function digestOfData(key: Uint8Array, taskId: TaskId, values: readonly bigint[]): string {
  const mac = hmacSha256Hasher(key).update(`eigenveil/1 data\0${taskId}\0`);
  for (let from = 0; from < values.length; from += HASHED_AT_ONCE) {
    if (from > 0) mac.update(',');
    mac.update(values.slice(from, from + HASHED_AT_ONCE).join(','));
  }
  return toBase64url(mac.digest());
}

/**
 * A state for programs that embed an owner and need no folder. When the process ends, the owner's key is
 * forgotten: the next process enrols with another token as another owner, fetches no result of this owner's
 * tasks, and must not contribute the same rows again. Tasks under differential privacy are refused with it:
 * they promise that a row counts once, and that its noise is drawn once.
 */
export class MemoryOwnerState implements OwnerState {
  readonly isDurable = false;
  readonly canComeBack = false;
  readonly #ledger: LedgerEntry[] = [];
  readonly #dataKey = newDataKey();
  readonly #pending = new Map<TaskId, PendingContribution<Kept>>();
  readonly #withdrawals = new Map<TaskId, Withdrawal>();
  readonly #receipts = new Map<TaskId, string>();
  #key: Promise<SigningKey> | undefined;
  #enrolment: Enrolment | undefined;

  signingKey(): Promise<SigningKey> {
    this.#key ??= generatePrivateJwk().then(importSigningKey);
    return this.#key;
  }

  async enrolment(): Promise<Enrolment | undefined> {
    return this.#enrolment;
  }

  async saveEnrolment(enrolment: Enrolment): Promise<void> {
    this.#enrolment = enrolment;
  }

  async pending(taskId: TaskId): Promise<PendingContribution<Kept> | undefined> {
    return this.#pending.get(taskId);
  }

  async keepPending(taskId: TaskId, fresh: PendingContribution<Kept>): Promise<PendingContribution<Kept>> {
    const kept = this.#pending.get(taskId) ?? fresh;
    this.#pending.set(taskId, kept);
    return kept;
  }

  async discardPending(taskId: TaskId): Promise<void> {
    this.#pending.delete(taskId);
  }

  async digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string> {
    return digestOfData(this.#dataKey, taskId, values);
  }

  async withdrawal(taskId: TaskId): Promise<Withdrawal | undefined> {
    return this.#withdrawals.get(taskId);
  }

  async keepWithdrawal(taskId: TaskId, withdrawal: Withdrawal): Promise<void> {
    this.#withdrawals.set(taskId, withdrawal);
  }

  async endWithdrawal(taskId: TaskId): Promise<void> {
    this.#withdrawals.delete(taskId);
  }

  async receipt(taskId: TaskId): Promise<string | undefined> {
    return this.#receipts.get(taskId);
  }

  async saveReceipt(taskId: TaskId, receipt: string): Promise<void> {
    this.#receipts.set(taskId, receipt);
    this.#pending.delete(taskId);
  }

  async ledger(): Promise<readonly LedgerEntry[]> {
    return [...this.#ledger];
  }

  async addToLedger(entry: LedgerEntry, length: number): Promise<boolean> {
    if (this.#ledger.length !== length) return false;
    this.#ledger.push(entry);
    return true;
  }
}
