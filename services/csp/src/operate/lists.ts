/** Reads the operator's lists from the database: owners, enrolment tokens, tasks and data users. */
import type { Database } from '@eigenveil/server';
import { DAY_MILLISECONDS } from '@eigenveil/task';

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

export interface ListedTask {
  readonly taskId: string;
  readonly dataUser: string;
  readonly method: string;
  /** `fixed` means agreed, with a set of records that is fixed. */
  readonly state: 'agreed' | 'fixed' | 'unblinded' | 'ended';
  readonly records: number;
  readonly proposedAt: string;
  readonly deadline: string;
}

/** Returns the tasks that have not ended, or all. */
export function listTasks(db: Database, { all }: { readonly all: boolean }): ListedTask[] {
  return db
    .prepare(
      `SELECT task_id, data_user, json_extract(task, '$.method.kind') AS method,
         json_extract(task, '$.deadline') AS deadline, records_added - records_removed AS records,
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
