/** Loads that are small enough for a test. */
import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it, test } from 'vitest';
import { Settings } from '../../instrument/settings.ts';
import { type LoadOptions, type LoadResult, runLoad } from '../../speed/load/run.ts';
import { sumOf } from '../../speed/load/statistics.ts';
import { load } from '../../speed/load/study.ts';

const SMALL: LoadOptions = {
  ...{ contributions: 45, connections: 4, features: 4, bits: 1024 },
  ...{ database: 'sqlite', processes: 1 },
};
const silent = () => undefined;

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

describe.runIf(canReadUsage())('a load', { tags: ['long'] }, () => {
  it('sends every contribution, measures them, and has all of them in the result', {
    timeout: 120_000,
  }, async () => {
    expectWhole(await runLoad(SMALL, silent));
  });

  it('sends contributions that are too long for one request in pieces', { timeout: 180_000 }, async () => {
    const sketched = { ...SMALL, contributions: 3, features: 1500, sketch: 40, connections: 2 };
    const { contributionBytes, computation } = await runLoad(sketched, silent);
    expect(contributionBytes).toBeGreaterThan(2 ** 20);
    expect(computation.samples).toBe(50 + 51 + 52);
  });

  it('spreads over processes that share a PostgreSQL database', { timeout: 180_000 }, async () => {
    const shared = { ...SMALL, database: 'postgres', processes: 2 } as const;
    const result = await runLoad(shared, silent);
    expectWhole(result);
    expect(result.windows.some(({ databaseCpuMilliseconds }) => databaseCpuMilliseconds > 0)).toBe(true);
  });
});

test('a load over processes that share SQLite is not planned', async () => {
  const settings = new Settings('full', new Map([['processes', 2]]));
  expect(() => load.plan({ scale: 'full', settings })).toThrow('expected 1 with SQLite');
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
