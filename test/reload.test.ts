/**
 * SIGHUP: a running service takes its settings anew, all that can change, or nothing.
 *
 * @claims S-580
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createLocalCertificate } from '@eigenveil/server';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import {
  errorCodeOf,
  generatePrivateJwk,
  importSigningKey,
  ServiceClient,
  type SigningKey,
} from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const children = new Children();
let folder: string;
let csp: RunningChild;
let known: SigningKey;
let cert: string;
let settings: Record<string, unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  known = await importSigningKey(await generatePrivateJwk());
  await renew();
  await write({
    ...{ dataDirectory: join(folder, 'csp'), port: 0, threads: 0, dataUsers: [known.thumbprint] },
    ...{ tlsCertificate: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') },
  });
  csp = await children.serve('csp', ['--config', join(folder, 'csp.json')]);
});
afterAll(async () => {
  await children.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a certificate of its own making. */
async function renew(): Promise<void> {
  const made = await createLocalCertificate();
  await writeFile(join(folder, 'key.pem'), made.key);
  await writeFile(join(folder, 'cert.pem'), made.cert);
  cert = made.cert;
}

async function write(changes: Record<string, unknown>): Promise<void> {
  settings = { ...settings, ...changes };
  await writeFile(join(folder, 'csp.json'), JSON.stringify(settings));
}

const Line = z.looseObject({ level: z.string(), msg: z.string() });
const lines = ({ errors }: RunningChild) =>
  errors()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => Line.parse(JSON.parse(line)))
    .filter((line) => !('route' in line)); // what this test asks may be logged after its answer

/** Sends SIGHUP and waits until the service says what came of it; returns what it said. */
async function reload(service = csp) {
  const said = lines(service).length;
  const isOver = ({ msg }: { msg: string }) => /^settings (not )?reloaded/.test(msg);
  service.signal('SIGHUP');
  const news = () => lines(service).slice(said);
  await expect.poll(() => news().some(isOver)).toBe(true);
  return news();
}

/** What the CSP says to a data user that asks for the end of a task that is not there. */
async function answerTo(key: SigningKey, ca = cert): Promise<string | undefined> {
  const client = new ServiceClient({ url: String(csp.listening.url), ca, credentials: { kind: 'key', key } });
  const path = `/tasks/${'A'.repeat(22)}`;
  const error = await client
    .send({ method: 'DELETE', path, response: z.undefined() })
    .catch((it: unknown) => it);
  await client.close();
  return errorCodeOf(error);
}

/** Whether the service shows the certificate to a new connection. */
function shows(ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const port = Number(new URL(String(csp.listening.url)).port);
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

test('a new certificate is put in place, and the old one stays when the new one is broken', async () => {
  await renew();
  expect(await shows(cert)).toBe(false);
  await reload();
  expect(await shows(cert)).toBe(true);
  await writeFile(join(folder, 'cert.pem'), 'no certificate');
  expect(await reload()).toMatchObject([
    { level: 'error', msg: 'settings not reloaded: nothing has changed', err: { code: 'ERR_TLS_FILE' } },
  ]);
  expect(await shows(cert)).toBe(true);
});

test('what is wrong anywhere changes nothing, and what is right changes at once', async () => {
  await renew();
  await reload();
  const other = await importSigningKey(await generatePrivateJwk());
  expect([await answerTo(known), await answerTo(other)]).toEqual(['ERR_TASK_UNKNOWN', 'ERR_AUTH_FORBIDDEN']);
  await write({ dataUsers: [other.thumbprint], minimumOwners: 1 }); // the latter cannot be
  expect(await reload()).toMatchObject([{ level: 'error', err: { code: 'ERR_CONFIGURATION' } }]);
  expect([await answerTo(known), await answerTo(other)]).toEqual(['ERR_TASK_UNKNOWN', 'ERR_AUTH_FORBIDDEN']);
  await write({ minimumOwners: 3 });
  await writeFile(join(folder, 'cert.pem'), 'no certificate');
  expect(await reload()).toMatchObject([{ level: 'error', err: { code: 'ERR_TLS_FILE' } }]);
  expect([await answerTo(known), await answerTo(other)]).toEqual(['ERR_TASK_UNKNOWN', 'ERR_AUTH_FORBIDDEN']);
  await renew();
  const done = (await reload()).at(-1);
  expect(done).toMatchObject({ level: 'info', changed: ['dataUsers', 'minimumOwners'] });
  expect([await answerTo(known), await answerTo(other)]).toEqual(['ERR_AUTH_FORBIDDEN', 'ERR_TASK_UNKNOWN']);
  await write({ dataUsers: [known.thumbprint] });
  await reload();
});

test('what needs a restart is named, without its value, until it is had', async () => {
  const waits = {
    level: 'warn',
    msg: 'these settings have changed, too, and need a restart',
    settings: ['port'],
  };
  await write({ port: 65_123 });
  expect((await reload())[0]).toMatchObject({ msg: 'certificate reloaded' });
  await expect.poll(() => lines(csp).at(-1)).toMatchObject(waits);
  expect(csp.errors()).not.toContain('65123');
  await reload();
  await expect.poll(() => lines(csp).at(-1)).toMatchObject(waits);
  await write({ port: 0 });
});

test('a data user trusts another certificate of the CSP', async () => {
  await renew();
  await reload();
  const ca = join(folder, 'csp-ca.pem');
  await writeFile(ca, (await createLocalCertificate()).cert);
  const user = await children.serve('user', [
    ...['--data-directory', join(folder, 'user'), '--port', '0', '--threads', '0', '--csp-ca', ca],
    ...['--tls-certificate', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')],
    ...['--csp-url', String(csp.listening.url), '--csp-thumbprint', String(csp.listening.thumbprint)],
  ]);
  // Who shows an owner's token has the data user ask the CSP for its identity.
  const credentials = { kind: 'key', key: known, token: 'none' } as const;
  const client = new ServiceClient({ url: String(user.listening.url), ca: cert, credentials });
  const answer = async () => {
    const response = z.unknown();
    const asked = client.send({ method: 'GET', path: `/tasks/${'A'.repeat(22)}/projection`, response });
    return errorCodeOf(await asked.catch((error: unknown) => error));
  };
  expect(await answer()).toBe('ERR_PEER_CERTIFICATE');
  await writeFile(ca, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  expect(await reload(user)).toMatchObject([{ level: 'error', err: { code: 'ERR_TLS_FILE' } }]);
  expect(await answer()).toBe('ERR_PEER_CERTIFICATE');
  await writeFile(ca, cert);
  await reload(user);
  expect(await answer()).toBe('ERR_AUTH_REQUIRED');
  await client.close();
});

test('limits hold from the reload on', async () => {
  await write({ requestsPerMinute: 1 });
  await reload();
  expect([await answerTo(known), await answerTo(known)]).toContain('ERR_RATE_LIMITED');
  await write({ requestsPerMinute: 100_000 });
  await reload();
  expect(await answerTo(known)).toBe('ERR_TASK_UNKNOWN');
  await write({ connectionsPerAddress: 1 });
  await reload();
  const held = connect({
    host: '127.0.0.1',
    port: Number(new URL(String(csp.listening.url)).port),
    ca: cert,
  });
  held.on('error', () => {}); // the data user may have a connection already
  await Promise.race([once(held, 'secureConnect'), once(held, 'close')]).catch(() => {});
  expect(await shows(cert)).toBe(false);
  held.destroy();
  expect(await csp.end('SIGTERM')).toBe(0);
});
