/** Contributions that come in pieces, in SQLite, within the transactions of the store. */
import type { TaskId } from '@eigenveil/task';
import type { Digest, OwnerId } from '@eigenveil/wire';
import { contributionOf } from './sqlite-contributions.ts';
import { revokedAmong } from './sqlite-revocations.ts';
import type { Prepare } from './sqlite-rows.ts';
import type { NewPiece, StoredTask, StoredUpload } from './store.ts';
import { changeBy } from './store-rules.ts';

export function uploadOf(prepare: Prepare, taskId: TaskId, ownerId: OwnerId): StoredUpload | undefined {
  const row = prepare('SELECT upload_id, digest, pieces FROM uploads WHERE task_id = ? AND owner_id = ?').get(
    taskId,
    ownerId,
  );
  return row && { id: row.upload_id as number, digest: row.digest as Digest, pieces: row.pieces as number };
}

/** Within a transaction that has read the task: see addPiece of the store. */
export function addPiece(
  prepare: Prepare,
  stored: StoredTask | undefined,
  taskId: TaskId,
  piece: NewPiece,
): number {
  const { ownerId } = piece;
  const upload = uploadOf(prepare, taskId, ownerId);
  const isRevoked = revokedAmong(prepare, [ownerId]).size > 0;
  const known = contributionOf(prepare, taskId, ownerId);
  const change = changeBy(piece, stored, known, upload, isRevoked);
  if (change === 'nothing') return upload?.pieces ?? 0;
  insertPiece(prepare, change === 'begins' ? beginUpload(prepare, taskId, piece) : upload!.id, piece);
  return piece.number + 1;
}

export function uploadedPiece(prepare: Prepare, uploadId: number, number: number): Uint8Array | undefined {
  const row = prepare('SELECT bytes FROM upload_pieces WHERE upload_id = ? AND number = ?').get(
    uploadId,
    number,
  );
  return row?.bytes as Uint8Array | undefined;
}

/** Unless it is a contribution. */
export function dropUpload(prepare: Prepare, uploadId: number): void {
  prepare(
    `DELETE FROM uploads WHERE upload_id = ? AND NOT EXISTS (SELECT 1 FROM contributions
       WHERE contributions.task_id = uploads.task_id AND contributions.owner_id = uploads.owner_id)`,
  ).run(uploadId);
}

/** Puts an upload without pieces in the place of what was there; returns its id. */
function beginUpload(prepare: Prepare, taskId: TaskId, { ownerId, digest }: NewPiece): number {
  removeUpload(prepare, taskId, ownerId);
  const { lastInsertRowid } = prepare(
    'INSERT INTO uploads (task_id, owner_id, digest, pieces) VALUES (?, ?, ?, 0)',
  ).run(taskId, ownerId, digest);
  return Number(lastInsertRowid);
}

function insertPiece(prepare: Prepare, uploadId: number, { number, bytes }: NewPiece): void {
  prepare('INSERT INTO upload_pieces (upload_id, number, bytes) VALUES (?, ?, ?)').run(
    uploadId,
    number,
    bytes,
  );
  prepare('UPDATE uploads SET pieces = pieces + 1 WHERE upload_id = ?').run(uploadId);
}

export function removeUpload(prepare: Prepare, taskId: TaskId, ownerId: OwnerId): void {
  prepare('DELETE FROM uploads WHERE task_id = ? AND owner_id = ?').run(taskId, ownerId);
}

/** Which of these are there. */
export function uploadsAmong(prepare: Prepare, ids: readonly (number | undefined)[]): ReadonlySet<number> {
  const find = prepare('SELECT 1 FROM uploads WHERE upload_id = ?');
  return new Set(ids.filter((id) => id !== undefined).filter((id) => find.get(id) !== undefined));
}
