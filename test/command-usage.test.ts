/** Command lines that cannot work: they say what is wrong, exit with 2 and leave files as they were. */
import { access, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnerPolicy } from '@eigenveil/data-owner';
import { TaskId } from '@eigenveil/task';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAMS, problemOf, runInProcess } from './support/in-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-usage-'));
  await writeFile(join(folder, 'text'), 'no JSON');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Name = keyof typeof PROGRAMS;

async function run(name: Name, ...args: string[]) {
  const { exitCode, stdout: out, stderr: err } = await runInProcess(name, ...args);
  return { exitCode, out, err };
}

/** Every command by the words that call it. */
const commandLines = Object.entries(PROGRAMS).flatMap(([name, program]) => {
  const walk = (command: Command, words: string[]): [Name, string[]][] =>
    command.commands.length === 0
      ? [[name as Name, words]]
      : command.commands.flatMap((child) => walk(child, [...words, child.name()]));
  return walk(program(), []);
});

describe('help', () => {
  test.each(commandLines)('eigenveil-%s %j', async (name, words) => {
    const { exitCode, out, err } = await run(name, ...words, '--help');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: eigenveil-${name} ${words.join(' ')}`);
    expect(out).toMatch(/--config <FILE>/);
    // An example where there is more to give than an address.
    const needsExample =
      /serve|check-config|invite|key|backup|restore|draft|create|result|enrol|contribute|project|sql|^show|^verify|^page|calibrate|observe|renew|operators add|decisions|confirm|unlock|budget set/.test(
        words.join(' '),
      );
    expect(out.includes(`$ eigenveil-${name}`) || /\$ \w+=… eigenveil-/.test(out)).toBe(needsExample);
  });

  test.each(Object.keys(PROGRAMS) as Name[])(
    'eigenveil-%s lists its commands and its version',
    async (name) => {
      expect((await run(name, '--help')).out).toMatch(/Commands:/);
      expect((await run(name, '--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );

  test('of contribute shows a policy with every rule, which takes the default protocol', async () => {
    const { out } = await run('owner', 'contribute', '--help');
    const shown = JSON.parse(/^ {2}(\{.*?\})$/ms.exec(out)![1]!) as Record<string, unknown>;
    expect(Object.keys(shown).sort()).toEqual(Object.keys(OwnerPolicy.shape).sort());
    expect(OwnerPolicy.parse(shown).twoParty).toEqual(OwnerPolicy.parse({}).twoParty);
  });
});

const A_TASK = 'A'.repeat(22);
const URL = ['--user-url', 'https://127.0.0.1:1', '--patience-seconds', '0'];
const HOME = ['--home', '/nowhere'];

describe('a command line that is wrong exits with 2', () => {
  test.each<[string, Name, string[], RegExp]>([
    ['an unknown command', 'csp', ['sreve'], /unknown command 'sreve'/],
    ['an unknown option', 'csp', ['invite', '--cuont', '3'], /unknown option '--cuont'/],
    ['a missing setting', 'user', ['identity'], /"dataDirectory" is missing: give --data-directory/],
    [
      'a thumbprint that is none',
      'csp',
      ['serve', '--data-directory', '/x', '--tls-certificate', 'x', '--tls-key', 'x', '--data-users', 'foo'],
      /"--data-users\[0\]": expected a thumbprint of 43 characters, as the command identity prints it/,
    ],
    ['a missing task', 'owner', ['contribute'], /missing required argument 'TASK'/],
    [
      'a folder that cannot be made',
      'csp',
      ['identity', '--data-directory', '/dev/null/x'],
      /expected a folder that is there or can be made \(not a directory\)/,
    ],
    ['a value of another type', 'csp', ['invite', '--data-directory', '/x', '--count', 'ten'], /--count/],
    ['no task id', 'owner', ['withdraw', 'task-1', ...URL, ...HOME], /"TASK" expected a task id/],
    ['an address without TLS', 'owner', ['withdraw', A_TASK, '--user-url', 'http://127.0.0.1'], /--user-url/],
    [
      'rows to reduce, but no place',
      'owner',
      ['project', A_TASK, ...URL, '--data', 'x'],
      /"--data" and "--out"/,
    ],
    [
      'reduced rows over the rows',
      'owner',
      ['project', A_TASK, ...URL, '--data', '/tmp/x.csv', '--out', '/tmp/../tmp/x.csv'],
      /"--out" expected another file/,
    ],
    [
      'reduced rows over some of the rows',
      'owner',
      ['project', A_TASK, ...URL, '--data', '/tmp/x*.parquet', '--out', '/tmp/../tmp/x1.parquet'],
      /"--out" expected another file than "--data"/,
    ],
    [
      'reduced rows over a query',
      'owner',
      ['project', A_TASK, ...URL, '--query', '/tmp/x.sql', '--out', '/tmp/x.sql'],
      /"--out" expected another file than "--query"/,
    ],
    [
      'reduced rows over the database',
      'owner',
      ['project', A_TASK, ...URL, '--query', '/x.sql', '--database', '/tmp/x', '--out', '/tmp/x'],
      /"--out" expected another file than "--database"/,
    ],
    [
      'a database beside statistics',
      'owner',
      ['contribute', A_TASK, ...URL, ...HOME, '--statistics', 'x', '--database', 'x'],
      /"--statistics" expected without .* and "--database"/,
    ],
    [
      'a result from nowhere',
      'owner',
      ['project', A_TASK, '--save', 'x.json'],
      /"TASK" and "--user-url" expected, or "--projection"/,
    ],
    ['a result for nobody', 'owner', ['project', A_TASK, ...URL], /"--out", "--save" or "--evidence"/],
    [
      'a result in no folder',
      'owner',
      ['project', A_TASK, ...URL, '--save', '/nowhere/x.json'],
      /"--save" expected a file in a folder/,
    ],
    [
      'no file of settings',
      'csp',
      ['serve', '--config', '/nowhere/x.json'],
      /"--config" expected a readable file/,
    ],
    ['no operator token', 'user', ['task', 'status', A_TASK], /"adminToken" is missing/],
    [
      'no proposal',
      'user',
      ['task', 'create', '--admin-token', 'x', '--proposal', '/nowhere/x.json'],
      /--proposal/,
    ],
  ])('%s', async (_, name, args, message) => {
    const { exitCode, out, err } = await run(name, ...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test.each<[string, Name, string[]]>([
    ['certificates', 'owner', ['withdraw', A_TASK, ...URL, ...HOME, '--user-ca', '/nowhere/ca.pem']],
    ['the policy', 'owner', ['contribute', A_TASK, ...URL, ...HOME, '--data', 'x', '--policy', '/nowhere/x']],
    ['the token', 'user', ['task', 'status', A_TASK, '--data-directory', '/nowhere']],
    [
      'rows to draft from',
      'user',
      ['task', 'draft', 'pca', '--data', '/nowhere/x', '--components', '2', '--owners', '3'],
    ],
  ])('a file that is not there: %s', async (_, name, args) => {
    const { exitCode, err } = await run(name, ...args);
    expect(err).toContain('/nowhere');
    expect(exitCode).toBe(2);
  });

  test('a home that others can read', async () => {
    const home = join(folder, 'open');
    await mkdir(home);
    await chmod(home, 0o755);
    const { exitCode, err } = await run('owner', 'withdraw', A_TASK, ...URL, '--home', home);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining(`ERR_OWNER_HOME: "${home}" expected`),
    });
    expect(err).toContain(`chmod -R go= '${home}'`);
  });

  test('a policy with a rule that nobody knows', async () => {
    const file = join(folder, 'policy.json');
    await writeFile(file, JSON.stringify({ minimumOwner: 5 }));
    const policy = ['--data', 'x', '--policy', file];
    const { exitCode, err } = await run('owner', 'contribute', A_TASK, ...URL, ...HOME, ...policy);
    expect(exitCode).toBe(2);
    expect(err).toContain('"minimumOwner" is not known: did you mean "minimumOwners"?');
  });

  test('a policy that is no JSON', async () => {
    const policy = ['--data', 'x', '--policy', join(folder, 'text')];
    const { exitCode, err } = await run('owner', 'contribute', A_TASK, ...URL, ...HOME, ...policy);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining('ERR_CONFIGURATION') });
  });

  test.each(['0.0.0.0', '0', '::', '0:0::0', '::ffff:0.0.0.0'])(
    'a service that listens on all addresses (%s) and is not told the one that peers use; it leaves nothing',
    async (host) => {
      const refused = await runInProcess(
        'csp',
        ...['serve', '--json', '--host', host, '--port', '0', '--data-directory', join(folder, 'wild')],
        ...['--tls-certificate', 'x', '--tls-key', 'x', '--data-users', 'A'.repeat(43)],
      );
      expect(problemOf(refused)).toEqual({
        exitCode: 2,
        type: 'urn:eigenveil:error:configuration',
        code: 'ERR_CONFIGURATION',
        detail: expect.stringMatching(/^"host" .* all addresses .* --public-url/) as string,
      });
      await expect(access(join(folder, 'wild'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  // One id in 64 would begin with a hyphen, and look like an option.
  test('every task id can be given, whatever it begins with', async () => {
    const id = `-${'A'.repeat(21)}`;
    if (!TaskId.safeParse(id).success) return;
    const { err } = await run('owner', 'withdraw', id, ...URL, '--home', join(folder, 'owner'));
    expect(err).toContain('ERR_AUTH_REQUIRED'); // not enrolled, which it finds out after reading its arguments
  });

  test('a token that is none is told where tokens come from', async () => {
    const csp = ['--csp-url', 'https://127.0.0.1:1', '--csp-thumbprint', 'A'.repeat(43)];
    const { exitCode, err } = await run('owner', 'enrol', ...csp, '--token', 'secret');
    expect(exitCode).toBe(2);
    expect(err).toMatch(/"--token": expected a token as "eigenveil-csp invite" prints it/);
    expect(err).not.toContain('secret');
  });

  test('a result for a folder that is not there, before any service is asked', async () => {
    const asked = [
      'task',
      'result',
      A_TASK,
      '--url',
      'https://127.0.0.1:1',
      '--out',
      join(folder, 'no', 'x'),
    ];
    const { exitCode, err } = await run('user', ...asked);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringMatching(/ERR_CONFIGURATION: "--out" expected a file in a folder that exists/),
    });
  });
});
