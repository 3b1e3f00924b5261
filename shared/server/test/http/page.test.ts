/** A page that a service hands out: its files with their types, under its policy, and nothing else of the machine. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { pageRoutes } from '../../src/index.ts';
import { problemIn, send, sendRaw, startService } from '../harness.ts';
import { temporaryDirectory } from '../temporary.ts';

const FILES = { 'index.html': '<!doctype html><p>Hello', 'main.js': 'console.log(1);', 'main.css': 'p{}' };
const POLICY = "default-src 'none'; script-src 'self'";
const sum = (text: string) => createHash('sha256').update(text).digest('hex');

async function build(folder: string, files: Readonly<Record<string, string>> = FILES): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const sums = Object.entries(files).map(([name, text]) => `${sum(text)}  ${name}\n`);
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''));
}

async function started(isBuilt = true) {
  const folder = `${await temporaryDirectory()}/page`;
  if (isBuilt) await build(folder);
  const routes = pageRoutes({ path: '/page', folder, contentSecurityPolicy: POLICY, remedy: 'build it' });
  const service = await startService({ routes });
  onTestFinished(() => service.close());
  return { ...service, folder };
}

test('the page is at its folder, and what leaves the slash away is sent there', async () => {
  const { url } = await started();
  const moved = await send(`${url}/page`);
  expect([moved.status, moved.headers.location]).toEqual([308, '/page/']);
  const page = await send(`${url}/page/`);
  expect(page.bytes.toString()).toBe(FILES['index.html']);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  });
});

test.each([
  ['main.js', 'text/javascript; charset=utf-8'],
  ['main.css', 'text/css; charset=utf-8'],
  ['index.html', 'text/html; charset=utf-8'],
  ['SHA256SUMS', 'text/plain; charset=utf-8'],
])('%s comes as %s', async (name, type) => {
  const { url } = await started();
  const { status, headers } = await send(`${url}/page/${name}`);
  expect([status, headers['content-type']]).toEqual([200, type]);
});

test('a file that the browser has is not sent again', async () => {
  const { url } = await started();
  const { headers } = await send(`${url}/page/main.js`);
  const again = await send(`${url}/page/main.js`, {
    headers: { 'if-none-match': `"other", ${headers.etag}` },
  });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
  const other = await send(`${url}/page/main.css`, { headers: { 'if-none-match': headers.etag } });
  expect(other.status).toBe(200);
});

test('whoever takes it compressed gets the copy that lies beside it, and the same of HEAD without the body', async () => {
  const { url, folder } = await started();
  // At qualities of which nobody would make them in answering.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 0 };
  const copies = {
    br: brotliCompressSync(FILES['main.js'], { params }),
    gzip: gzipSync(FILES['main.js'], { level: 0 }),
  };
  await writeFile(join(folder, 'main.js.br'), copies.br);
  await writeFile(join(folder, 'main.js.gz'), copies.gzip);
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
  ] as const) {
    const { headers, bytes } = await send(`${url}/page/main.js`, {
      headers: { 'accept-encoding': accepted },
    });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    expect(bytes.equals(copies[encoding])).toBe(true);
  }
  // There is no copy of this one, and none is made.
  const plain = await send(`${url}/page/main.css`, { headers: { 'accept-encoding': 'gzip, br' } });
  expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
  expect(plain.bytes.toString()).toBe(FILES['main.css']);
  const head = await send(`${url}/page/main.js`, { method: 'HEAD' });
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '15', 0]);
});

test('nothing else is handed out, wherever it lies and however it is asked for', async () => {
  const { url, folder } = await started();
  await writeFile(join(folder, 'not-built.js'), 'secret');
  await writeFile(join(folder, '..', 'secret'), 'secret');
  const names = [
    'not-built.js',
    '../secret',
    '..%2fsecret',
    '..%5csecret',
    '%2e%2e/secret',
    '.',
    '..',
    '%00',
    'main.js/',
    'MAIN.JS',
    '__proto__',
    'main.js%00.css',
  ];
  for (const name of names) {
    const answer = await sendRaw(
      url,
      `GET /page/${name} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
    expect(answer).not.toContain('secret');
  }
});

test('a page that is not there says what to do, and is there once it is built', async () => {
  const { url, folder } = await started(false);
  for (const path of ['/page/', '/page/main.js']) {
    const problem = problemIn(await send(url + path));
    expect(problem).toMatchObject({ status: 404, code: 'ERR_ROUTE_UNKNOWN' });
    expect(problem.detail).toMatch(/build it$/);
    expect(problem.detail).not.toContain(folder);
  }
  await build(folder);
  expect((await send(`${url}/page/`)).status).toBe(200);
});

test('files that do not belong together are not handed out, and what changes later neither', async () => {
  const { url, folder } = await started();
  await writeFile(join(folder, 'main.js'), 'alert(1)');
  expect((await send(`${url}/page/`)).status).toBe(404);
  await build(folder);
  await writeFile(join(folder, 'main.js.gz'), gzipSync('alert(1)'));
  expect((await send(`${url}/page/`)).status).toBe(404);
  await rm(join(folder, 'main.js.gz'));
  expect((await send(`${url}/page/`)).status).toBe(200);
  await rm(folder, { recursive: true });
  await build(folder, { ...FILES, 'main.js': 'console.log(2);' });
  expect((await send(`${url}/page/main.js`)).bytes.toString()).toBe(FILES['main.js']);
});
