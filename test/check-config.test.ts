/** `check-config` finds what a start would find, and changes nothing. */
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLocalCertificate, databaseFile, loadOrCreateKeyRing } from '@eigenveil/server';
import { freePort } from '@eigenveil/testbed/port';
import { generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from './support/in-process.ts';
import { keptDirectory } from './support/kept-databases.ts';
import { World } from './support/world.ts';

let folder: string;
let count = 0;
let tls: string[];
const thumbprint = (await importSigningKey(await generatePrivateJwk())).thumbprint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-check-'));
  const { cert, key } = await createLocalCertificate();
  await writeFile(join(folder, 'cert.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  tls = ['--tls-certificate', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fresh = () => join(folder, `data-${++count}`);

/** Every file below a folder, with the digest of what it holds. */
async function contents(of: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(of, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path] = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'a folder';
  }
  return found;
}

interface Result {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** What is not good, by check. */
  readonly news: Record<string, string>;
}

async function check(name: 'csp' | 'user' | 'authenticator', ...args: string[]): Promise<Result> {
  const { stdout, stderr, exitCode } = await runInProcess(name, '--json', 'check-config', ...tls, ...args);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string; detail: string }[] };
  expect(findings.length).toBeGreaterThan(10);
  const others = findings.filter(({ state }) => state !== 'good');
  const news = Object.fromEntries(others.map((it) => [it.check, `${it.state}: ${it.detail}`]));
  return { exitCode, stderr, news };
}
const csp = (directory: string, ...args: string[]) => {
  const dataUsers = args.includes('--data-users') ? [] : ['--data-users', thumbprint];
  return check('csp', '--data-directory', directory, '--port', '0', ...dataUsers, ...args);
};

test('finds nothing wrong before the first start, and makes nothing', async () => {
  const before = await contents(folder);
  expect(await csp(fresh())).toEqual({ exitCode: 0, stderr: '', news: {} });
  expect(await contents(folder)).toEqual(before);
});

test('finds nothing wrong with the directory of a service that was stopped, and leaves it as it is', async () => {
  const directory = await keptDirectory('csp', fresh());
  const before = await contents(directory);
  expect(await csp(directory)).toEqual({ exitCode: 0, stderr: '', news: {} });
  expect(await contents(directory)).toEqual(before);
});

test('says that the service runs, which it does not disturb', async () => {
  const world = await World.start();
  const directory = world.cspConfig.dataDirectory;
  const { port } = new URL(world.cspAddress.url);
  try {
    const before = await contents(directory);
    expect(await csp(directory, '--port', port)).toEqual({
      exitCode: 0,
      stderr: '',
      news: {
        lock: 'doubtful: the service runs: another one on this data directory would not start',
        address: `doubtful: port ${port} of 127.0.0.1 is in use, as it is while the service runs`,
      },
    });
    expect(await contents(directory)).toEqual(before);
  } finally {
    await world.close();
  }
});

describe('finds', () => {
  const cases: readonly [string, string, RegExp, (directory: string) => Promise<string[]>][] = [
    [
      'a key of another certificate',
      'certificate',
      /^bad: ERR_TLS_FILE: certificate and key expected a matching pair/,
      async () => {
        await writeFile(join(folder, 'other.pem'), (await createLocalCertificate()).key);
        return ['--tls-key', join(folder, 'other.pem')];
      },
    ],
    [
      'a key file that is empty, which TLS takes for none',
      'certificate',
      /^bad: ERR_TLS_FILE: "--tls-key" expected a private key in PEM in .*, got an empty file$/,
      async () => {
        await writeFile(join(folder, 'empty.pem'), '');
        return ['--tls-key', join(folder, 'empty.pem')];
      },
    ],
    [
      'a certificate for another name',
      'certificate',
      /^doubtful: it does not name csp\.example\.org/,
      async () => ['--public-url', 'https://csp.example.org:8443'],
    ],
    [
      'a port that another program has',
      'address',
      /^bad: ERR_CONFIGURATION: cannot listen on port \d+ of 127\.0\.0\.1 \(EADDRINUSE\)/,
      async () => ['--port', String((taken.address() as AddressInfo).port)],
    ],
    [
      'an address that nobody can ask for',
      'address',
      /^bad: ERR_CONFIGURATION: "host" 0\.0\.0\.0 means all addresses/,
      async () => ['--host', '0.0.0.0'],
    ],
    [
      'a key that others can read',
      'signing key',
      /^bad: ERR_KEY_FILE: .* expected mode 0600, got 0644/,
      async (directory) => {
        await chmod(join(directory, 'signing-key.json'), 0o644);
        return [];
      },
    ],
    [
      'a database whose identity is lost',
      'signing key',
      /^bad: ERR_CONFIGURATION: .* a start would make another identity/,
      async (directory) => {
        await rm(join(directory, 'signing-key.json'));
        return [];
      },
    ],
    [
      'a key file that lacks the key of the sealed values',
      'database',
      /^bad: ERR_SEAL_BROKEN: .* was sealed under key/,
      async () => {
        const keys = join(folder, `keys-${++count}`);
        await loadOrCreateKeyRing(keys);
        return ['--key-encryption-key', keys];
      },
    ],
    [
      'sealed values without any key',
      'database',
      /^bad: ERR_SEAL_BROKEN: values are sealed in it/,
      async (directory) => {
        await rm(join(directory, 'key-encryption-key'));
        return [];
      },
    ],
    [
      'the database of a newer release',
      'database',
      /^bad: ERR_SCHEMA_NEWER/,
      async (directory) => {
        const db = new DatabaseSync(databaseFile(directory));
        db.exec('PRAGMA user_version = 999');
        db.close();
        return [];
      },
    ],
    [
      'a token that could be guessed',
      "operator's token",
      /^bad: .*expected at least 32 characters/,
      async (directory) => {
        await writeFile(join(directory, 'admin-token'), 'short', { mode: 0o600 });
        return [];
      },
    ],
    [
      'a folder that others can look into',
      'data directory',
      /^doubtful: .* expected mode 0700, got 0755/,
      async (directory) => {
        await chmod(directory, 0o755);
        return [];
      },
    ],
    ['nobody who may propose', 'data users', /^doubtful: none is named/, async () => ['--data-users', '[]']],
  ];
  const taken = createServer();
  beforeAll(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    taken.close();
  });

  test.each(cases)('%s', async (_, place, words, spoil) => {
    const directory = await keptDirectory('csp', fresh());
    const args = await spoil(directory);
    const before = await contents(directory);
    const { exitCode, stderr, news } = await csp(directory, ...args);
    expect(news).toEqual({ [place]: expect.stringMatching(words) });
    const isBad = words.source.startsWith('^bad');
    expect([exitCode, stderr === '']).toEqual(isBad ? [2, false] : [0, true]);
    if (isBad) expect(stderr).toContain(`the service would not work as it is: ${place}`);
    expect(await contents(directory)).toEqual(before);
  });

  test('the database of another service', async () => {
    const directory = await keptDirectory('data-user', fresh());
    expect((await csp(directory)).news.database).toMatch(/^bad: ERR_DATABASE: .* got that of a data user/);
  });
});

