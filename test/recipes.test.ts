/** README.md and docs/running.md word for word: their blocks run on a copy of this checkout, with their placeholders filled in. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { KeptPages } from '@eigenveil/studies/demo/kept';
import { readOwnerLink } from '@eigenveil/wire/owner-link';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fill, killGroup, Reader, type Terminal } from './support/reader.ts';
import { blocksOf, blockWith, commandsOf, shellBlocksOf } from './support/recipes.ts';
import { send, textOf } from './support/requests.ts';

const OWNERS = 3;
/** The one who withdraws where the recipe has that. */
const LEAVER = OWNERS;
/** What is run by itself in CI. */
const ELSEWHERE = ['npm test'];

let reader: Reader;
let readme: string;
let recipe: string;
const services = new Map<'csp' | 'user', Terminal>();

beforeAll(async () => {
  reader = await Reader.start();
  readme = await reader.read('README.md');
  recipe = await reader.read('docs/running.md');
});
afterAll(() => reader.close());

/** Placeholders of the documents, and what stands for them here; more comes from what commands print. */
async function placeholders(name: string): Promise<Map<string, string>> {
  return new Map([
    ...(await reader.places(name)),
    // So few owners are there; of ten, a draft asks for five.
    ['--owners 10', `--owners ${OWNERS}`],
    ['"minimumOwners": 5', '"minimumOwners": 2'],
    ['"minimumOwners": 3', '"minimumOwners": 2'],
    ['--count 10', `--count ${OWNERS}`],
    ['--data FILE', '--data data/iris.csv'],
    ['--label COLUMN', '--label label'],
    ['--ignore COLUMNS', '--ignore petal_width'],
  ]);
}
/** Commands whose output is a placeholder of later ones. */
const CAPTURES: readonly (readonly [RegExp, string])[] = [
  [/eigenveil-csp\s+identity/, '<thumbprint of the CSP>'],
  [/eigenveil-user\s+identity/, '<thumbprint of the data user>'],
  [/eigenveil-user\s+task create/, '<task>'],
  [/eigenveil-csp\s+invite/, '<token>'],
];

/** Each enrols and contributes; the files of a result are one owner's. */
function ownersWho(command: string): readonly number[] {
  if (/ (?:enrol|contribute) /.test(command)) return Array.from({ length: OWNERS }, (_, i) => i + 1);
  return [command.includes(' withdraw ') ? LEAVER : 1];
}

/** Gives the commands of blocks one after the other, those of owners once for each. */
async function follow(blocks: readonly ReturnType<typeof blocksOf>[number][], values: Map<string, string>) {
  for (const { command, output } of blocks.flatMap(commandsOf)) {
    if (ELSEWHERE.includes(command)) continue;
    if (command.startsWith('export ')) reader.export(command);
    else if (/ serve /.test(command)) {
      const service = await reader.serve(fill(command, values));
      services.set(command.includes('eigenveil-csp') ? 'csp' : 'user', service);
    } else if (command.includes('eigenveil-owner')) {
      const tokens = values.get('<token>')!.split('\n');
      for (const owner of ownersWho(command)) {
        const home = { EIGENVEIL_OWNER_HOME: `${values.get('/var/lib/eigenveil-user')}-owner-${owner}` };
        await reader.give(fill(command, new Map([...values, ['<token>', tokens[owner - 1]!]])), home);
      }
    } else {
      const { stdout, stderr } = await reader.give(fill(command, values));
      const [, captured] = CAPTURES.find(([pattern]) => pattern.test(command)) ?? [];
      if (captured !== undefined) values.set(captured, stdout.trim());
      if (captured === '<thumbprint of the data user>') await writeFiles(values);
      for (const line of output.filter((it) => it !== '…')) expect(stderr.split('\n')).toContain(line);
    }
  }
}

/** The settings of both services and an owner's policy, as docs/running.md has them. */
async function writeFiles(values: ReadonlyMap<string, string>): Promise<void> {
  const blocks = blocksOf(recipe).filter(({ language }) => /^jsonc?$/.test(language));
  for (const [i, name] of ['csp.json', 'user.json', 'policy.json'].entries())
    await writeFile(join(reader.checkout, name), fill(blocks[i]!.text, values));
}

