/** The packed libraries, each installed from its tarball alone, run a task together; as do their commands, types and READMEs. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { inviteOwners } from '@eigenveil/csp';
import { Projector } from '@eigenveil/projection';
import { adminTokenFile } from '@eigenveil/server';
import { freePort } from '@eigenveil/testbed/port';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataFile, exampleOf, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;

/** Programs of somebody who installed the tarballs: strict TypeScript as far as types go, and plain JavaScript to run. */
const PROGRAMS = {
  owner: `
import { DataOwner, OwnerHome, OwnerPolicy, PaillierPool, readFileBytes, statisticsOfCsv, TaskId, Thumbprint } from '@eigenveil/data-owner';
const [given = ''] = process.argv.slice(2);
const { home, csp, dataUser, token, thumbprint, task, file } = JSON.parse(given);
const owner = new DataOwner({
  state: new OwnerHome(home),
  policy: OwnerPolicy.parse({ twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true }),
  paillier: new PaillierPool({ threads: 1 }),
});
await owner.enrol(csp, token, Thumbprint.parse(thumbprint));
const receipt = await owner.contribute(dataUser, TaskId.parse(task), async (agreed) => {
  const { statistics } = await statisticsOfCsv(readFileBytes(file), agreed, { ignoredColumns: ['label'] });
  return statistics;
});
console.log(JSON.stringify({ taskId: receipt.taskId }));
process.exit();
`,
  user: `
import { draftTask, saveProjection, TaskClient, TaskId, TaskProposal } from '@eigenveil/data-user/client';
const [given = ''] = process.argv.slice(2);
const { service, file, changes, task, out } = JSON.parse(given);
const client = new TaskClient(service);
if (task === undefined) {
  const { rows, ...draft } = await draftTask(file, { method: 'pca', labels: [], ignore: ['label'] });
  const signed = await client.create(TaskProposal.parse({ ...draft, ...changes }));
  console.log(JSON.stringify(signed));
} else {
  await client.closeTask(TaskId.parse(task.task.id));
  const { state } = await client.untilFinal(TaskId.parse(task.task.id));
  const result = await client.result(TaskId.parse(task.task.id));
  await saveProjection(out, { ...task, ...(await client.signedResult(TaskId.parse(task.task.id))) });
  console.log(JSON.stringify({ state, components: result.vectors.length }));
}
await client.close();
`,
  projection: `
import { Projector, Thumbprint } from '@eigenveil/projection';
const [given = ''] = process.argv.slice(2);
const { evidence, thumbprint, rows } = JSON.parse(given);
const projector = await Projector.load(evidence, Thumbprint.parse(thumbprint));
console.log(JSON.stringify([...projector.transform(Float64Array.from(rows))]));
`,
} as const;
type Name = keyof typeof PROGRAMS;
const NAMES = Object.keys(PROGRAMS) as Name[];
/** What makes a type error of each, and what the README takes as given. */
const WRONG: Readonly<Record<Name, readonly [string, string]>> = {
  owner: ['readFileBytes(file)', '42'],
  user: ["method: 'pca'", "method: 'none'"],
  projection: ['Float64Array.from(rows)', '[42]'],
};
const GIVEN = `
declare const id: string;
declare const token: string;
declare const thumbprint: string;
declare const adminToken: string;
declare const rows: AsyncIterable<{ values: number[]; diagnosis: string }>;
`;
const PACKAGES: Readonly<Record<Name, string>> = {
  owner: '@eigenveil/data-owner',
  user: '@eigenveil/data-user',
  projection: '@eigenveil/projection',
};

