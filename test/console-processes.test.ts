/** The console of a data user of two processes on one PostgreSQL: a session and a stream of one know what the other knows and does. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningDataUser, startDataUser } from '@eigenveil/data-user';
import { adminTokenFile } from '@eigenveil/server';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { freePort } from '@eigenveil/testbed/port';
import { type TaskProgress, TaskProgressLine } from '@eigenveil/wire/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { openStream, signIn } from './support/console.ts';
import { QUICK } from './support/queue-times.ts';
import { type Address, send } from './support/requests.ts';
import { World } from './support/world.ts';

let world: World;
let another: RunningDataUser;
let first: Address;
let second: Address;
let token: string;
let dataDirectory: string;

beforeAll(async () => {
  world = await World.start({ dataUser: { databaseUrl: await databaseOfRun() } });
  const { dataUserConfig } = world;
  dataDirectory = join(world.folder, 'another');
  await mkdir(dataDirectory, { mode: 0o700 });
  for (const file of ['signing-key.json', 'key-encryption-key', 'admin-token'])
    await copyFile(join(dataUserConfig.dataDirectory, file), join(dataDirectory, file));
  const config = { ...dataUserConfig, dataDirectory, port: await freePort() };
  another = await startDataUser(config, { queueTimes: QUICK });
  first = world.dataUserAddress;
  second = { url: another.url, ca: world.ca };
  token = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
});
afterAll(async () => {
  await another?.close();
  await world?.close();
});

const listAt = (address: Address, bearer: string) =>
  send(address, { method: 'GET', path: '/tasks', headers: { authorization: `Bearer ${bearer}` } });

test('a stream of one process tells what was sent to the other, which did not see its session begin', {
  tags: ['long'],
}, async () => {
  const byHand = await ByHand.start(world);
  const signed = await byHand.create();
  const { id } = signed.task;
  const { bearer } = await signIn(first, token);
  const stream = await openStream(second, `/tasks/${id}/progress`, bearer);
  const until = async (isRight: (update: TaskProgress) => boolean) => {
    for (;;) {
      const line = TaskProgressLine.parse(await stream.next());
      if (line.kind === 'end') throw new Error(`the stream ended: ${line.reason}`);
      if (line.kind === 'update' && isRight(line.update)) return line.update;
    }
  };
  for (const [part, owner] of (await byHand.owners(3)).entries())
    await byHand.contribute(owner, signed, part);
  await send(first, { method: 'PUT', path: `/tasks/${id}/contribution`, body: 'x' });
  await send(second, { method: 'PUT', path: `/tasks/${id}/contribution`, body: 'x' });
  const refusing = await until(({ refused }) => refused[0]?.count === 2);
  expect(refusing.arrivals.map(({ contributions }) => contributions)).toEqual([1, 2, 3]);
  await (await world.taskClient()).closeTask(id);
  expect((await until(({ status }) => status.state === 'done')).stages).toHaveLength(7);
  expect(await stream.next()).toEqual({ kind: 'end', reason: 'final' });
});

test('a token that is replaced is void at the process whose file was replaced', {
  tags: ['long'],
}, async () => {
  const { bearer } = await signIn(first, token);
  expect((await listAt(second, bearer)).status).toBe(200);
  const stream = await openStream(second, '/progress', bearer);
  const replaced = 'another-token-of-the-operator-0123456789';
  await writeFile(adminTokenFile(dataDirectory), replaced);
  let line = await stream.next();
  while ((line as { kind: string }).kind !== 'end') line = await stream.next();
  expect(line).toEqual({ kind: 'end', reason: 'session' });
  expect((await listAt(second, bearer)).code).toBe('ERR_AUTH_REQUIRED');
  expect((await listAt(first, bearer)).status).toBe(200);
  await writeFile(adminTokenFile(world.dataUserConfig.dataDirectory), replaced);
  await expect.poll(async () => (await listAt(first, bearer)).code).toBe('ERR_AUTH_REQUIRED');
  const renewed = await signIn(second, replaced);
  expect((await listAt(first, renewed.bearer)).status).toBe(200);
});
