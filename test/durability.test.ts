/**
 * A receipt means that the contribution is kept: a data user that is killed keeps its word. `npm run
 * soak:kill` kills longer.
 *
 * @claims S-76
 */
import { expect, test } from 'vitest';
import { type KillReport, killCycles } from './support/kill-cycles.ts';

/** Always the same choices, as far as the machine allows. */
const SEED = 20_170_807;

function expectKills(report: KillReport, cycles: number): void {
  expect(report.killedServing + report.killedStarting + report.killedDatabase).toBeGreaterThanOrEqual(cycles);
  expect(report.receipts).toBeGreaterThan(cycles);
  expect(report.receiptsChecked).toBeGreaterThan(report.receipts);
  expect(report.tasks).toBeGreaterThan(0);
}

test('killed, it has every receipt and counts every owner exactly once', { tags: ['long'] }, async () => {
  expectKills(await killCycles({ database: 'sqlite', cycles: 1, seed: SEED }), 1);
});

test('killed ten times, it was in the midst of something', { tags: ['long'] }, async () => {
  const report = await killCycles({ database: 'sqlite', cycles: 10, seed: SEED });
  expectKills(report, 10);
  expect(report.interrupted).toBeGreaterThan(0);
});

test('so it does over PostgreSQL, which is killed as well', { tags: ['long'] }, async () => {
  const report = await killCycles({ database: 'postgres', cycles: 6, seed: SEED });
  expectKills(report, 6);
  expect(report.killedDatabase).toBeGreaterThan(1);
});
