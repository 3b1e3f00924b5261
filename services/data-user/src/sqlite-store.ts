/** The data user's store in one SQLite file (node:sqlite): every method is one durable transaction. */
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, resealColumn, scrub, transaction } from '@eigenveil/server';
import {
  type Digest,
  type OwnerId,
  ServiceError,
  type Task,
  type TaskId,
  type TaskState,
} from '@eigenveil/wire';
import {
  blindingPlace,
  type DataUserStore,
  FINAL_STATES,
  type StageResult,
  type StoredContribution,
  type StoredTask,
} from './store.ts';

const MIGRATIONS = [
  `
  CREATE TABLE tasks (
    task_id         TEXT PRIMARY KEY,
    task            TEXT NOT NULL,
    state           TEXT NOT NULL,
    agreement       TEXT,
    sealed_blinding BLOB,
    blinded         BLOB,
    projection      TEXT,
    failure         TEXT,
    timings         TEXT NOT NULL DEFAULT '{}',
    ended_at_csp    INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  -- One row per owner and task, kept when its bytes are gone: the primary key is the protection against replay.
  CREATE TABLE contributions (
    task_id   TEXT NOT NULL REFERENCES tasks,
    owner_id  TEXT NOT NULL,
    digest    TEXT NOT NULL,
    bytes     BLOB,
    record    TEXT NOT NULL,
    receipt   TEXT NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task_id, owner_id)
  ) STRICT;
  `,
];

export class SqliteDataUserStore implements DataUserStore {
  readonly #db: DatabaseSync;

  constructor(path: string) {
    this.#db = openDatabase(path, MIGRATIONS);
  }

  async insertTask(task: Task): Promise<void> {
    this.#db
      .prepare(`INSERT INTO tasks (task_id, task, state) VALUES (?, ?, 'proposed')`)
      .run(task.id, JSON.stringify(task));
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return this.#read(taskId);
  }

  async unfinishedTasks(): Promise<TaskId[]> {
    const finals = FINAL_STATES.map((state) => `'${state}'`).join(', ');
    const rows = this.#db
      .prepare(`SELECT task_id FROM tasks WHERE state NOT IN (${finals}) OR ended_at_csp = 0`)
      .all();
    return rows.map((row) => row.task_id as TaskId);
  }

  async openTask(taskId: TaskId, agreement: string): Promise<void> {
    this.#db
      .prepare(`UPDATE tasks SET state = 'open', agreement = ? WHERE task_id = ? AND state = 'proposed'`)
      .run(agreement, taskId);
  }

  async insertContribution(taskId: TaskId, contribution: StoredContribution): Promise<StoredContribution> {
    const { ownerId, digest, bytes, record, receipt } = contribution;
    return transaction(this.#db, () => {
      const known = this.#contribution(taskId, ownerId);
      if (known !== undefined) return known;
      const { maximumOwners } = this.#requireOpen(taskId);
      if (this.#count(taskId) >= maximumOwners) {
        throw new ServiceError(
          'ERR_TASK_FULL',
          `the task has its largest number of owners, ${maximumOwners}`,
        );
      }
      this.#db
        .prepare(
          'INSERT INTO contributions (task_id, owner_id, digest, bytes, record, receipt) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(taskId, ownerId, digest, bytes, record, receipt);
      return contribution;
    });
  }

  async contribution(taskId: TaskId, ownerId: OwnerId): Promise<StoredContribution | undefined> {
    return this.#contribution(taskId, ownerId);
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    transaction(this.#db, () => {
      const known = this.#contribution(taskId, ownerId);
      if (known === undefined)
        throw new ServiceError('ERR_CONTRIBUTION_UNKNOWN', 'the owner has not contributed');
      if (known.withdrawn) return;
      this.#requireOpen(taskId);
      this.#db
        .prepare('UPDATE contributions SET withdrawn = 1, bytes = NULL WHERE task_id = ? AND owner_id = ?')
        .run(taskId, ownerId);
    });
    scrub(this.#db);
  }

  async countContributions(taskId: TaskId): Promise<number> {
    return this.#count(taskId);
  }

  async contributions(taskId: TaskId, after: OwnerId | '', limit: number): Promise<StoredContribution[]> {
    const rows = this.#db
      .prepare(
        `SELECT * FROM contributions WHERE task_id = ? AND owner_id > ? AND bytes IS NOT NULL ORDER BY owner_id LIMIT ?`,
      )
      .all(taskId, after, limit);
    return rows.map(toContribution);
  }

