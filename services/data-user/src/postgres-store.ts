/** The data user's store in PostgreSQL, for one process or several: every method is one durable transaction. */
import {
  inspectPostgres,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
} from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, OwnerId, ServiceError, TaskState, TreeContribution } from '@eigenveil/wire';
import { ciphertextsOf, completeBatch, completedBatches, partialProducts } from './postgres-batches.ts';
import {
  contributionsOf,
  deleteBodies,
  insertFresh,
  markWithdrawn,
  writeBodies,
} from './postgres-contributions.ts';
import { PostgresOperators } from './postgres-operators.ts';
import {
  dropRevoked,
  keepRevocations,
  readRevocations,
  revokedAmong,
  tasksWithRevoked,
} from './postgres-revocations.ts';
import { closing, drawnOf, list, lock, read } from './postgres-rows.ts';
import { MIGRATIONS, SCHEMA } from './postgres-schema.ts';
import {
  addPiece,
  dropUpload,
  removeUpload,
  uploadedPiece,
  uploadOf,
  uploadsAmong,
} from './postgres-uploads.ts';
import { addRefused, arrivals, ownersOf, watched } from './postgres-watch.ts';
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

/**
 * Opens the data user's database, made when it is empty.
 * @throws ERR_DATABASE, ERR_SCHEMA_NEWER
 */
export async function openDataUserDatabase(
  url: string,
  options: Pick<PostgresOptions, 'onIdleError' | 'waits'> = {},
): Promise<PostgresDatabase> {
  return openPostgres({ ...options, url, schema: SCHEMA, migrations: MIGRATIONS });
}

/** The schema version of a database as it is, and the one of this release; nothing is changed. */
export async function inspectDataUserDatabase(
  url: string,
): Promise<{ readonly version: number; readonly latest: number }> {
  const version = await inspectPostgres({ url, schema: SCHEMA, migrations: MIGRATIONS });
  return { version, latest: MIGRATIONS.length };
}

/**
 * Whoever decides something about a task locks its row first (#lock), so that decisions of all processes are made one after the other.
 * That lock is the one of an UPDATE that changes no key; foreign keys to the task do not wait for it.
 */
export class PostgresDataUserStore implements DataUserStore {
  readonly #db: PostgresDatabase;
  readonly operators: PostgresOperators;

  constructor(database: PostgresDatabase) {
    this.#db = database;
    this.operators = new PostgresOperators(database);
  }

