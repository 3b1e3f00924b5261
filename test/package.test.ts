import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inviteOwners } from '@eigenveil/csp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFile, exampleOf, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;

/** A program of somebody who installed the tarball: strict TypeScript as far as types go, and plain JavaScript to run. */
const PROGRAM = `
import { DataOwner, OwnerHome, OwnerPolicy, PaillierPool, readFileBytes, statisticsOfCsv, TaskId, Thumbprint } from '@eigenveil/data-owner';
const [given = ''] = process.argv.slice(2);
const { home, csp, dataUser, token, thumbprint, task, file } = JSON.parse(given);
const owner = new DataOwner({
  state: new OwnerHome(home),
  policy: OwnerPolicy.parse({ twoParty: ['simulated'], minimumKeyBits: 1024 }),
  paillier: new PaillierPool({ threads: 1 }),
});
await owner.enrol(csp, token, Thumbprint.parse(thumbprint));
const receipt = await owner.contribute(dataUser, TaskId.parse(task), async (agreed) => {
  const { statistics } = await statisticsOfCsv(readFileBytes(file), agreed, { ignoredColumns: ['label'] });
  return statistics;
});
console.log(JSON.stringify({ taskId: receipt.taskId }));
process.exit();
`;

let folder: string;
let world: World;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-install-'));
  world = await World.start();
  const { stdout } = await run(process.execPath, ['scripts/pack-owner.ts', '--out', folder, '--json'], {
    cwd: ROOT,
  });
  const { file } = JSON.parse(stdout) as { file: string };
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', file], { cwd: folder });
}, 180_000);
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the packed owner library', () => {
  test('carries nothing of the servers, and asks no registry for a package of ours', async () => {
    const installed = join(folder, 'node_modules/@eigenveil/data-owner');
    const files = await readdir(installed, { recursive: true });
    const bundled = files.filter((file) => /^node_modules\/@eigenveil\/[^/]+$/.test(file));
    const named = new Set(bundled.map((file) => file.slice('node_modules/'.length)));
    expect(named).not.toContain('@eigenveil/two-party');
    const steps = await readdir(join(installed, 'node_modules/@eigenveil/protocol/dist'));
    expect(steps).toEqual(['owner']);
    for (const manifest of ['package.json', ...bundled.map((file) => join(file, 'package.json'))]) {
      const { dependencies = {} } = JSON.parse(await readFile(join(installed, manifest), 'utf8')) as {
        dependencies?: Record<string, string>;
      };
      const ours = Object.keys(dependencies).filter((name) => name.startsWith('@eigenveil/'));
      expect(ours.filter((name) => !named.has(name))).toEqual([]);
    }
  });

  test('takes part in a task as an installed JavaScript package', async () => {
    const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca');
    const client = await world.taskClient();
    const { task } = await client.create({ ...proposal, maximumSamplesPerOwner: 300 });
    const { owner } = await world.enrolledOwner();
    await owner.contribute(world.dataUserAddress, task.id, async (agreed) =>
      summarise(agreed, split(rows, 1)[0]!),
    );
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    await writeFile(join(folder, 'program.mjs'), PROGRAM);
    const given = {
      home: join(folder, 'home'),
      csp: world.cspAddress,
      dataUser: world.dataUserAddress,
      token,
      thumbprint: world.dataUserConfig.cspThumbprint,
      task: task.id,
      file: dataFile('iris'),
    };
    const { stdout } = await run(process.execPath, ['program.mjs', JSON.stringify(given)], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ taskId: task.id });
    expect((await client.status(task.id)).contributions).toBe(2);
  });

  test('has types that a strict program compiles against', async () => {
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const wrong = PROGRAM.replace('readFileBytes(file)', '42');
    await writeFile(join(folder, 'wrong.ts'), wrong);
    const compiled = run(
      join(ROOT, 'node_modules/.bin/tsc'),
      [...options, ...types, 'program.ts', 'wrong.ts'],
      { cwd: folder },
    );
    // Nothing is wrong but what was put in.
    await expect(compiled).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.ts\(.*TS2345(?!.*error)/s),
    });
  });

  test('has a command line', async () => {
    const { stdout } = await run(join(folder, 'node_modules/.bin/eigenveil-owner'), ['--help']);
    expect(stdout).toContain('contribute');
  });
});
