/** Programs of different releases: which may meet, what they are told else, and that docs/versions.md says the same. */
import { readFile } from 'node:fs/promises';
import { newTaskId } from '@eigenveil/task';
import { OLDEST_SERVER_VERSION, SPOKEN_VERSION, VERSION_HEADER } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { credentials, send } from './support/requests.ts';
import { RogueDataUser, upgradeHeaders } from './support/rogue.ts';
import { World } from './support/world.ts';

let world: World;
let dataUser: RogueDataUser;
beforeAll(async () => {
  world = await World.start();
  dataUser = await RogueDataUser.of(world);
});
afterAll(() => world.close());

/** Asks the CSP as its data user, saying another version; null says none. */
async function ask(
  version: string | null,
  message: { method: string; path: string },
  more: Record<string, string> = {},
) {
  const proof = await credentials(world.cspAddress, dataUser, message);
  const headers = { ...proof, ...more, [VERSION_HEADER]: version ?? undefined };
  return send(world.cspAddress, { ...message, headers });
}

describe('a data user of another release at the CSP', () => {
  const end = () => ({ method: 'DELETE', path: `/tasks/${newTaskId()}` });

  test('that says no version is refused, and both versions are named', async () => {
    const answer = await ask(null, end());
    expect(answer).toMatchObject({ status: 409, code: 'ERR_PROTOCOL_VERSION' });
    expect(answer.text).toContain('the data user speaks version 0');
    expect(answer.text).toContain(`this program version ${SPOKEN_VERSION}: update the data user`);
    expect(answer.headers[VERSION_HEADER]).toBe(`${SPOKEN_VERSION}`);
  });

  test('is refused a two-party connection, too', async () => {
    const message = { method: 'GET', path: `/tasks/${newTaskId()}/two-party` };
    expect((await ask(null, message, upgradeHeaders())).code).toBe('ERR_PROTOCOL_VERSION');
    expect((await ask(`${SPOKEN_VERSION}`, message, upgradeHeaders())).code).toBe('ERR_TASK_UNKNOWN');
  });

  test('may be newer: it knows itself whom it may meet', async () => {
    expect((await ask(`${SPOKEN_VERSION + 1}`, end())).code).toBe('ERR_TASK_UNKNOWN');
  });

  test.each(['', '0', '02', '-1', '1.0', '2, 2', 'x'.repeat(100)])(
    'that says %j is malformed',
    async (version) => {
      expect((await ask(version, end())).code).toBe('ERR_BODY_MALFORMED');
    },
  );
});

test('owners and operators are not asked for a version', async () => {
  const { status } = await send(world.cspAddress, {
    method: 'GET',
    path: '/.well-known/jwks.json',
    headers: { [VERSION_HEADER]: undefined },
  });
  expect(status).toBe(200);
});

test('docs/versions.md names the versions of this release first', async () => {
  const page = await readFile(new URL('../docs/versions.md', import.meta.url), 'utf8');
  const [first] = page.split('\n').filter((line) => /^\|\s+\d/.test(line));
  const [version, , servers] = first!
    .split('|')
    .slice(1)
    .map((cell) => cell.trim());
  expect([version, servers]).toEqual([`${SPOKEN_VERSION}`, `${OLDEST_SERVER_VERSION}`]);
});
