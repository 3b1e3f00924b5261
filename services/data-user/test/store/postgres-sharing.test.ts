/** What the processes of one data user have in common, with a real PostgreSQL. */
import type { PostgresDatabase } from '@eigenveil/server';
import { DatabaseLine } from '@eigenveil/testbed/databases/database-line';
import { databaseOfRun, emptying } from '@eigenveil/testbed/databases/database-of-run';
import { Thumbprint } from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDataUserDatabase } from '../../src/store/open.ts';
import { SCHEMA } from '../../src/store/postgres-schema.ts';
import { claimDatabase, PostgresReplayGuard } from '../../src/store/postgres-sharing.ts';

let url: string;
let databases: readonly [PostgresDatabase, PostgresDatabase];
beforeAll(async () => {
  url = await databaseOfRun();
  databases = [await openDataUserDatabase(url), await openDataUserDatabase(url)];
});
beforeEach(() => databases[0].query({ text: emptying(SCHEMA) }));
afterAll(() => Promise.all(databases.map((database) => database.close())));

describe('the database belongs to', () => {
  const [thumbprint, other] = [Thumbprint.parse('a'.repeat(43)), Thumbprint.parse('b'.repeat(43))];
  const claim = (own: Parameters<typeof claimDatabase>[1]) => claimDatabase(databases[1], own);
  const refusal = (part: string) =>
    expect.objectContaining({ code: 'ERR_DATABASE_IDENTITY', message: expect.stringContaining(part) });

  test('the first identity that comes, also when several come at once', async () => {
    const claims = await Promise.allSettled(
      [0, 1, 2, 3].map((i) =>
        claimDatabase(databases[i % 2]!, { thumbprint: i % 2 === 0 ? thumbprint : other, keyIds: ['k'] }),
      ),
    );
    const [first, second] = claims.map(({ status }) => status);
    expect([first, second].toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(claims.map(({ status }) => status)).toEqual([first, second, first, second]);
  });

  test('processes that can open what the others seal', async () => {
    await claim({ thumbprint, keyIds: ['old'] });
    await claim({ thumbprint, keyIds: ['old', 'new'] });
    await expect(claim({ thumbprint, keyIds: ['stranger'] })).rejects.toEqual(refusal('key old'));
    await expect(claim({ thumbprint: other, keyIds: ['old'] })).rejects.toEqual(refusal('signing-key.json'));
    // The steps of: key reseal.
    await claim({ thumbprint, keyIds: ['new', 'old'] });
    await expect(claim({ thumbprint, keyIds: ['old'] })).rejects.toEqual(refusal('key new'));
    await claim({ thumbprint, keyIds: ['new'] });
    await expect(claim({ thumbprint, keyIds: ['old', 'older'] })).rejects.toEqual(refusal('old, older'));
  });
});

test('a process waits for another that changes the key at the same time', async () => {
  const thumbprint = Thumbprint.parse('a'.repeat(43));
  await claimDatabase(databases[0], { thumbprint, keyIds: ['old'] });
  let claimed: Promise<void> | undefined;
  await databases[0].transaction('change', async (db) => {
    await db.query({ text: `UPDATE belongs_to SET key_id = 'new'` });
    claimed = claimDatabase(databases[1], { thumbprint, keyIds: ['old'] });
    claimed.catch(() => undefined); // looked at below
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await databases[0].query({ text })).rowCount).toBe(1);
  });
  await expect(claimed).rejects.toMatchObject({ code: 'ERR_DATABASE_IDENTITY' });
});

describe('a used proof', () => {
  let guards: readonly [PostgresReplayGuard, PostgresReplayGuard];
  beforeEach(() => {
    guards = [new PostgresReplayGuard(databases[0]), new PostgresReplayGuard(databases[1])];
  });
  const replayed = expect.objectContaining({ code: 'ERR_PROOF_REPLAYED' });
  const remembered = async () => {
    const { rows } = await databases[0].query<{ proof_id: string }>({
      text: 'SELECT proof_id FROM used_proofs',
    });
    return new Set(rows.map((row) => row.proof_id));
  };

  test('is refused by the process that has seen it, and by every other one', async () => {
    await guards[0].admit('a');
    await expect(guards[0].admit('a')).rejects.toEqual(replayed);
    await expect(guards[1].admit('a')).rejects.toEqual(replayed);
    await expect(new PostgresReplayGuard(databases[1]).admit('a')).rejects.toEqual(replayed);
    await guards[1].admit('b');
  });

  test('is admitted once when it comes to several at the same time', async () => {
    for (const proof of ['a', 'b', 'c', 'd', 'e']) {
      const fresh = [0, 1, 0, 1, 0, 1].map((i) => new PostgresReplayGuard(databases[i]!));
      const outcomes = await Promise.allSettled(fresh.map((guard) => guard.admit(proof)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toEqual(replayed);
    }
  });

  test('is forgotten when it would not be accepted any more, and not before', async () => {
    const old = Array.from({ length: 1000 }, (_, i) => `old ${i}`);
    await databases[0].query({
      text: `INSERT INTO used_proofs SELECT unnest($1::text[]), now() - interval '1 second'`,
      values: [old],
    });
    const proofs = Array.from({ length: 2 * 256 }, (_, i) => `proof ${i}`);
    for (const proof of proofs.slice(0, 256)) await guards[0].admit(proof);
    expect((await remembered()).size).toBe(1000 - 512 + 256); // in slices
    for (const proof of proofs.slice(256)) await guards[0].admit(proof);
    expect(await remembered()).toEqual(new Set(proofs));
    const { rows } = await databases[0].query<{ seconds: number }>({
      text: `SELECT extract(epoch FROM min(expires_at) - now())::float8 AS seconds FROM used_proofs`,
    });
    expect(rows[0]!.seconds).toBeGreaterThan(120); // what the clocks of two processes may differ by comes on top
  });

  test('that cannot be written down does not open anything, and one that this process knows needs no database', async () => {
    const line = await DatabaseLine.open(url);
    const database = await openDataUserDatabase(line.url);
    onTestFinished(() => database.close());
    const guard = new PostgresReplayGuard(database);
    await guard.admit('known');
    await line.close();
    await expect(guard.admit('a')).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
    await expect(guard.admit('known')).rejects.toEqual(replayed);
  });
});