  async closeTask(taskId: TaskId): Promise<void> {
    transaction(this.#db, () => {
      const stored = this.#read(taskId);
      if (stored !== undefined && ['closed', 'blinded', 'unblinded', 'done'].includes(stored.state)) return;
      const { minimumOwners } = this.#requireOpen(taskId);
      const owners = this.#count(taskId);
      if (owners < minimumOwners) {
        throw new ServiceError(
          'ERR_MINIMUM_OWNERS',
          `expected at least ${minimumOwners} contributions, got ${owners}`,
        );
      }
      this.#db.prepare(`UPDATE tasks SET state = 'closed' WHERE task_id = ?`).run(taskId);
    });
  }

  async advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean> {
    const { to, sealedBlinding, blinded, projection, failure, timing } = result;
    const isFinal = FINAL_STATES.includes(to);
    const moved = transaction(this.#db, () => {
      const stored = this.#read(taskId);
      if (stored?.state !== from) return false;
      const timings = { ...stored.timings };
      if (timing) timings[timing.stage] = (timings[timing.stage] ?? 0) + timing.milliseconds;
      this.#db
        .prepare(
          `UPDATE tasks SET state = ?, sealed_blinding = ?, blinded = ?, projection = ?, failure = ?, timings = ?
           WHERE task_id = ?`,
        )
        .run(
          to,
          isFinal ? null : (sealedBlinding ?? stored.sealedBlinding),
          isFinal ? null : (blinded ?? stored.blinded),
          projection ?? stored.projection,
          failure ? JSON.stringify(failure) : null,
          JSON.stringify(timings),
          taskId,
        );
      if (isFinal) this.#db.prepare('UPDATE contributions SET bytes = NULL WHERE task_id = ?').run(taskId);
      return true;
    });
    if (moved && isFinal) scrub(this.#db); // what was destroyed must not remain in the log
    return moved;
  }

  async markEndedAtCsp(taskId: TaskId): Promise<void> {
    this.#db.prepare('UPDATE tasks SET ended_at_csp = 1 WHERE task_id = ?').run(taskId);
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    const column = { table: 'tasks', key: 'task_id', column: 'sealed_blinding', place: blindingPlace };
    const changes = resealColumn(this.#db, column, change);
    if (changes > 0) scrub(this.#db); // what an old key opens must not remain in the log
    return changes;
  }

  close(): void {
    this.#db.close();
  }

  #requireOpen(taskId: TaskId): Task {
    const stored = this.#read(taskId);
    if (stored === undefined)
      throw new ServiceError('ERR_TASK_UNKNOWN', '"taskId" expected a task of this data user');
    if (stored.state === 'cancelled') throw new ServiceError('ERR_TASK_CANCELLED', 'the task was cancelled');
    if (stored.state !== 'open')
      throw new ServiceError('ERR_TASK_CLOSED', 'the task takes no contributions any more');
    return stored.task;
  }

  #count(taskId: TaskId): number {
    const row = this.#db
      .prepare('SELECT count(*) AS owners FROM contributions WHERE task_id = ? AND withdrawn = 0')
      .get(taskId);
    return row!.owners as number;
  }

  #contribution(taskId: TaskId, ownerId: OwnerId): StoredContribution | undefined {
    const row = this.#db
      .prepare('SELECT * FROM contributions WHERE task_id = ? AND owner_id = ?')
      .get(taskId, ownerId);
    return row && toContribution(row);
  }

  #read(taskId: TaskId): StoredTask | undefined {
    const row = this.#db.prepare('SELECT * FROM tasks WHERE task_id = ?').get(taskId);
    if (row === undefined) return undefined;
    return {
      task: JSON.parse(row.task as string) as Task,
      state: row.state as TaskState,
      agreement: row.agreement as string | null,
      sealedBlinding: row.sealed_blinding as Uint8Array | null,
      blinded: row.blinded as Uint8Array | null,
      projection: row.projection as string | null,
      failure: row.failure === null ? null : (JSON.parse(row.failure as string) as StoredTask['failure']),
      timings: JSON.parse(row.timings as string) as Record<string, number>,
      endedAtCsp: row.ended_at_csp === 1,
    };
  }
}

function toContribution(row: Record<string, unknown>): StoredContribution {
  return {
    ownerId: row.owner_id as OwnerId,
    digest: row.digest as Digest,
    bytes: row.bytes as Uint8Array | null,
    record: row.record as string,
    receipt: row.receipt as string,
    withdrawn: row.withdrawn === 1,
  };
}