  async insertTask(task: Task): Promise<void> {
    const text = `
      INSERT INTO tasks (task_id, task, state, entered) VALUES ($1, $2, 'proposed', $3) ON CONFLICT (task_id) DO NOTHING`;
    const values = [task.id, JSON.stringify(task), JSON.stringify(entering('proposed'))];
    await this.#db.query({ text, values });
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return read(this.#db, taskId);
  }

  async state(taskId: TaskId): Promise<TaskState | undefined> {
    const text = 'SELECT state FROM tasks WHERE task_id = $1';
    return (await this.#db.query<{ state: TaskState }>({ text, values: [taskId] })).rows[0]?.state;
  }

  async drawn(taskId: TaskId, member: keyof StoredDrawn): Promise<Uint8Array | null> {
    return drawnOf(this.#db, taskId, member);
  }

  async watched(taskId: TaskId): Promise<WatchedTask | undefined> {
    return watched(this.#db, taskId);
  }

  async addRefused(refused: Parameters<DataUserStore['addRefused']>[0]): Promise<void> {
    await addRefused(this.#db, refused);
  }

  async arrivals(taskId: TaskId, most: number) {
    return this.#db.transaction('arrivals', (db) => arrivals(db, taskId, most));
  }

  async tasks(before: TaskId | null, limit: number): Promise<ListedTask[]> {
    return list(this.#db, before, limit);
  }

  async taskOfProjection(digest: Digest): Promise<StoredTask | undefined> {
    const text = `
      SELECT task_id FROM tasks WHERE state = 'done' AND provenance::jsonb ->> 'projectionDigest' = $1`;
    const { rows } = await this.#db.query<{ task_id: TaskId }>({ text, values: [digest] });
    return rows[0] && read(this.#db, rows[0].task_id);
  }

  async unfinishedTasks(): Promise<TaskId[]> {
    const text = `SELECT task_id FROM tasks WHERE state <> 'open' AND NOT ended_at_csp`;
    const { rows } = await this.#db.query<{ task_id: TaskId }>({ text });
    return rows.map((row) => row.task_id);
  }

  async openTask(taskId: TaskId, agreement: string): Promise<boolean> {
    const text = `
      UPDATE tasks SET state = 'open', agreement = $2, activity = '{}', entered = (entered::jsonb || $3)::text
      WHERE task_id = $1 AND state = 'proposed'`;
    const values = [taskId, agreement, JSON.stringify(entering('open'))];
    return (await this.#db.query({ text, values })).rowCount === 1;
  }

  /**
   * The bodies, which are large, are written before the task is locked: several processes do that side by side. What is then not
   * admitted is deleted again in the same transaction.
   */
  async insertContributions(
    taskId: TaskId,
    contributions: readonly NewContribution[],
  ): Promise<(StoredContribution | ServiceError)[]> {
    return this.#db.transaction('insertContributions', async (db) => {
      const written = await writeBodies(db, taskId, contributions);
      const stored = await lock(db, taskId);
      const owners = contributions.map(({ ownerId }) => ownerId);
      const earlier = await contributionsOf(db, taskId, owners);
      const uploads = await uploadsAmong(
        db,
        contributions.map(({ uploadId }) => uploadId),
      );
      const revoked = await revokedAmong(db, owners);
      const { outcomes, fresh } = admit(stored, earlier, contributions, revoked, uploads);
      if (fresh.length > 0) await insertFresh(db, taskId, fresh);
      const admitted = new Set(fresh.map(({ contribution }) => contribution.ownerId));
      const refused = written.filter((ownerId) => !admitted.has(ownerId));
      if (written.length - refused.length !== admitted.size)
        throw new Error(
          `expected the bodies of ${admitted.size} contributions, got ${written.length - refused.length}`,
        );
      if (refused.length > 0) await deleteBodies(db, taskId, refused);
      return outcomes;
    });
  }

  async contribution(taskId: TaskId, ownerId: OwnerId): Promise<StoredContribution | undefined> {
    return (await contributionsOf(this.#db, taskId, [ownerId]))[0];
  }

  async upload(taskId: TaskId, ownerId: OwnerId): Promise<StoredUpload | undefined> {
    return uploadOf(this.#db, taskId, ownerId);
  }

  async addPiece(taskId: TaskId, piece: NewPiece): Promise<number> {
    return this.#db.transaction('addPiece', (db) => addPiece(db, taskId, piece));
  }

  async uploadedPiece(uploadId: number, number: number): Promise<Uint8Array | undefined> {
    return uploadedPiece(this.#db, uploadId, number);
  }

  async dropUpload(uploadId: number): Promise<void> {
    await dropUpload(this.#db, uploadId);
  }

  async owners(taskId: TaskId, after: number, limit: number): Promise<StoredOwner[]> {
    return ownersOf(this.#db, taskId, after, limit);
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    await this.#db.transaction('withdraw', async (db) => {
      const stored = await lock(db, taskId);
      const [known] = await contributionsOf(db, taskId, [ownerId]);
      const change = withdrawalOf(stored, known);
      if (change === 'nothing') return;
      await removeUpload(db, taskId, ownerId);
      if (change === 'only a mark') return markWithdrawn(db, taskId, ownerId);
      await db.query({
        text: `
          WITH marked AS (UPDATE contributions SET withdrawn = true WHERE task_id = $1 AND owner_id = $2),
            deleted AS (DELETE FROM contribution_bodies WHERE task_id = $1 AND owner_id = $2)
          UPDATE tasks SET contributions = contributions - 1 WHERE task_id = $1`,
        values: [taskId, ownerId],
      });
    });
  }

  async keepRevocations(list: StoredRevocations, owners: readonly OwnerId[]): Promise<number> {
    return this.#db.transaction('keepRevocations', (db) => keepRevocations(db, list, owners));
  }

  async revocations(): Promise<StoredRevocations | undefined> {
    return readRevocations(this.#db);
  }

  async isRevoked(ownerId: OwnerId): Promise<boolean> {
    return (await revokedAmong(this.#db, [ownerId])).size > 0;
  }

  async tasksWithRevoked(): Promise<TaskId[]> {
    return tasksWithRevoked(this.#db);
  }

  /** Contributions are stored under the same lock: none of an owner who was revoked before can come behind this one's back. */
  async dropRevoked(taskId: TaskId): Promise<number> {
    return this.#db.transaction('dropRevoked', async (db) =>
      dropsRevoked(await lock(db, taskId)) ? dropRevoked(db, taskId) : 0,
    );
  }

  async setFixation(taskId: TaskId, from: Fixation | null, to: Fixation | null): Promise<boolean> {
    const text = `
      UPDATE tasks SET fixation = $1 WHERE task_id = $2 AND state = 'closed'
        AND fixation IS NOT DISTINCT FROM $3 AND contributions = coalesce($4, contributions)`;
    const values = [textOfFixation(to), taskId, textOfFixation(from), to?.verifiedOwners ?? null];
    return (await this.#db.query({ text, values })).rowCount === 1;
  }

  async closeTask(taskId: TaskId, byItself?: Date): Promise<boolean> {
    return this.#db.transaction('closeTask', async (db) => {
      const stored = await lock(db, taskId);
      if (!closes(stored, byItself)) return false;
      await db.query({
        text: `UPDATE tasks SET state = 'closed', entered = $2, activity = '{}' WHERE task_id = $1`,
        values: [taskId, JSON.stringify(entering('closed', stored))],
      });
      return true;
    });
  }

  async closingTasks(): Promise<ListedTask[]> {
    return closing(this.#db);
  }

  async contributions(taskId: TaskId, after: OwnerId | '', limit: number): Promise<TreeContribution[]> {
    const { rows } = await this.#db.query<TreeContribution>({
      text: `
        SELECT owner_id AS "ownerId", digest AS "contributionDigest" FROM contributions
        WHERE task_id = $1 AND owner_id > $2 AND NOT withdrawn ORDER BY owner_id LIMIT $3`,
      values: [taskId, after, limit],
    });
    return rows;
  }

  async records(taskId: TaskId, after: number, limit: number) {
    const { rows } = await this.#db.query<{ sequence: number; record: string }>({
      text: `
        SELECT sequence, record FROM contributions JOIN contribution_bodies USING (task_id, owner_id)
        WHERE task_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
      values: [taskId, after, limit],
    });
    return rows;
  }

  async noteRecordsSent(taskId: TaskId, sequence: number): Promise<void> {
    const text = 'UPDATE tasks SET records_sent = greatest(records_sent, $2) WHERE task_id = $1';
    await this.#db.query({ text, values: [taskId, sequence] });
  }

  async ciphertexts(taskId: TaskId, after: number, last: number, limit: number, piece?: number) {
    return ciphertextsOf(this.#db, taskId, { after, last, limit }, piece);
  }

  async completeBatch(taskId: TaskId, product: PartialProduct): Promise<boolean> {
    return this.#db.transaction('completeBatch', (db) => completeBatch(db, taskId, product));
  }

  async completedBatches(taskId: TaskId): Promise<number[]> {
    return completedBatches(this.#db, taskId);
  }

  async partialProducts(
    taskId: TaskId,
    after: number,
    limit: number,
    piece?: number,
  ): Promise<PartialProduct[]> {
    return partialProducts(this.#db, taskId, after, limit, piece);
  }

  async advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean> {
    return this.#db.transaction('advance', async (db) => {
      const stored = await lock(db, taskId);
      if (stored?.state !== from) return false;
      const after = afterStage(stored, result);
      await db.query({
        text: `
          UPDATE tasks SET state = $2, projection = $5, provenance = $6, failure = $7, timings = $8, entered = $9, activity = '{}',
            sealed_blinding = CASE WHEN $10 THEN NULL ELSE coalesce($3, sealed_blinding) END,
            blinded = CASE WHEN $10 THEN NULL ELSE coalesce($4, blinded) END
          WHERE task_id = $1`,
        values: [
          taskId,
          after.state,
          after.sealedBlinding,
          after.blinded,
          after.projection,
          JSON.stringify(after.provenance),
          after.failure && JSON.stringify(after.failure),
          JSON.stringify(after.timings),
          JSON.stringify(after.entered),
          after.isFinal,
        ],
      });
      if (from === 'unblinded')
        await db.query({ text: 'DELETE FROM answers WHERE task_id = $1', values: [taskId] });
      return true;
    });
  }

  async eraseContributions(taskId: TaskId, limit: number): Promise<boolean> {
    return this.#db.transaction('eraseContributions', async (db) => {
      // Locked, or two processes would choose the same rows and one of them would say that none are left.
      requireFinal(await lock(db, taskId));
      const { rows } = await db.query<{ erased: number }>({
        text: `
          WITH bodies AS (DELETE FROM contribution_bodies WHERE ctid IN
              (SELECT ctid FROM contribution_bodies WHERE task_id = $1 LIMIT $2) RETURNING 1),
            products AS (DELETE FROM partial_products WHERE ctid IN
              (SELECT ctid FROM partial_products WHERE task_id = $1 LIMIT $2) RETURNING 1),
            uploaded AS (DELETE FROM uploads WHERE upload_id IN
              (SELECT upload_id FROM uploads WHERE task_id = $1 LIMIT 1) RETURNING 1)
          SELECT ((SELECT count(*) FROM bodies) + (SELECT count(*) FROM products)
            + (SELECT count(*) FROM uploaded))::integer AS erased`,
        values: [taskId, limit],
      });
      return rows[0]!.erased > 0;
    });
  }

  async markEndedAtCsp(taskId: TaskId): Promise<void> {
    const text = `UPDATE tasks SET ended_at_csp = true, activity = '{}' WHERE task_id = $1`;
    await this.#db.query({ text, values: [taskId] });
  }

  async setActivity(taskId: TaskId, activity: Activity): Promise<void> {
    const text = 'UPDATE tasks SET activity = $2 WHERE task_id = $1 AND NOT ended_at_csp';
    await this.#db.query({ text, values: [taskId, JSON.stringify(activity)] });
  }

  async addFault(taskId: TaskId): Promise<number> {
    const text = 'UPDATE tasks SET faults = faults + 1 WHERE task_id = $1 RETURNING faults';
    const { rows } = await this.#db.query<{ faults: number }>({ text, values: [taskId] });
    return rows[0]!.faults;
  }

  async keepSeed(taskId: TaskId, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#db.transaction('keepSeed', async (db) => {
      if ((await lock(db, taskId))?.state !== 'unblinded') return undefined;
      const { rows } = await db.query<{ sealed_seed: Uint8Array }>({
        text: `
          WITH inserted AS (
            INSERT INTO answers (task_id, sealed_seed) VALUES ($1, $2)
            ON CONFLICT (task_id) DO NOTHING RETURNING sealed_seed)
          SELECT sealed_seed FROM inserted UNION ALL SELECT sealed_seed FROM answers WHERE task_id = $1`,
        values: [taskId, sealedSeed],
      });
      return rows[0]?.sealed_seed;
    });
  }

  /** Of two processes that come at once one waits for the other at the key of the row, and then has the other's answer. */
  async keepTag(taskId: TaskId, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#db.transaction('keepTag', async (db) => {
      const values = [taskId, position];
      const text = `
        INSERT INTO answer_tags (task_id, position, tag) SELECT task_id, $2, $3 FROM answers WHERE task_id = $1
        ON CONFLICT (task_id, position) DO NOTHING`;
      await db.query({ text, values: [...values, tag] });
      const kept = 'SELECT tag FROM answer_tags WHERE task_id = $1 AND position = $2';
      return (await db.query<{ tag: Uint8Array }>({ text: kept, values })).rows[0]?.tag;
    });
  }

  async countRun(taskId: TaskId): Promise<number> {
    const text = 'UPDATE answers SET runs = runs + 1 WHERE task_id = $1 RETURNING runs';
    const { rows } = await this.#db.query<{ runs: number }>({ text, values: [taskId] });
    return rows[0]?.runs ?? 0;
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    const tasks = await this.#db.query<{ task_id: TaskId }>({
      text: 'SELECT task_id FROM tasks WHERE sealed_blinding IS NOT NULL',
    });
    let changes = 0;
    for (const { task_id: taskId } of tasks.rows) {
      const sealed = await drawnOf(this.#db, taskId, 'sealedBlinding');
      if (sealed === null) continue; // destroyed meanwhile
      const changed = change(blindingPlace(taskId), sealed);
      if (changed === sealed) continue;
      const text = 'UPDATE tasks SET sealed_blinding = $2 WHERE task_id = $1 AND sealed_blinding = $3';
      changes += (await this.#db.query({ text, values: [taskId, changed, sealed] })).rowCount;
    }
    const seeds = await this.#db.query<{ task_id: TaskId; sealed_seed: Uint8Array }>({
      text: 'SELECT task_id, sealed_seed FROM answers',
    });
    for (const { task_id: taskId, sealed_seed: sealed } of seeds.rows) {
      const changed = change(answerPlace(taskId), sealed);
      if (changed === sealed) continue;
      const text = 'UPDATE answers SET sealed_seed = $2 WHERE task_id = $1 AND sealed_seed = $3';
      changes += (await this.#db.query({ text, values: [taskId, changed, sealed] })).rowCount;
    }
    return changes;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}
