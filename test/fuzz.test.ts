/** Four hundred inputs for the parsers that take something from outside, each its share; `npm run fuzz` tries many more. */
import { afterAll, expect, test } from 'vitest';
import { fuzz } from './fuzz/target.ts';
import { allTargets, shares } from './fuzz/targets.ts';

const INPUTS = 400;
const LEAST = 4;
/** Always the same inputs, so that a failure is one of the code and not of the day. */
const SEED = 20_170_807;

const targets = await allTargets();
const runs = shares(targets, INPUTS, LEAST);
afterAll(async () => {
  for (const { close } of targets) await close?.();
});

test.each(targets.map(({ name }, i) => [name, i] as const))('%s', async (_, i) => {
  expect(await fuzz(targets[i]!, { runs: runs[i]!, seed: SEED })).toBeUndefined();
});
