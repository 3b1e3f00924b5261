/**
 * A session of the operator's console, over HTTPS: what a bearer opens, how often a token may be tried, and
 * what a new token voids.
 *
 * @claims S-501, S-502, S-503
 */
import { readFile, writeFile } from 'node:fs/promises';
import { adminTokenFile } from '@eigenveil/server';
import { ProblemSchema } from '@eigenveil/wire';
import { ConsoleSession } from '@eigenveil/wire/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from './support/requests.ts';
import { World } from './support/world.ts';

let world: World;
let tokenFile: string;
let token: string;

beforeAll(async () => {
  world = await World.start();
  tokenFile = adminTokenFile(world.dataUserConfig.dataDirectory);
  token = (await readFile(tokenFile, 'utf8')).trim();
});
afterAll(() => world.close());

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(world.dataUserAddress, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const exchange = (presented: string) => post('/console/session', { token: presented });
const get = (path: string, bearer: string) =>
  send(world.dataUserAddress, { method: 'GET', path, headers: { authorization: `Bearer ${bearer}` } });

test('a bearer opens what the token opens, is renewed, and leaves no cookie', async () => {
  const answer = await exchange(token);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(answer.headers['set-cookie']).toBeUndefined();
  const session = ConsoleSession.parse(answer.json);
  expect((await get('/tasks', session.bearer)).json).toEqual({ tasks: [], older: false });
  const renewal = await post('/console/session/renewal', {}, { authorization: `Bearer ${session.bearer}` });
  const renewed = ConsoleSession.parse(renewal.json);
  expect(renewed.endsAt).toBe(session.endsAt);
  expect((await get('/tasks', renewed.bearer)).status).toBe(200);
  expect((await get('/tasks', token)).status).toBe(200);
});

test('what is no token is refused in one way, and after ten times not looked at for some seconds', async () => {
  const texts = new Set<string>();
  for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toUpperCase(), 'a.b.c', '\0'.repeat(43)]) {
    const answer = await exchange(wrong);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    texts.add(`${answer.status} ${answer.text}`);
  }
  expect(texts.size).toBe(1);
  expect([...texts][0]).toMatch(/^401 .*ERR_AUTH_REQUIRED/);
  let refusal = await exchange('x');
  while (refusal.status === 401) refusal = await exchange('x');
  expect(ProblemSchema.parse(refusal.json)).toMatchObject({ status: 429, code: 'ERR_RATE_LIMITED' });
  const seconds = Number(refusal.headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(7);
  // The command line and whoever has a bearer go on.
  expect((await get('/tasks', token)).status).toBe(200);
  await expect.poll(async () => (await exchange(token)).status).toBe(200);
});

test('another token in the file voids the one before and its bearers, without a restart', async () => {
  const { bearer } = ConsoleSession.parse((await exchange(token)).json);
  const replaced = 'another-token-of-the-operator-0123456789';
  await writeFile(tokenFile, `${replaced}\n`);
  await expect.poll(async () => (await get('/tasks', bearer)).code).toBe('ERR_AUTH_REQUIRED');
  expect((await get('/tasks', token)).code).toBe('ERR_AUTH_REQUIRED');
  expect((await get('/metrics', token)).code).toBe('ERR_AUTH_REQUIRED');
  const renewal = await post('/console/session/renewal', {}, { authorization: `Bearer ${bearer}` });
  expect(renewal.code).toBe('ERR_AUTH_REQUIRED');
  expect((await exchange(replaced)).status).toBe(200);
  expect((await get('/tasks', replaced)).status).toBe(200);
});
