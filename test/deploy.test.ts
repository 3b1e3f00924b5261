/** What deploy/ has for those who run the services: container files, units of systemd and the joint file for demonstrations are what they say. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { AUTHENTICATOR_SETTINGS } from '@eigenveil/authenticator';
import { CSP_SETTINGS } from '@eigenveil/csp';
import { DATA_USER_SETTINGS } from '@eigenveil/data-user';
import { createLocalCertificate } from '@eigenveil/server';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { freePort } from '@eigenveil/testbed/port';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { build, contextFiles, type Image, stagesOf } from './support/container.ts';

const run = promisify(execFile);
const ROOT = new URL('..', import.meta.url).pathname;
const DEPLOY = join(ROOT, 'deploy');
const PREFIXES = {
  EIGENVEIL_CSP: CSP_SETTINGS,
  EIGENVEIL_USER: DATA_USER_SETTINGS,
  EIGENVEIL_AUTHENTICATOR: AUTHENTICATOR_SETTINGS,
};
const variables = new Set(
  Object.entries(PREFIXES).flatMap(([prefix, settings]) =>
    Object.keys(settings).map(
      (name) => `${prefix}_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    ),
  ),
);
const files = (await readdir(DEPLOY)).filter((name) => name.endsWith('.Containerfile'));

describe.each(files)('%s', (name) => {
  test('is one without a complaint, begins from a named release, and ends as a user without rights', async () => {
    const content = await readFile(join(DEPLOY, name), 'utf8');
    expect(validate(content)).toEqual([]);
    const stages = stagesOf(content);
    for (const [from] of stages) expect(from!.words[0]).toMatch(/^docker\.io\/library\/node:\d+-\w+-slim$/);
    const last = stages.at(-1)!;
    const of = (keyword: string) => last.filter((step) => step.keyword === keyword);
    expect(of('USER').map(({ words }) => words)).toEqual([['10001:10001']]);
    // What the process could change: its data, and nothing else.
    expect(
      of('COPY')
        .filter(({ flags }) => 'chown' in flags)
        .map(({ words }) => words),
    ).toEqual([['deploy/data', '/var/lib/eigenveil']]);
    expect(of('VOLUME').map(({ words }) => words)).toEqual([['/var/lib/eigenveil']]);
    expect(of('RUN')).toEqual([]);
    for (const keyword of ['ENTRYPOINT', 'CMD'])
      expect(JSON.parse(of(keyword)[0]!.text)).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(content).not.toMatch(/^ADD|^ARG|--mount|PASSWORD|TOKEN|SECRET/m);
  });
});

test('an image is built of what is under version control, without tests, databases and keys', async () => {
  const paths = await contextFiles(ROOT);
  expect(paths).toEqual(expect.arrayContaining(['package-lock.json', 'deploy/healthy.mjs']));
  expect(
    paths.filter((path) => /(^|\/)(test|node_modules|out|data\/.+\.csv)\/|\.(pem|sqlite)$/.test(path)),
  ).toEqual([]);
});

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      build: z.object({ dockerfile: z.string() }).optional(),
      image: z.string().optional(),
      environment: z.record(z.string(), z.string()),
      volumes: z.array(z.string()),
      networks: z.array(z.string()),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
  networks: z.record(z.string(), z.unknown()),
});

test('the joint file is for demonstrations, knows the settings, and keeps the two servers’ data apart', async () => {
  const text = await readFile(join(DEPLOY, 'compose.yaml'), 'utf8');
  expect(text).toMatch(/^# FOR DEMONSTRATIONS ONLY/);
  const { services, volumes, networks } = Compose.parse(parse(text));
  const named = Object.values(services).flatMap((service) => Object.keys(service.environment));
  const ours = named.filter((name) => name.startsWith('EIGENVEIL_'));
  expect(ours.length).toBeGreaterThan(10);
  for (const name of ours) expect(variables).toContain(name);
  const written = Object.values(services).flatMap((service) =>
    service.volumes.filter((volume) => !volume.endsWith(':ro')).map((volume) => volume.split(':')[0]!),
  );
  expect(new Set(written).size).toBe(written.length);
  expect(Object.keys(volumes).toSorted()).toEqual(written.toSorted());
  for (const { networks: of } of Object.values(services))
    for (const it of of) expect(networks).toHaveProperty(it);
  expect(services.csp!.networks).not.toContain('database');
  for (const { build } of Object.values(services)) {
    if (build !== undefined) expect(files.map((name) => `deploy/${name}`)).toContain(build.dockerfile);
  }
});

describe('units of systemd', async () => {
  const cannotVerify = await run('systemd-analyze', ['--version']).then(
    () => false,
    () => true,
  );
  let folder: string;
  const units = (await readdir(join(DEPLOY, 'systemd'))).filter((name) => name.endsWith('.service'));
  /** The unit with the programs of this checkout. */
  const copyOf = async (name: string): Promise<string> => {
    const text = await readFile(join(DEPLOY, 'systemd', name), 'utf8');
    const path = join(folder, name);
    await writeFile(path, text.replaceAll('/opt/eigenveil', ROOT.replace(/\/$/, '')));
    return path;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-units-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.skipIf(cannotVerify)('are verified by systemd, and expose little', { tags: ['long'] }, async () => {
    expect(units).toHaveLength(3);
    for (const name of units) {
      const path = await copyOf(name);
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', path]);
      expect(stderr).toBe('');
      await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', path]);
    }
  });

  test.skipIf(cannotVerify)('with a mistake would be found', async () => {
    const path = await copyOf(units[0]!);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Restart=always', 'Restart=ever'));
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', path]);
    expect(stderr).toContain('restart specifier');
  });

  test('run as a user each, who can read no key of another service on the machine', async () => {
    const users = await Promise.all(
      units.map(async (name) => {
        const text = await readFile(join(DEPLOY, 'systemd', name), 'utf8');
        const [, user] = /^User=(\S+)$/m.exec(text)!;
        expect(text).toContain(`useradd --system --no-create-home ${user})`);
        return user;
      }),
    );
    expect(new Set(users).size).toBe(units.length);
  });

  test('name programs, signals and variables that there are', async () => {
    for (const name of units) {
      const text = await readFile(join(DEPLOY, 'systemd', name), 'utf8');
      const [, program] = /^ExecStart=\/opt\/eigenveil\/node_modules\/\.bin\/(\S+) serve$/m.exec(text)!;
      await run(join(ROOT, 'node_modules/.bin', program!), ['serve', '--help']);
      const [, prefix] = /^Environment=(\w+)_CONFIG=/m.exec(text)!;
      expect(Object.keys(PREFIXES)).toContain(prefix);
      expect(text).toContain('ExecReload=/bin/kill -HUP $MAINPID');
    }
  });
});

