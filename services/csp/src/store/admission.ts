/**
 * Says which owners and data users the CSP no longer admits, and how many tasks a data user may have, from
 * its tables in SQLite. Nothing of it is kept in memory: a command of the operator may change it at any time.
 */
import { CodedError } from '@eigenveil/platform';
import type { Database } from '@eigenveil/server';
import { DAY_MILLISECONDS } from '@eigenveil/task';
import { CODES, type OwnerId, type Thumbprint } from '@eigenveil/wire';
import type { RevokedOwners, TaskQuota } from './store.ts';

export function isOwnerRevoked(db: Database, ownerId: OwnerId): boolean {
  const revoked = 'SELECT 1 FROM owners WHERE owner_id = ? AND revoked_at IS NOT NULL';
  return db.prepare(revoked).get(ownerId) !== undefined;
}

export function isDataUserRevoked(db: Database, dataUser: Thumbprint): boolean {
  return db.prepare('SELECT 1 FROM revoked_data_users WHERE thumbprint = ?').get(dataUser) !== undefined;
}

/** Reads number and list at one moment: call it within a transaction. */
export function readRevocations(db: Database): RevokedOwners {
  const list = db.prepare('SELECT number FROM revocation_list').get();
  const owners = db
    .prepare('SELECT owner_id FROM owners WHERE revoked_at IS NOT NULL ORDER BY owner_id')
    .all();
  return { number: list!.number as number, owners: owners.map((row) => row.owner_id as OwnerId) };
}

/**
 * Returns the next number of the list, which never falls: a CSP that was put back from a backup has forgotten
 * its last numbers, but its clock has gone on. Call it within the transaction that changes the list.
 */
export function raiseRevocations(db: Database, now: Date): number {
  const raise = 'UPDATE revocation_list SET number = max(number + 1, ?) RETURNING number';
  return db.prepare(raise).get(now.getTime())!.number as number;
}

/**
 * @param onTheirWay the number of other tasks that will be stored, too
 * @throws ERR_QUOTA when another task would be one too many
 */
export function requireQuota(
  db: Database,
  dataUser: Thumbprint,
  { openTasks, tasksPerDay }: TaskQuota,
  now: Date,
  onTheirWay = 0,
): void {
  const open = db
    .prepare("SELECT count(*) AS tasks FROM tasks WHERE data_user = ? AND state <> 'ended'")
    .get(dataUser)!.tasks as number;
  if (open + onTheirWay >= openTasks) {
    throw new CodedError(
      CODES.ERR_QUOTA,
      `expected fewer than ${openTasks} tasks of this data user that have not ended: finish or cancel one first`,
    );
  }
  const dayAgo = now.getTime() - DAY_MILLISECONDS;
  // When this task is older than a day there is room: it is the last but `tasksPerDay`.
  const room = tasksPerDay - onTheirWay;
  const find =
    'SELECT proposed_at FROM tasks WHERE data_user = ? AND proposed_at > ? ORDER BY proposed_at DESC LIMIT 1 OFFSET ?';
  const inTheWay = room > 0 ? db.prepare(find).get(dataUser, dayAgo, room - 1)?.proposed_at : now.getTime();
  if (inTheWay === undefined) return;
  throw new CodedError(CODES.ERR_QUOTA, `expected at most ${tasksPerDay} tasks of this data user a day`, {
    retryAfterSeconds: Math.ceil(((inTheWay as number) - dayAgo) / 1000),
  });
}
