/**
 * Contributions to a task, whole or in pieces: how they come into it and leave it, with their owners or
 * because these are revoked.
 */

import type { CodedError } from '@eigenveil/platform';
import {
  among,
  countOf,
  erasing,
  LOCKED_WITH_KEY,
  listed,
  rowOf,
  rows,
  rowsOf,
  SHARED,
  sql,
  type Work,
} from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId, TreeContribution } from '@eigenveil/wire';
import { admit, changeBy, dropsRevoked, withdrawalOf } from './rules.ts';
import type {
  NewContribution,
  NewPiece,
  StoredContribution,
  StoredRevocations,
  StoredUpload,
} from './store.ts';
import { held, idsOf, locked } from './task-rows.ts';

/**
 * See insertContributions of the store. Where several processes share the database, the bodies, which are
 * large, are written before the task is locked: the processes do that side by side. What is then not admitted
 * is deleted again in the same transaction.
 */
export function* insertContributions(
  taskId: TaskId,
  contributions: readonly NewContribution[],
  isShared: boolean,
): Work<(StoredContribution | CodedError)[]> {
  const written = isShared && (yield* mayTake(taskId)) ? yield* writeBodies(taskId, contributions) : [];
  const stored = yield* locked(taskId);
  const owners = contributions.map(({ ownerId }) => ownerId);
  const { earlier, revoked } = yield* knownOf(taskId, owners);
  const uploads = yield* uploadsAmong(contributions.flatMap(({ uploadId }) => uploadId ?? []));
  const { outcomes, fresh } = admit(stored, earlier, contributions, revoked, uploads);
  yield sql`
    INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt)
      VALUES ${rows(fresh.map(({ sequence, contribution: { ownerId, digest, receipt } }) => [taskId, ownerId, sequence, digest, receipt]))}`;
  const admitted = fresh.map(({ contribution }) => contribution);
  if (isShared) yield* keepBodies(taskId, written, admitted);
  else yield insertBodies(taskId, admitted);
  if (fresh.length > 0)
    yield sql`
      UPDATE tasks SET contributions = contributions + ${fresh.length}, last_sequence = last_sequence + ${fresh.length}
        WHERE task_id = ${taskId}`;
  return outcomes;
}

/** Deletes the bodies that were written of contributions that were then not admitted. */
function* keepBodies(
  taskId: TaskId,
  written: readonly OwnerId[],
  admitted: readonly NewContribution[],
): Work<void> {
  const taken = new Set(admitted.map(({ ownerId }) => ownerId));
  const refused = written.filter((ownerId) => !taken.has(ownerId));
  const kept = written.length - refused.length;
  if (kept !== taken.size) throw new Error(`expected the bodies of ${taken.size} contributions, got ${kept}`);
  if (refused.length > 0) yield* deleteBodies(taskId, refused);
}

/**
 * Reads what these owners have in the task, and who of them is revoked; at once, since others wait for the
 * task.
 */
function* knownOf(taskId: TaskId, owners: readonly OwnerId[]) {
  const found = yield* rowsOf<StoredContribution & { readonly revoked: boolean | number }>(sql`
    SELECT owner_id AS "ownerId", digest, receipt, withdrawn, false AS revoked FROM contributions
      WHERE task_id = ${taskId} AND owner_id ${among(owners)}
    UNION ALL SELECT owner_id, '', '', false, true FROM revoked_owners WHERE owner_id ${among(owners)}`);
  const [earlier, revoked] = [false, true].map((isRevoked) =>
    found.filter((row) => Boolean(row.revoked) === isRevoked),
  );
  return {
    earlier: earlier!.map(({ revoked: _, ...row }) => ({ ...row, withdrawn: Boolean(row.withdrawn) })),
    revoked: new Set(revoked!.map(({ ownerId }) => ownerId)),
  };
}

