/** docs/operations.md tells the truth: every setting with its default, every metric, and error texts that the services really say. */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CSP_SETTINGS } from '@eigenveil/csp';
import { DATA_USER_SETTINGS } from '@eigenveil/data-user';
import { adminTokenFile } from '@eigenveil/server';
import { expect, test } from 'vitest';
import { World } from './support/world.ts';

const root = new URL('..', import.meta.url).pathname;
const page = await readFile(join(root, 'docs/operations.md'), 'utf8');

interface AnySetting {
  readonly description: string;
  readonly default?: unknown;
  readonly schema: { safeParse(value: unknown): { readonly success: boolean } };
}

function rowsOf(prefix: string, settings: Readonly<Record<string, AnySetting>>): string[] {
  return Object.entries(settings).map(([name, setting]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const variable = `${prefix}_${words.replaceAll('-', '_').toUpperCase()}`;
    const isOptional = setting.schema.safeParse(undefined).success;
    const standard =
      setting.default === undefined ? (isOptional ? 'none' : 'required') : `\`${String(setting.default)}\``;
    return `| \`--${words}\` | \`${variable}\` | ${standard} | ${setting.description} |`;
  });
}

test.each([
  ['CSP', rowsOf('EIGENVEIL_CSP', CSP_SETTINGS)],
  ['data user', rowsOf('EIGENVEIL_USER', DATA_USER_SETTINGS)],
])('has every setting of the %s, with its default', (_, rows) => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(page).toContain(row);
});

test('has every metric of our own, and no other', async () => {
  const world = await World.start();
  try {
    const told = new Set<string>();
    for (const [address, config] of [
      [world.cspAddress, world.cspConfig],
      [world.dataUserAddress, world.dataUserConfig],
    ] as const) {
      const token = (await readFile(adminTokenFile(config.dataDirectory), 'utf8')).trim();
      for (const [, name] of (await metrics(address, token)).matchAll(/^# HELP (eigenveil_\w+)/gm))
        told.add(name!);
    }
    const documented = new Set([...page.matchAll(/^\| `(eigenveil_\w+)` \|/gm)].map(([, name]) => name!));
    expect([...documented].sort()).toEqual([...told].sort());
  } finally {
    await world.close();
  }
});

test('has a runbook headed by texts that stand in the sources', async () => {
  const sources = await allSources();
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, heading]) => heading!);
  expect(headings.length).toBeGreaterThan(15);
  for (const heading of headings) {
    // What varies is written as …
    for (const part of heading.split('…').filter((it) => it.trim().length > 3)) {
      const isThere = sources.some((source) => source.includes(part.trim()));
      expect({ heading, part, isThere }).toEqual({ heading, part, isThere: true });
    }
  }
});

async function metrics({ url, ca }: World['cspAddress'], token: string): Promise<string> {
  const asked = get(`${url}/metrics`, { ca, headers: { authorization: `Bearer ${token}` }, agent: false });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return text(answer);
}

async function allSources(): Promise<string[]> {
  const folders = ['shared', 'services'].map((folder) => join(root, folder));
  const listed = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })));
  const paths = listed.flatMap((names, i) =>
    names
      .filter((name) => /\/src\/.*\.ts$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(folders[i]!, name)),
  );
  return Promise.all(paths.map((path) => readFile(path, 'utf8')));
}
