/** `npm run bench:load` as a process, with a load that is small enough for a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it } from 'vitest';
import type { LoadResult } from '../../speed/load/run.ts';
import { sumOf } from '../../speed/load/statistics.ts';

const PROGRAM = fileURLToPath(new URL('../../../scripts/bench-load.ts', import.meta.url));
const SMALL = ['--contributions', '45', '--connections', '4', '--features', '4', '--bits', '1024'];

async function benchLoad(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, output, errors };
}

/** What must hold of any load of SMALL, however fast. */
function expectWhole(result: LoadResult): void {
  expect(result.contributions).toBe(45);
  // 50 rows of the first owner, 51 of the second, … 57 of the eighth, 50 of the ninth and so on.
  expect(result.computation.samples).toBe(5 * (8 * 50 + 28) + 5 * 50 + 10);
  expect(result.computation.maxEigenvalueError).toBeLessThan(1e-6);
  expect(result.windows.map(({ contributions }) => contributions)).toEqual(
    Array.from({ length: 22 }, (_, i) => 2 * (i + 1)),
  );
  for (const window of [...result.windows, { ...result, ...result.latency }]) {
    expect(window.perSecond).toBeGreaterThan(0);
    expect(window.p50Milliseconds).toBeGreaterThan(0);
    expect(window.p95Milliseconds).toBeGreaterThanOrEqual(window.p50Milliseconds);
    expect(window.p99Milliseconds).toBeGreaterThanOrEqual(window.p95Milliseconds);
  }
}

describe.runIf(canReadUsage())('bench:load', { tags: ['long'] }, () => {
  it('sends every contribution, measures them, and has all of them in the result', {
    timeout: 120_000,
  }, async () => {
    const { code, output, errors } = await benchLoad(...SMALL, '--json');
    expect(errors).toBe('');
    expect(code).toBe(0);
    expectWhole(JSON.parse(output) as LoadResult);
  });

  it('sends contributions that are too long for one request in pieces', { timeout: 180_000 }, async () => {
    const sketch = ['--contributions', '3', '--features', '1500', '--sketch', '40', '--connections', '2'];
    const { code, output, errors } = await benchLoad(...sketch, '--bits', '1024', '--json');
    expect(errors).toBe('');
    expect(code).toBe(0);
    const { contributionBytes, computation } = JSON.parse(output) as LoadResult;
    expect(contributionBytes).toBeGreaterThan(2 ** 20);
    expect(computation.samples).toBe(50 + 51 + 52);
  });

  it('spreads a load over processes that share a PostgreSQL database', { timeout: 180_000 }, async () => {
    const { code, output } = await benchLoad(...SMALL, '--database', 'postgres', '--processes', '2');
    expect(code).toBe(0);
    expect(output).toContain('2 processes with postgres');
    expect(output).toContain('counts all 2400 rows');
  });
});

describe('bench:load, its command line', { tags: ['long'] }, () => {
  it.each([
    [['--processes', '2'], "option '--processes' expected 1 with SQLite"],
    [['--contributions', '0'], 'Expected a whole number of at least 1'],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await benchLoad(...args);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });
});

it('sums the rows of all owners as if they were added one by one', () => {
  const task = {
    method: { kind: 'pca' },
    features: Array.from({ length: 3 }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits: 14,
    maximumOwners: 100,
    maximumSamplesPerOwner: 57,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  } as const;
  const [one, nine, seventeen] = [1, 9, 17].map((owners) => sumOf(task, owners));
  const [first, others] = [one!.R, seventeen!.R.map((value, i) => value - nine!.R[i]!)];
  // Owners 10 to 17 have what owners 2 to 9 have.
  expect(others).toEqual(nine!.R.map((value, i) => value - first[i]!));
  expect([one, nine, seventeen].map((sum) => sum!.owners)).toEqual([1n, 9n, 17n]);
  expect([one, nine].map((sum) => sum!.labellings[0]![0]!.M)).toEqual([50n, 478n]);
});