describe('the steps, in a plain directory tree and without rights,', { tags: ['long'] }, () => {
  /** Nobody's, where this process may become that and that may read this checkout. */
  let user: { readonly uid?: number; readonly gid?: number } = {};
  const children: ChildProcess[] = [];
  const images: Record<string, Image> = {};
  const ports: Record<string, number> = {};
  let folder: string;
  let databaseUrl: string;
  let environment: Record<string, string>;
  /** What the steps before `up` write into .env. */
  const known: Record<string, string> = { POSTGRES_PASSWORD: 'not used here' };

  /** A text of the image or the joint file, with this machine's places, addresses and ports. */
  const here = (text: string, image: Image) =>
    text
      .replace(/\$\{(\w+):-\}/g, (_, name: string) => known[name] ?? '')
      .replace(/^postgres:.+$/, databaseUrl)
      .replace(/^0\.0\.0\.0$/, '127.0.0.1')
      .replace(/https:\/\/(csp|data-user):\d+/, (_, name: string) => `https://127.0.0.1:${ports[name]}`)
      .replace(/^\/var\/lib/, join(image.root, 'var/lib'))
      .replace(/^\/run\/certificates/, join(folder, 'certificates'));

  /** What starts a container of the joint file. */
  async function launch(name: string, command?: readonly string[]) {
    const image = images[name]!;
    const { services } = Compose.parse(parse(await readFile(join(DEPLOY, 'compose.yaml'), 'utf8')));
    const own = Object.entries({ ...image.environment, ...services[name]?.environment });
    const told = own.map(([key, value]) => [
      key,
      key.endsWith('_PORT') ? `${ports[name]}` : here(value, image),
    ]);
    const [, ...words] = [...image.entrypoint, ...(command ?? image.command)];
    const env = { ...environment, ...(Object.fromEntries(told) as Record<string, string>) };
    return { program: tethered(process.execPath, ...words), options: { cwd: image.directory, env, ...user } };
  }
  const finish = async (name: string, ...command: string[]) => {
    const { program, options } = await launch(name, command);
    return (await run(program[0], program.slice(1), options)).stdout.trim();
  };
  const up = async (name: string) => {
    const { program, options } = await launch(name);
    const child = spawn(program[0], program.slice(1), { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(createInterface({ input: child.stdout }), 'line');
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-image-'));
    await chmod(folder, 0o755);
    const nobody = { uid: 65_534, gid: 65_534 };
    const isPossible = run(process.execPath, ['--version'], { ...nobody, cwd: '/' }).then(
      () => true,
      () => false,
    );
    if (process.getuid!() === 0 && (await isPossible)) user = nobody;
    for (const name of ['home', 'certificates', ...files]) {
      await mkdir(join(folder, name));
      if (user.uid !== undefined) await chown(join(folder, name), user.uid, user.uid);
    }
    const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
    // Where packages come from is this machine's business.
    const home = join(folder, 'home');
    const npm = { npm_config_cache: join(home, '.npm'), npm_config_userconfig: join(home, '.npmrc') };
    environment = { ...(process.env as Record<string, string>), ...npm, PATH, HOME: home };
    const npmrc = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
    await writeFile(npm.npm_config_userconfig, npmrc, { mode: 0o644 });
    const { cert, key } = await createLocalCertificate();
    await writeFile(join(folder, 'certificates/ca.pem'), cert);
    await writeFile(join(folder, 'certificates/key.pem'), key, { mode: 0o644 });
    databaseUrl = await databaseOfRun();
    for (const name of ['csp', 'data-user']) ports[name] = await freePort();
  }, 60_000);
  afterAll(async () => {
    for (const child of children) {
      child.kill();
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true });
  });

  test.each(files)('of %s make an image whose program explains itself', async (name) => {
    const content = await readFile(join(DEPLOY, name), 'utf8');
    const image = await build(content, { context: ROOT, folder: join(folder, name), user, environment });
    const role = name.replace('.Containerfile', '');
    images[role] = image;
    expect(await finish(role, '--help')).toContain('Usage: eigenveil-');
    const shared = await readdir(join(image.directory, 'shared'));
    expect(shared).toContain('wire');
    expect(shared).not.toContain('made-up');
    expect(await readdir(image.directory)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/studies|testbed/)]),
    );
    expect(await readdir(join(image.directory, 'services'))).toEqual([role]);
    expect(await readdir(join(image.directory, 'node_modules'))).not.toContain('vitest');
  });

  test('bring two servers up, which know each other and admit an owner', async () => {
    known.CSP_THUMBPRINT = await finish('csp', 'identity');
    known.DATA_USER_THUMBPRINT = await finish('data-user', 'identity');
    await up('csp');
    await up('data-user');
    for (const name of ['csp', 'data-user']) {
      const { directory } = images[name]!;
      await run(process.execPath, ['healthy.mjs', `${ports[name]}`], { cwd: directory, env: environment });
    }
    await expect(
      run(process.execPath, ['healthy.mjs', `${await freePort()}`], {
        cwd: images.csp!.directory,
        env: environment,
      }),
    ).rejects.toMatchObject({ code: 1 });
    const [token] = (await finish('csp', 'invite', '--count', '1')).split('\n');
    const enrolled = await finish(
      'data-owner',
      ...['enrol', '--csp-url', `https://127.0.0.1:${ports.csp}`, '--csp-thumbprint', known.CSP_THUMBPRINT],
      ...['--csp-ca', join(folder, 'certificates/ca.pem'), '--token', token!, '--json'],
    );
    expect(JSON.parse(enrolled)).toMatchObject({ ownerId: expect.any(String) });
  });
});
