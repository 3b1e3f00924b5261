/**
 * The title of a task through running services and command lines: drafted, signed, and seen by everybody
 * beside the id, whatever it says.
 *
 * @claims S-730
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProposalFile } from '@eigenveil/task';
import type { Receipt } from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { dataFile } from './support/tasks.ts';
import { World } from './support/world.ts';

/** Markup, a formula of a spreadsheet, separators of tables, what a shell runs, and a script from right to left. */
const HOSTILE = '=1+1",\'$(id)`;  state=ended | <script>alert(1)</script> אב';
const IRIS = dataFile('iris');
/** Folders of the first owners of a world. */
const HOMES = ['owner-1', 'owner-2'] as const;
const SHORT = { minimumOwners: 2, keyBits: 1024, allowInsecureKey: true, encryption: 'djn' } as const;

let world: World;
let asOperator: string[];
let asOwner: string[];
beforeAll(async () => {
  world = await World.start();
  for (const _ of HOMES) await world.enrolledOwner();
  const { dataUserAddress, dataUserConfig } = world;
  const ca = join(world.folder, 'cert.pem');
  asOperator = [
    ...['--url', dataUserAddress.url, '--ca', ca],
    ...['--data-directory', dataUserConfig.dataDirectory],
  ];
  const policy = join(world.folder, 'policy.json');
  const taken = { minimumKeyBits: 1024, allowFullRank: true, twoParty: ['simulated'] };
  await writeFile(policy, JSON.stringify(taken));
  asOwner = ['--user-url', dataUserAddress.url, '--user-ca', ca, '--policy', policy];
});
afterAll(() => world.close());

const user = (...args: string[]) => runInProcess('user', ...args, ...asOperator);
const drafted = (...flags: string[]) =>
  runInProcess(
    'user',
    ...['--json', 'task', 'draft', 'pca', '--data', IRIS, '--ignore', 'label', '--components', '2'],
    ...['--two-party', 'simulated', '--owners', '3', ...flags],
  );
const textOf = async (finished: ReturnType<typeof runInProcess>) => {
  const { exitCode, stdout } = await finished;
  expect(exitCode).toBe(0);
  // Nothing that a terminal acts on, and no line that the title has begun.
  expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  return stdout.trimEnd().split('\n');
};

test('whoever takes part in a task sees its title, in quotes, and no text of it passes for anything else', async () => {
  const proposal = { ...jsonOf(await drafted('--title', ` ${HOSTILE} `)), ...SHORT };
  expect(ProposalFile.parse(proposal).title).toBe(HOSTILE);
  const file = join(world.folder, 'titled.json');
  await writeFile(file, JSON.stringify(proposal));
  const [id] = await textOf(user('task', 'create', '--proposal', file));
  const quoted = JSON.stringify(HOSTILE);

  const [listed] = await textOf(user('task', 'list'));
  expect(listed).toMatch(new RegExp(`^${id}  open +pca  0 contributions, until \\S+  "`));
  expect(listed!.endsWith(`  ${quoted}`)).toBe(true);
  expect((await textOf(user('task', 'status', id!)))[0]).toMatch(/^"=1.*": open, 0 contributions; /);
  const csp = ['tasks', 'list', '--data-directory', world.cspConfig.dataDirectory];
  const [atCsp, ...others] = await textOf(runInProcess('csp', ...csp));
  expect(others).toEqual([]);
  expect(atCsp).toMatch(new RegExp(`^taskId=${id}  .*  state=agreed  .*  title="`));
  expect(atCsp!.endsWith(`  title=${quoted}`)).toBe(true);
  expect(jsonOf(await runInProcess('csp', '--json', ...csp))).toMatchObject({ tasks: [{ title: HOSTILE }] });

  for (const home of HOMES) {
    const mine = [id!, ...asOwner, '--home', join(world.folder, home)];
    const shown = await textOf(runInProcess('owner', 'show', ...mine));
    expect(shown[0]).toContain(`task ${id} ${quoted}, signed by the CSP: pca`);
    const rows = ['--data', IRIS, '--ignore', 'label'];
    const contributed = await textOf(runInProcess('owner', 'contribute', ...mine, ...rows));
    expect(contributed).toEqual([expect.stringContaining(`${quoted}: contributed 150 rows; receipt of`)]);
    const again = jsonOf(await runInProcess('owner', '--json', 'contribute', ...mine, ...rows));
    expect((again.receipt as Receipt).title).toBe(HOSTILE);
  }

  jsonOf(await user('--json', 'task', 'close', id!));
  const result = ['task', 'result', id!];
  expect((await textOf(user(...result)))[0]).toContain(`task ${id} ${quoted}: pca`);
  expect(jsonOf(await user('--json', ...result)).title).toBe(HOSTILE);
  // The table is of numbers and of features: another title changes nothing of it.
  expect((await textOf(user(...result, '--format', 'csv'))).join('\n')).not.toContain('=1+1');
  const [save, evidence] = [join(world.folder, 'saved.json'), join(world.folder, 'evidence.json')];
  const mine = ['--home', join(world.folder, HOMES[0])];
  const kept = ['--save', save, '--evidence', evidence];
  const projected = await textOf(runInProcess('owner', 'project', id!, ...asOwner, ...mine, ...kept));
  expect(projected[0]).toMatch(/^"=1.*": 2 components/);
  expect(JSON.parse(await readFile(save, 'utf8')).title).toBe(HOSTILE);
  const verified = await textOf(runInProcess('owner', 'verify', id!, ...mine, '--evidence', evidence));
  expect(verified[0]!.startsWith(`${quoted}: 2 owners took part`)).toBe(true);
  expect(JSON.parse(await readFile(evidence, 'utf8')).task.title).toBe(HOSTILE);
});

test('a task without a title looks as it did', async () => {
  const plain = jsonOf(await drafted());
  expect('title' in plain).toBe(false);
  const file = join(world.folder, 'plain.json');
  await writeFile(file, JSON.stringify({ ...plain, ...SHORT }));
  const signed = jsonOf(await user('--json', 'task', 'create', '--proposal', file)) as { task: object };
  expect('title' in signed.task).toBe(false);
  expect((await textOf(user('task', 'list')))[0]).toMatch(/contributions, until \S+Z$/);
});

test('a title that hides something is refused where it is drafted, and by the service', async () => {
  const hidden = 'Heart\u202e study';
  const refusal = {
    exitCode: 2,
    code: 'ERR_CONFIGURATION',
    detail: expect.stringContaining('remove U+202E'),
  };
  expect(problemOf(await drafted('--title', hidden))).toMatchObject(refusal);
  const proposal = ProposalFile.parse({ ...jsonOf(await drafted()), ...SHORT });
  const client = await world.taskClient();
  await expect(client.create({ ...proposal, title: hidden })).rejects.toMatchObject({
    code: 'ERR_BODY_INVALID',
    message: expect.stringContaining('"title"'),
  });
});
