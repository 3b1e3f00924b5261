/**
 * The CSP's audit log of tasks that run through the services, and the commands that show and verify it.
 *
 * @claims S-122, S-125
 */

import { DatabaseSync } from 'node:sqlite';
import { readAudit, verifyAudit } from '@eigenveil/csp';
import { methodOf } from '@eigenveil/methods';
import { databaseFile } from '@eigenveil/server';

import { Children } from '@eigenveil/testbed/processes/programs';
import { digestTask } from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { runInProcess } from './support/in-process.ts';
import { finishTask } from './support/run-task.ts';
import { madeUpProposal, split } from './support/tasks.ts';
import { World } from './support/world.ts';

let world: World;
const children = new Children();
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await children.stop();
  await world.close();
});

/** Few, since only the log is looked at. */
const VALUES = [
  [0.5, 0.25],
  [-0.5, 0.75],
  [0.25, -0.75],
  [-0.25, -0.5],
];

for (const [method, twoParty, tags] of [
  ['pca', 'simulated', ['long']],
  ['pca', 'garbled', ['long']],
  ['pca', 'rotated', ['long']],
  ['dca', 'rotated', []],
] as const)
  test(`a task of ${method} with ${twoParty} leaves six entries`, { tags: [...tags] }, async () => {
    const proposal = madeUpProposal(method, 2, method === 'pca' ? [] : [2]);
    const rows = { values: VALUES, classes: VALUES.map((_, i) => (method === 'pca' ? [] : [i >> 1])) };
    const outputs = [...methodOf(proposal).revealedByRotation];
    const policy = { twoParty: [twoParty], minimumClassRows: 1 };
    const owners = [await world.enrolledOwner(policy), await world.enrolledOwner(policy)];
    const parties = {
      client: await world.taskClient(),
      dataUser: world.dataUserAddress,
      owners: owners.map(({ owner }) => owner),
    };
    const task = { ...proposal, twoParty, components: 2, outputs, allowFullRank: true };
    const { status, task: done } = await finishTask(parties, task, split(rows, 2));
    expect(status.state).toBe('done');
    const entries = verifyAudit(readAudit(world.cspConfig.dataDirectory)).entries.filter(
      ({ taskId }) => taskId === done.id,
    );
    const [root, request] = entries.slice(1).map(({ requestDigest }) => requestDigest);
    for (const digest of [root, request]) expect(digest).toMatch(/^[\w-]{43}$/);
    expect(root).not.toBe(request);
    expect(entries.map(({ operation, requestDigest }) => [operation, requestDigest])).toEqual([
      ['key made', digestTask(done)],
      ['records fixed', root],
      ['unblinded', request],
      ['key destroyed', request],
      ['computation started', request],
      ['computation answered', request],
    ]);
  });

test('the commands show and verify the log beside the running service, and find what was changed', async () => {
  await (await ByHand.start(world)).create();
  const { dataDirectory } = world.cspConfig;
  const words = (...args: string[]) => ['audit', ...args, '--data-directory', dataDirectory];
  const run = (...args: string[]) => runInProcess('csp', ...words(...args));
  const { entries, lastHash } = verifyAudit(readAudit(dataDirectory));
  expect(await run('verify', '--json')).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: `${JSON.stringify({ entries: entries.length, lastHash })}\n`,
  });
  expect(await run('verify', '--noted', lastHash)).toMatchObject({
    exitCode: 0,
    stdout: `${entries.length} entries, none changed, removed or reordered; last hash ${lastHash}\n`,
  });
  expect(JSON.parse((await run('show', '--json')).stdout)).toEqual({ entries });
  const lines = (await run('show')).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(entries.length);
  expect(lines.at(-1)).toMatch(
    new RegExp(`^${entries.length}  20.*Z  [\\w-]{22}  key made  [\\w-]{43}  ${lastHash}$`),
  );

  const db = new DatabaseSync(databaseFile(dataDirectory));
  db.exec('DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit)');
  expect((await run('verify')).exitCode).toBe(0);
  const noted = await run('verify', '--noted', lastHash);
  expect(noted).toMatchObject({ stdout: '', stderr: expect.stringContaining('ERR_AUDIT_BROKEN') });
  db.exec('DELETE FROM audit WHERE sequence = 1');
  db.close();
  // The exit code is that of the program itself.
  const found = await children.run('csp', words('verify', '--json'));
  expect(found.exitCode).toBe(3);
  expect(JSON.parse(found.stderr)).toMatchObject({
    code: 'ERR_AUDIT_BROKEN',
    detail: expect.stringContaining('entry 1 '),
  });
});

test('the log can be read when the service has stopped', async () => {
  const { dataDirectory } = world.cspConfig;
  const before = readAudit(dataDirectory);
  expect(before.length).toBeGreaterThan(0);
  await world.stopCsp();
  expect(readAudit(dataDirectory)).toEqual(before);
});

test('a folder without a log is told from an empty log', async () => {
  const nowhere = await runInProcess('csp', 'audit', 'verify', '--data-directory', world.folder);
  expect(nowhere.exitCode).toBe(2);
  expect(nowhere.stderr).toContain('ERR_DATABASE');
});
