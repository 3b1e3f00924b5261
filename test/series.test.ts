/** A series over two renewals with real processes: owners that wait for the next task, killed and started again, and what they get. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskClient } from '@eigenveil/data-user';
import { COMPILE_CACHE, program } from '@eigenveil/testbed/processes/programs';
import { tethered } from '@eigenveil/testbed/processes/tether';
import type { SignedTask } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonOf, runInProcess } from './support/in-process.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { World } from './support/world.ts';

const PUT = /^PUT .*\/contribution$/;
const POLICY = {
  minimumOwners: 2,
  minimumKeyBits: 1024,
  allowFullRank: true,
  twoParty: ['simulated'],
  series: { most: 3, shortestIntervalHours: 0 },
};

let world: World;
let client: TaskClient;
let first: SignedTask;
let homes: string[];
const running = new Set<ChildProcess>();
const at = (name: string) => join(world.folder, name);

beforeAll(async () => {
  world = await World.start({ proxied: true });
  client = await world.taskClient();
  await writeFile(at('ca.pem'), world.ca);
  await writeFile(at('policy.json'), JSON.stringify(POLICY));
  await writeFile(at('none.json'), JSON.stringify({ ...POLICY, series: undefined }));
  const slow = { ...POLICY, series: { ...POLICY.series, shortestIntervalHours: 24 } };
  await writeFile(at('slow.json'), JSON.stringify(slow));
});
afterAll(() => world.close());
beforeEach(async () => {
  // As many tasks over the same rows as their floor is made for.
  const floor = { exact: false, releases: POLICY.series.most };
  const { proposal } = await exampleOf(dataFile('iris'), 'pca', { minimumOwners: 2, ...floor });
  first = await client.create(proposal);
  homes = [];
  for (let i = 0; i < 2; i += 1) {
    const before = await readdir(world.folder);
    await world.enrolledOwner();
    homes.push(at((await readdir(world.folder)).find((name) => !before.includes(name))!));
  }
});
afterEach(async () => {
  world.proxies.dataUser.heal();
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
});

const flags = (owner: number) => [
  ...['--home', homes[owner]!, '--user-url', world.dataUserAddress.url, '--user-ca', at('ca.pem')],
  ...['--data', dataFile('iris'), '--ignore', 'label', '--patience-seconds', '0'],
  ...['--policy', at('policy.json'), '--every-seconds', '1', '--results', `${homes[owner]!}-results`],
];
const once_ = (owner: number, ...more: string[]) =>
  runInProcess('owner', '--json', 'serve-series', first.task.id, '--once', ...flags(owner), ...more);

function serve(owner: number): ChildProcess {
  const args = tethered(process.execPath, program('owner'), 'serve-series', first.task.id, ...flags(owner));
  const [command, ...words] = args;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: COMPILE_CACHE };
  const child = spawn(command, words, { stdio: 'ignore', env });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.kill(signal);
  return (await closed)[0];
}

const untilContributed = (id: SignedTask['task']['id'], count: number) =>
  expect.poll(async () => (await client.status(id)).contributions).toBe(count);

async function finish(id: SignedTask['task']['id']): Promise<void> {
  await untilContributed(id, 2);
  await client.closeTask(id);
  expect(await client.untilFinal(id)).toMatchObject({ state: 'done', contributions: 2 });
}

test('owners that serve a series contribute to each task, fetch each result, and end by SIGTERM', {
  tags: ['long'],
}, async () => {
  const owners = [serve(0), serve(1)];
  let { task } = first;
  await finish(task.id);
  for (let i = 0; i < 2; i += 1) {
    const renewal = await runInProcess(
      ...(['user', '--json', 'task', 'renew', task.id] as const),
      ...['--url', world.dataUserAddress.url, '--ca', at('ca.pem')],
      ...['--data-directory', world.dataUserConfig.dataDirectory],
    );
    ({ task } = jsonOf(renewal) as unknown as SignedTask);
    expect(task.series).toMatchObject({ id: first.task.id, number: i + 1 });
    await finish(task.id);
  }
  for (const home of homes)
    await expect.poll(() => readdir(`${home}-results`).catch(() => [])).toHaveLength(3);
  for (const owner of owners) expect(await end(owner, 'SIGTERM')).toBe(0);
  const fourth = await client.renew(task.id); // more than the policy takes
  expect(await once_(0)).toMatchObject({ exitCode: 5 });
  expect((await client.status(fourth.task.id)).contributions).toBe(0);
});

describe('killed', { tags: ['long'] }, () => {
  test.each([
    ['before the data user has the contribution', 'lose request'],
    ['after the data user has it', 'lose answer'],
  ] as const)('%s, it contributes once', async (_, kind) => {
    const { proxy, sent } = {
      proxy: world.proxies.dataUser,
      sent: world.proxies.dataUser.bodies(PUT).length,
    };
    const fault = proxy.inject(PUT, { kind }, Number.POSITIVE_INFINITY);
    const child = serve(0);
    await expect.poll(() => fault.hits).toBeGreaterThan(0);
    await end(child, 'SIGKILL');
    proxy.heal();
    expect((await once_(0)).exitCode).toBe(0);
    expect((await once_(0)).exitCode).toBe(5);
    const bodies = proxy.bodies(PUT).slice(sent);
    expect(bodies.length).toBeGreaterThan(1);
    expect(new Set(bodies.map((it) => it.toString('base64'))).size).toBe(1);
    expect((await client.status(first.task.id)).contributions).toBe(1);
  });

  test('while it looks for the next task, it contributes once', async () => {
    await once_(0);
    await once_(1);
    await client.closeTask(first.task.id);
    await client.untilFinal(first.task.id);
    const { task } = await client.renew(first.task.id);
    const held = world.proxies.dataUser.inject(/^GET .*\/next$/, { kind: 'hold' });
    const child = serve(0);
    await expect.poll(() => held.hits).toBe(1);
    await end(child, 'SIGKILL');
    world.proxies.dataUser.heal();
    const again = serve(0);
    await untilContributed(task.id, 1);
    expect(await end(again, 'SIGTERM')).toBe(0);
    expect((await client.status(task.id)).contributions).toBe(1);
  });
});

test('a look without anything to do says so by its exit code, and a policy without a series is kept', {
  tags: ['long'],
}, async () => {
  await once_(0);
  await once_(1);
  expect(await once_(0)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('ERR_NOT_READY') });
  await client.closeTask(first.task.id);
  await client.untilFinal(first.task.id);
  const { task } = await client.renew(first.task.id);
  // The first look writes the result of the first task, and contributes to the next.
  const refused = await runInProcess(
    ...(['owner', '--json', 'contribute', task.id, ...flags(1).slice(0, 12)] as const),
    ...['--policy', at('none.json')],
  );
  expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('ERR_POLICY') });
  // What the first contribution refuses is told before a row is read.
  const shown = await runInProcess(
    ...(['owner', '--json', 'show', task.id, ...flags(0).slice(0, 6)] as const),
    ...['--policy', at('slow.json')],
  );
  expect(jsonOf(shown)).toMatchObject({
    policy: { takes: false, broken: [{ rule: expect.stringMatching(/^"series" goes on no sooner than/) }] },
  });
  expect((await once_(0)).exitCode).toBe(0);
  expect((await client.status(task.id)).contributions).toBe(1);
});
