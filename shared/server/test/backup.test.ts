/** Backups for which there is no room. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeBackup, restoreBackup } from '../src/backup.ts';
import { openFoundation } from '../src/index.ts';
import { openDatabase } from '../src/sqlite.ts';
import { temporaryDirectory } from './temporary.ts';

const MIGRATIONS = ['CREATE TABLE enrolment_tokens (token_hash TEXT) STRICT;'];

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
  const full = { service: 'csp', prepare: runOutOfRoom, finish: runOutOfRoom };
  const empty = { service: 'csp', prepare: async () => undefined, finish: async () => undefined };
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
