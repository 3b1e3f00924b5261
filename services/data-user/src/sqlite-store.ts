/** The data user's store in one SQLite file (node:sqlite): every method is one durable transaction. */
import type { StatementSync } from 'node:sqlite';
import {
  type Database,
  openDatabase,
  resealColumns,
  type SealedColumn,
  SqliteAnswers,
  scrub,
  transaction,
} from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, OwnerId, ServiceError, TaskState, TreeContribution } from '@eigenveil/wire';
import { ciphertextsOf, completeBatch, completedBatches, partialProducts } from './sqlite-batches.ts';
import {
  contributionOf,
  insertContribution,
  markWithdrawn,
  removeContribution,
} from './sqlite-contributions.ts';
import { SqliteOperators } from './sqlite-operators.ts';
import {
  dropRevoked,
  keepRevocations,
  readRevocations,
  revokedAmong,
  tasksWithRevoked,
} from './sqlite-revocations.ts';
import { drawnOf, listed, type Prepare, readTask, stateOf } from './sqlite-rows.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import {
  addPiece,
  dropUpload,
  removeUpload,
  uploadedPiece,
  uploadOf,
  uploadsAmong,
} from './sqlite-uploads.ts';
import { addRefused, arrivals, ownersOf, watched } from './sqlite-watch.ts';
import {
  type Activity,
  answerPlace,
  blindingPlace,
  type DataUserStore,
  type Fixation,
  type ListedTask,
  type NewContribution,
  type NewPiece,
  type PartialProduct,
  type StageResult,
  type StoredContribution,
  type StoredDrawn,
  type StoredOwner,
  type StoredRevocations,
  type StoredTask,
  type StoredUpload,
  type WatchedTask,
} from './store.ts';
import {
  admit,
  afterStage,
  closes,
  dropsRevoked,
  entering,
  requireFinal,
  textOfFixation,
  withdrawalOf,
} from './store-rules.ts';

export const SEALED: readonly SealedColumn[] = [
  { table: 'tasks', key: 'task_id', column: 'sealed_blinding', place: blindingPlace },
  { table: 'answers', key: 'task_id', column: 'sealed_seed', place: answerPlace },
];

export class SqliteDataUserStore implements DataUserStore {
  readonly #db: Database;
  readonly #statements = new Map<string, StatementSync>();
  readonly #answers: SqliteAnswers;
  /**
   * What is done for tasks at the moment. This is the one process of its database, and in a task's row, tens of megabytes of a sketch, SQLite would write
   * all of it again, once a second.
   */
  readonly #activities = new Map<TaskId, Activity>();
  readonly operators: SqliteOperators;

  constructor(path: string) {
    this.#db = openDatabase(path, MIGRATIONS, 'data-user');
    this.operators = new SqliteOperators(this.#db);
    this.#answers = new SqliteAnswers(this.#db, "state = 'unblinded'");
  }

  async insertTask(task: Task): Promise<void> {
    this.#prepare(
      `INSERT INTO tasks (task_id, task, state, entered) VALUES (?, ?, 'proposed', ?)
         ON CONFLICT (task_id) DO NOTHING`,
    ).run(task.id, JSON.stringify(task), JSON.stringify(entering('proposed')));
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return this.#read(taskId);
  }