/** Says whether a task may take contributions by the time it is locked. */
function* mayTake(taskId: TaskId): Work<boolean> {
  const open = sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND state IN ('proposed', 'open')`;
  return (yield* countOf(open)) > 0;
}

/** See withdraw of the store. */
export function* withdraw(taskId: TaskId, ownerId: OwnerId): Work<void> {
  const stored = yield* locked(taskId);
  const change = withdrawalOf(stored, yield* contributionOf(taskId, ownerId));
  if (change === 'nothing') return;
  yield* removeUpload(taskId, ownerId);
  if (change === 'only a mark') return yield* markWithdrawn(taskId, ownerId);
  yield sql`UPDATE contributions SET withdrawn = true WHERE task_id = ${taskId} AND owner_id = ${ownerId}`;
  yield* deleteBodies(taskId, [ownerId]);
  yield sql`UPDATE tasks SET contributions = contributions - 1 WHERE task_id = ${taskId}`;
}

/** Marks an owner who withdraws before anything of it has come. */
function* markWithdrawn(taskId: TaskId, ownerId: OwnerId): Work<void> {
  const numbered = sql`
    UPDATE tasks SET last_sequence = last_sequence + 1 WHERE task_id = ${taskId} RETURNING last_sequence AS sequence`;
  const { sequence } = (yield* rowOf<{ sequence: number }>(numbered))!;
  yield sql`
    INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt, withdrawn)
      VALUES (${taskId}, ${ownerId}, ${sequence}, '', '', true)`;
}

/** A statement that writes bodies of owners who have none in the task. */
function insertBodies(taskId: TaskId, contributions: readonly NewContribution[]) {
  const bodies = contributions.map(({ ownerId, record, bytes }) => [taskId, ownerId, record, bytes]);
  return sql`INSERT INTO contribution_bodies (task_id, owner_id, record, bytes) VALUES ${rows(bodies)}`;
}

/**
 * Writes the bodies of those owners who have none in the task; returns who they are. Where another
 * transaction is about to write the same owner's, this waits for its end. In the order of the owners: two
 * such transactions cannot wait for each other.
 */
function* writeBodies(taskId: TaskId, contributions: readonly NewContribution[]): Work<OwnerId[]> {
  const byOwner = Map.groupBy(contributions, ({ ownerId }) => ownerId);
  const inOrder = [...byOwner.keys()].sort().map((ownerId) => byOwner.get(ownerId)![0]!);
  const written = yield* rowsOf<{ ownerId: OwnerId }>(
    sql`${insertBodies(taskId, inOrder)} ON CONFLICT (task_id, owner_id) DO NOTHING RETURNING owner_id AS "ownerId"`,
  );
  return written.map(({ ownerId }) => ownerId);
}

function* deleteBodies(taskId: TaskId, owners: readonly OwnerId[]): Work<void> {
  yield erasing`DELETE FROM contribution_bodies WHERE task_id = ${taskId} AND owner_id ${among(owners)}`;
}

export function* contributionOf(taskId: TaskId, ownerId: OwnerId): Work<StoredContribution | undefined> {
  const row = yield* rowOf<StoredContribution>(sql`
    SELECT owner_id AS "ownerId", digest, receipt, withdrawn FROM contributions
      WHERE task_id = ${taskId} AND owner_id = ${ownerId}`);
  return row && { ...row, withdrawn: Boolean(row.withdrawn) };
}

/** See contributions of the store. */
export function* treeContributions(
  taskId: TaskId,
  after: OwnerId | '',
  limit: number,
): Work<TreeContribution[]> {
  const found = yield* rowsOf<TreeContribution>(sql`
    SELECT owner_id AS "ownerId", digest AS "contributionDigest" FROM contributions
      WHERE task_id = ${taskId} AND owner_id > ${after} AND NOT withdrawn ORDER BY owner_id LIMIT ${limit}`);
  return [...found];
}

/** See records of the store. */
export function* recordsOf(taskId: TaskId, after: number, limit: number) {
  const found = yield* rowsOf<{ sequence: number; record: string }>(sql`
    SELECT sequence, record FROM contributions JOIN contribution_bodies USING (task_id, owner_id)
      WHERE task_id = ${taskId} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`);
  return [...found];
}

export function* uploadOf(taskId: TaskId, ownerId: OwnerId): Work<StoredUpload | undefined> {
  return yield* rowOf<StoredUpload>(
    sql`SELECT upload_id AS id, digest, pieces FROM ${uploadsOf(taskId, ownerId)}`,
  );
}

function uploadsOf(taskId: TaskId, ownerId: OwnerId) {
  return sql`uploads WHERE task_id = ${taskId} AND owner_id = ${ownerId}`;
}

/**
 * See addPiece of the store. The task is locked against whoever decides about it, not against other pieces.
 * Two pieces of one owner's wait for each other at the row of its upload, or at its key.
 */
export function* addPiece(taskId: TaskId, piece: NewPiece): Work<number> {
  const { ownerId, digest, number, bytes } = piece;
  const stored = yield* held(taskId);
  yield sql`SELECT 1 FROM ${uploadsOf(taskId, ownerId)} ${LOCKED_WITH_KEY}`;
  const upload = yield* uploadOf(taskId, ownerId);
  const known = yield* contributionOf(taskId, ownerId);
  const change = changeBy(piece, stored, known, upload, yield* isRevoked(ownerId));
  if (change === 'nothing') return upload?.pieces ?? 0;
  if (change === 'begins') {
    yield sql`DELETE FROM ${uploadsOf(taskId, ownerId)}`;
    // Two processes may begin it at once: the second finds the upload of the first, and begins again.
    yield sql`
      INSERT INTO uploads (task_id, owner_id, digest, pieces) VALUES (${taskId}, ${ownerId}, ${digest}, 0)
        ON CONFLICT (task_id, owner_id) DO NOTHING`;
  }
  const counted = yield* rowOf<{ id: number }>(sql`
    UPDATE uploads SET pieces = pieces + 1
      WHERE task_id = ${taskId} AND owner_id = ${ownerId} AND digest = ${digest} AND pieces = ${number}
      RETURNING upload_id AS id`);
  if (counted === undefined) return (yield* uploadOf(taskId, ownerId))?.pieces ?? 0;
  yield sql`INSERT INTO upload_pieces (upload_id, number, bytes) VALUES (${counted.id}, ${number}, ${bytes})`;
  return number + 1;
}

export function* uploadedPiece(uploadId: number, number: number): Work<Uint8Array | undefined> {
  const piece = sql`SELECT bytes FROM upload_pieces WHERE upload_id = ${uploadId} AND number = ${number}`;
  return (yield* rowOf<{ bytes: Uint8Array }>(piece))?.bytes;
}

/** Deletes an upload that is not a contribution. */
export function* dropUpload(uploadId: number): Work<void> {
  yield sql`
    DELETE FROM uploads WHERE upload_id = ${uploadId} AND NOT EXISTS (SELECT 1 FROM contributions
      WHERE contributions.task_id = uploads.task_id AND contributions.owner_id = uploads.owner_id)`;
}

function* removeUpload(taskId: TaskId, ownerId: OwnerId): Work<void> {
  yield erasing`DELETE FROM ${uploadsOf(taskId, ownerId)}`;
}

/** Says which of these are there. They stay until the transaction ends. */
function* uploadsAmong(ids: readonly number[]): Work<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const found = yield* rowsOf<{ id: number }>(
    sql`SELECT upload_id AS id FROM uploads WHERE upload_id ${among(ids)} ORDER BY upload_id ${SHARED}`,
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * See keepRevocations of the store. In the order of the owners: two processes that keep lists at once cannot
 * wait for each other.
 */
export function* keepRevocations(
  { number, issuedAt }: StoredRevocations,
  owners: readonly OwnerId[],
): Work<number> {
  yield sql`
    INSERT INTO revocations AS kept (only_row, number, issued_at) VALUES (true, ${number}, ${issuedAt})
      ON CONFLICT (only_row) DO UPDATE SET number = excluded.number, issued_at = excluded.issued_at
      WHERE (excluded.number, excluded.issued_at) > (kept.number, kept.issued_at)`;
  return yield* countOf(sql`
    INSERT INTO revoked_owners (owner_id) SELECT value FROM ${listed(owners.toSorted())} WHERE true
      ON CONFLICT (owner_id) DO NOTHING`);
}

/** See revocations of the store. */
export function* readRevocations(): Work<StoredRevocations | undefined> {
  const row = yield* rowOf<{ number: number | string; issuedAt: string }>(
    sql`SELECT number, issued_at AS "issuedAt" FROM revocations`,
  );
  return row && { ...row, number: Number(row.number) };
}

/** See isRevoked of the store. */
export function* isRevoked(ownerId: OwnerId): Work<boolean> {
  return (yield* countOf(sql`SELECT 1 FROM revoked_owners WHERE owner_id = ${ownerId}`)) > 0;
}

/** See tasksWithRevoked of the store. */
export function tasksWithRevoked(): Work<TaskId[]> {
  // In this order, SQLite looks up each owner by the key of contributions, which are many.
  return idsOf(sql`
    SELECT task_id AS id FROM tasks WHERE (state = 'open' OR (state = 'closed' AND fixation IS NULL))
      AND EXISTS (SELECT 1 FROM revoked_owners CROSS JOIN contributions
        WHERE contributions.task_id = tasks.task_id AND contributions.owner_id = revoked_owners.owner_id AND NOT withdrawn)`);
}

/**
 * See dropRevoked of the store. Contributions are stored under the same lock: none of an owner who was
 * revoked before can come behind this one's back.
 */
export function* dropRevoked(taskId: TaskId): Work<number> {
  if (!dropsRevoked(yield* locked(taskId))) return 0;
  const dropped = yield* rowsOf<{ ownerId: OwnerId; batch: number | null }>(sql`
    UPDATE contributions SET withdrawn = true
      WHERE task_id = ${taskId} AND NOT withdrawn AND owner_id IN (SELECT owner_id FROM revoked_owners)
      RETURNING owner_id AS "ownerId", batch`);
  // Also of those whose contributions have not come to their end.
  yield erasing`
    DELETE FROM uploads WHERE task_id = ${taskId} AND owner_id IN (SELECT owner_id FROM revoked_owners)`;
  if (dropped.length === 0) return 0;
  yield* deleteBodies(
    taskId,
    dropped.map(({ ownerId }) => ownerId),
  );
  const batches = among([...new Set(dropped.flatMap(({ batch }) => batch ?? []))]);
  yield erasing`DELETE FROM partial_products WHERE task_id = ${taskId} AND batch ${batches}`;
  yield sql`UPDATE contributions SET batch = NULL WHERE task_id = ${taskId} AND batch ${batches}`;
  yield sql`UPDATE tasks SET contributions = contributions - ${dropped.length} WHERE task_id = ${taskId}`;
  return dropped.length;
}
