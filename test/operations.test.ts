/**
 * The pages of operations and docs/authentication.md tell the truth: every setting with its default, settings that the services take,
 * and error texts that they really say. The metrics are tried where they are shown, in metrics.test.ts.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AUTHENTICATOR_SETTINGS } from '@eigenveil/authenticator';
import { CSP_SETTINGS } from '@eigenveil/csp';
import { DATA_USER_SETTINGS } from '@eigenveil/data-user';
import { expect, test } from 'vitest';
import { runInProcess } from './support/in-process.ts';
import { blocksOf } from './support/recipes.ts';

const root = new URL('..', import.meta.url).pathname;
/** A page, without the blanks that align its tables. */
const pageOf = async (name: string) =>
  (await readFile(join(root, 'docs', name), 'utf8')).replaceAll(/ +\|/g, ' |');
const [csp, dataUser] = await Promise.all(
  ['csp', 'user'].map((it) => pageOf(`operations/settings-${it}.md`)),
);
const authentication = await pageOf('authentication.md');

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
    const isEmpty = [[], {}].some((empty) => isDeepStrictEqual(setting.default, empty));
    const byItself = isEmpty ? 'none' : `\`${String(setting.default)}\``;
    const standard = setting.default === undefined ? (isOptional ? 'none' : 'required') : byItself;
    return `| \`--${words}\` | \`${variable}\` | ${standard} | ${setting.description} |`;
  });
}

test.each([
  ['CSP', csp!, rowsOf('EIGENVEIL_CSP', CSP_SETTINGS)],
  ['data user', dataUser!, rowsOf('EIGENVEIL_USER', DATA_USER_SETTINGS)],
  ['authenticator', authentication, rowsOf('EIGENVEIL_AUTHENTICATOR', AUTHENTICATOR_SETTINGS)],
])('has every setting of the %s, with its default', (_, where, rows) => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(where).toContain(row);
});

const SETTINGS = join(root, 'deploy/settings');

test.each(await readdir(SETTINGS))('the service takes deploy/settings/%s', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-settings-'));
  try {
    const config = join(folder, 'settings.jsonc');
    const text = await readFile(join(SETTINGS, name), 'utf8');
    // Nobody answers there.
    const filled = text
      .replaceAll(/<thumbprint of another [\w ]+>/g, 'B'.repeat(43))
      .replaceAll(/<thumbprint of [\w ]+>/g, 'A'.repeat(43))
      .replaceAll('/var/lib', folder)
      .replaceAll(/(?<="cspUrl": ")[^"]+/g, 'https://127.0.0.1:1');
    await writeFile(config, filled);
    const service = name.startsWith('csp') ? 'csp' : 'user';
    const { stdout } = await runInProcess(service, 'check-config', '--config', config, '--json');
    // A setting that cannot be used ends the command before it finds anything.
    const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string }[] };
    expect(findings).toContainEqual(expect.objectContaining({ check: 'settings', state: 'good' }));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('docs/running.md shows the basic settings as they are', async () => {
  const shown = blocksOf(await pageOf('running.md')).filter(({ language }) => language === 'jsonc');
  const basic = ['csp', 'user'].map((it) => readFile(join(SETTINGS, `${it}.basic.jsonc`), 'utf8'));
  expect(shown.map(({ text }) => text)).toEqual(await Promise.all(basic));
});

const INCIDENTS = ['starting', 'storage', 'connections', 'tasks', 'owners'];

test('the index of incidents has every text, in the order of the pages', async () => {
  const pages = await Promise.all(INCIDENTS.map((it) => pageOf(`operations/incidents/${it}.md`)));
  const headings = pages.flatMap((page) => [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!));
  const index = await pageOf('operations/incidents.md');
  expect([...index.matchAll(/^\| \[(.+)\]\(/gm)].map(([, text]) => text!)).toEqual(headings);
});

test('incidents are headed by texts that stand in the sources', { tags: ['long'] }, async () => {
  const sources = await allSources();
  const pages = await Promise.all(INCIDENTS.map((it) => pageOf(`operations/incidents/${it}.md`)));
  const headings = pages.flatMap((page) =>
    [...page.matchAll(/^## `(.+)`$/gm)].map(([, heading]) => heading!),
  );
  expect(headings.length).toBeGreaterThan(15);
  for (const heading of headings) {
    // What varies is written as …
    for (const part of heading.split('…').filter((it) => it.trim().length > 3)) {
      const isThere = sources.some((source) => source.includes(part.trim()));
      expect({ heading, part, isThere }).toEqual({ heading, part, isThere: true });
    }
  }
});

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
