/** The CSP's store in one SQLite file (node:sqlite): every method is one durable transaction. */
import { CodedError } from '@eigenveil/platform';
import {
  countRun,
  type Database,
  forgetAnswer,
  keepSeed,
  keepTag,
  openDatabase,
  resealColumns,
  type SealedColumn,
  SqliteDriver,
  scrub,
  transaction,
} from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  type Counted,
  type CounterRequest,
  type Digest,
  type FixationRequest,
  NO_ENTRY,
  type OwnerId,
  type Thumbprint,
} from '@eigenveil/wire';
import { type AuditedUse, appendAudit } from '../operate/audit.ts';
import { dataUserRevoked, ownerRevoked } from '../service/refusals.ts';
import { isDataUserRevoked, isOwnerRevoked, readRevocations, requireQuota } from './admission.ts';
import { addRecords, countRecords, fixRecords, recordChanges, recordsOf, withdraw } from './records.ts';
import {
  countComputation,
  countedOf,
  endTaskRows,
  GIVES_ANSWERS,
  hasKey,
  readTask,
  requestOfShares,
} from './rows.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import {
  answerPlace,
  type CspStore,
  type RecordChanges,
  type RevokedOwners,
  type StoredTask,
  secretKeyPlace,
  sharesPlace,
  type TaskQuota,
  type UnblindingRequest,
  type VerifiedRecord,
  vectorsPlace,
} from './store.ts';

export const SEALED: readonly SealedColumn[] = [
  { table: 'tasks', key: 'task_id', column: 'sealed_secret_key', place: secretKeyPlace },
  { table: 'tasks', key: 'task_id', column: 'sealed_shares', place: sharesPlace },
  { table: 'answers', key: 'task_id', column: 'sealed_seed', place: answerPlace },
  { table: 'refinements', key: 'task_id', column: 'sealed_vectors', place: vectorsPlace },
];

export class SqliteCspStore implements CspStore {
  readonly #db: Database;
  readonly #now: () => Date;
  readonly #driver: SqliteDriver;

