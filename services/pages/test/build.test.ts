/**
 * What is built of the pages: small, with the digests of what it loads, and nothing of the machine in it; and both pages in a
 * browser, once and quickly: each is handed out, runs under its policy, and does the first step.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type RunningDataUser, startDataUser } from '@eigenveil/data-user';
import { type Loopback, loopback } from '@eigenveil/studies/demo/loopback';
import { OwnerHost } from '@eigenveil/studies/demo/owner-host';
import { browserMissing } from '@eigenveil/studies/instrument/report/in-browser';
import { freePort } from '@eigenveil/testbed/port';
import { OwnerLink, ownerLink } from '@eigenveil/wire/owner-link';
import { type BuildOptions, build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPages, FOLDERS, zod } from '../build/build.ts';
import { said } from './support/checks.ts';
import { signIn } from './support/console.ts';
import { Visitors } from './support/visitors.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** For the first view of a page, in bytes, as it is sent. */
const FIRST_LIMIT = 300_000;
/** The scripts that a page loads when it needs them. */
const LATER = {
  console: [/^charts-[0-9a-f]{16}\.js$/],
  owner: [/^age-[0-9a-f]{16}\.js$/, /^worker\.js$/],
} as const;
const LATER_LIMIT = 150_000;
const FIRST = /^(?:index\.html|main\.js|main\.css)$/;
/** Names of formats, and those kept for examples (RFC 2606), which nobody fetches. */
const NAMES = /^(?:www\.w3\.org|json-schema\.org|.+\.example\.org)$/;

