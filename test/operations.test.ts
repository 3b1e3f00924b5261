/**
 * docs/operations.md and docs/authentication.md tell the truth: every setting with its default, and error texts that the services really say.
 * The metrics are tried where they are shown, in metrics.test.ts.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AUTHENTICATOR_SETTINGS } from '@eigenveil/authenticator';
import { CSP_SETTINGS } from '@eigenveil/csp';
import { DATA_USER_SETTINGS } from '@eigenveil/data-user';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
/** A page, without the blanks that align its tables. */
const pageOf = async (name: string) =>
  (await readFile(join(root, 'docs', name), 'utf8')).replaceAll(/ +\|/g, ' |');
const page = await pageOf('operations.md');
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
  ['CSP', page, rowsOf('EIGENVEIL_CSP', CSP_SETTINGS)],
  ['data user', page, rowsOf('EIGENVEIL_USER', DATA_USER_SETTINGS)],
  ['authenticator', authentication, rowsOf('EIGENVEIL_AUTHENTICATOR', AUTHENTICATOR_SETTINGS)],
])('has every setting of the %s, with its default', (_, where, rows) => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(where).toContain(row);
});

test('shows a file of settings with which the CSP would start', () => {
  const [, json] = /```json\n(.+?)```/s.exec(page)!;
  const given = JSON.parse(json!.replace('<thumbprint of the data user>', 'A'.repeat(43))) as Record<
    string,
    unknown
  >;
  const settings: Readonly<Record<string, AnySetting>> = CSP_SETTINGS;
  const accepts = (setting: AnySetting | undefined, value: unknown) =>
    [value, [value]].some((reading) => setting?.schema.safeParse(reading).success);
  for (const [name, value] of Object.entries(given)) {
    expect({ name, isAccepted: accepts(settings[name], value) }).toEqual({ name, isAccepted: true });
  }
  const isRequired = ({ schema, default: standard }: AnySetting) =>
    standard === undefined && !schema.safeParse(undefined).success;
  const required = Object.keys(settings).filter((name) => isRequired(settings[name]!));
  expect(Object.keys(given)).toEqual(expect.arrayContaining(required));
});

test('has a runbook headed by texts that stand in the sources', { tags: ['long'] }, async () => {
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
