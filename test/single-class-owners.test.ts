/**
 * Owners that have rows of one class each, as when every person holds the rows of nobody else: an owner's missing
 * classes are encrypted zeros, and the result is the same as for rows that are shared out evenly.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDefinition, expectExactSums, expectReference } from './support/expectations.ts';
import { RecordingPool } from './support/recording-pool.ts';
import { type Parties, runTask } from './support/run-task.ts';
import { dataFile, exampleOf, split, splitByClass } from './support/tasks.ts';
import { World } from './support/world.ts';

const dataFolder = process.env.EIGENVEIL_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url));
const keystrokes = `${dataFolder}/meu_keystroke.csv.gz`;
const isMissing = !existsSync(keystrokes);

const PEOPLE = 56;
const FEATURES = 71;

const pools = { csp: new RecordingPool(), dataUser: new RecordingPool() };
let world: World;
let parties: Parties;

beforeAll(async () => {
  world = await World.start({
    cspOverrides: { paillier: pools.csp },
    dataUserOverrides: { paillier: pools.dataUser },
  });
  const owners = await Promise.all(
    Array.from({ length: isMissing ? 3 : PEOPLE }, () => world.enrolledOwner()),
  );
  parties = {
    client: await world.taskClient(),
    dataUser: world.dataUserAddress,
    owners: owners.map(({ owner }) => owner),
  };
});
afterAll(() => world.close());

test.each(['dca', 'lda'] as const)('three owners of one iris each: %s', async (method) => {
  const { proposal, rows } = await exampleOf(dataFile('iris'), method);
  const parts = splitByClass(rows, 3);
  expect(parts.map(({ values }) => values.length)).toEqual([50, 50, 50]);
  const finished = await runTask(parties, proposal, parts);
  expectExactSums(finished, parts, pools);
  expectReference(finished.projection, finished.task, parts);
  expectDefinition(finished.projection, finished.task, parts);
  // Who holds which row is no matter.
  const mixed = await runTask(parties, proposal, split(rows, 3));
  expect(mixed.projection.vectors).toEqual(finished.projection.vectors);
  expect(mixed.projection.eigenvalues).toEqual(finished.projection.eigenvalues);
});

test.skipIf(isMissing)(
  `${PEOPLE} people, each with the keystrokes of nobody else${isMissing ? `: ${keystrokes} is not there (set EIGENVEIL_DATA to its folder)` : ''}`,
  { timeout: 180_000 },
  async () => {
    const { proposal, rows } = await exampleOf(keystrokes, 'dca', {
      components: 10,
      maximumOwners: PEOPLE,
      maximumSamplesPerOwner: 51,
      minimumOwners: PEOPLE,
      encryption: 'djn',
    });
    expect(proposal.features).toHaveLength(FEATURES);
    const parts = splitByClass(rows, PEOPLE);
    expect(new Set(parts.map(({ values }) => values.length))).toEqual(new Set([51]));
    const finished = await runTask(parties, proposal, parts);
    expectExactSums(finished, parts, pools);
    expectReference(finished.projection, finished.task, parts);
    expectDefinition(finished.projection, finished.task, parts);
  },
);
