/** What eigenveil-csp invite prints: tokens, or links to the owners' page, and codes that a camera reads. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newTaskId } from '@eigenveil/task';
import { readOwnerLink } from '@eigenveil/wire/owner-link';
import jsqr from 'jsqr';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from './support/database.ts';
import { jsonOf, runInProcess } from './support/in-process.ts';

const PAGE = 'https://owner.example.org/eigenveil/';
const CSP = 'https://csp.example.org:8443';
const DATA_USER = 'https://user.example.org:8444';

let folder: string;
let thumbprint: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-invitations-'));
  thumbprint = String(jsonOf(await runInProcess('csp', 'identity', '--json', ...at())).thumbprint);
  jsonOf(await invite('--json')); // so that there is a database
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = () => ['--data-directory', join(folder, 'csp')];
const invite = (...args: string[]) => runInProcess('csp', 'invite', ...at(), ...args);

test('a link has the address and the identity of the CSP, the data user, the task and one token', async () => {
  const task = newTaskId();
  const config = join(folder, 'csp.json');
  await writeFile(config, JSON.stringify({ publicUrl: CSP, dataUsers: thumbprint }));
  const asked = [
    '--config',
    config,
    '--page',
    PAGE,
    '--data-user',
    DATA_USER,
    '--task',
    task,
    '--count',
    '2',
  ];
  const { tokens, links } = jsonOf(await invite('--json', ...asked)) as { tokens: string[]; links: string[] };
  expect(new Set(tokens).size).toBe(2);
  expect(links.map((link) => link.split('#')[0])).toEqual([PAGE, PAGE]);
  expect(links.map((link) => readOwnerLink(new URL(link).hash))).toEqual(
    tokens.map((token) => ({ csp: CSP, thumbprint, dataUser: DATA_USER, task, token })),
  );
  const { stdout } = await invite(...asked);
  expect(stdout.trimEnd().split('\n').map(readLink)).toHaveLength(2);
});

test('the least link names the CSP alone', async () => {
  const { links } = jsonOf(await invite('--json', '--page', PAGE, '--public-url', CSP)) as {
    links: string[];
  };
  expect(readLink(links[0]!)).toEqual({ csp: CSP, thumbprint, token: expect.any(String) as string });
});

test('a QR code fits a terminal of 80 columns and is read as its link', async () => {
  const asked = ['--page', PAGE, '--public-url', CSP, '--data-user', DATA_USER, '--task', newTaskId()];
  const { stdout } = await invite(...asked, '--qr');
  const [link, ...code] = stdout.split('\n').filter((line) => line !== '');
  expect(Math.max(...code.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(read(code)).toBe(link);
});

test.each([
  [
    'a task without its data user',
    ['--page', PAGE, '--public-url', CSP, '--task', newTaskId()],
    /--data-user/,
  ],
  ['a page without an address of the CSP', ['--page', PAGE], /--public-url/],
  ['a code without a page', ['--qr'], /--page/],
  ['a data user without a page', ['--data-user', DATA_USER], /--page/],
  ['a page that is not encrypted', ['--page', 'http://owner.example.org/', '--public-url', CSP], /--page/],
  ['a page with a fragment', ['--page', `${PAGE}#x`, '--public-url', CSP], /--page/],
])('%s exits with 2, and there is no token', async (_, args, message) => {
  const before = tokensKept();
  const { exitCode, stdout, stderr } = await invite(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(tokensKept()).toEqual(before);
});

const readLink = (link: string) => readOwnerLink(new URL(link).hash);
const tokensKept = () => query(join(folder, 'csp'), 'SELECT count(*) AS kept FROM enrolment_tokens');

/** As a camera does that sees a dark terminal: four pixels a module, light where a block is. */
function read(lines: readonly string[]): string | undefined {
  const rows = lines.flatMap((line) => [line.replaceAll('▄', ' '), line.replaceAll('▀', ' ')]);
  const [width, height, scale] = [lines[0]!.length, rows.length, 4];
  const pixels = new Uint8ClampedArray(4 * scale * scale * width * height);
  for (let y = 0; y < scale * height; y += 1)
    for (let x = 0; x < scale * width; x += 1) {
      const isLight = rows[Math.floor(y / scale)]![Math.floor(x / scale)] !== ' ';
      pixels.fill(isLight ? 255 : 0, 4 * (y * scale * width + x), 4 * (y * scale * width + x) + 3);
    }
  return jsqr.default(pixels, scale * width, scale * height, { inversionAttempts: 'dontInvert' })?.data;
}
