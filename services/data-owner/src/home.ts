/** The owner's state in a folder that the owner alone can read. */
import { PrivateFolder } from '@eigenveil/command';
import type { TaskId } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { z } from 'zod';
import { LedgerEntry } from './ledger.ts';
import {
  digestOfData,
  Enrolment,
  newDataKey,
  type OwnerState,
  type PendingContribution,
  SeriesEntry,
  type SeriesState,
} from './state.ts';

/** A pending contribution as a file has it. */
const StoredContribution = z.strictObject({
  record: z.string(),
  bytes: z.base64(),
  /** Absent in a folder of the first release. */
  dataDigest: z.string().optional(),
  sourceDigest: z.string().optional(),
});

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

  /** `folder` is created when something is first written to it. All methods throw ERR_OWNER_HOME when it cannot be used. */
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

  async pending(taskId: TaskId): Promise<PendingContribution | undefined> {
    const stored = await this.#folder.read(pendingFile(taskId), StoredContribution);
    return stored && { ...stored, bytes: Buffer.from(stored.bytes, 'base64') };
  }

  async keepPending(taskId: TaskId, fresh: PendingContribution): Promise<PendingContribution> {
    const bytes = Buffer.from(fresh.bytes).toString('base64');
    const isFirst = await this.#folder.writeFirst(pendingFile(taskId), { ...fresh, bytes });
    return isFirst ? fresh : ((await this.pending(taskId)) ?? fresh);
  }

  async discardPending(taskId: TaskId): Promise<void> {
    await this.#folder.remove(pendingFile(taskId));
  }

  async digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string> {
    const key = await this.#folder.madeOnce('data-key.json', z.base64url().length(43), () =>
      Buffer.from(newDataKey()).toString('base64url'),
    );
    return digestOfData(Buffer.from(key, 'base64url'), taskId, values);
  }

  async hasWithdrawn(taskId: TaskId): Promise<boolean> {
    return (await this.#folder.read(withdrawalFile(taskId), z.literal('withdrawn'))) !== undefined;
  }

  async beginWithdrawal(taskId: TaskId): Promise<void> {
    await this.#folder.write(withdrawalFile(taskId), 'withdrawn');
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

  async ledger(): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for (;;) {
      const entry = await this.#folder.read(ledgerFile(entries.length), LedgerEntry);
      if (entry === undefined) return entries;
      entries.push(entry);
    }
  }

  /** A file for each entry: that it is made whole or not at all, and once, is all that several processes need. */
  addToLedger(entry: LedgerEntry, length: number): Promise<boolean> {
    return this.#folder.writeFirst(ledgerFile(length), entry);
  }
}

const ledgerFile = (length: number) => `budget-${String(length + 1).padStart(6, '0')}.json`;
const pendingFile = (taskId: TaskId) => `contribution-${taskId}.json`;
const receiptFile = (taskId: TaskId) => `receipt-${taskId}.json`;
const withdrawalFile = (taskId: TaskId) => `withdrawal-${taskId}.json`;
const seriesFile = (seriesId: TaskId, before: number) => `series-${seriesId}-${before}.json`;
