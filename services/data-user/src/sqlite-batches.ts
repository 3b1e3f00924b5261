/** The aggregation's batches in SQLite: the ciphertexts they are of, and the product of each that is complete. */
import type { TaskId } from '@eigenveil/task';
import type { Prepare } from './sqlite-rows.ts';
import type { PartialProduct } from './store.ts';
import { checkMarked } from './store-rules.ts';

export function ciphertextsOf(
  prepare: Prepare,
  taskId: TaskId,
  { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  piece?: number,
) {
  type Rows = { sequence: number; bytes: Uint8Array }[];
  if (piece !== undefined)
    return prepare(
      `SELECT sequence, bytes FROM contributions JOIN uploads USING (task_id, owner_id) JOIN upload_pieces USING (upload_id)
         WHERE task_id = ? AND sequence > ? AND sequence <= ? AND withdrawn = 0 AND number = ? ORDER BY sequence LIMIT ?`,
    ).all(taskId, after, last, piece, limit) as Rows;
  return prepare(
    `SELECT sequence, bytes FROM contribution_bodies WHERE task_id = ? AND sequence > ? AND sequence <= ?
       ORDER BY sequence LIMIT ?`,
  ).all(taskId, after, last, limit) as Rows;
}

/** Within a transaction. */
export function completeBatch(prepare: Prepare, taskId: TaskId, product: PartialProduct): boolean {
  const { batch, contributions, bytes, pieces = [] } = product;
  const inserted = prepare(
    `INSERT INTO partial_products (task_id, batch, first_sequence, last_sequence, contributions, bytes)
       SELECT task_id, ?, ?, ?, ?, ? FROM tasks WHERE task_id = ? AND state = 'closed'
       ON CONFLICT (task_id, batch) DO NOTHING`,
  ).run(batch.number, batch.first, batch.last, contributions, bytes, taskId);
  if (inserted.changes === 0) return false;
  const marked = prepare(
    `UPDATE contributions SET batch = ?
       WHERE task_id = ? AND sequence BETWEEN ? AND ? AND withdrawn = 0 AND batch IS NULL`,
  ).run(batch.number, taskId, batch.first, batch.last);
  checkMarked(product, Number(marked.changes));
  const insert = prepare('INSERT INTO product_pieces (task_id, batch, number, bytes) VALUES (?, ?, ?, ?)');
  for (const [number, piece] of pieces.entries()) insert.run(taskId, batch.number, number, piece);
  return true;
}

export function completedBatches(prepare: Prepare, taskId: TaskId): number[] {
  const rows = prepare('SELECT batch FROM partial_products WHERE task_id = ? ORDER BY batch').all(taskId);
  return rows.map((row) => row.batch as number);
}

export function partialProducts(
  prepare: Prepare,
  taskId: TaskId,
  after: number,
  limit: number,
  piece = -1,
): PartialProduct[] {
  const rows = prepare(
    `SELECT batch, first_sequence, last_sequence, contributions,
         coalesce(whole.bytes, (SELECT bytes FROM product_pieces AS piece
           WHERE piece.task_id = whole.task_id AND piece.batch = whole.batch AND number = ?)) AS bytes
       FROM partial_products AS whole WHERE task_id = ? AND batch > ? ORDER BY batch LIMIT ?`,
  ).all(piece, taskId, after, limit);
  return rows.map((row) => ({
    batch: {
      number: row.batch as number,
      first: row.first_sequence as number,
      last: row.last_sequence as number,
    },
    contributions: row.contributions as number,
    bytes: row.bytes as Uint8Array | null,
  }));
}
