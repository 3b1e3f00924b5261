/**
 * Commands of the CSP's operator: they revoke owners, tokens and data users, and end tasks, in the database
 * of a service that may be running. Each is one transaction with its entries in the audit log, and the
 * service notices the change when it next reads the database.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import {
  type Database,
  databaseFile,
  forgetAnswer,
  hashOneTimeToken,
  openDatabase,
  SERVER_CODES,
  SqliteDriver,
  scrub,
  transaction,
  tryScrub,
} from '@eigenveil/server';
import { DAY_MILLISECONDS, type TaskId } from '@eigenveil/task';
import { CODES, Digest, type OwnerId, type Thumbprint } from '@eigenveil/wire';
import { isDataUserRevoked, raiseRevocations } from '../store/admission.ts';
import { removeRecord, TAKES_RECORDS } from '../store/records.ts';
import { endTaskRows, hasKey, readTask } from '../store/rows.ts';
import { MIGRATIONS } from '../store/sqlite-schema.ts';
import { type AuditOperation, appendAudit } from './audit.ts';

/** Tokens of one transaction, and the pause between transactions, in which the service gets its turn. */
const BATCH = 500;
const PAUSE_MILLISECONDS = 20;
/** Emptying SQLite's log is tried this many times, with this pause, while the service reads it. */
const SCRUBS = 20;
const SCRUB_AGAIN_MILLISECONDS = 250;

interface RevokedNow {
  /** The number of the list of revoked owners that names them. */
  readonly number: number;
  /** The owners that were not revoked before. */
  readonly revoked: readonly OwnerId[];
  /** The tasks from which a record was taken. */
  readonly tasks: readonly TaskId[];
}

export class CspOperator implements Disposable {
  readonly #db: Database;
  readonly #now: () => Date;
  readonly #driver: SqliteDriver;

  /** @throws ERR_DATABASE for a folder without a CSP's database, and as openDatabase does */
  static at(dataDirectory: string): CspOperator {
    const path = databaseFile(dataDirectory);
    if (!existsSync(path))
      throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" expected the database of a CSP`);
    return new CspOperator(path);
  }

  constructor(path: string, now = () => new Date()) {
    this.#db = openDatabase(path, MIGRATIONS, 'csp');
    this.#now = now;
    this.#driver = new SqliteDriver(this.#db);
  }

