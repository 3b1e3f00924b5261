/** `npm run bench` as a process: interrupted, taken up again, and its report written anew from its figures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BenchDataSchema } from '../src/report.ts';

const PROGRAM = fileURLToPath(new URL('../../../scripts/bench.ts', import.meta.url));

let folder: string;
let children: ChildProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-bench-command-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Runs the command, interrupted once it has told on standard error what `until` says. */
async function bench(args: readonly string[], until?: string) {
  const child = spawn(process.execPath, [PROGRAM, '--out', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const told = until !== undefined && errors.includes(until);
    errors += text;
    // Once: a second signal ends it without a report.
    if (!told && until !== undefined && errors.includes(until)) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

const report = async () =>
  BenchDataSchema.parse(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));
/** Its units take a second or so each. */
const SUITE = ['--quick', '--only', 'scaling', '--json'];

it('leaves a report when it is interrupted, goes on from there, and starts anew after its end', {
  tags: ['long'],
  timeout: 180_000,
}, async () => {
  const first = await bench(SUITE, '[2/');
  expect(first.code).toBe(130);
  expect(first.errors).toContain('run the same command to go on');
  const interrupted = await report();
  expect(interrupted.measurements.length).toBeGreaterThanOrEqual(2);
  expect(interrupted.omissions.some(({ why }) => why.includes('interrupted'))).toBe(true);

  const second = await bench(SUITE);
  expect(second.code).toBe(0);
  expect(second.errors).toContain(`going on with ${interrupted.measurements.length} units`);
  const whole = await report();
  expect(whole.measurements.length).toBeGreaterThan(interrupted.measurements.length);
  expect(whole.measurements.slice(0, interrupted.measurements.length)).toEqual(interrupted.measurements);
  expect(JSON.parse(second.output)).toMatchObject({ units: whole.measurements.length });
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['charts', 'report.html', 'report.md']));

  const third = await bench(SUITE, '[1/');
  expect(third.errors).not.toContain('going on with');
});

it('writes a report again from its figures, and refuses what is none', async () => {
  const data = {
    format: 'eigenveil-bench/1',
    description: {
      scale: 'quick',
      suites: ['scaling'],
      environment: {
        ...{ commit: 'abc', changes: null, processor: 'another machine', cores: 64, memoryBytes: 1 },
        ...{ system: 'some', node: 'v26', openssl: '3', packages: {} },
      },
    },
    finishedAt: '2026-01-02T03:04:05.000Z',
    measurements: [],
    omissions: [],
  };
  const file = join(folder, 'theirs.json');
  await writeFile(file, JSON.stringify(data));
  expect((await bench(['--render', file])).code).toBe(0);
  expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain('another machine, 64 cores');
  for (const wrong of ['{"format":"eigenveil-bench/1"}', 'no JSON']) {
    await writeFile(file, wrong);
    const refused = await bench(['--render', file, '--json']);
    expect(refused.code).toBe(2);
    expect(refused.errors).toContain('expected a report.json of this program');
  }
});
