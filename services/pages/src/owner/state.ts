/**
 * The owner's state in the browser: it keeps the same data as OwnerHome in a folder, with the same promises.
 * A contribution is kept before it is sent, and all tabs send the first one that was kept.
 */
import {
  digestOfData,
  Enrolment,
  type LedgerEntry,
  newDataKey,
  OwnerPolicy,
  type OwnerState,
  type PendingContribution,
  type SeriesEntry,
  type SeriesState,
  type Withdrawal,
} from '@eigenveil/data-owner/portable';
import { CodedError } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import { type SigningKey, thumbprintOf } from '@eigenveil/wire';
import { DEVICE_CODES } from './codes.ts';
import { Database, type KnownTask, type PolicyChange, type Transaction } from './database.ts';

/** The state of the owner on this device. */
export interface DeviceStatus {
  /** The thumbprint of the owner's key; null before there is one. */
  readonly thumbprint: string | null;
  readonly enrolment: Enrolment | null;
  /** The time, in ISO 8601, since when the owner is on another device; null if it is here. */
  readonly movedAt: string | null;
  /** True if the owner is on another device, and somebody has said that the transfer file is saved. */
  readonly isTransferSaved: boolean;
  /** True if only the backup of the key came here, so that nobody here knows what it has contributed. */
  readonly isBare: boolean;
  /** True if the browser has promised to keep all this until people delete it. */
  readonly isPersistent: boolean;
}

/** A task that the page knows, and the owner's progress with it. */
export interface TaskEntry extends KnownTask {
  readonly id: TaskId;
  readonly receipt: string | null;
  readonly isPending: boolean;
  readonly withdrawal: Withdrawal | null;
}

/** A task as the CSP has signed it, as far as the list of tasks needs it. */
type ShownTask = Pick<Task, 'deadline' | 'releaseToOwners' | 'title'>;

/** The name of the lock that all tabs of this origin share. */
const LOCK = 'eigenveil-owner';