  /**
   * Revokes owners for good: their requests are refused, and their records go from every task that is not
   * fixed. An owner that was revoked before stays revoked.
   * @throws ERR_CONFIGURATION for an id that no owner has; then none is revoked
   */
  revokeOwners(ids: readonly OwnerId[]): RevokedNow {
    return transaction(this.#db, () => {
      const revoked: OwnerId[] = [];
      const tasks = new Set<TaskId>();
      const open = this.#db.prepare(`SELECT task_id FROM tasks WHERE ${TAKES_RECORDS}`).all();
      for (const ownerId of ids) {
        const owner = this.#db
          .prepare('SELECT thumbprint, revoked_at FROM owners WHERE owner_id = ?')
          .get(ownerId);
        if (owner === undefined)
          throw new CodedError(
            COMMAND_CODES.ERR_CONFIGURATION,
            `"OWNER" expected an owner of this CSP, and ${ownerId} is none`,
          );
        if (owner.revoked_at !== null) continue;
        this.#db
          .prepare('UPDATE owners SET revoked_at = ? WHERE owner_id = ?')
          .run(this.#now().getTime(), ownerId);
        this.#audit('owner revoked', owner.thumbprint as string);
        for (const { task_id } of open)
          if (removeRecord(this.#db, task_id as TaskId, ownerId)) tasks.add(task_id as TaskId);
        revoked.push(ownerId);
      }
      const number =
        revoked.length > 0
          ? raiseRevocations(this.#db, this.#now())
          : (this.#db.prepare('SELECT number FROM revocation_list').get()!.number as number);
      return { number, revoked, tasks: [...tasks] };
    });
  }

  /**
   * Revokes enrolment tokens before they are used. Each is given as itself or by its hash.
   * @throws ERR_CONFIGURATION for a token that is unknown or used; then none is revoked
   */
  revokeTokens(tokens: readonly string[]): number {
    return transaction(this.#db, () => {
      for (const [i, token] of tokens.entries()) {
        const found = this.#db
          .prepare(
            `SELECT token_hash, owner_id FROM enrolment_tokens LEFT JOIN owners ON used_by = thumbprint
             WHERE token_hash IN (?, ?)`,
          )
          .get(token, hashOneTimeToken(token));
        // The message does not repeat the token, which is a secret.
        if (found === undefined)
          throw new CodedError(
            COMMAND_CODES.ERR_CONFIGURATION,
            `"TOKEN" expected tokens of this CSP, and number ${i + 1} is none`,
          );
        if (found.owner_id !== null)
          throw new CodedError(
            COMMAND_CODES.ERR_CONFIGURATION,
            `"TOKEN" expected unused tokens, and number ${i + 1} was used by owner ${found.owner_id}: revoke the owner`,
          );
        this.#revokeToken(found.token_hash as string);
      }
      return tokens.length;
    });
  }

  /** Revokes all unused tokens in several transactions, including those that are made meanwhile. */
  async revokeAllTokens(): Promise<number> {
    for (let revoked = 0; ; await sleep(PAUSE_MILLISECONDS)) {
      const batch = transaction(this.#db, () => {
        const unused = 'SELECT token_hash FROM enrolment_tokens WHERE used_by IS NULL LIMIT ?';
        const rows = this.#db.prepare(unused).all(BATCH);
        for (const { token_hash } of rows) this.#revokeToken(token_hash as string);
        return rows.length;
      });
      revoked += batch;
      if (batch < BATCH) return revoked;
    }
  }

  /**
   * Ends tasks: keys, shares, answers and records are destroyed. Returns the tasks that had not ended before.
   * @throws ERR_TASK_UNKNOWN; then none has ended
   */
  endTasks(ids: readonly TaskId[]): TaskId[] {
    return transaction(this.#db, () => {
      for (const taskId of ids)
        if (readTask(this.#db, taskId) === undefined)
          throw new CodedError(
            CODES.ERR_TASK_UNKNOWN,
            `"TASK" expected a task of this CSP, and ${taskId} is none`,
          );
      return ids.filter((taskId) => this.#end(taskId));
    });
  }

  /**
   * Revokes a data user for good, whether it was admitted or not, ends its tasks and returns these. A data
   * user that was revoked before stays revoked.
   */
  revokeDataUser(dataUser: Thumbprint): { readonly isNew: boolean; readonly ended: readonly TaskId[] } {
    return transaction(this.#db, () => {
      const isNew = !isDataUserRevoked(this.#db, dataUser);
      if (isNew) {
        this.#db
          .prepare('INSERT INTO revoked_data_users (thumbprint, revoked_at) VALUES (?, ?)')
          .run(dataUser, this.#now().getTime());
        this.#audit('data user revoked', dataUser);
      }
      const open = "SELECT task_id FROM tasks WHERE data_user = ? AND state <> 'ended'";
      const tasks = this.#db.prepare(open).all(dataUser);
      return { isNew, ended: tasks.map((row) => row.task_id as TaskId).filter((id) => this.#end(id)) };
    });
  }

  /**
   * Empties SQLite's log, in which copies of destroyed secrets remain. Returns false if the service reads the
   * log all the time.
   */
  async scrub(): Promise<boolean> {
    for (let i = 0; i < SCRUBS; i += 1) {
      if (tryScrub(this.#db)) return true;
      await sleep(SCRUB_AGAIN_MILLISECONDS);
    }
    return false;
  }

  /**
   * Destroys the secrets of tasks in a copy that becomes a backup: nobody may use them again after a
   * restoration.
   */
  eraseSecrets(): void {
    transaction(this.#db, () => {
      this.#db.exec('UPDATE tasks SET sealed_secret_key = NULL, sealed_shares = NULL');
      this.#driver.within(forgetAnswer());
    });
    scrub(this.#db);
  }

  /**
   * Ends everything in a database that was put back from the backup with this digest. Nothing is known of
   * what was used since, so nothing from before may be used again: every task ends, and enrolment tokens that
   * were unused are void. Revocations since the backup are unknown, too.
   */
  endAll(backup: Digest): void {
    transaction(this.#db, () => {
      this.#audit('restored', backup);
      raiseRevocations(this.#db, this.#now());
      const tasks = this.#db.prepare("SELECT task_id, state FROM tasks WHERE state <> 'ended'").all();
      for (const { task_id, state } of tasks)
        if (state === 'agreed') this.#audit('key destroyed', null, task_id as TaskId);
      this.#db.exec(`
        UPDATE tasks SET state = 'ended', sealed_secret_key = NULL, sealed_shares = NULL,
          records_removed = records_added;
        DELETE FROM records;
        DELETE FROM withdrawals;
        DELETE FROM enrolment_tokens WHERE used_by IS NULL;
      `);
      this.#driver.within(forgetAnswer());
    });
    scrub(this.#db);
  }

  /** Runs a query of lists.ts. */
  read<Result>(query: (db: Database) => Result): Result {
    return query(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #revokeToken(hash: string): void {
    this.#db.prepare('DELETE FROM enrolment_tokens WHERE token_hash = ?').run(hash);
    this.#audit('token revoked', hash);
  }

  #end(taskId: TaskId): boolean {
    if (readTask(this.#db, taskId)?.state === 'ended') return false;
    this.#audit('ended by operator', null, taskId);
    if (hasKey(this.#db, taskId)) this.#audit('key destroyed', null, taskId);
    endTaskRows(this.#db, this.#driver, taskId);
    return true;
  }

  #audit(operation: AuditOperation, digest: string | null, taskId: TaskId | null = null): void {
    const requestDigest = digest === null ? null : Digest.parse(digest);
    appendAudit(this.#db, this.#now(), { taskId, operation, requestDigest });
  }
}

/** Returns a time of the database, where times are in milliseconds. */
const time = (value: unknown): string => new Date(value as number).toISOString();
const timeOrNull = (value: unknown): string | null => (value === null ? null : time(value));

interface ListedOwner {
  readonly ownerId: string;
  /** The thumbprint of the owner's key. */
  readonly thumbprint: string;
  readonly enrolledAt: string;
  /**
   * The time when it last got an owner token, with which it can contribute for as long as the settings say.
   */
  readonly tokenAt: string;
  readonly revokedAt: string | null;
  /** The number of tasks that have not ended and in which its record counts. */
  readonly tasks: number;
}

export function listOwners(db: Database, { onlyRevoked }: { readonly onlyRevoked: boolean }): ListedOwner[] {
  return db
    .prepare(
      `SELECT owners.*, coalesce(tasks, 0) AS tasks FROM owners
       LEFT JOIN (SELECT owner_id, count(*) AS tasks FROM records GROUP BY owner_id) USING (owner_id)
       WHERE revoked_at IS NOT NULL OR NOT ? ORDER BY enrolled_at, owner_id`,
    )
    .all(onlyRevoked ? 1 : 0)
    .map((row) => ({
      ownerId: row.owner_id as string,
      thumbprint: row.thumbprint as string,
      enrolledAt: time(row.enrolled_at),
      tokenAt: time(row.token_at),
      revokedAt: timeOrNull(row.revoked_at),
      tasks: row.tasks as number,
    }));
}

interface ListedToken {
  /** The hash, by which the token can be revoked; it does not give the token away. */
  readonly hash: string;
  readonly expiresAt: string;
  readonly state: 'unused' | 'expired' | 'used';
  /** The owner that has used the token. */
  readonly ownerId: string | null;
}

/** Returns the tokens that can still be used, or all. */
export function listTokens(
  db: Database,
  { all, now }: { readonly all: boolean; readonly now: Date },
): ListedToken[] {
  return db
    .prepare(
      `SELECT token_hash, expires_at, used_by, owner_id FROM enrolment_tokens
       LEFT JOIN owners ON used_by = thumbprint
       WHERE ?1 OR (used_by IS NULL AND expires_at > ?2) ORDER BY expires_at, token_hash`,
    )
    .all(all ? 1 : 0, now.getTime())
    .map((row) => ({
      hash: row.token_hash as string,
      expiresAt: time(row.expires_at),
      state:
        row.used_by !== null ? 'used' : (row.expires_at as number) > now.getTime() ? 'unused' : 'expired',
      ownerId: row.owner_id as string | null,
    }));
}

interface ListedTask {
  readonly taskId: string;
  readonly dataUser: string;
  readonly method: string;
  /** `fixed` means agreed, with a set of records that is fixed. */
  readonly state: 'agreed' | 'fixed' | 'unblinded' | 'ended';
  readonly records: number;
  readonly proposedAt: string;
  readonly deadline: string;
  /** Text of the data user; null where there is none. */
  readonly title: string | null;
}

/** Returns the tasks that have not ended, or all. */
export function listTasks(db: Database, { all }: { readonly all: boolean }): ListedTask[] {
  return db
    .prepare(
      `SELECT task_id, data_user, json_extract(task, '$.method.kind') AS method,
         json_extract(task, '$.deadline') AS deadline, json_extract(task, '$.title') AS title, records_added - records_removed AS records,
         proposed_at,
         iif(state = 'agreed' AND fixed_root IS NOT NULL, 'fixed', state) AS state
       FROM tasks WHERE state <> 'ended' OR ? ORDER BY rowid`,
    )
    .all(all ? 1 : 0)
    .map((row) => ({
      taskId: row.task_id as string,
      dataUser: row.data_user as string,
      method: row.method as string,
      state: row.state as ListedTask['state'],
      records: row.records as number,
      proposedAt: time(row.proposed_at),
      deadline: row.deadline as string,
      title: row.title as string | null,
    }));
}

interface ListedDataUser {
  readonly thumbprint: string;
  /** Says whether the command's settings name the data user. */
  readonly isAdmitted: boolean;
  readonly revokedAt: string | null;
  readonly openTasks: number;
  /** The number of tasks proposed within the last 24 hours. */
  readonly tasksToday: number;
}

/** Returns the data users that the settings name, that have proposed a task, or that were revoked. */
export function listDataUsers(
  db: Database,
  { admitted, now }: { readonly admitted: readonly string[]; readonly now: Date },
): ListedDataUser[] {
  const rows = db
    .prepare(
      `WITH known (thumbprint) AS (
         SELECT value FROM json_each(?1) UNION SELECT data_user FROM tasks UNION SELECT thumbprint FROM revoked_data_users
       )
       SELECT thumbprint, revoked_at,
         (SELECT count(*) FROM tasks WHERE data_user = thumbprint AND state <> 'ended') AS open_tasks,
         (SELECT count(*) FROM tasks WHERE data_user = thumbprint AND proposed_at > ?2) AS tasks_today
       FROM known LEFT JOIN revoked_data_users USING (thumbprint) ORDER BY thumbprint`,
    )
    .all(JSON.stringify(admitted), now.getTime() - DAY_MILLISECONDS);
  return rows.map((row) => ({
    thumbprint: row.thumbprint as string,
    isAdmitted: row.revoked_at === null && admitted.includes(row.thumbprint as string),
    revokedAt: timeOrNull(row.revoked_at),
    openTasks: row.open_tasks as number,
    tasksToday: row.tasks_today as number,
  }));
}
