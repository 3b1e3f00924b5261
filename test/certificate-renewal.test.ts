/** A certificate that is renewed while the service runs: new connections get it, a broken one is refused. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createLocalCertificate } from '@eigenveil/server';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { afterAll, beforeAll, expect, test } from 'vitest';

const children = new Children();
let folder: string;
let csp: RunningChild;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-test-'));
  await renew();
  csp = await children.serve('csp', [
    ...['--data-directory', join(folder, 'csp'), '--port', '0', '--threads', '0', '--data-users', '[]'],
    ...['--tls-certificate', join(folder, 'cert.pem'), '--tls-key', join(folder, 'key.pem')],
  ]);
});
afterAll(async () => {
  await children.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a certificate of its own making and returns it. */
async function renew(): Promise<string> {
  const { cert, key } = await createLocalCertificate();
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'cert.pem'), cert);
  return cert;
}

/** Whether the service shows the certificate to a new connection. */
function shows(cert: string): Promise<boolean> {
  return new Promise((resolve) => {
    const port = Number(new URL(String(csp.listening.url)).port);
    const socket = connect({ host: '127.0.0.1', port, ca: cert }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

test('SIGHUP puts a new certificate in place, and keeps the old one when the new one is broken', async () => {
  const renewed = await renew();
  expect(await shows(renewed)).toBe(false);
  csp.signal('SIGHUP');
  await expect.poll(() => shows(renewed)).toBe(true);

  await writeFile(join(folder, 'cert.pem'), 'no certificate');
  csp.signal('SIGHUP');
  await expect.poll(() => csp.errors()).toContain('certificate not reloaded: the one before is served on');
  expect(await shows(renewed)).toBe(true);

  const mended = await renew();
  csp.signal('SIGHUP');
  await expect.poll(() => shows(mended)).toBe(true);
  expect(await csp.end('SIGTERM')).toBe(0);
});
