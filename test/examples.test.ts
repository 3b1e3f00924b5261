/** The examples run against real services: the data user's as one process, the owner's as two. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { inviteOwners } from '@eigenveil/csp';
import { Projector, Thumbprint } from '@eigenveil/projection';
import { adminTokenFile } from '@eigenveil/server';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from './support/world.ts';

const EXAMPLES = new URL('../examples/', import.meta.url).pathname;

let world: World;
const started: ChildProcess[] = [];
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await world.close();
});

function start(example: string, argument: string, environment: Record<string, string>) {
  const [first, ...words] = tethered(process.execPath, join(EXAMPLES, example), argument);
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const trusted = { NODE_EXTRA_CA_CERTS: world.dataUserConfig.tlsCertificate };
  const child = spawn(first, words, {
    env: { PATH, NODE_COMPILE_CACHE, ...trusted, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  started.push(child);
  return { child, ended: once(child, 'close') };
}

test('owners contribute rows from memory and project a stream, and a data user runs their task', async () => {
  const { dataDirectory, cspThumbprint } = world.dataUserConfig;
  const evidence = join(world.folder, 'evidence.json');
  const user = start('run-task.ts', evidence, {
    USER_URL: world.dataUserAddress.url,
    USER_ADMIN_TOKEN: (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim(),
  });
  const said = createInterface(user.child.stdout!)[Symbol.asyncIterator]();
  const { value: taskId } = (await said.next()) as { value: string };
  const tokens = await inviteOwners(world.cspConfig.dataDirectory, 2, 3600);
  const stream = [
    { temperature: 5, humidity: 90, pressure: 1013, wind: 8 },
    { wind: 8, pressure: 1013, temperature: 25, humidity: 30 },
  ];
  const owners = tokens.map((OWNER_TOKEN) => {
    const owner = start('contribute-and-project.ts', taskId, {
      CSP_URL: world.cspAddress.url,
      CSP_THUMBPRINT: cspThumbprint,
      USER_URL: world.dataUserAddress.url,
      OWNER_TOKEN,
    });
    owner.child.stdin!.end(stream.map((reading) => `${JSON.stringify(reading)}\n`).join(''));
    return { ...owner, output: text(owner.child.stdout!) };
  });
  const vectors = JSON.parse(((await said.next()) as { value: string }).value) as number[][];
  expect(await user.ended).toEqual([0, null]);
  const projector = await Projector.load(evidence, Thumbprint.parse(cspThumbprint));
  expect(projector.projection.vectors).toEqual(vectors);
  const rows = [
    [5, 90, 1013, 8],
    [25, 30, 1013, 8],
  ];
  const expected = projector.transform(rows).map((row) => JSON.stringify(row));
  for (const { ended, output } of owners) {
    expect((await output).trim().split('\n')).toEqual(expected);
    expect(await ended).toEqual([0, null]);
  }
  // What varies most is warm and dry against cold and damp, on both sides of the mean.
  const [[cold], [warm]] = projector.transform(rows) as [[number], [number]];
  expect(Math.sign(cold)).toBe(-Math.sign(warm));
});
