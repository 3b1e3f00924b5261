/** The store in SQLite; the one in PostgreSQL is tried where there is a server for it. */
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../src/store/open.ts';
import { ADMIN, verifyOperatorLog } from '../src/tasks/operators.ts';
import { storeContract } from './store-contract.ts';

storeContract('SQLite', async () => openSqliteStore(':memory:'));

test('a restoration revokes all operators, and the log says so', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const now = new Date();
  const later = new Date(now.getTime() + 1000).toISOString();
  await store.operators.add({ name: 'alice', tokenHash: 'a'.repeat(43), expiresAt: later }, now);
  await store.operators.noteRestoration('b'.repeat(43), now);
  expect(await store.operators.named('alice')).toMatchObject({ revokedAt: now.toISOString() });
  const { entries } = verifyOperatorLog(await store.operators.log(), ADMIN);
  expect(entries.at(-1)).toMatchObject({ operation: 'restored', subject: 'b'.repeat(43), operator: null });
});
