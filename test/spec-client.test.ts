/** An owner's client that was written by docs/spec alone takes part beside owners of ours, and its rows count. */
import { createHash } from 'node:crypto';
import { inviteOwners } from '@eigenveil/csp';
import { Projection } from '@eigenveil/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectReference } from './support/expectations.ts';
import { untilEnded } from './support/run-task.ts';
import { digest, SpecClient, verified } from './support/spec-client.ts';
import { madeUpProposal, summarise } from './support/tasks.ts';
import { World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

const ROWS = [
  [-1, 0.25, 0.5],
  [0.1, -0.3, 1.5],
  [0.7, 0.9, -0.2],
  [-0.5, 0.4, 0],
];
const asRows = (values: number[][]) => ({ values, classes: values.map(() => []) });

test('a client by the specification enrols, contributes, and verifies the result', async () => {
  const { owner } = await world.enrolledOwner();
  const client = await world.taskClient();
  const theirs = new SpecClient(world.ca);
  const [csp, dataUser] = [world.cspAddress.url, world.dataUserAddress.url];
  const [token] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
  const cspKey = await theirs.enrol(csp, world.dataUserConfig.cspThumbprint, token!);

  const [first, second] = [ROWS.slice(0, 2), ROWS.slice(2)];
  const parties = { client, dataUser: world.dataUserAddress, owners: [owner] };
  const proposal = madeUpProposal('pca', 3, [], { components: 2, outputs: ['sampleCount', 'mean'] });
  const { task } = await client.create(proposal);
  await owner.contribute(world.dataUserAddress, task.id, async () => summarise(task, asRows(first)));
  const opened = await theirs.open(dataUser, task.id, cspKey);
  const receipt = await theirs.contribute(dataUser, opened, second);
  expect(receipt).toMatchObject({ taskId: task.id, ownerId: theirs.ownerId });
  await client.closeTask(task.id);
  expect(await untilEnded(parties, task)).toMatchObject({ state: 'done', contributions: 2 });

  const { projection, provenance } = await theirs.result(dataUser, task.id);
  const result = verified(projection, 'eigenveil-projection+jws', opened.agreement.dataUserKey);
  expectReference(Projection.parse(result), task, [asRows(first), asRows(second)]);
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

function hashOf(kind: 'leaf' | 'node', bytes: Uint8Array): Buffer {
  return createHash('sha256').update(`eigenveil/1 provenance ${kind}\0`).update(bytes).digest();
}
