/** Backups for which there is no room. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeBackup, restoreBackup, verifyBackup } from '../../src/database/backup.ts';
import { openDatabase } from '../../src/database/sqlite.ts';
import { loadOrCreateKeyRing, openFoundation } from '../../src/index.ts';
import { temporaryDirectory } from '../temporary.ts';

const MIGRATIONS = ['CREATE TABLE enrolment_tokens (token_hash TEXT) STRICT;'];
const RULES = { service: 'csp', migrations: MIGRATIONS, sealed: [] } as const;

/** Does as SQLite does on a full disk. */
async function runOutOfRoom(path: string): Promise<void> {
  const db = openDatabase(path, MIGRATIONS, 'csp');
  try {
    db.exec(
      'PRAGMA max_page_count = 1; CREATE TABLE more (x BLOB); INSERT INTO more VALUES (zeroblob(1000000))',
    );
  } finally {
    db.close();
  }
}

test('a backup and a restoration for which there is no room say so, and can be given again', async () => {
  const dataDirectory = await temporaryDirectory();
  const { database } = await openFoundation({ dataDirectory });
  openDatabase(database, MIGRATIONS, 'csp').close();
  const full = { ...RULES, prepare: runOutOfRoom, finish: runOutOfRoom };
  const empty = { ...RULES, prepare: async () => undefined, finish: async () => undefined };
  const [first, second] = [await temporaryDirectory(), await temporaryDirectory()];
  const refusal = {
    code: 'ERR_BACKUP',
    message: expect.stringMatching(/^the disk is full: expected room for the database in "/),
  };
  await expect(makeBackup(full, dataDirectory, first)).rejects.toMatchObject(refusal);
  await makeBackup(empty, dataDirectory, second);
  const restored = await temporaryDirectory();
  await cp(join(dataDirectory, 'signing-key.json'), join(restored, 'signing-key.json'));
  await expect(restoreBackup(full, restored, second)).rejects.toMatchObject(refusal);
  await restoreBackup(empty, restored, second);
});

test('a backup is verified down to what is sealed in it', async () => {
  const dataDirectory = await temporaryDirectory();
  const { database, sealer } = await openFoundation({ dataDirectory });
  const migrations = ['CREATE TABLE invitations (id TEXT PRIMARY KEY, sealed BLOB) STRICT;'];
  const place = (key: string) => `invitations/${key}`;
  const nothing = async () => {};
  const rules = {
    ...({ service: 'authenticator', migrations, prepare: nothing, finish: nothing } as const),
    sealed: [{ table: 'invitations', key: 'id', column: 'sealed', place }],
  };
  const db = openDatabase(database, migrations, 'authenticator');
  const insert = (key: string, sealedFor: string) =>
    db
      .prepare('INSERT INTO invitations VALUES (?, ?)')
      .run(key, sealer.seal(place(sealedFor), Buffer.from('it')));
  insert('a', 'a');
  const good = await temporaryDirectory();
  await makeBackup(rules, dataDirectory, good);
  expect(await verifyBackup(rules, { dataDirectory }, good)).toMatchObject({ sealedValues: 1 });
  const older = { ...rules, migrations: [] };
  await expect(verifyBackup(older, { dataDirectory }, good)).rejects.toMatchObject({
    code: 'ERR_SCHEMA_NEWER',
  });
  // Somebody has moved a sealed value, or keeps another key file than the one of the time.
  const broken = { code: 'ERR_SEAL_BROKEN' };
  const other = join(await temporaryDirectory(), 'other-keys');
  await loadOrCreateKeyRing(other);
  await expect(verifyBackup(rules, { dataDirectory, keyEncryptionKey: other }, good)).rejects.toMatchObject(
    broken,
  );
  insert('b', 'a');
  db.close();
  const bad = await temporaryDirectory();
  await makeBackup(rules, dataDirectory, bad);
  await expect(verifyBackup(rules, { dataDirectory }, bad)).rejects.toMatchObject(broken);
});