describe('a reader who follows the documents', { tags: ['long'] }, () => {
  test('installs without a warning, and runs the demo to the figures that it must reach', async () => {
    const values = await placeholders('demo');
    const [install, ...others] = blockWith(readme, 'npm run demo');
    const { stderr } = await reader.give(commandsOf(install!)[0]!.command);
    expect(stderr).not.toMatch(/npm warn|EBADENGINE/i);
    await expectFigures();
    for (const { command } of others.flatMap(commandsOf)) {
      if (ELSEWHERE.includes(command)) continue;
      await reader.give(fill(command, values));
      await expectFigures();
    }
    await reader.give('npm run demo:authentication');
    await expectRecognition();
  }, 1_200_000);

  test('comes from two empty servers to reduced rows: docs/running.md', async () => {
    const values = await placeholders('running');
    const rows = await readFile(join(reader.checkout, 'data/pima.csv'));
    for (const file of ['sample.csv', 'rows.csv']) await writeFile(join(reader.checkout, file), rows);
    const onOneMachine = [...blockWith(recipe, 'openssl'), ...blockWith(recipe, 'export ')];
    await follow(onOneMachine, values);
    const steps = shellBlocksOf(recipe).filter(
      (block) => !onOneMachine.some(({ line }) => line === block.line),
    );
    await follow(steps, values);
    const reduced = await readFile(join(reader.checkout, 'reduced.csv'), 'utf8');
    expect(reduced.split('\n')[0]).toMatch(/component_1.*component_5/);
    // What nobody has named comes to nothing that git would take up.
    expect(reader.untracked).toBe('');
    await services.get('user')!.end('SIGINT');
    await services.get('csp')!.end('SIGTERM');
  }, 1_200_000);
});

const ELSEWHERE_TRUSTED = { EIGENVEIL_USER_CA: 'none.pem', EIGENVEIL_OWNER_USER_CA: 'none.pem' };

test('services that the demo keeps take the commands that it prints, until it is told to end', {
  tags: ['long'],
  timeout: 600_000,
}, async () => {
  await reader.give('npm run prepare'); // as npm ci does
  const small = ['--data', 'data/iris.csv', '--owners', '2', '--components', '2', '--method', 'pca'];
  const quick = ['--two-party', 'simulated', '--key-bits', '1024', '--out', join(reader.folder, 'kept')];
  const demo = spawn('npm', ['run', '--silent', 'demo', '--', '--keep', '--json', ...small, ...quick], {
    cwd: reader.checkout,
    env: { ...reader.environment, ...ELSEWHERE_TRUSTED },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: demo.stdout })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({ dataset: 'iris', owners: 2 });
    const { commands, pages } = JSON.parse((await lines.next()).value as string) as {
      commands: string[];
      pages: KeptPages;
    };
    const [settings] = /\S+\/user\.json/.exec(commands.join('\n'))!;
    const ca = await readFile(join(dirname(settings), 'certificate.pem'), 'utf8');
    const { origin, hash } = new URL(pages.invitations[0]!.link);
    const { csp, dataUser, task } = readOwnerLink(hash);
    expect(await textOf({ url: origin, ca }, '/', {})).toContain(
      `connect-src 'self' ${[csp, dataUser].sort().join(' ')};`,
    );
    expect(await textOf({ url: dataUser!, ca }, '/console/', {})).toContain('<title>Eigenveil console');
    expect(pages.console).toBe(`${dataUser}/console/`);
    const preflight = { origin, 'access-control-request-method': 'POST' };
    const { headers } = await send(
      { url: csp, ca },
      { method: 'OPTIONS', path: '/enrolments', headers: preflight },
    );
    expect(headers['access-control-allow-origin']).toBe(origin);
    // As in a shell in which the recipe was followed before: its variables name other services.
    const { stdout } = await reader.give(['set -e', ...commands].join('\n'), ELSEWHERE_TRUSTED);
    expect(stdout).toContain(`${task}  open`);
    expect(stdout).toContain('none changed, removed or reordered');
    expect(await readFile(join(reader.checkout, 'reduced.csv'), 'utf8')).toMatch(
      /^component_1,component_2\n/,
    );
    const closed = once(demo, 'close');
    demo.kill('SIGINT');
    expect((await closed)[0]).toBe(0);
    expect(() => process.kill(-demo.pid!, 0)).toThrow('ESRCH');
    await expect(access(settings)).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    killGroup(demo.pid!);
  }
});

/** Everything is seeded by the rows themselves but for noise that is too small to see. */
async function expectRecognition(): Promise<void> {
  const report = await readFile(join(reader.checkout, 'out/authentication/report.json'), 'utf8');
  type Rates = Record<'perSample' | 'overFive', number>;
  const { eer, rawEer } = JSON.parse(report) as Record<'eer' | 'rawEer', Rates>;
  for (const rate of ['perSample', 'overFive'] as const) {
    expect(eer[rate]).toBeLessThan(0.25);
    expect(eer[rate]).toBeLessThan(rawEer[rate]);
  }
}

/** With the floor: ionosphere has a two-valued column among its fine ones, which costs a DCA most. */
async function expectFigures(): Promise<void> {
  const report = await readFile(join(reader.checkout, 'out/report.json'), 'utf8');
  const { results } = JSON.parse(report) as {
    results: { maxEigenvalueError: number; kept: { part: number; exact: number } }[];
  };
  expect(results).toHaveLength(2);
  for (const { maxEigenvalueError, kept } of results) {
    expect(maxEigenvalueError).toBeLessThan(0.5);
    expect(kept.part).toBeGreaterThan(kept.exact - 0.05);
  }
}