  constructor(path: string, now = () => new Date()) {
    this.#db = openDatabase(path, MIGRATIONS, 'csp');
    this.#now = now;
    this.#driver = new SqliteDriver(this.#db);
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
        throw new CodedError(
          CODES.ERR_ENROLMENT_TOKEN,
          '"enrolmentToken" expected an unused token that has not expired',
        );
      }
      const owner = this.#db
        .prepare(
          `INSERT INTO owners (owner_id, thumbprint, enrolled_at, token_at) VALUES (?1, ?2, ?3, ?3)
           ON CONFLICT (thumbprint) DO UPDATE SET token_at = ?3 RETURNING owner_id`,
        )
        .get(freshId, thumbprint, now.getTime());
      const ownerId = owner!.owner_id as OwnerId;
      if (isOwnerRevoked(this.#db, ownerId)) throw ownerRevoked(); // the token is not used up
      return ownerId;
    });
  }

  async revocations(): Promise<RevokedOwners> {
    return transaction(this.#db, () => readRevocations(this.#db));
  }

  async isOwnerRevoked(ownerId: OwnerId): Promise<boolean> {
    return isOwnerRevoked(this.#db, ownerId);
  }

  async isDataUserRevoked(dataUser: Thumbprint): Promise<boolean> {
    return isDataUserRevoked(this.#db, dataUser);
  }

  async requireQuota(dataUser: Thumbprint, quota: TaskQuota, onTheirWay: number): Promise<void> {
    transaction(this.#db, () => requireQuota(this.#db, dataUser, quota, this.#now(), onTheirWay));
  }

  async ownerThumbprint(ownerId: OwnerId): Promise<Thumbprint | undefined> {
    const row = this.#db.prepare('SELECT thumbprint FROM owners WHERE owner_id = ?').get(ownerId);
    return row?.thumbprint as Thumbprint | undefined;
  }

  async count(ownerId: OwnerId, next: CounterRequest): Promise<Counted | undefined> {
    return transaction(this.#db, () => {
      const known = countedOf(this.#db, ownerId);
      const { counter, digest } = known ?? { counter: 0, digest: NO_ENTRY };
      if (next.counter !== counter + 1 || next.previous !== digest) return known;
      this.#db
        .prepare(
          `INSERT INTO owner_counters (owner_id, counter, digest) VALUES (?1, ?2, ?3)
           ON CONFLICT (owner_id) DO UPDATE SET counter = ?2, digest = ?3`,
        )
        .run(ownerId, next.counter, next.digest);
      return { counter: next.counter, digest: next.digest };
    });
  }

  async insertTask(task: StoredTask, quota: TaskQuota, sealedVectors?: Uint8Array): Promise<StoredTask> {
    return transaction(this.#db, () => {
      const { dataUser } = task.task;
      const known = readTask(this.#db, task.task.id);
      if (known !== undefined) return known;
      // The key took a while to make. Meanwhile other tasks may have come, or the operator may have revoked
      // the data user.
      if (isDataUserRevoked(this.#db, dataUser)) throw dataUserRevoked();
      const now = this.#now();
      requireQuota(this.#db, dataUser, quota, now);
      this.#db
        .prepare(
          `INSERT INTO tasks (task_id, task, digest, agreement, state, sealed_secret_key, proposed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          task.task.id,
          JSON.stringify(task.task),
          task.digest,
          task.agreement,
          task.state,
          task.sealedSecretKey,
          now.getTime(),
        );
      if (sealedVectors !== undefined)
        this.#db
          .prepare('INSERT INTO refinements (task_id, sealed_vectors) VALUES (?, ?)')
          .run(task.task.id, sealedVectors);
      this.#audit(task.task.id, 'key made', task.digest);
      return readTask(this.#db, task.task.id)!;
    });
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return readTask(this.#db, taskId);
  }

  async refinedVectors(taskId: TaskId): Promise<Uint8Array | undefined> {
    const row = this.#db.prepare('SELECT sealed_vectors FROM refinements WHERE task_id = ?').get(taskId);
    return row?.sealed_vectors as Uint8Array | undefined;
  }

  async addRecords(taskId: TaskId, records: readonly VerifiedRecord[]): Promise<number> {
    return transaction(this.#db, () => addRecords(this.#db, taskId, records));
  }

  async countRecords(taskId: TaskId): Promise<number> {
    return countRecords(this.#db, taskId);
  }

  async recordChanges(taskId: TaskId): Promise<RecordChanges> {
    return recordChanges(this.#db, taskId);
  }

  async records(taskId: TaskId, after: OwnerId | '', limit: number): Promise<VerifiedRecord[]> {
    return recordsOf(this.#db, taskId, after, limit);
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    transaction(this.#db, () => withdraw(this.#db, taskId, ownerId));
  }

  async fixRecords(taskId: TaskId, fixation: FixationRequest, asOf: RecordChanges): Promise<boolean> {
    return transaction(this.#db, () => {
      const isFixed = fixRecords(this.#db, taskId, fixation, asOf);
      if (isFixed) this.#audit(taskId, 'records fixed', fixation.contributionsRoot);
      return isFixed;
    });
  }

  async beginUnblinding(
    taskId: TaskId,
    { requestDigest, verifiedOwners }: UnblindingRequest,
  ): Promise<boolean> {
    return transaction(this.#db, () => {
      if (countRecords(this.#db, taskId) !== verifiedOwners) return false;
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
      if (answers >= most) return undefined; // the CSP's settings allowed more answers before
      this.#noteAnswered(taskId, request);
      if (answers + 1 === most)
        this.#db.prepare('UPDATE tasks SET sealed_shares = NULL WHERE task_id = ?').run(taskId);
      return most - answers - 1;
    });
    if (left === 0) scrub(this.#db);
    return left;
  }

  async keepSeed(taskId: TaskId, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#driver.transaction('keepSeed', () => keepSeed(taskId, sealedSeed, GIVES_ANSWERS));
  }

  async keepTag(taskId: TaskId, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#driver.transaction('keepTag', () => keepTag(taskId, position, tag));
  }

  async noteRun(taskId: TaskId, most: number): Promise<number | undefined> {
    const run = transaction(this.#db, () => {
      const request = requestOfShares(this.#db, taskId);
      const runs = request === undefined ? undefined : this.#driver.within(countRun(taskId));
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
      this.#driver.within(forgetAnswer(taskId));
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

  async taskOfProjection(digest: Digest): Promise<Task | undefined> {
    const row = this.#db
      .prepare('SELECT task FROM projections JOIN tasks USING (task_id) WHERE projections.digest = ?')
      .get(digest);
    return row && (JSON.parse(row.task as string) as Task);
  }

  async endTask(taskId: TaskId): Promise<void> {
    transaction(this.#db, () => {
      if (hasKey(this.#db, taskId)) this.#audit(taskId, 'key destroyed', null);
      endTaskRows(this.#db, this.#driver, taskId);
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
    return this.#driver.run(resealColumns(SEALED, change));
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
}
