/** `npm run docs` builds a site of the packed libraries: it has what they export, and its links arrive. */
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;

/** By its name in the site, an entry of a packed library. */
const ENTRIES = {
  'data-owner': () => import('@eigenveil/data-owner'),
  'data-user_client': () => import('@eigenveil/data-user/client'),
  projection: () => import('@eigenveil/projection'),
} as const;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!);

// TypeDoc takes half a minute.
describe('the site', { tags: ['long'] }, () => {
  let folder: string;
  let pages: string[];
  const pageOf = (name: string) => readFile(join(folder, name), 'utf8');
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'eigenveil-site-'));
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: { docs: string };
    };
    const words = [...scripts.docs.split(' '), '--out', folder];
    await promisify(execFile)(process.execPath, words, { cwd: ROOT });
    pages = globSync('**/*.html', { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(Object.entries(ENTRIES))('has all that %s exports', async (entry, load) => {
    const page = await pageOf(`modules/${entry}.html`);
    const linked = new Set(
      [...page.matchAll(/href="[^"]*\.([^".]+?)(?:-\d+)?\.html"/g)].map(([, name]) => name),
    );
    const names = Object.keys(await load());
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !linked.has(name))).toEqual([]);
  });

  test('has the types that what is exported names, and none of private fields', () => {
    const names = pages.map((page) => page.split('.').at(-2));
    expect(names).toEqual(expect.arrayContaining(['ContributeOptions', 'Summarise', 'SigningKey']));
    expect(names).not.toContain('OwnerConnection');
  });

  test.each(['run-task.ts', 'contribute-and-project.ts'])('shows %s as it is', async (name) => {
    const shown = unescaped(
      (await pageOf('documents/Examples.html')).replaceAll(/<br\/?>/g, '\n').replaceAll(/<[^>]*>/g, ''),
    );
    const program = await readFile(join(ROOT, 'examples', name), 'utf8');
    expect(shown).toContain(program.trim());
  });

  test('has links that arrive within it', () => {
    const anchors = new Map(
      pages.map((page) => {
        const text = readFileSync(join(folder, page), 'utf8');
        return [page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id!)))];
      }),
    );
    const files = new Set(globSync('**', { cwd: folder }));
    const lost = new Set<string>();
    let count = 0;
    for (const page of pages)
      for (const [, link] of readFileSync(join(folder, page), 'utf8').matchAll(/ (?:href|src)="([^"]*)"/g)) {
        if (/^(?:https?|mailto|data):/.test(link!)) continue;
        const [path, anchor = ''] = decodeURIComponent(unescaped(link!)).split('#');
        const target = path === '' ? page : normalize(join(dirname(page), path!));
        const ids = anchor === '' ? undefined : anchors.get(target);
        count += 1;
        if (!files.has(target) || ids?.has(anchor) === false) lost.add(`${page}: ${link}`);
      }
    expect(count).toBeGreaterThan(1000);
    expect([...lost]).toEqual([]);
  });
});
