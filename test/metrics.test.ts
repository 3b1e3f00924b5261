/** Metrics of services that run: what they say of storage and refused uploads, and that all of them are documented. */
import { readFile } from 'node:fs/promises';
import { adminTokenFile } from '@eigenveil/server';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { expect, test } from 'vitest';
import { Site } from '../services/authenticator/test/authenticator.ts';
import { send, textOf } from './support/requests.ts';
import { World } from './support/world.ts';

test('tell the size of the database, the room on the disk, and refused uploads by code', async () => {
  const world = await World.start();
  try {
    const read = async (name: string, who: 'csp' | 'dataUser') => {
      const address = who === 'csp' ? world.cspAddress : world.dataUserAddress;
      const { dataDirectory } = who === 'csp' ? world.cspConfig : world.dataUserConfig;
      const token = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
      const text = await textOf(address, '/metrics', { authorization: `Bearer ${token}` });
      return Number(new RegExp(`^eigenveil_${name}[,}].* (\\S+)$`, 'm').exec(text)?.[1]);
    };
    for (const who of ['csp', 'dataUser'] as const) {
      expect(await read('database_bytes\\{service="[\\w-]+"', who)).toBeGreaterThan(4096);
      expect(await read('disk_free_bytes\\{service="[\\w-]+"', who)).toBeGreaterThan(1e6);
    }
    const path = `/tasks/${'A'.repeat(22)}/contribution`;
    await send(world.dataUserAddress, { method: 'PUT', path, headers: {}, body: 'none' });
    expect(await read('uploads_refused_total\\{code="ERR_AUTH_REQUIRED"', 'dataUser')).toBe(1);
    expect(await read('oldest_waiting_task_seconds\\{service="[\\w-]+"', 'dataUser')).toBe(0);
  } finally {
    await world.close();
  }
});

test('are those that docs/operations/metrics.md and docs/authentication.md name', async () => {
  const world = await World.start({ dataUser: { databaseUrl: await databaseOfRun() } });
  const site = await Site.start();
  try {
    const shown = new Set<string>();
    for (const [address, { dataDirectory }] of [
      [world.cspAddress, world.cspConfig],
      [world.dataUserAddress, world.dataUserConfig],
      [{ url: site.running.url, ca: site.ca }, site.config],
    ] as const) {
      const token = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
      const text = await textOf(address, '/metrics', { authorization: `Bearer ${token}` });
      for (const [, name] of text.matchAll(/^# TYPE (eigenveil_\w+) /gm)) shown.add(name!);
    }
    const pages = ['operations/metrics', 'authentication'].map((name) =>
      readFile(new URL(`../docs/${name}.md`, import.meta.url), 'utf8'),
    );
    const named = (await Promise.all(pages)).flatMap((page) =>
      [...page.matchAll(/^\| `(eigenveil_\w+)` *\|/gm)].map(([, name]) => name!),
    );
    expect([...shown].sort()).toEqual([...new Set(named)].sort());
  } finally {
    await site.close();
    await world.close();
  }
});
