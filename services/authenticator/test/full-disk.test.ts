/**
 * An authenticator whose disk is full: no decision is lost, and nobody is told one that windows have
 * overtaken.
 *
 * @claims S-211
 */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATHS, Site, strangeWindows } from './authenticator.ts';

/** The connection that the service has opened. */
let db: DatabaseSync;
const { exec } = DatabaseSync.prototype;
let site: Site;
beforeAll(async () => {
  DatabaseSync.prototype.exec = function (sql: string): void {
    exec.call(this, sql);
    if (/synchronous *= *FULL/.test(sql)) db = this;
  };
  site = await Site.start();
});
afterAll(async () => {
  DatabaseSync.prototype.exec = exec;
  await site.close();
});

/** SQLite does as on a full disk: SQLITE_FULL for whatever needs another page, once the pages of events are full, too. */
function fill(): void {
  db.exec(`PRAGMA max_page_count = ${Number(db.prepare('PRAGMA page_count').get()!.page_count)}`);
  const insert = db.prepare(
    "INSERT INTO events (user_id, decision, reason, time) VALUES ('a', 'lock', 'revoked', 0)",
  );
  expect(() => {
    for (;;) insert.run();
  }).toThrow(expect.objectContaining({ code: 'ERR_DATABASE_UNREACHABLE' }));
}

test('a decision that cannot be written down is not made, and the one before is told nobody meanwhile', async () => {
  const device = await (await site.device()).admitted();
  const reads = () =>
    Promise.all([
      site.ask('GET', PATHS.user(device.userId)),
      site.ask('POST', PATHS.decisions, { after: 0 }),
    ]);
  const full = { status: 503, code: 'ERR_DATABASE_UNREACHABLE' };
  fill();
  expect(await reads()).toMatchObject([{ status: 200 }, { status: 200 }]); // nothing has happened yet
  const strange = strangeWindows(20);
  expect(await device.show(strange)).toMatchObject(full);
  expect(await reads()).toMatchObject([full, full]);
  expect(await site.send(device.key, 'POST', PATHS.sessions)).toMatchObject(full);
  await device.behave(1); // which changes no decision, and makes none known
  expect(await reads()).toMatchObject([full, full]);
  db.exec('PRAGMA max_page_count = 1000000');
  expect((await site.status(device.userId)).decision).toBe('allow');
  expect((await device.show(strange)).status).toBe(204);
  expect(await site.status(device.userId)).toMatchObject({ state: 'locked', decision: 'lock' });
});