// Packing and installing take long.
describe('a package', { tags: ['long'] }, () => {
  let folder: string;
  let world: World;
  const folderOf = (name: Name) => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-install-'));
    world = await World.start();
    const { stdout } = await run(process.execPath, ['scripts/pack.ts', '--out', folder, '--json'], {
      cwd: ROOT,
    });
    const { files } = JSON.parse(stdout) as { files: Record<Name, string> };
    for (const name of NAMES) {
      await mkdir(folderOf(name));
      const manifest = { name: 'consumer', private: true, type: 'module' };
      await writeFile(join(folderOf(name), 'package.json'), JSON.stringify(manifest));
      await writeFile(join(folderOf(name), 'program.mjs'), PROGRAMS[name]);
      const options = ['--no-audit', '--no-fund', '--prefer-offline'];
      await run('npm', ['install', ...options, files[name]], { cwd: folderOf(name) });
    }
  }, 300_000);
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a program prints, in the folder where its package is installed. */
  const runProgram = async (name: Name, given: unknown): Promise<unknown> => {
    const { stdout } = await run(process.execPath, ['program.mjs', JSON.stringify(given)], {
      cwd: folderOf(name),
    });
    return JSON.parse(stdout);
  };

  test('owner reads all but CSV with a package that is not installed with it, and names it', async () => {
    const installed = 'node_modules/@eigenveil/data-owner';
    const { peerDependencies } = JSON.parse(
      await readFile(join(folderOf('owner'), installed, 'package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    const [[name, version] = []] = Object.entries(peerDependencies);
    await expect(access(join(folderOf('owner'), `node_modules/${name}`))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const attempt = `
      import { readStoredRows } from './${installed}/node_modules/@eigenveil/statistics/dist/duckdb/index.js';
      try {
        await readStoredRows({ parquet: ['x.parquet'] }, { features: [], labellings: [] }).next();
      } catch ({ code, message }) {
        console.log(JSON.stringify({ code, message }));
      }`;
    await writeFile(join(folderOf('owner'), 'attempt.mjs'), attempt);
    const { stdout } = await run(process.execPath, ['attempt.mjs'], { cwd: folderOf('owner') });
    expect(JSON.parse(stdout)).toEqual({
      code: 'ERR_DUCKDB_MISSING',
      message: `everything except CSV is read by DuckDB, which is not installed here: npm install ${name}@${version}`,
    });
  });

  test.each(NAMES)('%s asks no registry for a package of ours, and has what npm shows', async (name) => {
    const installed = join(folderOf(name), 'node_modules', PACKAGES[name]);
    const files = await readdir(installed, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
    const bundled = files.filter((file) => /^node_modules\/@eigenveil\/[^/]+$/.test(file));
    const named = new Set(bundled.map((file) => file.slice('node_modules/'.length)));
    for (const manifest of ['package.json', ...bundled.map((file) => join(file, 'package.json'))]) {
      const { dependencies = {} } = JSON.parse(await readFile(join(installed, manifest), 'utf8')) as {
        dependencies?: Record<string, string>;
      };
      const ours = Object.keys(dependencies).filter((it) => it.startsWith('@eigenveil/'));
      expect(ours.filter((it) => !named.has(it))).toEqual([]);
    }
    // Nothing of the recorder of views, which writes down every secret of a process.
    const own = files.filter(
      (file) => /\.(?:js|json|md|d\.ts)$/.test(file) && !/node_modules\/(?!@eigenveil\/)/.test(file),
    );
    const texts = await Promise.all(own.map((file) => readFile(join(installed, file), 'utf8')));
    expect(texts.length).toBeGreaterThan(20);
    expect(own.filter((_, i) => texts[i]!.includes('EIGENVEIL_EVALUATION'))).toEqual([]);
    // Nor seeded randomness, servers that deviate and the like, which two-party has for tests and experiments.
    expect(own.filter((file, i) => /insides/.test(file) || /insides/.test(texts[i]!))).toEqual([]);
    // Nothing private, and none of what the servers do between them but where a server is.
    expect([...named].filter((it) => /testbed|made-up|studies|csp/.test(it))).toEqual([]);
    expect(named.has('@eigenveil/two-party')).toBe(name === 'user');
    if (name === 'owner')
      expect((await readdir(join(installed, 'node_modules/@eigenveil/protocol/dist'))).sort()).toEqual([
        'owner.d.ts',
        'owner.js',
      ]);
  });

  test('takes part in a task as plain JavaScript, from its proposal to reduced rows', async () => {
    const { proposal, rows } = await exampleOf(dataFile('iris'), 'pca');
    const { features: _, ...changes } = { ...proposal, maximumSamplesPerOwner: 300 };
    const [client, { owner }] = await Promise.all([world.taskClient(), world.enrolledOwner()]);
    const { cspThumbprint, dataDirectory } = world.dataUserConfig;
    const adminToken = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
    const service = { ...world.dataUserAddress, adminToken };
    const signed = (await runProgram('user', { service, file: dataFile('iris'), changes })) as Awaited<
      ReturnType<typeof client.create>
    >;
    const { id } = signed.task;
    await owner.contribute(world.dataUserAddress, id, async (agreed) =>
      summarise(agreed, split(rows, 1)[0]!),
    );
    const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const given = {
      home: join(folder, 'home'),
      csp: world.cspAddress,
      dataUser: world.dataUserAddress,
      token,
      thumbprint: cspThumbprint,
      task: id,
      file: dataFile('iris'),
    };
    expect(await runProgram('owner', given)).toEqual({ taskId: id });
    expect((await client.status(id)).contributions).toBe(2);
    const evidence = join(folder, 'evidence.json');
    const finished = await runProgram('user', { service, task: signed, out: evidence });
    expect(finished).toEqual({ state: 'done', components: 2 });
    const reduced = await runProgram('projection', {
      evidence,
      thumbprint: cspThumbprint,
      rows: rows.values.slice(0, 3).flat(),
    });
    const { task, projection } = await owner.result(world.dataUserAddress, id);
    expect(reduced).toEqual(new Projector(task, projection).transform(rows.values.slice(0, 3)).flat());
  });

  test.each(NAMES)('%s has types that a strict program and its README compile against', async (name) => {
    const cwd = folderOf(name);
    const page = await readFile(join(cwd, 'node_modules', PACKAGES[name], 'README.md'), 'utf8');
    const shown = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
    expect(shown.length).toBeGreaterThan(0);
    await writeFile(join(cwd, 'given.d.ts'), GIVEN);
    await writeFile(join(cwd, 'readme.ts'), shown.join('\n'));
    await writeFile(join(cwd, 'program.ts'), PROGRAMS[name]);
    await writeFile(join(cwd, 'wrong.ts'), PROGRAMS[name].replace(...WRONG[name]));
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const files = ['given.d.ts', 'readme.ts', 'program.ts', 'wrong.ts'];
    const compiled = run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, ...files], { cwd });
    // Nothing is wrong but what was put in.
    await expect(compiled).rejects.toMatchObject({
      stdout: expect.stringMatching(/^wrong\.ts\([^)]*\): error TS2(322|345|769)(?!.*error TS)/s),
    });
  });

  test.each([
    ['owner', 'contribute'],
    ['user', 'task'],
  ] as const)('%s has its command line', async (name, command) => {
    const { stdout } = await run(join(folderOf(name), `node_modules/.bin/eigenveil-${name}`), ['--help']);
    expect(stdout).toContain(command);
  });

  test('owner refuses a Node.js that is too old, in one line', async () => {
    const command = join(folderOf('owner'), 'node_modules/.bin/eigenveil-owner');
    const older = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
    await expect(
      run(process.execPath, ['--import', `data:text/javascript,${older}`, command, '--help']),
    ).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'eigenveil-owner needs Node.js 24 or newer, and this is 20.20.2\n',
    });
  });

  test.each([
    ['owner', '@eigenveil/data-owner/page'],
    ['user', '@eigenveil/data-user/console'],
  ] as const)('%s has its page, whole', async (name, page) => {
    const at = (file: string) => join(folderOf(name), 'node_modules', page, file);
    const sums = (await readFile(at('SHA256SUMS'), 'utf8')).trim().split('\n');
    expect(sums.map((line) => line.slice(66))).toEqual(expect.arrayContaining(['index.html', 'main.js']));
    for (const line of sums) {
      const bytes = await readFile(at(line.slice(66)));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(line.slice(0, 64));
    }
  });

  test('user runs the service', async () => {
    const { cspUrl, cspThumbprint, cspCa, tlsCertificate, tlsKey } = world.dataUserConfig;
    const config = join(folder, 'user.json');
    const port = await freePort();
    const dataDirectory = join(folder, 'service');
    const settings = { dataDirectory, port, cspUrl, cspThumbprint, cspCa, tlsCertificate, tlsKey };
    await writeFile(config, JSON.stringify(settings));
    const command = join(folderOf('user'), 'node_modules/.bin/eigenveil-user');
    const [first, ...words] = tethered(command, '--json', 'serve', '--config', config);
    const service = spawn(first, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const ended = once(service, 'close');
      const [line] = (await Promise.race([once(createInterface(service.stdout), 'line'), ended])) as [string];
      expect(JSON.parse(line)).toMatchObject({ event: 'listening' });
      service.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      service.kill('SIGKILL');
    }
  });
});
