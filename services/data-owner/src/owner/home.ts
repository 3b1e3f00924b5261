/** The owner's state in a folder that only the owner can read. */
import { randomBytes } from 'node:crypto';
import { COMMAND_CODES, PrivateFolder } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import {
  CODES,
  generatePrivateJwk,
  importSigningKey,
  PrivateJwk,
  type Receipt,
  type SigningKey,
} from '@eigenveil/wire';
import { z } from 'zod';
import { LedgerEntry } from '../budget/ledger.ts';
import { OwnerPolicy } from './policy.ts';
import {
  digestOfData,
  Enrolment,
  type Kept,
  newDataKey,
  type OwnerState,
  type PendingContribution,
  SeriesEntry,
  type SeriesState,
  Withdrawal,
} from './state.ts';

/** A pending contribution as a file has it. The bytes of a long one are in a file of their own. */
const StoredContribution = z.strictObject({
  record: z.string(),
  bytes: z.base64().optional(),
  bytesFile: z.string().optional(),
  dataDigest: z.string(),
});

/**
 * A record of how this owner contributed to a task that it has a receipt for. Later commands about the task
 * read it.
 */
const Contributed = z.strictObject({
  policy: OwnerPolicy,
  /** The digest of the statistics that were contributed, see OwnerState.digestOfData. */
  dataDigest: z.string(),
});
type Contributed = z.infer<typeof Contributed>;

