/** A receipt means that the contribution is kept: a data user that is killed keeps its word. `npm run soak:kill` kills longer. */
import { expect, test } from 'vitest';
import { killCycles } from './support/kill-cycles.ts';

const CYCLES = 10;
/** Always the same choices, as far as the machine allows. */
const SEED = 20_170_807;

test('killed at any moment, it has every receipt and counts every owner exactly once', async () => {
  const report = await killCycles({ cycles: CYCLES, seed: SEED });
  expect(report.killedServing + report.killedStarting).toBe(CYCLES);
  expect(report.receipts).toBeGreaterThan(CYCLES);
  expect(report.receiptsChecked).toBeGreaterThan(report.receipts);
  expect(report.interrupted).toBeGreaterThan(0);
  expect(report.tasks).toBeGreaterThan(0);
}, 120_000);
