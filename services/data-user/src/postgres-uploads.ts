/** Contributions that come in pieces, in PostgreSQL. */
import type { PostgresQueries } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { Digest, OwnerId } from '@eigenveil/wire';
import { contributionsOf } from './postgres-contributions.ts';
import { revokedAmong } from './postgres-revocations.ts';
import { read } from './postgres-rows.ts';
import type { NewPiece, StoredUpload } from './store.ts';
import { changeBy } from './store-rules.ts';

export async function uploadOf(
  db: PostgresQueries,
  taskId: TaskId,
  ownerId: OwnerId,
): Promise<StoredUpload | undefined> {
  const { rows } = await db.query<{ id: number; digest: Digest; pieces: number }>({
    text: 'SELECT upload_id AS id, digest, pieces FROM uploads WHERE task_id = $1 AND owner_id = $2',
    values: [taskId, ownerId],
  });
  return rows[0];
}

/**
 * Within a transaction: see addPiece of the store. The task is locked against whoever decides about it, not against other pieces. Two pieces of one
 * owner's wait for each other at the row of its upload, or at its key.
 */
export async function addPiece(db: PostgresQueries, taskId: TaskId, piece: NewPiece): Promise<number> {
  const { ownerId, digest, number, bytes } = piece;
  const stored = await read(db, taskId, 'FOR SHARE');
  await db.query({
    text: 'SELECT FROM uploads WHERE task_id = $1 AND owner_id = $2 FOR UPDATE',
    values: [taskId, ownerId],
  });
  const upload = await uploadOf(db, taskId, ownerId);
  const isRevoked = (await revokedAmong(db, [ownerId])).size > 0;
  const [known] = await contributionsOf(db, taskId, [ownerId]);
  const change = changeBy(piece, stored, known, upload, isRevoked);
  if (change === 'nothing') return upload?.pieces ?? 0;
  if (change === 'begins') {
    await removeUpload(db, taskId, ownerId);
    // Of two processes that begin it at once the second finds the first one's, and begins anew.
    await db.query({
      text: 'INSERT INTO uploads (task_id, owner_id, digest, pieces) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
      values: [taskId, ownerId, digest],
    });
  }
  const { rowCount } = await db.query({
    text: `
      WITH counted AS (
        UPDATE uploads SET pieces = pieces + 1
        WHERE task_id = $1 AND owner_id = $2 AND digest = $3 AND pieces = $4 RETURNING upload_id)
      INSERT INTO upload_pieces (upload_id, number, bytes) SELECT upload_id, $4, $5 FROM counted`,
    values: [taskId, ownerId, digest, number, bytes],
  });
  if (rowCount === 1) return number + 1;
  return (await uploadOf(db, taskId, ownerId))?.pieces ?? 0;
}

export async function uploadedPiece(
  db: PostgresQueries,
  uploadId: number,
  number: number,
): Promise<Uint8Array | undefined> {
  const text = 'SELECT bytes FROM upload_pieces WHERE upload_id = $1 AND number = $2';
  const { rows } = await db.query<{ bytes: Uint8Array }>({ text, values: [uploadId, number] });
  return rows[0]?.bytes;
}

/** Unless it is a contribution. */
export async function dropUpload(db: PostgresQueries, uploadId: number): Promise<void> {
  const text = `
    DELETE FROM uploads WHERE upload_id = $1 AND NOT EXISTS (SELECT FROM contributions
      WHERE contributions.task_id = uploads.task_id AND contributions.owner_id = uploads.owner_id)`;
  await db.query({ text, values: [uploadId] });
}

export async function removeUpload(db: PostgresQueries, taskId: TaskId, ownerId: OwnerId): Promise<void> {
  const text = 'DELETE FROM uploads WHERE task_id = $1 AND owner_id = $2';
  await db.query({ text, values: [taskId, ownerId] });
}

/** Which of these are there. They stay until the transaction ends. */
export async function uploadsAmong(
  db: PostgresQueries,
  ids: readonly (number | undefined)[],
): Promise<ReadonlySet<number>> {
  const some = ids.filter((id) => id !== undefined);
  if (some.length === 0) return new Set();
  const text =
    'SELECT upload_id FROM uploads WHERE upload_id = ANY ($1::integer[]) ORDER BY upload_id FOR SHARE';
  const { rows } = await db.query<{ upload_id: number }>({ text, values: [some] });
  return new Set(rows.map((row) => row.upload_id));
}