export class OwnerHome implements OwnerState {
  readonly isDurable = true;
  readonly canComeBack = true;
  readonly series: SeriesState = {
    entries: async (seriesId) => {
      const entries: SeriesEntry[] = [];
      for (;;) {
        const entry = await this.#folder.read(seriesFile(seriesId, entries.length), SeriesEntry);
        if (entry === undefined) return entries;
        entries.push(entry);
      }
    },
    keep: async (before, entry) => {
      const file = seriesFile(entry.seriesId, before);
      const isFirst = await this.#folder.writeFirst(file, entry);
      return isFirst ? entry : ((await this.#folder.read(file, SeriesEntry)) ?? entry);
    },
  };
  readonly #folder: PrivateFolder;
  readonly #bytesFiles = new WeakMap<Blob, string>();

  /**
   * `folder` is created when something is first written to it. All methods throw ERR_OWNER_HOME when it
   * cannot be used.
   */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_OWNER_HOME');
  }

  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  enrolment(): Promise<Enrolment | undefined> {
    return this.#folder.read('enrolment.json', Enrolment);
  }

  async saveEnrolment(enrolment: Enrolment): Promise<void> {
    await this.#folder.write('enrolment.json', enrolment);
  }

  async pending(taskId: TaskId): Promise<PendingContribution<Kept> | undefined> {
    const stored = await this.#folder.read(pendingFile(taskId), StoredContribution);
    if (stored === undefined) return undefined;
    const { bytes = '', bytesFile, ...rest } = stored;
    if (bytesFile === undefined) return { ...rest, bytes: Buffer.from(bytes, 'base64') };
    const blob = await this.#folder.bytes(bytesFile);
    // A contribution that has been signed and may have been taken must not be made again.
    if (blob === undefined)
      throw new CodedError(
        COMMAND_CODES.ERR_OWNER_HOME,
        `"${bytesFile}" expected: put back the copy that you keep`,
      );
    return { ...rest, bytes: blob };
  }

  async keepBytes(taskId: TaskId, parts: AsyncIterable<Uint8Array>): Promise<Blob> {
    const file = `${bytesPrefix(taskId)}${randomBytes(8).toString('hex')}.bin`;
    await this.#folder.writeParts(file, parts);
    const blob = (await this.#folder.bytes(file))!;
    this.#bytesFiles.set(blob, file);
    return blob;
  }

  /** Keeps the contribution. Its bytes, if they are a Blob, must come from `keepBytes`. */
  async keepPending(taskId: TaskId, fresh: PendingContribution<Kept>): Promise<PendingContribution<Kept>> {
    const { bytes, ...rest } = fresh;
    const bytesFile = bytes instanceof Blob ? this.#bytesFiles.get(bytes)! : undefined;
    const stored = bytes instanceof Blob ? { bytesFile } : { bytes: Buffer.from(bytes).toString('base64') };
    if (await this.#folder.writeFirst(pendingFile(taskId), { ...rest, ...stored })) return fresh;
    if (bytesFile !== undefined) await this.#folder.remove(bytesFile);
    return (await this.pending(taskId)) ?? fresh;
  }

  async discardPending(taskId: TaskId): Promise<void> {
    await this.#folder.remove(pendingFile(taskId)); // first: what it names must be there
    await this.#folder.removeAll(bytesPrefix(taskId));
  }

  async digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string> {
    const key = await this.#folder.madeOnce('data-key.json', z.base64url().length(43), () =>
      Buffer.from(newDataKey()).toString('base64url'),
    );
    return digestOfData(Buffer.from(key, 'base64url'), taskId, values);
  }

  withdrawal(taskId: TaskId): Promise<Withdrawal | undefined> {
    return this.#folder.read(withdrawalFile(taskId), Withdrawal);
  }

  async keepWithdrawal(taskId: TaskId, withdrawal: Withdrawal): Promise<void> {
    await this.#folder.write(withdrawalFile(taskId), withdrawal);
  }

  async endWithdrawal(taskId: TaskId): Promise<void> {
    await this.#folder.remove(withdrawalFile(taskId));
  }

  receipt(taskId: TaskId): Promise<string | undefined> {
    return this.#folder.read(receiptFile(taskId), z.string());
  }

  async saveReceipt(taskId: TaskId, receipt: string): Promise<void> {
    await this.#folder.write(receiptFile(taskId), receipt);
    await this.discardPending(taskId);
  }

  /** Returns undefined also for a contribution that another program made. */
  contributed(taskId: TaskId): Promise<Contributed | undefined> {
    return this.#folder.read(contributedFile(taskId), Contributed);
  }

  async keepContributed(taskId: TaskId, how: Contributed): Promise<void> {
    await this.#folder.write(contributedFile(taskId), how);
  }

  async ledger(): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (;;) {
      const entry = await this.#folder.read(ledgerFile(entries.length), LedgerEntry);
      if (entry === undefined) return entries;
      entries.push(entry);
    }
  }

  /**
   * Writes one file per entry. A file is made whole or not at all, and only once, which is all that several
   * processes need.
   */
  addToLedger(entry: LedgerEntry, length: number): Promise<boolean> {
    return this.#folder.writeFirst(ledgerFile(length), entry);
  }
}

const ledgerFile = (length: number) => `budget-${String(length + 1).padStart(6, '0')}.json`;
const bytesPrefix = (taskId: TaskId) => `contribution-${taskId}-`;
const pendingFile = (taskId: TaskId) => `contribution-${taskId}.json`;
const contributedFile = (taskId: TaskId) => `contributed-${taskId}.json`;
const receiptFile = (taskId: TaskId) => `receipt-${taskId}.json`;
const withdrawalFile = (taskId: TaskId) => `withdrawal-${taskId}.json`;
const seriesFile = (seriesId: TaskId, before: number) => `series-${seriesId}-${before}.json`;

/**
 * Refuses other rows for a task with a receipt than those that were contributed. Rows of a file that is gone
 * since are not compared.
 * @param digestOf reads the rows, and returns the digest of their statistics
 * @throws ERR_CONTRIBUTION_CONFLICT, and as `digestOf`
 */
export async function requireSameRows(
  home: OwnerHome,
  { taskId, receivedAt }: Receipt,
  title: string,
  digestOf: () => Promise<string>,
): Promise<void> {
  const before = (await home.contributed(taskId))?.dataDigest;
  if (before === undefined) return;
  const now = await digestOf().catch((error: unknown) => {
    if (isOfMissingFile(error)) return before;
    throw error;
  });
  if (now === before) return;
  throw new CodedError(
    CODES.ERR_CONTRIBUTION_CONFLICT,
    `${title} has other rows than those that were contributed, with the receipt of ${receivedAt}: nothing of it was sent, since a task takes one contribution of an owner`,
  );
}

const isOfMissingFile = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'ENOENT') ||
    (error.cause !== undefined && isOfMissingFile(error.cause)));