/** What makes code of text; `Function` as a value does, by whatever name it is then called. */
const COMPILER = /\beval\(|\bnew Function\b|[=(,:]Function[;,)(]/g;

/** An invitation to services that nobody asks here. */
const INVITATION = OwnerLink.parse({
  csp: 'https://csp.example.org',
  thumbprint: 'A'.repeat(43),
  token: 'A'.repeat(43),
});

let folder: string;
let pages: Record<'console' | 'owner', ReadonlyMap<string, Buffer>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-pages-'));
  await buildPages();
  pages = { console: await read(FOLDERS.console), owner: await read(FOLDERS.owner) };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(['console', 'owner'] as const)('the page %s', (page) => {
  const text = (name: string) => pages[page].get(name)!.toString('utf8');
  const code = () => [...pages[page].keys()].filter((name) => /\.(?:js|css)$/.test(name));
  const laterOf = () => LATER[page].map((form) => code().find((name) => form.test(name))!);
  /** The files themselves, without their compressed copies. */
  const files = () => [...pages[page].keys()].filter((name) => !/\.(?:br|gz)$/.test(name));

  test('has no more than what it needs, and its larger files compressed beside them', () => {
    const large = ['LICENSES.txt', 'main.css', 'main.js', ...laterOf()];
    const names = ['SHA256SUMS', 'index.html', ...large.flatMap((it) => [it, `${it}.br`, `${it}.gz`])];
    expect([...pages[page].keys()]).toEqual(names.sort());
    for (const name of large) {
      const bytes = pages[page].get(name)!;
      expect(brotliDecompressSync(pages[page].get(`${name}.br`)!).equals(bytes), name).toBe(true);
      expect(gunzipSync(pages[page].get(`${name}.gz`)!).equals(bytes), name).toBe(true);
    }
  });

  test('names the digest of everything it loads', () => {
    const html = text('index.html');
    for (const name of ['main.js', 'main.css'])
      expect(html).toMatch(
        new RegExp(`(?:src|href)="${name}" integrity="${RegExp.escape(integrity(name))}"`),
      );
    expect(html.match(/(?:src|href)="(?!data:)/g)).toHaveLength(2);
    for (const name of laterOf()) {
      expect(text('main.js').includes(integrity(name)), name).toBe(true);
      expect(text('main.js').includes(name), name).toBe(true);
    }
    const sums = files().filter((name) => name !== 'SHA256SUMS');
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

test('the owner’s page is small by gzip, for its host may have no brotli', () => {
  const bytes = (name: string) => (pages.owner.get(`${name}.gz`) ?? pages.owner.get(name)!).length;
  const names = [...pages.owner.keys()];
  const first = names.filter((name) => FIRST.test(name));
  expect(first.map(bytes).reduce((a, b) => a + b)).toBeLessThanOrEqual(FIRST_LIMIT);
  for (const form of LATER.owner)
    expect(bytes(names.find((name) => form.test(name))!)).toBeLessThanOrEqual(LATER_LIMIT);
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

/** A data user, which hands out the console. */
async function dataUserOf(): Promise<Loopback & { readonly running: RunningDataUser; readonly url: string }> {
  const site = await loopback(folder);
  const running = await startDataUser(site.dataUser);
  return { ...site, running, url: `https://127.0.0.1:${site.dataUser.port}` };
}

test('the console is small, as the data user sends it', { tags: ['long'] }, async () => {
  const { running, tls, url } = await dataUserOf();
  const agent = new Agent({ ca: tls.cert });
  const names = [...pages.console.keys()].filter((name) => !/\.(?:br|gz)$/.test(name));
  const sent = names.map(async (name) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    const [answer] = (await once(get(`${url}/console/${name}`, { agent, headers }), 'response')) as [
      IncomingMessage,
    ];
    expect([name, answer.statusCode]).toEqual([name, 200]);
    const bytes = await buffer(answer);
    const copy = pages.console.get(`${name}.br`);
    expect([name, answer.headers['content-encoding']]).toEqual([name, copy && 'br']);
    expect(bytes.equals(copy ?? pages.console.get(name)!), name).toBe(true);
    return [name, bytes.length] as const;
  });
  const sizes = await Promise.all(sent);
  const first = sizes.filter(([name]) => FIRST.test(name)).map(([, bytes]) => bytes);
  expect(first.reduce((a, b) => a + b)).toBeLessThanOrEqual(FIRST_LIMIT);
  for (const form of LATER.console)
    expect(sizes.find(([name]) => form.test(name))![1]).toBeLessThanOrEqual(LATER_LIMIT);
  agent.destroy();
  await running.close();
});

describe.skipIf(browserMissing)('in a browser', { tags: ['long'] }, () => {
  let site: Awaited<ReturnType<typeof dataUserOf>>;
  let host: OwnerHost;
  let visitors: Visitors;
  beforeAll(async () => {
    site = await dataUserOf();
    host = await OwnerHost.start(join(folder, 'page'), await freePort(), site.tls, {
      csp: site.dataUser.cspUrl,
      dataUser: site.url,
    });
    visitors = await Visitors.arrive(site.tls.cert, [site.url, host.url]);
  });
  afterAll(async () => {
    await host.close();
    await visitors.leave();
    await site.running.close();
  });

  test('the console takes the operator’s token and shows that there is no task yet', async () => {
    const { page } = await visitors.visit(`${site.url}/console/`);
    await signIn(page, (await readFile(join(site.dataUser.dataDirectory, 'admin-token'), 'utf8')).trim());
    await page.getByText('There is no task yet').waitFor();
  });

  test('a script that does not come, or is another, is not run, and asked for again', async () => {
    const { context, page, pardon } = await visitors.visit(ownerLink(host.url, INVITATION));
    await page.getByRole('button', { name: 'Trust this CSP' }).click();
    const make = page.getByRole('button', { name: 'Make the key and its backup' });
    const [file] = [...pages.owner.keys()].filter((name) => LATER.owner[0].test(name));
    const asked: string[] = [];
    await context.route(
      (url) => url.pathname === `/${file}`,
      (route) => {
        asked.push(route.request().url());
        if (asked.length === 1) return route.abort();
        if (asked.length > 2) return route.continue();
        return route.fulfill({ contentType: 'text/javascript', body: 'document.body.append("hurt")' });
      },
    );
    for (const attempts of [1, 2]) {
      await make.click();
      await expect.poll(() => asked.length).toBe(attempts);
      await page.getByText('could not be loaded').waitFor();
    }
    await make.click();
    await page.getByRole('button', { name: 'Save the backup file' }).waitFor();
    expect(new Set(asked).size).toBe(3);
    expect(await page.getByText('hurt').count()).toBe(0);
    pardon(/^says Failed to load resource/);
    pardon(/^says .*integrity/);
  });

  test('the owner’s page comes as it lies compressed, and in full to who takes nothing else', async () => {
    const agent = new Agent({ ca: site.tls.cert });
    for (const [accepted, encoding, name] of [
      ['gzip, deflate, br, zstd', 'br', 'main.js.br'],
      ['gzip', 'gzip', 'main.js.gz'],
      ['identity', undefined, 'main.js'],
    ] as const) {
      const headers = { 'accept-encoding': accepted };
      const [answer] = (await once(get(`${host.url}main.js`, { agent, headers }), 'response')) as [
        IncomingMessage,
      ];
      expect(answer.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      });
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect((await buffer(answer)).equals(pages.owner.get(name)!)).toBe(true);
    }
    agent.destroy();
  });

  test('the owner’s page runs, and takes no text for HTML', async () => {
    const { page, complaints, pardon } = await visitors.visit(host.url);
    await expect.poll(() => page.locator('h1').count()).toBe(1);
    const asHtml = (text: string) =>
      page.evaluate((html) => {
        document.createElement('p').innerHTML = html;
      }, text);
    await asHtml(''); // as the library of charts does
    await expect(asHtml('<b>x</b>')).rejects.toThrow('TrustedHTML');
    await expect.poll(() => complaints).toHaveLength(2);
    pardon(/^violates require-trusted-types-for/);
    pardon(/^says .*TrustedHTML/);
  });
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