  async state(taskId: TaskId): Promise<TaskState | undefined> {
    return stateOf(this.#prepare, taskId);
  }

  async drawn(taskId: TaskId, member: keyof StoredDrawn): Promise<Uint8Array | null> {
    return drawnOf(this.#prepare, taskId, member);
  }

  async watched(taskId: TaskId): Promise<WatchedTask | undefined> {
    const found = watched(this.#prepare, taskId);
    return found && { ...found, activity: this.#activityOf(taskId) };
  }

  async addRefused(refused: Parameters<DataUserStore['addRefused']>[0]): Promise<void> {
    transaction(this.#db, () => addRefused(this.#prepare, refused));
  }

  async arrivals(taskId: TaskId, most: number) {
    return arrivals(this.#prepare, taskId, most);
  }

  async tasks(before: TaskId | null, limit: number): Promise<ListedTask[]> {
    const rows = this.#prepare(
      `SELECT task, state, contributions FROM tasks
         WHERE ?1 IS NULL OR rowid < (SELECT rowid FROM tasks WHERE task_id = ?1) ORDER BY rowid DESC LIMIT ?2`,
    ).all(before, limit);
    return rows.map(listed);
  }

  async taskOfProjection(digest: Digest): Promise<StoredTask | undefined> {
    const row = this.#prepare(
      `SELECT task_id FROM tasks WHERE state = 'done' AND json_extract(provenance, '$.projectionDigest') = ?`,
    ).get(digest);
    return row && this.#read(row.task_id as TaskId);
  }

  async unfinishedTasks(): Promise<TaskId[]> {
    const rows = this.#prepare(`SELECT task_id FROM tasks WHERE state <> 'open' AND ended_at_csp = 0`).all();
    return rows.map((row) => row.task_id as TaskId);
  }

  /** Tasks that take contributions; with the unfinished ones, all from which something may follow. */
  async openTasks(): Promise<TaskId[]> {
    const rows = this.#prepare(`SELECT task_id FROM tasks WHERE state = 'open'`).all();
    return rows.map((row) => row.task_id as TaskId);
  }

  async openTask(taskId: TaskId, agreement: string): Promise<boolean> {
    const { changes } = this.#prepare(
      `UPDATE tasks SET state = 'open', agreement = ?, entered = json_patch(entered, ?)
         WHERE task_id = ? AND state = 'proposed'`,
    ).run(agreement, JSON.stringify(entering('open')), taskId);
    if (changes === 1) this.#activities.delete(taskId);
    return changes === 1;
  }

  async insertContributions(
    taskId: TaskId,
    contributions: readonly NewContribution[],
  ): Promise<(StoredContribution | ServiceError)[]> {
    return transaction(this.#db, () => {
      const stored = this.#read(taskId);
      const earlier = contributions.flatMap(
        ({ ownerId }) => contributionOf(this.#prepare, taskId, ownerId) ?? [],
      );
      const owners = contributions.map(({ ownerId }) => ownerId);
      const revoked = revokedAmong(this.#prepare, owners);
      const uploads = uploadsAmong(
        this.#prepare,
        contributions.map(({ uploadId }) => uploadId),
      );
      const { outcomes, fresh } = admit(stored, earlier, contributions, revoked, uploads);
      for (const { sequence, contribution } of fresh)
        insertContribution(this.#prepare, taskId, sequence, contribution);
      this.#prepare(
        `UPDATE tasks SET contributions = contributions + ?1, last_sequence = last_sequence + ?1
           WHERE task_id = ?2`,
      ).run(fresh.length, taskId);
      return outcomes;
    });
  }

  async contribution(taskId: TaskId, ownerId: OwnerId): Promise<StoredContribution | undefined> {
    return contributionOf(this.#prepare, taskId, ownerId);
  }

  async upload(taskId: TaskId, ownerId: OwnerId): Promise<StoredUpload | undefined> {
    return uploadOf(this.#prepare, taskId, ownerId);
  }

  async addPiece(taskId: TaskId, piece: NewPiece): Promise<number> {
    return transaction(this.#db, () => addPiece(this.#prepare, this.#read(taskId), taskId, piece));
  }

  async uploadedPiece(uploadId: number, number: number): Promise<Uint8Array | undefined> {
    return uploadedPiece(this.#prepare, uploadId, number);
  }

  async dropUpload(uploadId: number): Promise<void> {
    dropUpload(this.#prepare, uploadId);
  }

  async owners(taskId: TaskId, after: number, limit: number): Promise<StoredOwner[]> {
    return ownersOf(this.#prepare, taskId, after, limit);
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    transaction(this.#db, () => {
      const change = withdrawalOf(this.#read(taskId), contributionOf(this.#prepare, taskId, ownerId));
      if (change === 'nothing') return;
      if (change === 'only a mark') markWithdrawn(this.#prepare, taskId, ownerId);
      else removeContribution(this.#prepare, taskId, ownerId);
      removeUpload(this.#prepare, taskId, ownerId);
    });
    scrub(this.#db);
  }

  async keepRevocations(list: StoredRevocations, owners: readonly OwnerId[]): Promise<number> {
    return transaction(this.#db, () => keepRevocations(this.#prepare, list, owners));
  }

  async revocations(): Promise<StoredRevocations | undefined> {
    return readRevocations(this.#prepare);
  }

  async isRevoked(ownerId: OwnerId): Promise<boolean> {
    return revokedAmong(this.#prepare, [ownerId]).size > 0;
  }

  async tasksWithRevoked(): Promise<TaskId[]> {
    return tasksWithRevoked(this.#prepare);
  }

  async dropRevoked(taskId: TaskId): Promise<number> {
    const dropped = transaction(this.#db, () =>
      dropsRevoked(this.#read(taskId)) ? dropRevoked(this.#prepare, taskId) : 0,
    );
    if (dropped > 0) scrub(this.#db);
    return dropped;
  }

  async setFixation(taskId: TaskId, from: Fixation | null, to: Fixation | null): Promise<boolean> {
    const { changes } = this.#prepare(
      `UPDATE tasks SET fixation = ?1 WHERE task_id = ?2 AND state = 'closed' AND fixation IS ?3
         AND contributions = coalesce(?4, contributions)`,
    ).run(textOfFixation(to), taskId, textOfFixation(from), to?.verifiedOwners ?? null);
    return changes === 1;
  }

  async closeTask(taskId: TaskId, byItself?: Date): Promise<boolean> {
    return transaction(this.#db, () => {
      const stored = this.#read(taskId);
      if (!closes(stored, byItself)) return false;
      this.#prepare(`UPDATE tasks SET state = 'closed', entered = ? WHERE task_id = ?`).run(
        JSON.stringify(entering('closed', stored)),
        taskId,
      );
      this.#activities.delete(taskId);
      return true;
    });
  }

  async closingTasks(): Promise<ListedTask[]> {
    return this.#prepare(
      `SELECT task, state, contributions FROM tasks
         WHERE state = 'open' AND json_extract(task, '$.closes') IS NOT NULL`,
    )
      .all()
      .map(listed);
  }

  async contributions(taskId: TaskId, after: OwnerId | '', limit: number): Promise<TreeContribution[]> {
    return this.#prepare(
      `SELECT owner_id AS ownerId, digest AS contributionDigest FROM contributions
         WHERE task_id = ? AND owner_id > ? AND withdrawn = 0 ORDER BY owner_id LIMIT ?`,
    ).all(taskId, after, limit) as unknown as TreeContribution[];
  }

  async records(taskId: TaskId, after: number, limit: number) {
    return this.#prepare(
      `SELECT sequence, record FROM contribution_bodies WHERE task_id = ? AND sequence > ?
         ORDER BY sequence LIMIT ?`,
    ).all(taskId, after, limit) as { sequence: number; record: string }[];
  }

  async noteRecordsSent(taskId: TaskId, sequence: number): Promise<void> {
    this.#prepare('UPDATE tasks SET records_sent = max(records_sent, ?) WHERE task_id = ?').run(
      sequence,
      taskId,
    );
  }

  async ciphertexts(taskId: TaskId, after: number, last: number, limit: number, piece?: number) {
    return ciphertextsOf(this.#prepare, taskId, { after, last, limit }, piece);
  }

  async completeBatch(taskId: TaskId, product: PartialProduct): Promise<boolean> {
    return transaction(this.#db, () => completeBatch(this.#prepare, taskId, product));
  }

  async completedBatches(taskId: TaskId): Promise<number[]> {
    return completedBatches(this.#prepare, taskId);
  }

  async partialProducts(
    taskId: TaskId,
    after: number,
    limit: number,
    piece?: number,
  ): Promise<PartialProduct[]> {
    return partialProducts(this.#prepare, taskId, after, limit, piece);
  }

  async advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean> {
    const destroyed = transaction(this.#db, () => {
      const stored = this.#read(taskId);
      if (stored?.state !== from) return undefined;
      const after = afterStage(stored, result);
      const update = this.#prepare(
        `UPDATE tasks SET state = ?,
             sealed_blinding = CASE WHEN ? THEN NULL ELSE coalesce(?, sealed_blinding) END,
             blinded = CASE WHEN ? THEN NULL ELSE coalesce(?, blinded) END,
             projection = ?, provenance = ?, failure = ?, timings = ?, entered = ?
           WHERE task_id = ?`,
      );
      update.run(
        after.state,
        Number(after.isFinal),
        after.sealedBlinding,
        Number(after.isFinal),
        after.blinded,
        after.projection,
        JSON.stringify(after.provenance),
        after.failure && JSON.stringify(after.failure),
        JSON.stringify(after.timings),
        JSON.stringify(after.entered),
        taskId,
      );
      update.run(); // of no task: a statement holds copies of what was bound to it last, forty megabytes of a sketch
      if (from === 'unblinded') this.#answers.forget(taskId);
      this.#activities.delete(taskId);
      return after.isFinal;
    });
    if (destroyed === undefined) return false;
    if (destroyed || from === 'unblinded') scrub(this.#db); // what was destroyed must not remain in the log
    return true;
  }

  async eraseContributions(taskId: TaskId, limit: number): Promise<boolean> {
    const erased = transaction(this.#db, () => {
      requireFinal(this.#read(taskId));
      const contents = ['contribution_bodies', 'partial_products'].map((table) =>
        this.#prepare(
          `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE task_id = ? LIMIT ?)`,
        ).run(taskId, limit),
      );
      const uploads = this.#prepare(
        'DELETE FROM uploads WHERE upload_id IN (SELECT upload_id FROM uploads WHERE task_id = ? LIMIT 1)',
      ).run(taskId);
      return [...contents, uploads].reduce((sum, { changes }) => sum + Number(changes), 0);
    });
    if (erased > 0) scrub(this.#db);
    return erased > 0;
  }

  async markEndedAtCsp(taskId: TaskId): Promise<void> {
    this.#prepare('UPDATE tasks SET ended_at_csp = 1 WHERE task_id = ?').run(taskId);
    this.#activities.delete(taskId);
  }

  async setActivity(taskId: TaskId, activity: Activity): Promise<void> {
    const row = this.#prepare(
      `SELECT 1 FROM tasks WHERE task_id = ? AND (state NOT IN ('done', 'cancelled', 'failed') OR ended_at_csp = 0)`,
    ).get(taskId);
    if (row !== undefined) this.#activities.set(taskId, activity);
  }

  async addFault(taskId: TaskId): Promise<number> {
    const row = this.#prepare('UPDATE tasks SET faults = faults + 1 WHERE task_id = ? RETURNING faults').get(
      taskId,
    );
    return row!.faults as number;
  }

  async keepSeed(taskId: TaskId, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#answers.keepSeed(taskId, sealedSeed);
  }

  async keepTag(taskId: TaskId, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#answers.keepTag(taskId, position, tag);
  }

  async countRun(taskId: TaskId): Promise<number> {
    return transaction(this.#db, () => this.#answers.countRun(taskId)) ?? 0;
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    return resealColumns(this.#db, SEALED, change);
  }

  /** @throws ERR_DATABASE_UNREACHABLE unless the database can be written */
  async check(): Promise<void> {
    this.#db.check();
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  /** A statement is compiled once: for short ones that takes longer than running them. */
  readonly #prepare: Prepare = (sql) => {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  };

  #activityOf(taskId: TaskId): Activity {
    return this.#activities.get(taskId) ?? {};
  }

  #read(taskId: TaskId): StoredTask | undefined {
    const found = readTask(this.#prepare, taskId);
    return found && { ...found, activity: this.#activityOf(taskId) };
  }
}
