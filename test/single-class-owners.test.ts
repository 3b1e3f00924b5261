/**
 * Owners that have rows of one class each, as when every person holds the rows of nobody else: an owner's missing
 * classes are encrypted zeros, and the result is the same as for rows that are shared out evenly.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDefinition, expectExactSums, expectReference } from './support/expectations.ts';
import { partiesOf, type RecordedWorld, startRecorded } from './support/recorded-world.ts';
import { runTask } from './support/run-task.ts';
import { dataFile, exampleOf, split, splitByClass } from './support/tasks.ts';

const dataFolder = process.env.EIGENVEIL_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url));
const keystrokes = `${dataFolder}/meu_keystroke.csv.gz`;
const isMissing = !existsSync(keystrokes);

const missing = isMissing ? `: there is no ${keystrokes}; set EIGENVEIL_DATA to its folder` : '';

const PEOPLE = 56;
const FEATURES = 71;

let recorded: RecordedWorld;
beforeAll(async () => {
  recorded = await startRecorded(3);
});
afterAll(() => recorded.world.close());

test.each(['dca', 'lda'] as const)(
  'three owners of one iris each: %s',
  { tags: ['long'] },
  async (method) => {
    const { proposal, rows } = await exampleOf(dataFile('iris'), method);
    const parts = splitByClass(rows, 3);
    expect(parts.map(({ values }) => values.length)).toEqual([50, 50, 50]);
    const finished = await runTask(recorded.parties, proposal, parts);
    expectExactSums(finished, parts, recorded.pools);
    expectReference(finished.projection, finished.task, parts);
    expectDefinition(finished.projection, finished.task, parts);
    // Who holds which row is no matter.
    const mixed = await runTask(recorded.parties, proposal, split(rows, 3));
    expect(mixed.projection.vectors).toEqual(finished.projection.vectors);
    expect(mixed.projection.eigenvalues).toEqual(finished.projection.eigenvalues);
  },
);

test.skipIf(isMissing)(
  `${PEOPLE} people, each with the keystrokes of nobody else${missing}`,
  { tags: ['long'] },
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
    const finished = await runTask(await partiesOf(recorded.world, PEOPLE), proposal, parts);
    expectExactSums(finished, parts, recorded.pools);
    expectReference(finished.projection, finished.task, parts);
    expectDefinition(finished.projection, finished.task, parts);
  },
);
