/** The CSP's store in one SQLite file (node:sqlite): every method is one durable transaction. */
import {
  type Database,
  openDatabase,
  resealColumn,
  SqliteAnswers,
  scrub,
  transaction,
} from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { type Digest, type OwnerId, ServiceError, type Thumbprint } from '@eigenveil/wire';
import { type AuditedUse, appendAudit } from './audit.ts';
import { countComputation, hasKey, hasWithdrawn, readTask, requestOfShares } from './sqlite-rows.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import {
  answerPlace,
  type CspStore,
  type StoredTask,
  secretKeyPlace,
  sharesPlace,
  type UnblindingRequest,
  type VerifiedRecord,
} from './store.ts';

export class SqliteCspStore implements CspStore {
  readonly #db: Database;
  readonly #now: () => Date;
  /** The records of tasks that are being handed in. Nobody else writes them, and counting them takes the longer the more there are. */
  readonly #counts = new Map<TaskId, number>();
  readonly #answers: SqliteAnswers;

  constructor(path: string, now = () => new Date()) {
    this.#db = openDatabase(path, MIGRATIONS, 'csp');
    this.#now = now;
    this.#answers = new SqliteAnswers(this.#db, "state = 'unblinded' AND sealed_shares IS NOT NULL");
  }

  async addEnrolmentTokens(tokenHashes: readonly string[], expiresAt: Date): Promise<void> {
    const insert = this.#db.prepare('INSERT INTO enrolment_tokens (token_hash, expires_at) VALUES (?, ?)');
    transaction(this.#db, () => {
      for (const hash of tokenHashes) insert.run(hash, expiresAt.getTime());
    });
  }

  async enrol(tokenHash: string, thumbprint: Thumbprint, freshId: OwnerId, now: Date): Promise<OwnerId> {
    return transaction(this.#db, () => {
      const used = this.#db
        .prepare(
          `UPDATE enrolment_tokens SET used_by = ?1
           WHERE token_hash = ?2 AND expires_at > ?3 AND (used_by IS NULL OR used_by = ?1)`,
        )
        .run(thumbprint, tokenHash, now.getTime());
      if (used.changes === 0) {
        throw new ServiceError(
          'ERR_ENROLMENT_TOKEN',
          '"enrolmentToken" expected an unused token that has not expired',
        );
      }
      this.#db
        .prepare(
          'INSERT INTO owners (owner_id, thumbprint) VALUES (?, ?) ON CONFLICT (thumbprint) DO NOTHING',
        )
        .run(freshId, thumbprint);
      const owner = this.#db.prepare('SELECT owner_id FROM owners WHERE thumbprint = ?').get(thumbprint);
      return owner!.owner_id as OwnerId;
    });
  }

  async ownerThumbprint(ownerId: OwnerId): Promise<Thumbprint | undefined> {
    const row = this.#db.prepare('SELECT thumbprint FROM owners WHERE owner_id = ?').get(ownerId);
    return row?.thumbprint as Thumbprint | undefined;
  }

  async insertTask(task: StoredTask): Promise<StoredTask> {
    return transaction(this.#db, () => {
      const { changes } = this.#db
        .prepare(
          `INSERT INTO tasks (task_id, task, digest, agreement, state, sealed_secret_key)
           VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (task_id) DO NOTHING`,
        )
        .run(
          task.task.id,
          JSON.stringify(task.task),
          task.digest,
          task.agreement,
          task.state,
          task.sealedSecretKey,
        );
      if (changes === 1) this.#audit(task.task.id, 'key made', task.digest);
      return readTask(this.#db, task.task.id)!;
    });
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return readTask(this.#db, taskId);
  }

  async addRecords(taskId: TaskId, records: readonly VerifiedRecord[]): Promise<number> {
    const counted = transaction(this.#db, () => {
      const find = this.#db.prepare(
        'SELECT contribution_digest FROM records WHERE task_id = ? AND owner_id = ?',
      );
      const insert = this.#db.prepare(
        'INSERT INTO records (task_id, owner_id, contribution_digest) VALUES (?, ?, ?)',
      );
      const stored = readTask(this.#db, taskId);
      const isOpen = takesRecords(stored);
      let owners = this.#count(taskId);
      for (const { ownerId, contributionDigest } of records) {
        if (hasWithdrawn(this.#db, taskId, ownerId)) continue;
        const known = find.get(taskId, ownerId);
        if (known === undefined && !isOpen)
          throw new ServiceError('ERR_TASK_CLOSED', 'the task has been unblinded');
        if (known !== undefined && known.contribution_digest !== contributionDigest) {
          throw new ServiceError(
            'ERR_CONTRIBUTION_CONFLICT',
            '"records" expected one contribution per owner',
          );
        }
        if (known !== undefined) continue;
        insert.run(taskId, ownerId, contributionDigest);
        owners += 1;
      }
      if (owners > (stored?.task.maximumOwners ?? 0)) {
        throw new ServiceError(
          'ERR_TASK_FULL',
          `"records" expected at most ${stored?.task.maximumOwners} owners, got ${owners}`,
        );
      }
      return owners;
    });
    this.#counts.set(taskId, counted);
    return counted;
  }

  async countRecords(taskId: TaskId): Promise<number> {
    return this.#count(taskId);
  }

  async records(taskId: TaskId, after: OwnerId | '', limit: number): Promise<VerifiedRecord[]> {
    const rows = this.#db
      .prepare(
        `SELECT owner_id, contribution_digest FROM records WHERE task_id = ? AND owner_id > ?
         ORDER BY owner_id LIMIT ?`,
      )
      .all(taskId, after, limit);
    return rows.map((row) => ({
      ownerId: row.owner_id as OwnerId,
      contributionDigest: row.contribution_digest as Digest,
    }));
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    this.#counts.delete(taskId);
    transaction(this.#db, () => {
      if (hasWithdrawn(this.#db, taskId, ownerId)) return;
      if (!takesRecords(readTask(this.#db, taskId)))
        throw new ServiceError('ERR_TASK_CLOSED', 'the task has been unblinded, or has ended');
      this.#db.prepare('INSERT INTO withdrawals (task_id, owner_id) VALUES (?, ?)').run(taskId, ownerId);
      this.#db.prepare('DELETE FROM records WHERE task_id = ? AND owner_id = ?').run(taskId, ownerId);
    });
  }

  async beginUnblinding(
    taskId: TaskId,
    { requestDigest, verifiedOwners }: UnblindingRequest,
  ): Promise<boolean> {
    return transaction(this.#db, () => {
      if (this.#count(taskId) !== verifiedOwners) return false;
      const { changes } = this.#db
        .prepare(
          `UPDATE tasks SET unblinding_digest = ?1
           WHERE task_id = ?2 AND state = 'agreed' AND coalesce(unblinding_digest, ?1) = ?1`,
        )
        .run(requestDigest, taskId);
      if (changes === 1) this.#audit(taskId, 'unblinded', requestDigest);
      return changes === 1;
    });
  }

  async completeUnblinding(taskId: TaskId, sealedShares: Uint8Array): Promise<void> {
    transaction(this.#db, () => {
      const row = this.#db
        .prepare(
          `UPDATE tasks SET state = 'unblinded', sealed_secret_key = NULL, sealed_shares = ?
           WHERE task_id = ? AND state = 'agreed' RETURNING unblinding_digest`,
        )
        .get(sealedShares, taskId);
      if (row !== undefined) this.#audit(taskId, 'key destroyed', row.unblinding_digest as Digest | null);
    });
    scrub(this.#db); // the secret key must not remain in the log
  }

  async noteStart(taskId: TaskId): Promise<boolean> {
    return transaction(this.#db, () => {
      const request = requestOfShares(this.#db, taskId);
      if (request === undefined) return false;
      const { starts } = countComputation(this.#db, taskId, { starts: 1, answers: 0 });
      if (Number.isInteger(Math.log2(starts))) this.#audit(taskId, 'computation started', request);
      return true;
    });
  }

  async noteAnswer(taskId: TaskId, most: number): Promise<number | undefined> {
    const left = transaction(this.#db, () => {
      const request = requestOfShares(this.#db, taskId);
      if (request === undefined) return undefined;
      const { answers } = countComputation(this.#db, taskId, { starts: 0, answers: 0 });
      if (answers >= most) return undefined; // of a CSP that was set to give more, then fewer
      this.#noteAnswered(taskId, request);
      if (answers + 1 === most)
        this.#db.prepare('UPDATE tasks SET sealed_shares = NULL WHERE task_id = ?').run(taskId);
      return most - answers - 1;
    });
    if (left === 0) scrub(this.#db);
    return left;
  }

  async keepSeed(taskId: TaskId, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#answers.keepSeed(taskId, sealedSeed);
  }

  async keepTag(taskId: TaskId, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#answers.keepTag(taskId, position, tag);
  }

  async noteRun(taskId: TaskId, most: number): Promise<number | undefined> {
    const run = transaction(this.#db, () => {
      const request = requestOfShares(this.#db, taskId);
      const runs = request === undefined ? undefined : this.#answers.countRun(taskId);
      if (request === undefined || runs === undefined) return undefined;
      if (runs === 1) this.#noteAnswered(taskId, request);
      else if (runs <= most) this.#audit(taskId, 'computation resumed', request);
      return runs;
    });
    if (run === undefined || run <= most) return run;
    await this.giveUpAnswer(taskId);
    return undefined;
  }

  async giveUpAnswer(taskId: TaskId): Promise<void> {
    transaction(this.#db, () => {
      const request = requestOfShares(this.#db, taskId);
      const { answers } = countComputation(this.#db, taskId, { starts: 0, answers: 0 });
      if (request !== undefined && answers === 0) this.#noteAnswered(taskId, request);
      this.#db.prepare('UPDATE tasks SET sealed_shares = NULL WHERE task_id = ?').run(taskId);
      this.#answers.forget(taskId);
    });
    scrub(this.#db);
  }

  async registerProjection(taskId: TaskId, digest: Digest): Promise<Digest | undefined> {
    return transaction(this.#db, () => {
      this.#db
        .prepare(
          `INSERT INTO projections (task_id, digest) SELECT task_id, ? FROM tasks WHERE task_id = ? AND state = 'unblinded'
           ON CONFLICT (task_id) DO NOTHING`,
        )
        .run(digest, taskId);
      const row = this.#db.prepare('SELECT digest FROM projections WHERE task_id = ?').get(taskId);
      return row?.digest as Digest | undefined;
    });
  }

  async endTask(taskId: TaskId): Promise<void> {
    this.#counts.delete(taskId);
    transaction(this.#db, () => {
      if (hasKey(this.#db, taskId)) this.#audit(taskId, 'key destroyed', null);
      this.#db
        .prepare(
          `UPDATE tasks SET state = 'ended', sealed_secret_key = NULL, sealed_shares = NULL WHERE task_id = ?`,
        )
        .run(taskId);
      this.#db.prepare('DELETE FROM records WHERE task_id = ?').run(taskId);
      this.#db.prepare('DELETE FROM withdrawals WHERE task_id = ?').run(taskId);
      this.#answers.forget(taskId);
    });
    scrub(this.#db);
  }

  async overdueTasks(time: Date): Promise<TaskId[]> {
    const rows = this.#db
      .prepare(
        `SELECT task_id FROM tasks WHERE state <> 'ended' AND unixepoch(json_extract(task, '$.deadline')) < ?`,
      )
      .all(time.getTime() / 1000);
    return rows.map((row) => row.task_id as TaskId);
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    const tasks = { table: 'tasks', key: 'task_id' };
    const changes =
      resealColumn(this.#db, { ...tasks, column: 'sealed_secret_key', place: secretKeyPlace }, change) +
      resealColumn(this.#db, { ...tasks, column: 'sealed_shares', place: sharesPlace }, change) +
      resealColumn(
        this.#db,
        { table: 'answers', key: 'task_id', column: 'sealed_seed', place: answerPlace },
        change,
      );
    if (changes > 0) scrub(this.#db); // what an old key opens must not remain in the log
    return changes;
  }

  /** For the copy that becomes a backup: takes out the secrets of tasks, which nobody may use again after a restoration. */
  eraseSecrets(): void {
    transaction(this.#db, () => {
      this.#db.exec('UPDATE tasks SET sealed_secret_key = NULL, sealed_shares = NULL');
      this.#answers.forget();
    });
    scrub(this.#db);
  }

  /**
   * For a database that was put back from the backup with this digest. What was used since is unknown, so nothing of before may be
   * used again: every task ends, and enrolment tokens that were unused then are void.
   */
  endAll(backup: Digest): void {
    transaction(this.#db, () => {
      this.#audit(null, 'restored', backup);
      const tasks = this.#db.prepare("SELECT task_id, state FROM tasks WHERE state <> 'ended'").all();
      for (const { task_id, state } of tasks)
        if (state === 'agreed') this.#audit(task_id as TaskId, 'key destroyed', null);
      this.#db.exec(`
        UPDATE tasks SET state = 'ended', sealed_secret_key = NULL, sealed_shares = NULL;
        DELETE FROM records;
        DELETE FROM withdrawals;
        DELETE FROM enrolment_tokens WHERE used_by IS NULL;
      `);
      this.#answers.forget();
    });
    scrub(this.#db);
  }

  /** @throws ERR_DATABASE_UNREACHABLE unless the database can be written */
  async check(): Promise<void> {
    this.#db.check();
  }

  close(): void {
    this.#db.close();
  }

  #audit(taskId: TaskId | null, operation: AuditedUse['operation'], requestDigest: Digest | null): void {
    appendAudit(this.#db, this.#now(), { taskId, operation, requestDigest });
  }

  #noteAnswered(taskId: TaskId, request: Digest | null): void {
    countComputation(this.#db, taskId, { starts: 0, answers: 1 });
    this.#audit(taskId, 'computation answered', request);
  }

  #count(taskId: TaskId): number {
    const known = this.#counts.get(taskId);
    if (known !== undefined) return known;
    const row = this.#db.prepare('SELECT count(*) AS owners FROM records WHERE task_id = ?').get(taskId);
    return row!.owners as number;
  }
}

/** The set of records is fixed from the moment before the task is unblinded. */
function takesRecords(stored: StoredTask | undefined): boolean {
  return stored?.state === 'agreed' && stored.unblindingDigest === null;
}
