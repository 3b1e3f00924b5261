/**
 * An owner's client that was written by docs/spec alone takes part beside owners of ours, and its rows count:
 * in a PCA whose result it verifies, in an LDA with a floor, in a sketch and in a chain, and in pieces.
 */
import { createHash } from 'node:crypto';
import { inviteOwners } from '@eigenveil/csp';
import type { DataOwner } from '@eigenveil/data-owner';
import { decompose, Projector, principalAngles } from '@eigenveil/projection';
import { addStatistics } from '@eigenveil/statistics';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { NO_ENTRY, Projection, type PublicJwk } from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectReference } from './support/expectations.ts';
import { untilEnded } from './support/run-task.ts';
import { digest, SpecClient, verified } from './support/spec-client.ts';
import { type LabelledRows, madeUpProposal, reference, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

let world: World;
let owner: DataOwner;
let theirs: SpecClient;
let cspKey: PublicJwk;
let [csp, dataUser] = ['', ''];
beforeAll(async () => {
  world = await World.start();
  ({ owner } = await world.enrolledOwner({ allowSpectrum: true, maximumLinks: 2 }));
  [csp, dataUser] = [world.cspAddress.url, world.dataUserAddress.url];
  theirs = new SpecClient(world.ca);
  const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
  cspKey = (await theirs.enrol(csp, world.dataUserConfig.cspThumbprint, token!)) as PublicJwk;
});
afterAll(() => world.close());

const random = generator(61);
/** Rows whose second half leans to one side, if they have classes. */
const madeUpRows = (count: number, features: number, classes = 0): LabelledRows => ({
  values: Array.from({ length: count }, (_, row) =>
    Array.from({ length: features }, () => random() - 0.5 + (classes > 0 && 2 * row < count ? 0.4 : 0)),
  ),
  classes: Array.from({ length: count }, (_, row) => (classes > 0 ? [2 * row < count ? 0 : 1] : [])),
});

/** Both owners contribute their rows to a task, and it ends; with Ω, if it is a sketch. */
async function runWith(proposal: TaskProposal, ours: LabelledRows, others: LabelledRows) {
  const client = await world.taskClient();
  const { task } = await client.create(proposal);
  let signs: Int32Array | undefined;
  const rows = [ours, others];
  await owner.contribute(world.dataUserAddress, task.id, async (_, drawn, [link]) => {
    signs = drawn;
    if (link !== undefined) {
      const projector = new Projector(link.task, link.projection);
      for (const [i, { values, classes }] of rows.entries())
        rows[i] = { values: projector.transform(values), classes };
    }
    return summarise(task, rows[0]!, drawn);
  });
  const opened = await theirs.open(dataUser, task.id, cspKey);
  const given = task.basis === undefined ? others : await theirs.reduced(dataUser, opened, cspKey, others);
  const receipt = await theirs.contribute(dataUser, opened, given);
  expect(receipt).toMatchObject({ taskId: task.id, ownerId: theirs.ownerId });
  await client.closeTask(task.id);
  const parties = { client, dataUser: world.dataUserAddress, owners: [owner] };
  expect(await untilEnded(parties, task)).toMatchObject({ state: 'done', contributions: 2 });
  const { projection, provenance } = await theirs.result(dataUser, task.id);
  const signed = verified(projection, 'eigenveil-projection+jws', opened.agreement.dataUserKey);
  return { task, rows, opened, receipt, projection, provenance, signs, result: Projection.parse(signed) };
}

test('a client by the specification contributes, and verifies the result', async () => {
  const first = {
    values: [
      [-1, 0.25, 0.5],
      [0.1, -0.3, 1.5],
    ],
    classes: [[], []],
  };
  const second = {
    values: [
      [0.7, 0.9, -0.2],
      [-0.5, 0.4, 0],
    ],
    classes: [[], []],
  };
  const proposal = madeUpProposal('pca', 3, [], { components: 2, outputs: ['sampleCount', 'mean'] });
  const { task, opened, receipt, projection, provenance, result } = await runWith(proposal, first, second);
  expectReference(result, task, [first, second]);
  const { taskDigest } = opened.agreement;
  const salted = digest(
    'projection',
    Buffer.concat([Buffer.from(provenance.salt, 'base64url'), Buffer.from(projection)]),
  );
  expect(verified(provenance.countersignature, 'eigenveil-countersignature+jws', cspKey)).toEqual({
    ...{ taskId: task.id, taskDigest, projectionDigest: salted },
  });
  const stated = verified(provenance.statement, 'eigenveil-provenance+jws', cspKey);
  expect(stated).toMatchObject({ taskId: task.id, taskDigest, verifiedOwners: 2 });

  // Of two leaves the other one is all of the path.
  const { index, path } = provenance.inclusion;
  const leaf = hashOf('leaf', Buffer.from(`${theirs.ownerId}${receipt.contributionDigest as string}`));
  const beside = Buffer.from(path[0]!, 'base64url');
  const root = hashOf('node', Buffer.concat(index === 0 ? [leaf, beside] : [beside, leaf]));
  expect([path.length, root.toString('base64url')]).toEqual([1, stated.contributionsRoot]);
});

test('its sums by class, with room for an own floor, are those of an LDA that is not exact', async () => {
  const [ours, others] = [madeUpRows(14, 3, 2), madeUpRows(10, 3, 2)];
  const proposal = madeUpProposal('lda', 3, [2], {
    ...{ exact: false, allowFullRank: false, components: 1, outputs: ['classCounts', 'trace'] },
    encryption: 'djn',
  });
  const { task, result } = await runWith(proposal, ours, others);
  expect(result.classCounts).toEqual([[12, 12]]);
  // Both servers' noise is that of cells, 10^4 times less.
  const { decomposition } = reference(task, [ours, others]);
  expect(principalAngles(result.vectors, decomposition.vectors)[0]).toBeLessThan(0.01);
  expect(result.eigenvalues[0]).toBeCloseTo(decomposition.eigenvalues[0]!, 1);
  expect(result.trace).toBeCloseTo(decomposition.trace!, 2);
});

test('its sums of a sketch are by the same Ω, and the pooled result is that of the clear reference to the bit', async () => {
  // Of 40 signs each, two columns of Ω are the same or opposite once in 10^10 times: such a sketch is refused.
  const [ours, others] = [madeUpRows(9, 40), madeUpRows(7, 40)];
  const outputs = ['mean', 'sampleCount'];
  const proposal = madeUpProposal('pca', 40, [], { sketch: { columns: 5 }, outputs });
  const { task, result, signs } = await runWith(proposal, ours, others);
  const pooled = [ours, others].map((rows) => summarise(task, rows, signs)).reduce(addStatistics);
  const { vectors, eigenvalues } = decompose(programOf(task), pooled, signs);
  expect(result).toMatchObject({ vectors, eigenvalues, sampleCount: 16 });
});

test('it reduces its rows by the earlier result that a task stands on', async () => {
  const [ours, others] = [madeUpRows(9, 3), madeUpRows(7, 3)];
  const first = await runWith(madeUpProposal('pca', 3, [], { outputs: ['mean'] }), ours, others);
  const { salt } = first.provenance;
  const basis = digest(
    'projection',
    Buffer.concat([Buffer.from(salt, 'base64url'), Buffer.from(first.projection)]),
  );
  // Twice √3, rounded up, since the mean is subtracted.
  const features = [1, 2].map((c) => ({
    ...{ name: `component_${c}`, min: -4, max: 4, grain: 'cell', twoValued: false },
  }));
  const proposal = madeUpProposal('pca', 2, [], { features, basis, components: 1, outputs: ['mean'] });
  const { task, rows, result } = await runWith(proposal, ours, others);
  expectReference(result, task, rows);
});

test('it hands a long contribution in piece by piece, and goes on where it was broken off', async () => {
  const client = await world.taskClient();
  const proposal = madeUpProposal('pca', 400, [], {
    ...{ sketch: { columns: 52 }, outputs: ['mean', 'sampleCount'] },
    ...{ statisticalSecurityBits: 128, encryption: 'djn' }, // few values to a ciphertext
  });
  const { task } = await client.create(proposal);
  const opened = await theirs.open(dataUser, task.id, cspKey);
  const prepared = theirs.prepare(opened, madeUpRows(2, 400));
  const { digest: contributionDigest } = prepared;
  const begun = await theirs.sendPieces(dataUser, opened, prepared, 1);
  expect(begun).toEqual({ contributionDigest, pieces: 1, all: 3 });
  await expect(theirs.sendPieces(dataUser, opened, prepared, 0)).resolves.toEqual(begun);
  expect(await theirs.send(dataUser, opened, prepared)).toMatchObject({
    taskId: task.id,
    contributionDigest,
  });
  expect(await client.status(task.id)).toMatchObject({ contributions: 1 });
  await expect(theirs.result(dataUser, task.id)).rejects.toThrow('ERR_NOT_READY');
});

test('the CSP counts its ledger, and takes contributions without', async () => {
  const before = { counter: 0, digest: NO_ENTRY as string };
  expect(digest('budget entry', Buffer.alloc(0))).toBe(NO_ENTRY);
  const { ownerId } = theirs;
  const entry = { counter: 1, digest: digest('entry', {}), previous: before.digest };
  const asked = await theirs.count(csp, cspKey, { ...before, previous: before.digest });
  expect(asked).toEqual({ ownerId, ...before });
  const counted = { ownerId, counter: 1, digest: entry.digest };
  expect(await theirs.count(csp, cspKey, entry)).toEqual(counted);
  // Another entry in its place changes nothing.
  expect(await theirs.count(csp, cspKey, { ...entry, digest: digest('entry', [1]) })).toEqual(counted);
});

function hashOf(kind: 'leaf' | 'node', bytes: Uint8Array): Buffer {
  return createHash('sha256').update(`eigenveil/1 provenance ${kind}\0`).update(bytes).digest();
}
