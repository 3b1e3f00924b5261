/** What is built of the pages: small, the same everywhere, with the digests of what it loads, and nothing of the machine in it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { BROTLI_QUALITY } from '@eigenveil/server';
import { Checkout } from '@eigenveil/testbed/faults/checkout';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPages } from '../build/build.ts';
import { zod } from '../build/zod.ts';
import { said } from './support/checks.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** For everything that a page loads, in bytes, as it is sent. */
const LIMIT = 300_000;
/** Names of formats, and those kept for examples (RFC 2606), which nobody fetches. */
const NAMES = /^(?:www\.w3\.org|json-schema\.org|.+\.example\.org)$/;

/** What makes code of text; `Function` as a value does, by whatever name it is then called. */
const COMPILER = /\beval\(|\bnew Function\b|[=(,:]Function[;,)(]/g;

let folder: string;
let pages: Record<'console' | 'owner', ReadonlyMap<string, Buffer>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-pages-'));
  const folders = { console: join(folder, 'a/console'), owner: join(folder, 'a/owner') };
  await buildPages(folders);
  pages = { console: await read(folders.console), owner: await read(folders.owner) };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the same bytes come of a copy of the sources in another folder', { tags: ['long'] }, async () => {
  const copy = join(folder, 'elsewhere/a copy');
  await Checkout.copy(ROOT, copy);
  await promisify(execFile)(process.execPath, ['scripts/build-pages.ts'], { cwd: copy });
  const there = {
    console: await read(join(copy, 'services/data-user/console')),
    owner: await read(join(copy, 'services/data-owner/page')),
  };
  for (const page of ['console', 'owner'] as const) {
    expect([...there[page].keys()]).toEqual([...pages[page].keys()]);
    for (const [name, bytes] of there[page]) expect(bytes.equals(pages[page].get(name)!), name).toBe(true);
  }
});

describe.each(['console', 'owner'] as const)('the page %s', (page) => {
  const text = (name: string) => pages[page].get(name)!.toString('utf8');
  const code = () => [...pages[page].keys()].filter((name) => /\.(?:js|css)$/.test(name));

  test('has no more than what it needs', () => {
    const worker = page === 'owner' ? ['worker.js'] : [];
    const names = ['LICENSES.txt', 'SHA256SUMS', 'index.html', 'main.css', 'main.js', ...worker];
    expect([...pages[page].keys()]).toEqual(names);
  });

  test('is small', () => {
    // The data user sends brotli, which all browsers take from an address with TLS; another host may send gzip alone.
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    const compressed = (bytes: Buffer) =>
      page === 'console' ? brotliCompressSync(bytes, { params }) : gzipSync(bytes);
    const loaded = ['index.html', ...code()].map((name) => compressed(pages[page].get(name)!).length);
    const bytes = loaded.reduce((a, b) => a + b);
    expect(bytes).toBeLessThanOrEqual(LIMIT);
  });

  test('names the digest of everything it loads', () => {
    const html = text('index.html');
    for (const name of ['main.js', 'main.css'])
      expect(html).toMatch(
        new RegExp(`(?:src|href)="${name}" integrity="${RegExp.escape(integrity(name))}"`),
      );
    expect(html.match(/(?:src|href)="(?!data:)/g)).toHaveLength(2);
    if (page === 'owner') expect(text('main.js').includes(integrity('worker.js'))).toBe(true);
    const sums = [...pages[page].keys()].filter((name) => name !== 'SHA256SUMS');
    expect(text('SHA256SUMS')).toBe(
      sums.map((name) => `${digest(name, 'sha256', 'hex')}  ${name}\n`).join(''),
    );
  });

  test('has no script or style within its HTML', () => {
    expect(text('index.html')).not.toMatch(/<style|<script(?! type="module" src)| style=| on\w+=/);
  });

  test('compiles nothing from text, and needs nothing of Node.js', () => {
    for (const name of code()) {
      expect(found(COMPILER, text(name))).toEqual([]);
      expect(found(/['"`]node:|\brequire\(/g, text(name))).toEqual([]);
    }
  });

  test('names no place in a network, and none on the machine', () => {
    for (const name of code()) {
      const hosts = [...text(name).matchAll(/\b(?:https?|wss?):\/\/([\w.-]+)/g)].map(([, host]) => host!);
      expect(hosts.filter((host) => !NAMES.test(host) && host.includes('.'))).toEqual([]);
      const places = new RegExp(`node_modules|sourceMappingURL|\\.tsx?\\b["'\`]|${RegExp.escape(ROOT)}`, 'g');
      expect(found(places, text(name))).toEqual([]);
    }
  });

  test('brings the licences of what it contains', () => {
    expect(text('LICENSES.txt')).toMatch(/^preact \d+\.\d+\.\d+ \(MIT\)\n\n=+\n\n.*MIT License/m);
    expect(text('LICENSES.txt')).not.toContain('@eigenveil');
  });

  function digest(name: string, algorithm: string, encoding: 'hex' | 'base64'): string {
    return createHash(algorithm).update(pages[page].get(name)!).digest(encoding);
  }
  function integrity(name: string): string {
    return `sha384-${digest(name, 'sha384', 'base64')}`;
  }
});

test('what is left of zod says the same, in one language, and compiles nothing', async () => {
  const entry = fileURLToPath(new URL('support/checks.ts', import.meta.url));
  const options: BuildOptions = {
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    minify: true,
    plugins: [zod],
  };
  const code = (await build({ ...options, write: false })).outputFiles[0]!.text;
  const bundled: { said: readonly string[] } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  expect(bundled.said).toEqual(said);
  expect(said.join()).toMatch(/expected number, received string/);
  expect(found(COMPILER, code)).toEqual([]);
  // All of zod is 460,000, and its part that is not texts of other languages 200,000.
  expect(code.length).toBeLessThan(100_000);
});

/** With what stands around it: a bundle is one long line. */
function found(pattern: RegExp, code: string): string[] {
  return [...code.matchAll(pattern)].map(({ index }) => code.slice(Math.max(0, index - 60), index + 60));
}

/** By name, sorted. */
async function read(of: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(of)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(of, name))] as const)),
  );
}
