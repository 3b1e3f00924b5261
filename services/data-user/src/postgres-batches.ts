/** The aggregation's batches in PostgreSQL: the ciphertexts they are of, and the product of each that is complete. */
import type { PostgresQueries } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { PartialProduct } from './store.ts';
import { checkMarked } from './store-rules.ts';

interface PartialProductRow {
  readonly batch: number;
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly contributions: number;
  readonly bytes: Uint8Array | null;
}

export async function ciphertextsOf(
  db: PostgresQueries,
  taskId: TaskId,
  { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  piece?: number,
) {
  if (piece !== undefined) return piecesAt(db, taskId, { after, last, limit }, piece);
  const { rows } = await db.query<{ sequence: number; bytes: Uint8Array }>({
    text: `
      SELECT sequence, bytes FROM contributions JOIN contribution_bodies USING (task_id, owner_id)
      WHERE task_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
    values: [taskId, after, last, limit],
  });
  return rows;
}

async function piecesAt(
  db: PostgresQueries,
  taskId: TaskId,
  { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  piece: number,
) {
  const { rows } = await db.query<{ sequence: number; bytes: Uint8Array }>({
    text: `
      SELECT sequence, bytes
      FROM contributions JOIN uploads USING (task_id, owner_id) JOIN upload_pieces USING (upload_id)
      WHERE task_id = $1 AND sequence > $2 AND sequence <= $3 AND NOT withdrawn AND number = $5
      ORDER BY sequence LIMIT $4`,
    values: [taskId, after, last, limit, piece],
  });
  return rows;
}

/** Within a transaction. */
export async function completeBatch(
  db: PostgresQueries,
  taskId: TaskId,
  product: PartialProduct,
): Promise<boolean> {
  const { batch, contributions, bytes, pieces = [] } = product;
  // Shared: batches are completed side by side, but none while the task moves on.
  const { rowCount: isClosed } = await db.query({
    text: `SELECT FROM tasks WHERE task_id = $1 AND state = 'closed' FOR SHARE`,
    values: [taskId],
  });
  if (isClosed === 0) return false;
  const { rowCount: isNew } = await db.query({
    text: `
      INSERT INTO partial_products (task_id, batch, first_sequence, last_sequence, contributions, bytes)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (task_id, batch) DO NOTHING`,
    values: [taskId, batch.number, batch.first, batch.last, contributions, bytes],
  });
  if (isNew === 0) return false;
  const { rowCount: marked } = await db.query({
    text: `
      UPDATE contributions SET batch = $2
      WHERE task_id = $1 AND sequence BETWEEN $3 AND $4 AND NOT withdrawn AND batch IS NULL`,
    values: [taskId, batch.number, batch.first, batch.last],
  });
  checkMarked(product, marked);
  for (const [number, piece] of pieces.entries())
    await db.query({
      text: 'INSERT INTO product_pieces (task_id, batch, number, bytes) VALUES ($1, $2, $3, $4)',
      values: [taskId, batch.number, number, piece],
    });
  return true;
}

export async function completedBatches(db: PostgresQueries, taskId: TaskId): Promise<number[]> {
  const text = 'SELECT batch FROM partial_products WHERE task_id = $1 ORDER BY batch';
  const { rows } = await db.query<{ batch: number }>({ text, values: [taskId] });
  return rows.map((row) => row.batch);
}

export async function partialProducts(
  db: PostgresQueries,
  taskId: TaskId,
  after: number,
  limit: number,
  piece = -1,
): Promise<PartialProduct[]> {
  const text = `
    SELECT batch, first_sequence, last_sequence, contributions,
      coalesce(whole.bytes, (SELECT bytes FROM product_pieces AS piece
        WHERE piece.task_id = whole.task_id AND piece.batch = whole.batch AND number = $4)) AS bytes
    FROM partial_products AS whole WHERE task_id = $1 AND batch > $2 ORDER BY batch LIMIT $3`;
  const { rows } = await db.query<PartialProductRow>({ text, values: [taskId, after, limit, piece] });
  return rows.map(({ batch, first_sequence, last_sequence, contributions, bytes }) => ({
    batch: { number: batch, first: first_sequence, last: last_sequence },
    contributions,
    bytes,
  }));
}
