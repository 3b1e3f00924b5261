/** A data user whose PostgreSQL neither answers nor ends: it says so, shows its metrics, and stops when it is told to. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { adminTokenFile } from '@eigenveil/server';
import { DatabaseLine } from '@eigenveil/testbed/databases/database-line';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { Children } from '@eigenveil/testbed/processes/programs';
import { expect, test } from 'vitest';
import { World } from './support/world.ts';

test('a data user whose database hangs is not ready, shows its metrics and can be stopped', {
  tags: ['long'],
}, async () => {
  const line = await DatabaseLine.open(await databaseOfRun());
  const children = new Children();
  const world = await World.start();
  try {
    await world.stopDataUser();
    const { dataDirectory, port, tlsCertificate, tlsKey, cspUrl, cspThumbprint, cspCa } =
      world.dataUserConfig;
    const settings = {
      ...{ 'data-directory': dataDirectory, port, 'tls-certificate': tlsCertificate, 'tls-key': tlsKey },
      ...{ 'csp-url': cspUrl, 'csp-thumbprint': cspThumbprint, 'csp-ca': cspCa },
    };
    const dataUser = await children.serve(
      'user',
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
      { EIGENVEIL_USER_DATABASE_URL: line.url },
    );
    const authorization = `Bearer ${(await readFile(adminTokenFile(dataDirectory), 'utf8')).trim()}`;
    const get = async (path: string) => {
      const { url, ca } = world.dataUserAddress;
      const outgoing = request(`${url}${path}`, { ca, agent: false, headers: { authorization } }).end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      return { status: incoming.statusCode, text: await text(incoming) };
    };
    expect((await get('/readyz')).status).toBe(200);
    line.state = 'hanging';
    // An answer counts for a second.
    await expect
      .poll(async () => (await get('/readyz')).text, { timeout: 60_000 })
      .toContain('ERR_DATABASE_UNREACHABLE');
    expect((await get('/metrics')).text).toMatch(/^eigenveil_tasks_in_work\{.*\} nan$/im);
    expect(await dataUser.end('SIGTERM')).toBe(0);
  } finally {
    await children.stop();
    await world.close();
    await line.close();
  }
});
