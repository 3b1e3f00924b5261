/**
 * The data that the owner's page keeps in the browser, in IndexedDB of its origin. It is on the disk before
 * the promise of a write resolves (durability `strict`, as far as the browser and the system keep that
 * promise), either completely or not at all.
 */
import type {
  LedgerEntry,
  OwnerPolicy,
  PendingContribution,
  SeriesEntry,
  Withdrawal,
} from '@eigenveil/data-owner/portable';
import { CodedError, isOf } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import type { PublicJwk } from '@eigenveil/wire';
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import { DEVICE_CODES } from './codes.ts';

/**
 * A key that this page can use and nobody can take out of the browser, as far as the browser keeps that
 * promise.
 */
export interface StoredKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: PublicJwk;
}

/** A task that the owner wants to see, and the address of its data user. */
export interface KnownTask {
  readonly dataUser: string;
  /** The title as the CSP has signed it; absent before the task was shown, and where it has none. */
  readonly title?: string;
  /** The CSP has signed both; they are absent before the task was shown. */
  readonly deadline?: string;
  readonly releaseToOwners?: boolean;
  /** The time in ISO 8601. */
  readonly addedAt: string;
}

/** Members of a policy with the values that they should have; null: none. */
export type PolicyChange = Readonly<Record<string, unknown>>;

export interface OwnerDatabase extends DBSchema {
  /** Each value exists at most once, by its name. */
  key: { key: 'key'; value: StoredKey };
  enrolment: { key: 'enrolment'; value: unknown };
  dataKey: { key: 'dataKey'; value: Uint8Array };
  policy: { key: 'policy'; value: OwnerPolicy };
  /** Members of the policy that count for one task alone, as they replace those of the policy. */
  exceptions: { key: TaskId; value: PolicyChange };
  /**
   * `moved` says when the owner left this device, `saved` when somebody at the page has said that the transfer
   * file is saved; `bare` says that the key came here without a record of its contributions.
   */
  marks: { key: 'moved' | 'saved' | 'bare'; value: string };
  pending: { key: TaskId; value: PendingContribution };
  receipts: { key: TaskId; value: string };
  withdrawals: { key: TaskId; value: Withdrawal };
  tasks: { key: TaskId; value: KnownTask };
  /** Entries are numbered from 0. */
  ledger: { key: number; value: LedgerEntry };
  /** Entries are found by their series and their place in it, from 0. */
  series: { key: [TaskId, number]; value: SeriesEntry };
}

export type Store = StoreNames<OwnerDatabase>;
export const STORES = [
  'key',
  'enrolment',
  'dataKey',
  'policy',
  'exceptions',
  'marks',
  'pending',
  'receipts',
  'withdrawals',
  'tasks',
  'ledger',
  'series',
] as const satisfies readonly Store[];

export type Transaction = IDBPTransaction<OwnerDatabase, typeof STORES, 'readwrite'>;

export class Database {
  readonly #db: IDBPDatabase<OwnerDatabase>;

  private constructor(db: IDBPDatabase<OwnerDatabase>) {
    this.#db = db;
  }

  /** @throws ERR_OWNER_HOME where the browser keeps nothing for this page */
  static async open(name = 'eigenveil-owner'): Promise<Database> {
    try {
      const db = await openDB<OwnerDatabase>(name, 4, {
        upgrade: (db) => {
          for (const store of STORES) if (!db.objectStoreNames.contains(store)) db.createObjectStore(store);
        },
        // A newer page wants to change the form of the data.
        blocking: (_from, _to, event) => (event.target as IDBDatabase).close(),
      });
      return new Database(db);
    } catch (cause) {
      throw unusable(cause);
    }
  }

  close(): void {
    this.#db.close();
  }

  /** @throws ERR_OWNER_HOME */
  async read<T>(
    work: (transaction: IDBPTransaction<OwnerDatabase, typeof STORES>) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(this.#db.transaction(STORES));
    } catch (cause) {
      throw unusable(cause);
    }
  }

  /**
   * Writes all that `work` puts, or nothing of it if it throws. `work` may wait only for this transaction.
   * @throws ERR_OWNER_HOME, and as `work`
   */
  async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let transaction: Transaction;
    try {
      transaction = this.#db.transaction(STORES, 'readwrite', { durability: 'strict' });
    } catch (cause) {
      throw unusable(cause);
    }
    try {
      const result = await work(transaction);
      await transaction.done;
      return result;
    } catch (cause) {
      transaction.done.catch(() => {}); // reports the same failure once more
      try {
        transaction.abort();
      } catch {
        // The transaction has ended by itself.
      }
      throw unusable(cause);
    }
  }
}

function unusable(cause: unknown): CodedError {
  if (isOf(DEVICE_CODES, cause)) return cause;
  return new CodedError(
    DEVICE_CODES.ERR_OWNER_HOME,
    'this browser keeps nothing for this page, which must not forget what it sends: leave private browsing, allow the site to keep data, or make room on the disk, and load the page again',
    { cause },
  );
}
