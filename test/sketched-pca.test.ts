/**
 * Sketched PCA through running services: what owners sum, what both servers make of it, and what is refused.
 *
 * @claims S-610, S-612, S-614
 */
import { flatResult } from '@eigenveil/methods';
import { decompose, Projector } from '@eigenveil/projection';
import { signsOf } from '@eigenveil/protocol/owner';
import { addStatistics } from '@eigenveil/statistics';
import { programOf, type TaskId } from '@eigenveil/task';
import { AGREEMENT, claimedSigner, verifyStatement } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partiesOf } from './support/recorded-world.ts';
import { finishTask, type Parties, runTask } from './support/run-task.ts';
import { expectNear } from './support/sketches.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

const OWNERS = 3;

let world: World;
let parties: Parties;
beforeAll(async () => {
  world = await World.start();
  parties = await partiesOf(world, OWNERS, { twoParty: ['rotated', 'simulated'], allowSpectrum: true });
});
afterAll(() => world.close());

const sketched = (changes: Record<string, unknown> = {}) =>
  exampleOf(dataFile('ionosphere'), 'pca', {
    components: 2,
    sketch: { columns: 8 },
    outputs: ['mean', 'sampleCount'],
    ...changes,
  });

/** What a reader of the public agreement makes of all rows. */
async function expectedOf(id: TaskId, parts: readonly LabelledRows[]) {
  const { task, agreement } = await parties.client.signed(id);
  const agreed = await verifyStatement(AGREEMENT, agreement, claimedSigner(AGREEMENT, agreement));
  const signs = signsOf({ task, agreement: agreed });
  const pooled = parts.map((rows) => summarise(task, rows, signs)).reduce(addStatistics);
  return { expected: flatResult(decompose(programOf(task), pooled, signs)), task, pooled, signs };
}

test('a sketch of the ionosphere data is that of the clear reference to the bit, and reduces rows', async () => {
  const { proposal, rows } = await sketched();
  const parts = split(rows, OWNERS);
  const { task, projection } = await runTask(parties, proposal, parts);
  const { expected } = await expectedOf(task.id, parts);
  expect(projection).toMatchObject({ ...expected, sketch: { columns: 8 }, sampleCount: 351 });
  // An owner reduces its rows by it.
  const result = await parties.owners[1]!.result(parties.dataUser, task.id);
  expect(new Projector(result.task, result.projection).transform([rows.values[0]!])[0]).toHaveLength(2);
  expect(() => new Projector(task, { ...projection, sketch: undefined })).toThrow('"projection.sketch"');
});

test('behind rotations it is the same, and nothing but the components comes out', {
  tags: ['long'],
}, async () => {
  const { proposal, rows } = await sketched({ twoParty: 'rotated' });
  const parts = split(rows, OWNERS);
  const { task, projection } = await runTask(parties, proposal, parts);
  const { expected, ...clear } = await expectedOf(task.id, parts);
  expect(Object.keys(projection)).toEqual(expect.not.arrayContaining(['spectrum', 'trace']));
  expect(projection).toMatchObject({ sampleCount: 351, mean: expected.mean });
  expectNear(projection, clear);
});

test('with a floor it needs no consent, and has the noise of both servers', async () => {
  const { proposal: exact, rows } = await sketched();
  const features = exact.features.map((feature) => ({
    ...feature,
    ...{ twoValued: false, grain: (feature.max - feature.min || 1) / 100 },
  }));
  const proposal = { ...exact, features, exact: false, allowFullRank: false };
  const parts = split(rows, OWNERS);
  const { task, projection } = await runTask(parties, proposal, parts);
  const { task: agreed, pooled, signs } = await expectedOf(task.id, parts);
  const { floor: _, ...without } = programOf(agreed);
  const { eigenvalues, mean } = decompose(without, pooled, signs);
  // Both are far below a thousandth: the floor on eigenvalues of hundreds is one of 0.005, and that on a mean of 351 rows 6e-5.
  for (const [j, value] of projection.eigenvalues.entries()) {
    expect(value).not.toBe(eigenvalues[j]);
    expect(Math.abs(value / eigenvalues[j]! - 1)).toBeLessThan(2e-3);
  }
  expect(projection.mean).not.toEqual(mean);
  for (const [i, value] of projection.mean!.entries()) expect(Math.abs(value - mean![i]!)).toBeLessThan(1e-3);
});

test('two tasks of the same proposal have other signs', async () => {
  const { proposal } = await sketched();
  const signed = await Promise.all([parties.client.create(proposal), parties.client.create(proposal)]);
  const nonces = await Promise.all(
    signed.map(
      async ({ agreement }) =>
        (await verifyStatement(AGREEMENT, agreement, claimedSigner(AGREEMENT, agreement))).sketchNonce,
    ),
  );
  expect(new Set(nonces).size).toBe(2);
  for (const { task } of signed) await parties.client.cancelTask(task.id);
});

test('rows that are too few for the columns give no result: it would be the scatter matrix itself', async () => {
  const { proposal, rows } = await sketched();
  const few = { values: rows.values.slice(0, 9), classes: rows.classes.slice(0, 9) };
  const { status } = await finishTask(parties, proposal, split(few, OWNERS));
  expect(status).toMatchObject({ state: 'failed', failure: { code: 'ERR_FULL_RANK' } });
});

describe('an owner', () => {
  test('whose policy does not consent to eigenvalues takes no part', async () => {
    const { proposal, rows } = await sketched();
    const { task } = await parties.client.create(proposal);
    const { owner } = await world.enrolledOwner({ allowSpectrum: false });
    await expect(
      owner.contribute(parties.dataUser, task.id, async (t, signs) => summarise(t, rows, signs)),
    ).rejects.toMatchObject({
      code: 'ERR_POLICY',
      message: expect.stringContaining('"sketch" reveals about'),
    });
    await parties.client.cancelTask(task.id);
  });

  test('cannot sum by other signs than those of the task', async () => {
    const { proposal, rows } = await sketched();
    const { task } = await parties.client.create(proposal);
    await expect(
      parties.owners[0]!.contribute(parties.dataUser, task.id, async (t) => summarise(t, rows)),
    ).rejects.toThrow('"signs" expected 34 × 8');
    await parties.client.cancelTask(task.id);
  });
});