export class BrowserState implements OwnerState {
  /** The owner can come back by the backup of its key, and by copies of the browser's profile. */
  readonly canComeBack = true;
  readonly series: SeriesState = {
    entries: (seriesId) =>
      this.database.read((it) =>
        it
          .objectStore('series')
          .getAll(IDBKeyRange.bound([seriesId, 0], [seriesId, Number.MAX_SAFE_INTEGER])),
      ),
    keep: (before, entry) =>
      this.#write(async (it): Promise<SeriesEntry> => {
        const store = it.objectStore('series');
        const kept = await store.get([entry.seriesId, before]);
        if (kept !== undefined) return kept;
        await store.put(entry, [entry.seriesId, before]);
        return entry;
      }),
  };
  readonly database: Database;
  #isPersistent: boolean;
  #isBare: boolean;

  private constructor(database: Database, isPersistent: boolean, isBare: boolean) {
    this.database = database;
    this.#isPersistent = isPersistent;
    this.#isBare = isBare;
  }

  /** @throws ERR_OWNER_HOME where the browser keeps nothing */
  static async open(database?: Database): Promise<BrowserState> {
    const opened = database ?? (await Database.open());
    const isBare = await opened.read(async (it) => (await it.objectStore('marks').get('bare')) !== undefined);
    return new BrowserState(opened, await isKept(), isBare);
  }

  /**
   * True if the browser keeps the state until people delete it, and the state is complete. Otherwise an owner
   * could forget its contributions and draw noise again, so tasks under differential privacy are refused.
   */
  get isDurable(): boolean {
    return this.#isPersistent && !this.#isBare;
  }

  /**
   * Asks the browser to keep everything until people delete it. Some browsers ask the person, others decide
   * by how the site is used.
   */
  async persist(): Promise<boolean> {
    this.#isPersistent = (await navigator.storage?.persist?.()) === true;
    return this.#isPersistent;
  }

  /**
   * Does work that no other tab does at the same time.
   * @throws ERR_OWNER_BUSY while one does, and as `work`
   */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    return navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
      if (lock === null)
        throw new CodedError(
          DEVICE_CODES.ERR_OWNER_BUSY,
          'another tab of this page is at work for the same owner: finish there, or close it',
        );
      // The owner may have been moved or restored in another tab, or the browser's promise may have been
      // taken back.
      await this.status();
      return work();
    });
  }

  async status(): Promise<DeviceStatus> {
    this.#isPersistent = await isKept();
    return this.database.read(async (it) => {
      const key = await it.objectStore('key').get('key');
      const enrolment = await it.objectStore('enrolment').get('enrolment');
      const marks = it.objectStore('marks');
      const [movedAt, saved, bare] = await Promise.all([
        marks.get('moved'),
        marks.get('saved'),
        marks.get('bare'),
      ]);
      this.#isBare = bare !== undefined;
      return {
        thumbprint: key === undefined ? null : await thumbprintOf(key.publicJwk),
        enrolment: enrolment === undefined ? null : parsed(Enrolment, enrolment),
        movedAt: movedAt ?? null,
        isTransferSaved: movedAt !== undefined && saved !== undefined,
        isBare: this.#isBare,
        isPersistent: this.#isPersistent,
      };
    });
  }

  async signingKey(): Promise<SigningKey> {
    const key = await this.database.read(async (it) => {
      refuseMoved(await it.objectStore('marks').get('moved'));
      return it.objectStore('key').get('key');
    });
    if (key === undefined)
      throw new CodedError(
        DEVICE_CODES.ERR_OWNER_HOME,
        'there is no key on this device yet: make one, or restore one',
      );
    return { ...key, thumbprint: await thumbprintOf(key.publicJwk) };
  }

  async enrolment(): Promise<Enrolment | undefined> {
    return (await this.status()).enrolment ?? undefined;
  }

  async saveEnrolment(enrolment: Enrolment): Promise<void> {
    await this.#write((it) => it.objectStore('enrolment').put(enrolment, 'enrolment'));
  }

  /** Returns the policy: until the owner changes it, the strictest that the schema has by default. */
  policy(): Promise<OwnerPolicy> {
    return this.database.read(async (it) => {
      const policy = await it.objectStore('policy').get('policy');
      return policy === undefined ? OwnerPolicy.parse({}) : parsed(OwnerPolicy, policy);
    });
  }

  /** Returns the policy as it counts for this task. */
  async policyFor(taskId: TaskId): Promise<OwnerPolicy> {
    const policy = await this.policy();
    const change = await this.database.read((it) => it.objectStore('exceptions').get(taskId));
    return change === undefined ? policy : changed(policy, change);
  }

  /** Has the policy differ for this task alone, from what it says for the task until now. */
  async makeException(taskId: TaskId, change: PolicyChange): Promise<void> {
    await this.#write(async (it) => {
      const store = it.objectStore('exceptions');
      await store.put({ ...(await store.get(taskId)), ...change }, taskId);
    });
  }

  async savePolicy(policy: OwnerPolicy): Promise<void> {
    await this.#write((it) => it.objectStore('policy').put(policy, 'policy'));
  }

  pending(taskId: TaskId): Promise<PendingContribution | undefined> {
    return this.database.read((it) => it.objectStore('pending').get(taskId));
  }

  keepPending(taskId: TaskId, fresh: PendingContribution): Promise<PendingContribution> {
    return this.#write(async (it) => {
      const store = it.objectStore('pending');
      const kept = await store.get(taskId);
      if (kept !== undefined) return kept;
      await store.put(fresh, taskId);
      return fresh;
    });
  }

  async discardPending(taskId: TaskId): Promise<void> {
    await this.#write((it) => it.objectStore('pending').delete(taskId));
  }

  async digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string> {
    const key = await this.#write(async (it) => {
      const store = it.objectStore('dataKey');
      const kept = await store.get('dataKey');
      if (kept !== undefined) return kept;
      const fresh = newDataKey();
      await store.put(fresh, 'dataKey');
      return fresh;
    });
    return digestOfData(key, taskId, values);
  }

  withdrawal(taskId: TaskId): Promise<Withdrawal | undefined> {
    return this.database.read((it) => it.objectStore('withdrawals').get(taskId));
  }

  async keepWithdrawal(taskId: TaskId, withdrawal: Withdrawal): Promise<void> {
    await this.#write((it) => it.objectStore('withdrawals').put(withdrawal, taskId));
  }

  async endWithdrawal(taskId: TaskId): Promise<void> {
    await this.#write((it) => it.objectStore('withdrawals').delete(taskId));
  }

  receipt(taskId: TaskId): Promise<string | undefined> {
    return this.database.read((it) => it.objectStore('receipts').get(taskId));
  }

  async saveReceipt(taskId: TaskId, receipt: string): Promise<void> {
    await this.#write(async (it) => {
      await it.objectStore('receipts').put(receipt, taskId);
      await it.objectStore('pending').delete(taskId);
    });
  }

  ledger(): Promise<readonly LedgerEntry[]> {
    return this.database.read((it) => it.objectStore('ledger').getAll());
  }

  addToLedger(entry: LedgerEntry, length: number): Promise<boolean> {
    return this.#write(async (it) => {
      const store = it.objectStore('ledger');
      if ((await store.count()) !== length) return false;
      await store.put(entry, length);
      return true;
    });
  }

  /** Remembers a task that the owner wants to see, another address of its data user, or what it was shown. */
  async addTask(taskId: TaskId, dataUser: string, shown?: ShownTask): Promise<void> {
    await this.#write(async (it) => {
      const store = it.objectStore('tasks');
      const known = { addedAt: new Date().toISOString(), ...(await store.get(taskId)) };
      await store.put({ ...known, dataUser, ...(shown && listed(shown)) }, taskId);
    });
  }

  /**
   * Takes a task off the list. The owner's receipt, what it prepared, its withdrawal and what its rows have
   * spent are kept.
   */
  async removeTask(taskId: TaskId): Promise<void> {
    await this.#write(async (it) => {
      await it.objectStore('tasks').delete(taskId);
      await it.objectStore('exceptions').delete(taskId);
    });
  }

  /** Remembers that the transfer file is saved, which the owner's other device needs. */
  async confirmTransfer(): Promise<void> {
    await this.database.write((it) => it.objectStore('marks').put(new Date().toISOString(), 'saved'));
  }

  /** Returns the tasks, the latest first. */
  tasks(): Promise<TaskEntry[]> {
    return this.database.read(async (it) => {
      const ids = await it.objectStore('tasks').getAllKeys();
      const entries = await Promise.all(
        ids.map(async (id) => {
          const [task, receipt, pending, withdrawal] = await Promise.all([
            it.objectStore('tasks').get(id),
            it.objectStore('receipts').get(id),
            it.objectStore('pending').count(id),
            it.objectStore('withdrawals').get(id),
          ]);
          return {
            ...task!,
            id,
            receipt: receipt ?? null,
            isPending: pending > 0,
            withdrawal: withdrawal ?? null,
          };
        }),
      );
      return entries.sort((a, b) => (a.addedAt < b.addedAt ? 1 : -1));
    });
  }

  /** Writes with `work`. Nothing is written or signed once the owner is on another device. */
  #write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.write(async (it) => {
      refuseMoved(await it.objectStore('marks').get('moved'));
      return work(it);
    });
  }
}

/**
 * Returns whether the browser promises at present to keep this origin's data: people can take that back at
 * any time.
 */
async function isKept(): Promise<boolean> {
  return (await navigator.storage?.persisted?.()) === true;
}

function refuseMoved(movedAt: string | undefined): void {
  if (movedAt === undefined) return;
  throw new CodedError(
    DEVICE_CODES.ERR_OWNER_MOVED,
    'this owner has moved to another device: go on there; here only its receipts are left to be seen',
  );
}

/** Returns what the list of tasks says of one. */
function listed({ title, deadline, releaseToOwners }: ShownTask): Partial<KnownTask> {
  return { deadline, releaseToOwners, ...(title !== undefined && { title }) };
}

/** Returns the policy with these members, and without those whose value is null. */
function changed(policy: OwnerPolicy, change: PolicyChange): OwnerPolicy {
  const members = Object.entries({ ...policy, ...change }).filter(([, value]) => value !== null);
  return parsed(OwnerPolicy, Object.fromEntries(members));
}

function parsed<Value>(
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
  value: unknown,
): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CodedError(
    DEVICE_CODES.ERR_OWNER_HOME,
    'what this browser has kept is not what this page writes: take the newest page, or restore the backup elsewhere',
  );
}
