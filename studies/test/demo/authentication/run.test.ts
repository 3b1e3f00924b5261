/** The demo of authentication from its command line: every service as a process, and nothing left behind. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { expect, onTestFinished, test } from 'vitest';
import { runAuthenticationDemo } from '../../../demo/authentication/run.ts';

const PROGRAM = new URL('../../../../scripts/demo-authentication.ts', import.meta.url).pathname;

/** Whatever it keeps for a while goes to `temporary`. */
const run = async (temporary: string, ...args: string[]) => {
  const [command, ...words] = tethered(process.execPath, PROGRAM, ...args);
  return promisify(execFile)(command, words, { env: { ...process.env, TMPDIR: temporary } });
};

test('three devices: the figures that --json prints and no others, a page, and no folder left', {
  tags: ['long'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-demo-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [temporary, out] = [join(folder, 'temporary'), join(folder, 'out')];
  await mkdir(temporary);
  const { stdout } = await run(
    temporary,
    ...['--users', '3', '--impostors', '1', '--key-bits', '1024', '--json', '--out', out],
  );
  const rate = expect.toSatisfy((value: number) => value >= 0 && value <= 1);
  const rates = { perSample: rate, overFive: rate };
  expect(JSON.parse(stdout)).toEqual({
    dataset: 'wisdm_walk_user',
    users: 3,
    features: 39,
    components: 2,
    twoParty: 'rotated',
    totalSeconds: expect.any(Number),
    eer: rates,
    rawEer: rates,
  });
  expect(await readdir(temporary)).toEqual([]);
  expect(JSON.parse(await readFile(join(out, 'report.json'), 'utf8'))).toEqual(JSON.parse(stdout));
  expect(JSON.parse(await readFile(join(out, 'projection.json'), 'utf8'))).toMatchObject({
    vectors: [expect.any(Array), expect.any(Array)],
  });
  const [, same, all] = /(\d+) of (\d+) decisions are what/.exec(
    await readFile(join(out, 'report.md'), 'utf8'),
  )!;
  expect(Number(all)).toBeGreaterThan(60);
  expect(same).toBe(all);
});

test.each([
  [{ users: 37, impostors: 2 }, '"--users" expected at most 36'],
  [{ users: 3, impostors: 3 }, '"--impostors" expected fewer than the 3 users'],
])('what the set does not have is told at once: %j', async (asked, words) => {
  const out = join(tmpdir(), 'nothing-comes-here');
  const demo = runAuthenticationDemo({ dataset: 'wisdm_walk_user', keyBits: 1024, out, ...asked });
  await expect(demo).rejects.toMatchObject({
    code: 'ERR_CONFIGURATION',
    message: expect.stringContaining(words) as string,
  });
});
