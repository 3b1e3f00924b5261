/**
 * Everything that leaves a machine goes by the proxy that the environment names, and says as little to it as
 * to anybody on the way.
 *
 * @claims S-674
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { inviteOwners } from '@eigenveil/csp';
import { TaskClient } from '@eigenveil/data-user';
import { adminTokenFile, createLocalCertificate, createLogger } from '@eigenveil/server';
import { ConnectProxy } from '@eigenveil/testbed/proxies/connect-proxy';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { jsonOf, problemOf, runInProcess } from './support/in-process.ts';
import { runTask } from './support/run-task.ts';
import { madeUpProposal } from './support/tasks.ts';
import { World } from './support/world.ts';

const PASSWORD = 'a-pass%20word';
const CSP = 'https://csp.example.test:8443';
const USER = 'https://user.example.test:8444';

let folder: string;
let ca: string;
let world: World;
let proxy: ConnectProxy;
/** Where the names lead to. No other program knows them. */
const ports: Record<string, number> = {};
const at = (name: string) => join(folder, name);
/** All that both services log. */
const log = { text: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-proxy-'));
  const { cert, key } = await createLocalCertificate({ hosts: ['csp.example.test', 'user.example.test'] });
  ca = cert;
  await writeFile(at('cert.pem'), cert);
  await writeFile(at('key.pem'), key);
  proxy = await ConnectProxy.start(ports, `me:${decodeURIComponent(PASSWORD)}`);
  byProxy();
  const lines = new PassThrough();
  lines.on('data', (chunk: Buffer) => {
    log.text += chunk.toString();
  });
  const logger = createLogger({ service: 'test', level: 'trace' }, lines);
  const tls = { tlsCertificate: at('cert.pem'), tlsKey: at('key.pem') };
  world = await World.start({
    csp: { ...tls, publicUrl: CSP },
    dataUser: { ...tls, publicUrl: USER, cspUrl: CSP, cspCa: tls.tlsCertificate },
    cspOverrides: { log: logger },
    dataUserOverrides: { log: logger },
  });
  ports['csp.example.test:8443'] = world.cspConfig.port;
  ports['user.example.test:8444'] = world.dataUserConfig.port;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world.close();
  proxy.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  byProxy();
  proxy.asked.length = 0;
});

/** Of variables that this machine may have, too. */
function byProxy(address = `http://me:${PASSWORD}@127.0.0.1:${proxy.port}`): void {
  for (const name of ['https_proxy', 'no_proxy', 'NO_PROXY']) vi.stubEnv(name, undefined);
  vi.stubEnv('HTTPS_PROXY', address);
}

/** An enrolment at the CSP, as the command gives it to its caller. */
async function enrol(trusted = at('cert.pem'), home = at('nobody')) {
  const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
  return runInProcess(
    'owner',
    ...['--json', 'enrol', '--home', home, '--token', token!, '--patience-seconds', '0'],
    ...['--csp-url', CSP, '--csp-ca', trusted, '--csp-thumbprint', world.dataUserConfig.cspThumbprint],
  );
}

test('a task from its proposal to its result, the line between the servers included', async () => {
  const adminToken = await readFile(adminTokenFile(world.dataUserConfig.dataDirectory), 'utf8');
  const client = new TaskClient({ url: USER, ca, adminToken: adminToken.trim() });
  const owners = await Promise.all(
    [1, 2].map(async (n) => {
      expect(jsonOf(await enrol(at('cert.pem'), at(`owner-${n}`)))).toHaveProperty('ownerId');
      return world.ownerAt(at(`owner-${n}`)).owner;
    }),
  );
  const parts = [1, -1].map((sign) => ({
    values: [1, 2, 3, 4].map((k) => [sign / k, k / 4, (sign * k) / 5]),
    classes: [1, 2, 3, 4].map(() => []),
  }));
  const dataUser = { url: USER, ca };
  try {
    const proposal = madeUpProposal('pca', 3, [], { components: 1 });
    const { projection } = await runTask({ client, dataUser, owners }, proposal, parts);
    expect(projection.vectors).toHaveLength(1);
  } finally {
    await client.close();
  }
  expect(new Set(proxy.asked)).toEqual(new Set(Object.keys(ports)));
});

test('check-config looks at the CSP', async () => {
  const found = await runInProcess(
    'user',
    ...['--json', 'check-config', '--data-directory', at('fresh'), '--port', '0', '--csp-url', CSP],
    ...['--csp-ca', at('cert.pem'), '--csp-thumbprint', world.dataUserConfig.cspThumbprint],
    ...['--tls-certificate', at('cert.pem'), '--tls-key', at('key.pem'), '--public-url', USER],
  );
  const { findings } = jsonOf(found) as { findings: { check: string; state: string }[] };
  expect(findings.filter(({ check }) => /^CSP/.test(check)).map(({ state }) => state)).toEqual([
    'good',
    'good',
  ]);
  expect(proxy.asked).toEqual(['csp.example.test:8443']);
});

test('the certificate is that of the service, whatever the proxy is', async () => {
  await writeFile(at('other.pem'), (await createLocalCertificate()).cert);
  expect(problemOf(await enrol(at('other.pem')))).toMatchObject({
    exitCode: 2,
    code: 'ERR_PEER_CERTIFICATE',
  });
});

test.each([
  [
    'wants another password',
    () => byProxy(`http://me:${PASSWORD}x@127.0.0.1:${proxy.port}`),
    2,
    /status 407.*HTTPS_PROXY/,
  ],
  [
    'is away',
    () => byProxy(`http://me:${PASSWORD}@127.0.0.1:1`),
    4,
    /\(ECONNREFUSED, by the proxy of HTTPS_PROXY\)$/,
  ],
  [
    'does not find the service',
    () => delete ports['csp.example.test:8443'],
    4,
    /\(the proxy answered 502\)$/,
  ],
  [
    'is of another kind',
    () => byProxy(`socks5://me:${PASSWORD}@127.0.0.1:${proxy.port}`),
    2,
    /^"HTTPS_PROXY" expected/,
  ],
])('a proxy that %s is told, without its password', async (_, spoil, exitCode, words) => {
  const port = ports['csp.example.test:8443']!;
  spoil();
  try {
    const { stderr, ...ended } = await enrol();
    expect(ended).toEqual({ exitCode, stdout: '' });
    expect((JSON.parse(stderr) as { detail: string }).detail).toMatch(words);
    expect(stderr).not.toContain('a-pass');
  } finally {
    ports['csp.example.test:8443'] = port;
  }
});

test('no log has the password', async () => {
  byProxy(`http://me:${PASSWORD}x@127.0.0.1:${proxy.port}`);
  await world.stopDataUser();
  await world.startDataUser(); // it asks the CSP at once, which the proxy refuses
  await expect.poll(() => log.text).toMatch(/407/);
  for (const secret of [PASSWORD, decodeURIComponent(PASSWORD), btoa(`me:${decodeURIComponent(PASSWORD)}`)])
    expect(log.text).not.toContain(secret);
});
