/** Rows of contributions in PostgreSQL, within the transactions of the store: written, marked, deleted and read. */
import type { PostgresQueries } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { OwnerId } from '@eigenveil/wire';
import type { ContributionRow } from './postgres-rows.ts';
import type { NewContribution, StoredContribution } from './store.ts';
import type { admit } from './store-rules.ts';

/**
 * Writes the bodies of those owners who have none in the task; returns who they are. Where another transaction is about to write the
 * same owner's, this waits for its end. In the order of the owners: two such transactions cannot wait for each other.
 */
export async function writeBodies(
  db: PostgresQueries,
  taskId: TaskId,
  contributions: readonly NewContribution[],
): Promise<OwnerId[]> {
  const byOwner = new Map<OwnerId, NewContribution>();
  for (const contribution of contributions)
    if (!byOwner.has(contribution.ownerId)) byOwner.set(contribution.ownerId, contribution);
  const [owners, records, bytes] = [
    [...byOwner.keys()],
    [...byOwner.values()].map(({ record }) => record),
    [...byOwner.values()].map((it) => it.bytes),
  ];
  const { rows } = await db.query<{ owner_id: OwnerId }>({
    // Bytes one by one, since within a list they would travel as text. A task that is proposed may be open by the time it is locked.
    text: `
      INSERT INTO contribution_bodies (task_id, owner_id, record, bytes)
      SELECT task_id, owner_id, record, bytes
      FROM unnest($2::text[], $3::text[], ARRAY[${bytes.map((_, i) => `$${i + 4}`).join(', ')}]::bytea[])
          AS new (owner_id, record, bytes)
        JOIN tasks ON task_id = $1 AND state IN ('proposed', 'open')
      WHERE NOT EXISTS (SELECT FROM contributions AS known
        WHERE known.task_id = $1 AND known.owner_id = new.owner_id COLLATE "C")
      ORDER BY owner_id COLLATE "C"
      ON CONFLICT (task_id, owner_id) DO NOTHING
      RETURNING owner_id`,
    values: [taskId, owners, records, ...bytes],
  });
  return rows.map((row) => row.owner_id);
}

export async function insertFresh(
  db: PostgresQueries,
  taskId: TaskId,
  fresh: ReturnType<typeof admit>['fresh'],
): Promise<void> {
  const contributions = fresh.map(({ contribution }) => contribution);
  await db.query({
    text: `
      WITH inserted AS (
        INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt)
        SELECT $1, * FROM unnest($2::text[], $3::integer[], $4::text[], $5::text[])
        RETURNING 1)
      UPDATE tasks SET contributions = contributions + $6, last_sequence = last_sequence + $6 WHERE task_id = $1`,
    values: [
      taskId,
      contributions.map(({ ownerId }) => ownerId),
      fresh.map(({ sequence }) => sequence),
      contributions.map(({ digest }) => digest),
      contributions.map(({ receipt }) => receipt),
      fresh.length,
    ],
  });
}

export async function markWithdrawn(db: PostgresQueries, taskId: TaskId, ownerId: OwnerId): Promise<void> {
  await db.query({
    text: `
      WITH numbered AS (
        UPDATE tasks SET last_sequence = last_sequence + 1 WHERE task_id = $1 RETURNING last_sequence)
      INSERT INTO contributions (task_id, owner_id, sequence, digest, receipt, withdrawn)
      SELECT $1, $2, last_sequence, '', '', true FROM numbered`,
    values: [taskId, ownerId],
  });
}

export async function deleteBodies(
  db: PostgresQueries,
  taskId: TaskId,
  owners: readonly OwnerId[],
): Promise<void> {
  const text = 'DELETE FROM contribution_bodies WHERE task_id = $1 AND owner_id = ANY ($2)';
  await db.query({ text, values: [taskId, owners] });
}

export async function contributionsOf(
  db: PostgresQueries,
  taskId: TaskId,
  owners: readonly OwnerId[],
): Promise<StoredContribution[]> {
  const { rows } = await db.query<ContributionRow>({
    text: `
      SELECT owner_id, digest, receipt, withdrawn FROM contributions
      WHERE task_id = $1 AND owner_id = ANY ($2)`,
    values: [taskId, owners],
  });
  return rows.map(({ owner_id, ...row }) => ({ ownerId: owner_id, ...row }));
}
