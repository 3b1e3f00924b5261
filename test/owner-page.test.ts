/**
 * What eigenveil-owner page writes for a host: the bundle as it was built, and a policy that names the
 * services.
 *
 * @claims S-521
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from '@eigenveil/command/sums';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonOf, runInProcess } from './support/in-process.ts';

const BUILT = new URL('../services/data-owner/page/', import.meta.url).pathname;
const CSP = 'https://csp.example.org:8443';
const DATA_USER = 'https://user.example.org';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-owner-page-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const page = (...args: string[]) => runInProcess('owner', 'page', ...args);
const connectSrc = (html: string) => /connect-src ([^;]*);/.exec(html)?.[1];

test('every file is the built one, but for the services in index.html', async () => {
  const out = join(folder, 'page');
  const { digest, files } = jsonOf(
    await page('--json', '--out', out, '--csp', CSP, '--data-user', DATA_USER),
  );
  expect((await readdir(out)).sort()).toEqual([...(files as string[])].sort());
  expect((await readdir(out)).sort()).toEqual((await readdir(BUILT)).sort());
  await promisify(execFile)('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
  expect(sha256(await readFile(join(out, 'SHA256SUMS')))).toBe(digest);
  for (const name of (await readdir(BUILT)).filter((it) => !/^(?:index\.html|SHA256SUMS)$/.test(it)))
    expect((await readFile(join(out, name))).equals(await readFile(join(BUILT, name))), name).toBe(true);
  const [built, written] = await Promise.all(
    [BUILT, out].map((at) => readFile(join(at, 'index.html'), 'utf8')),
  );
  expect(connectSrc(written!)).toBe(`'self' ${CSP} ${DATA_USER}`);
  expect(written!.replace(` ${CSP} ${DATA_USER};`, ';')).toBe(built);
});

test('the same services give the same bytes, whatever their order and however they are written', async () => {
  const digestOf = async (out: string, csp: string, ...dataUsers: string[]) =>
    jsonOf(await page('--json', '--out', join(folder, out), '--csp', csp, '--data-user', dataUsers.join(',')))
      .digest;
  expect(await digestOf('one', CSP, DATA_USER)).toBe(
    await digestOf('other', 'https://USER.example.org:443/', `${CSP}/`, DATA_USER),
  );
});

test.each([
  ['an address without TLS', ['--csp', 'http://csp.example.org', '--data-user', DATA_USER], /--csp/],
  [
    'one of several without TLS',
    ['--csp', CSP, '--data-user', `${DATA_USER},http://x.example`],
    /--data-user/,
  ],
  ['no data user', ['--csp', CSP], /dataUser/],
  ['a host that ends the directive', ['--csp', CSP, '--data-user', 'https://a;script-src'], /hosts/],
])('%s exits with 2 and writes nothing', async (_, args, message) => {
  const out = join(folder, 'refused');
  const { exitCode, stdout, stderr } = await page('--out', out, ...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(message);
  await expect(readdir(out)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a folder that has anything in it stays as it was', async () => {
  const out = await mkdtemp(join(folder, 'full-'));
  await writeFile(join(out, 'index.html'), 'mine');
  const { exitCode, stderr } = await page('--out', out, '--csp', CSP, '--data-user', DATA_USER);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/empty folder/) as string,
  });
  expect(await readdir(out)).toEqual(['index.html']);
  expect(await readFile(join(out, 'index.html'), 'utf8')).toBe('mine');
});

test('a folder in no folder is refused', async () => {
  const out = join(folder, 'no/page');
  const { exitCode, stderr } = await page('--out', out, '--csp', CSP, '--data-user', DATA_USER);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/--out.*no such file or directory/) as string,
  });
});