describe('at a data user', () => {
  const user = (url: string, ...args: string[]) =>
    check('user', ...['--data-directory', fresh(), '--port', '0', '--csp-url', url, ...args]);

  test('tells of a CSP that is down, which keeps nobody from starting', async () => {
    const url = `https://localhost:${await freePort()}`;
    const { exitCode, news } = await user(url, '--csp-thumbprint', thumbprint);
    expect({ exitCode, news }).toEqual({
      exitCode: 0,
      news: { CSP: `doubtful: ${url} cannot be reached (ECONNREFUSED)` },
    });
  });

  test('compares what the CSP shows with what is pinned and trusted', async () => {
    const world = await World.start();
    try {
      const { url, ca } = world.cspAddress;
      const file = join(folder, 'csp-ca.pem');
      await writeFile(file, ca!);
      const pin = String(world.dataUserConfig.cspThumbprint);
      expect((await user(url, '--csp-ca', file, '--csp-thumbprint', pin)).news).toEqual({});
      expect(await user(url, '--csp-ca', file, '--csp-thumbprint', thumbprint)).toMatchObject({
        exitCode: 2,
        news: { CSP: expect.stringMatching(/^bad: ERR_CSP_IDENTITY/) },
      });
      const ofDataUser = await user(world.dataUserAddress.url, '--csp-ca', file, '--csp-thumbprint', pin);
      expect(ofDataUser.news.CSP).toMatch(/: that address is an Eigenveil data user's$/);
      expect((await user(url, '--csp-thumbprint', pin)).news).toEqual({
        CSP: expect.stringMatching(/^doubtful: the certificate of .* is not accepted/),
      });
      await mkdir(join(folder, 'empty'), { recursive: true });
      await writeFile(file, 'no certificate');
      expect((await user(url, '--csp-ca', file, '--csp-thumbprint', pin)).news).toEqual({
        'certificates for the CSP': expect.stringMatching(/^bad: ERR_TLS_FILE: "--csp-ca"/),
      });
    } finally {
      await world.close();
    }
  });

  test('names no password of a database', async () => {
    const databaseUrl = `postgres://user:hunter2@127.0.0.1:${await freePort()}/nothing`;
    const url = `https://localhost:${await freePort()}`;
    const result = await user(url, '--csp-thumbprint', thumbprint, '--database-url', databaseUrl);
    expect(result.news.database).toMatch(/^bad: ERR_DATABASE: the database cannot be opened: ECONNREFUSED/);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});

test('at an authenticator, looks at its projections', async () => {
  const projection = {
    digest: 'A'.repeat(43),
    components: 2,
    engine: {
      ...{ kind: 'trust', threshold: 1, width: 1, reward: 1, penalty: 1 },
      ...{ stepUpBelow: 50, lockBelow: 20, confidentFrom: 90 },
    },
  };
  const args = ['--data-directory', fresh(), '--port', '0', '--relying-applications', thumbprint];
  const good = await check('authenticator', ...args, '--projections', JSON.stringify([projection]));
  expect(good).toEqual({ exitCode: 0, stderr: '', news: {} });
  const twice = JSON.stringify([projection, projection]);
  expect((await check('authenticator', ...args, '--projections', twice)).news).toEqual({
    projections: expect.stringMatching(/^bad: ERR_CONFIGURATION: .*not listed before/),
  });
});
