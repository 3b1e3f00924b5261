/**
 * Several operators of a data user: added and revoked by commands beside the running service, each with
 * sessions of its own, and all in the log.
 *
 * @claims S-558, S-560, S-561
 */
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import { ConsoleSession } from '@eigenveil/wire/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { jsonOf, runInProcess } from './support/in-process.ts';
import { send } from './support/requests.ts';
import { World } from './support/world.ts';

let world: World;
let byHand: ByHand;
beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
});
afterAll(() => world.close());

const run = (...args: string[]) =>
  runInProcess('user', '--json', ...args, '--data-directory', world.dataUserConfig.dataDirectory);
const add = async (name: string) => String(jsonOf(await run('operators', 'add', name)).token);
const ask = (method: string, path: string, bearer: string, body?: unknown) =>
  send(world.dataUserAddress, {
    method,
    path,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

test('an operator works by token and by session until it is revoked, and all that it did is in the log under its name', async () => {
  const [alice, bob] = [await add('alice'), await add('bob')];
  const signed = await byHand.create(); // by admin
  const id = signed.task.id;
  const signIn = await ask('POST', '/console/session', '', { token: alice });
  const { bearer } = ConsoleSession.parse(signIn.json);
  for (const credential of [alice, bearer]) expect((await ask('GET', '/tasks', credential)).status).toBe(200);
  expect((await ask('GET', '/metrics', alice)).status).toBe(401); // of admin alone
  expect((await ask('POST', `/tasks/${id}/close`, bearer, {})).code).toBe('ERR_MINIMUM_OWNERS');
  expect((await ask('GET', `/tasks/${id}/result`, bob)).code).toBe('ERR_NOT_READY');

  jsonOf(await run('operators', 'revoke', 'alice'));
  for (const credential of [alice, bearer])
    expect((await ask('POST', `/tasks/${id}/cancel`, credential, {})).code).toBe('ERR_AUTH_REQUIRED');
  expect((await ask('POST', '/console/session', '', { token: alice })).code).toBe('ERR_AUTH_REQUIRED');
  expect((await ask('POST', `/tasks/${id}/cancel`, bob, {})).status).toBe(202);

  const { entries } = jsonOf(await run('audit', 'list')) as { entries: Record<string, unknown>[] };
  expect(
    entries.map(({ operator, operation, taskId, subject }) => [operator, operation, taskId, subject]),
  ).toEqual([
    [null, 'operator added', null, 'alice'],
    [null, 'operator added', null, 'bob'],
    ['admin', 'task created', id, null],
    ['alice', 'signed in', null, null],
    ['alice', 'task closed', id, null],
    [null, 'operator revoked', null, 'alice'],
    ['bob', 'task cancelled', id, null],
  ]);
  expect(jsonOf(await run('audit', 'verify'))).toMatchObject({ entries: 7 });
  const { operators } = jsonOf(await run('operators', 'list')) as { operators: Record<string, unknown>[] };
  expect(operators).toMatchObject([
    { name: 'alice', revokedAt: expect.any(String) },
    { name: 'bob', revokedAt: null },
  ]);
  // Neither the tokens nor their hashes are told, and the database has no token.
  const db = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory), { readOnly: true });
  expect(JSON.stringify(db.prepare('SELECT * FROM operators').all())).not.toContain(bob);
  db.close();
  expect(Object.keys(operators[0]!).sort()).toEqual(['addedAt', 'expiresAt', 'name', 'revokedAt']);
});

test('a result is noted before it leaves; a name that was tampered with is found', async () => {
  const carol = await add('carol');
  const signed = await byHand.create();
  const owners = await byHand.owners(2);
  for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
  await byHand.expectResult(signed, [0, 1]);
  expect((await ask('GET', `/tasks/${signed.task.id}/result`, carol)).status).toBe(200);
  const { entries } = jsonOf(await run('audit', 'list')) as { entries: Record<string, unknown>[] };
  expect(entries.at(-1)).toMatchObject({
    operator: 'carol',
    operation: 'result fetched',
    taskId: signed.task.id,
  });
  const db = new DatabaseSync(databaseFile(world.dataUserConfig.dataDirectory));
  db.prepare(
    "UPDATE audit SET operator = 'bob' WHERE operation = 'result fetched' AND operator = 'carol'",
  ).run();
  db.close();
  const { exitCode, stderr } = await run('audit', 'verify');
  expect(exitCode).not.toBe(0);
  expect(stderr).toMatch(/ERR_AUDIT_BROKEN.*was changed/s);
});

test.each([
  [['add', 'admin'], /not admin/],
  [['add', 'Alice'], /1 to 32 small letters/],
  [['add', 'bob'], /is an operator; revoke it first/],
  [['revoke', 'nobody'], /expected an operator who is not revoked/],
  [['revoke', 'admin'], /admin ends with another token/],
])('operators %j is refused', async (args, message) => {
  const { exitCode, stderr } = await run('operators', ...args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
});
