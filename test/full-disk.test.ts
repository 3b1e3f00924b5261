/** Services whose disk is full: they say so, lose nothing that they have confirmed, and go on when there is room. */
import { DatabaseSync } from 'node:sqlite';
import type { TaskId } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { type Address, send } from './support/requests.ts';
import { World } from './support/world.ts';

/** The connections that services have opened, by the path of the database. */
const opened = new Map<string, DatabaseSync>();
const { exec } = DatabaseSync.prototype;
let world: World;
let byHand: ByHand;
beforeAll(async () => {
  DatabaseSync.prototype.exec = function (sql: string): void {
    exec.call(this, sql);
    if (!/synchronous *= *FULL/.test(sql)) return;
    const path = this.location()!;
    if (opened.get(path)?.isOpen !== true) opened.set(path, this);
  };
  world = await World.start({ dataUser: { cspPatienceSeconds: 0 } });
  byHand = await ByHand.start(world);
});
afterAll(async () => {
  DatabaseSync.prototype.exec = exec;
  await world.close();
});

const databaseOf = ({ dataDirectory }: { dataDirectory: string }) =>
  opened.get(`${dataDirectory}/eigenveil.sqlite`)!;
/** SQLite does as on a full disk: SQLITE_FULL for whatever needs another page. */
const fill = (db: DatabaseSync) => {
  const { page_count: pages } = db.prepare('PRAGMA page_count').get()!;
  db.exec(`PRAGMA max_page_count = ${Number(pages)}`);
};
/** Uses up what is left of the pages of a table, too, so that no body fits in. */
const fillBodies = (db: DatabaseSync, taskId: TaskId) => {
  const insert = db.prepare(
    'INSERT INTO contribution_bodies (task_id, owner_id, record, bytes) VALUES (?, ?, ?, ?)',
  );
  expect(() => {
    for (let sequence = 1; ; sequence++) insert.run(taskId, `${sequence}`, '', new Uint8Array(200));
  }).toThrow(expect.objectContaining({ code: 'ERR_DATABASE_UNREACHABLE' }));
};
const free = (db: DatabaseSync) => db.exec('PRAGMA max_page_count = 1000000');

const ready = (address: Address) => send(address, { method: 'GET', path: '/readyz' });
/** Readiness is remembered for a second. */
const expectReady = (address: Address, status: 200 | 503) =>
  expect.poll(async () => (await ready(address)).status).toBe(status);

test('the data user refuses a contribution for the moment, and takes it when there is room', async () => {
  const address = world.dataUserAddress;
  const signed = await byHand.create();
  const owners = await byHand.owners(3);
  const first = await byHand.contribute(owners[0]!, signed, 0);
  const sent = await byHand.contribution(owners[1]!, signed, 1);
  const other = await byHand.create();
  await expectReady(address, 200);
  fill(databaseOf(world.dataUserConfig));
  fillBodies(databaseOf(world.dataUserConfig), other.task.id);
  const answer = await byHand.put(owners[1]!, signed.task.id, sent);
  expect(answer).toMatchObject({ status: 503, code: 'ERR_DATABASE_UNREACHABLE' });
  expect(answer.headers['retry-after']).toBe('1');
  await expectReady(address, 503);
  const notReady = await ready(address);
  expect(notReady.code).toBe('ERR_DATABASE_UNREACHABLE');
  expect(notReady.headers['retry-after']).toBe('1');
  expect((await send(address, { method: 'GET', path: '/healthz' })).status).toBe(200);
  expect((await byHand.put(owners[0]!, signed.task.id, first)).status).toBe(200); // its receipt is there
  free(databaseOf(world.dataUserConfig));
  await expectReady(address, 200);
  await byHand.contribute(owners[1]!, signed, 1);
  await byHand.contribute(owners[2]!, signed, 2);
  await byHand.expectResult(signed, [0, 1, 2]);
}, 60_000);

test('the CSP agrees to no task for the moment', async () => {
  fill(databaseOf(world.cspConfig));
  const untilFull = async () => {
    for (;;) await byHand.create(); // a few fit into the pages that are there
  };
  await expect(untilFull()).rejects.toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE' });
  await expectReady(world.cspAddress, 503);
  free(databaseOf(world.cspConfig));
  await expectReady(world.cspAddress, 200);
  await byHand.create();
}, 60_000);
