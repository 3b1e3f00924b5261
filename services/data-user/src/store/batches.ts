/** The aggregation's batches: the ciphertexts they are of, and the product of each that is complete. */
import { countOf, rowsOf, SHARED, sql, type Work } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { checkMarked } from './rules.ts';
import type { PartialProduct } from './store.ts';

/** See ciphertexts of the store. */
export function* ciphertextsOf(
  taskId: TaskId,
  after: number,
  last: number,
  limit: number,
  piece: number | undefined,
) {
  const bodies =
    piece === undefined
      ? sql`JOIN contribution_bodies USING (task_id, owner_id)`
      : sql`JOIN uploads USING (task_id, owner_id) JOIN upload_pieces ON upload_pieces.upload_id = uploads.upload_id
          AND number = ${piece}`;
  const found = yield* rowsOf<{ sequence: number; bytes: Uint8Array }>(sql`
    SELECT sequence, bytes FROM contributions ${bodies}
      WHERE task_id = ${taskId} AND sequence > ${after} AND sequence <= ${last} AND NOT withdrawn
      ORDER BY sequence LIMIT ${limit}`);
  return [...found];
}

/** See completeBatch of the store. */
export function* completeBatch(taskId: TaskId, product: PartialProduct): Work<boolean> {
  const { batch, contributions, bytes, pieces = [] } = product;
  // Shared: batches are completed side by side, but none while the task moves on.
  const closed = sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND state = 'closed' ${SHARED}`;
  if ((yield* countOf(closed)) === 0) return false;
  const inserted = yield* countOf(sql`
    INSERT INTO partial_products (task_id, batch, first_sequence, last_sequence, contributions, bytes)
      VALUES (${taskId}, ${batch.number}, ${batch.first}, ${batch.last}, ${contributions}, ${bytes})
      ON CONFLICT (task_id, batch) DO NOTHING`);
  if (inserted === 0) return false;
  const marked = yield* countOf(sql`
    UPDATE contributions SET batch = ${batch.number}
      WHERE task_id = ${taskId} AND sequence BETWEEN ${batch.first} AND ${batch.last} AND NOT withdrawn AND batch IS NULL`);
  checkMarked(product, marked);
  for (const [number, piece] of pieces.entries())
    yield sql`
      INSERT INTO product_pieces (task_id, batch, number, bytes) VALUES (${taskId}, ${batch.number}, ${number}, ${piece})`;
  return true;
}

/** See completedBatches of the store. */
export function* completedBatches(taskId: TaskId): Work<number[]> {
  const completed = sql`SELECT batch FROM partial_products WHERE task_id = ${taskId} ORDER BY batch`;
  return (yield* rowsOf<{ batch: number }>(completed)).map(({ batch }) => batch);
}

/** See partialProducts of the store. */
export function* partialProducts(
  taskId: TaskId,
  after: number,
  limit: number,
  piece = -1,
): Work<PartialProduct[]> {
  type Row = { number: number; first: number; last: number; contributions: number; bytes: Uint8Array | null };
  const found = yield* rowsOf<Row>(sql`
    SELECT batch AS number, first_sequence AS first, last_sequence AS last, contributions,
        coalesce(whole.bytes, (SELECT bytes FROM product_pieces AS piece
          WHERE piece.task_id = whole.task_id AND piece.batch = whole.batch AND number = ${piece})) AS bytes
      FROM partial_products AS whole WHERE task_id = ${taskId} AND batch > ${after} ORDER BY batch LIMIT ${limit}`);
  return found.map(({ contributions, bytes, ...batch }) => ({ batch, contributions, bytes }));
}
