/**
 * What owners can check of a result: that the CSP verified their contribution among others, and that all of
 * them have the same projection.
 *
 * @claims S-129, S-130, S-132, S-136, S-137
 */
import { openSigningKey } from '@eigenveil/server';
import {
  COUNTERSIGNATURE,
  digestProjection,
  newSalt,
  PROJECTION,
  ProjectionResponse,
  STATEMENT,
  signStatement,
} from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { ownerOf, payloadOf, sendAs } from './support/requests.ts';
import { summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });

let world: World;
let byHand: ByHand;
let owners: Enrolled[];
beforeAll(async () => {
  world = await World.start({ proxied: true });
  byHand = await ByHand.start(world);
  owners = await byHand.owners(4);
});
afterEach(() => {
  world.proxies.dataUser.heal();
  world.proxies.csp.heal();
});
afterAll(() => world.close());

/** A task with the contributions of these owners, each with its part of the rows. */
async function contributed(...parts: readonly number[]) {
  const signed = await byHand.create();
  for (const part of parts) {
    await owners[part]!.owner.contribute(world.dataUserAddress, signed.task.id, async (task) =>
      summarise(task, byHand.parts[part]!),
    );
  }
  return signed;
}
const resultOf = (owner: number, { task }: Awaited<ReturnType<typeof contributed>>) =>
  owners[owner]!.owner.result(world.dataUserAddress, task.id);

describe('the owners of a task that is done', () => {
  let made: Awaited<ReturnType<typeof contributed>> | undefined;
  /** The first test that needs it has it computed. */
  async function done() {
    if (made !== undefined) return made;
    const signed = await contributed(0, 1, 2);
    await byHand.expectResult(signed, [0, 1, 2]);
    made = signed;
    return signed;
  }

  test('see how many took part and that they have the same result, also without any service', async () => {
    const signed = await done();
    const results = await Promise.all([0, 1, 2].map((owner) => resultOf(owner, signed)));
    const [first] = results;
    expect(first!.provenance.verifiedOwners).toBe(3);
    for (const [i, { provenance, evidence }] of results.entries()) {
      expect(provenance).toEqual(first!.provenance);
      expect(await owners[i]!.owner.verify(JSON.parse(JSON.stringify(evidence)))).toMatchObject({
        provenance,
      });
    }
    const places = results.map(({ evidence }) => evidence.provenance.inclusion.index);
    expect(places.toSorted()).toEqual([0, 1, 2]);
    const client = await world.taskClient();
    expect((await client.resultWithProvenance(signed.task.id)).provenance).toMatchObject({
      verifiedOwners: 3,
    });
  });

  test('do not take what is not about them or not signed by the CSP', async () => {
    const signed = await done();
    const path = `/tasks/${signed.task.id}/projection`;
    const genuine = ProjectionResponse.parse(
      (await sendAs(world.dataUserAddress, await ownerOf(owners[0]!.home), { method: 'GET', path })).json,
    );
    const { provenance } = genuine;
    const dataUser = await openSigningKey(world.dataUserConfig.dataDirectory);
    const other = await contributed(1, 2);
    await byHand.expectResult(other, [1, 2]);
    const ofOther = (await resultOf(1, other)).evidence;
    const neighbour = (await resultOf(1, signed)).evidence.provenance;
    const claims = payloadOf(provenance.statement) as object;
    const own = {
      statement: await signStatement(STATEMENT, dataUser, { ...claims, verifiedOwners: 1 } as never),
      countersignature: await signStatement(
        COUNTERSIGNATURE,
        dataUser,
        payloadOf(provenance.countersignature) as never,
      ),
    };
    const refusals: [object, string][] = [
      [{ provenance: null }, 'ERR_PEER_PROTOCOL'],
      [{ provenance: { ...provenance, statement: own.statement } }, 'ERR_PROVENANCE_INVALID'],
      [{ provenance: { ...provenance, countersignature: own.countersignature } }, 'ERR_PROVENANCE_INVALID'],
      [{ provenance: { ...provenance, salt: newSalt() } }, 'ERR_PROVENANCE_INVALID'],
      [{ provenance: ofOther.provenance }, 'ERR_PROVENANCE_INVALID'],
      [{ projection: ofOther.projection }, 'ERR_PROJECTION_INVALID'],
      [{ provenance: neighbour }, 'ERR_PROVENANCE_EXCLUDED'],
    ];
    for (const [changes, expected] of refusals) {
      world.proxies.dataUser.inject(/projection$/, { kind: 'answer', json: { ...genuine, ...changes } });
      await expect(resultOf(0, signed)).rejects.toEqual(code(expected));
    }
    await resultOf(0, signed);
  });

  test('have no countersignature of a second projection that the data user signs for another', async () => {
    const signed = await done();
    const { evidence } = await resultOf(0, signed);
    const dataUser = await openSigningKey(world.dataUserConfig.dataDirectory);
    const claims = payloadOf(evidence.projection) as { vectors: number[][]; eigenvalues: number[] };
    // One of the same task, with numbers that it may have.
    const vectors = claims.vectors.map((_, j) => claims.vectors[0]!.map((_, i) => (i === j ? 1 : 0)));
    const second = await signStatement(PROJECTION, dataUser, { ...claims, vectors } as never);
    const path = `/tasks/${signed.task.id}/countersignature`;
    const answer = await sendAs(
      world.cspAddress,
      { key: dataUser },
      { method: 'POST', path, json: { projectionDigest: digestProjection(newSalt(), second) } },
    );
    expect(answer.code).toBe('ERR_PROJECTION_CONFLICT');
    await expect(owners[0]!.owner.verify({ ...evidence, projection: second })).rejects.toEqual(
      code('ERR_PROVENANCE_INVALID'),
    );
  });
});

test('a lost countersignature is asked for again with the same digest, and a task without it is not done', {
  tags: ['long'],
}, async () => {
  const signed = await contributed(0, 1);
  const requests = () => world.proxies.csp.bodies(/countersignature$/).map(String);
  const before = requests().length;
  const lost = world.proxies.csp.inject(
    /countersignature$/,
    { kind: 'lose answer' },
    Number.POSITIVE_INFINITY,
  );
  const client = await world.taskClient();
  await client.closeTask(signed.task.id);
  await byHand.expectState(signed, 'decomposed');
  await expect(client.result(signed.task.id)).rejects.toEqual(code('ERR_NOT_READY'));
  await expect(resultOf(0, signed)).rejects.toEqual(code('ERR_NOT_READY'));
  await expect.poll(() => lost.hits).toBeGreaterThan(0);
  await world.stopDataUser();
  world.proxies.csp.heal();
  await world.startDataUser();
  await byHand.expectState(signed, 'done');
  await resultOf(0, signed);
  const mine = requests().slice(before);
  expect(mine.length).toBeGreaterThan(1);
  expect(new Set(mine).size).toBe(1);
});

test('a refusal is registered like a projection, and says nothing before it is', async () => {
  const { owner } = owners[3]!;
  const signed = await contributed(0, 1);
  await owner.contribute(world.dataUserAddress, signed.task.id, async (task) => ({
    ...summarise(task, byHand.parts[2]!),
    owners: 2n, // which the CSP has not verified
  }));
  world.proxies.csp.inject(/countersignature$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
  const client = await world.taskClient();
  await client.closeTask(signed.task.id);
  await byHand.expectState(signed, 'decomposed');
  expect((await client.status(signed.task.id)).failure).toBeUndefined();
  await expect(client.result(signed.task.id)).rejects.toEqual(code('ERR_NOT_READY'));
  world.proxies.csp.heal();
  await byHand.expectState(signed, 'failed');
  expect((await client.status(signed.task.id)).failure).toMatchObject({ code: 'ERR_OWNER_COUNT' });
  const sql = 'SELECT digest FROM projections WHERE task_id = ?';
  expect(query(world.cspConfig.dataDirectory, sql, signed.task.id)).toEqual([{ digest: expect.any(String) }]);
});

describe('an owner that withdraws', () => {
  test('is told to the CSP, and those who stay see one fewer', { tags: ['long'] }, async () => {
    const signed = await contributed(0, 1, 2);
    await owners[2]!.owner.withdraw(world.dataUserAddress, signed.task.id);
    const sql = 'SELECT count(*) AS n FROM withdrawals WHERE task_id = ?';
    expect(query(world.cspConfig.dataDirectory, sql, signed.task.id)).toEqual([{ n: 1 }]);
    await byHand.expectResult(signed, [0, 1]);
    expect((await resultOf(0, signed)).provenance.verifiedOwners).toBe(2);
    await expect(resultOf(2, signed)).rejects.toEqual(code('ERR_AUTH_FORBIDDEN'));
  });

  test('may repeat it when the CSP could not be reached', { tags: ['long'] }, async () => {
    const signed = await contributed(0, 1, 2);
    const withdraw = () => owners[2]!.owner.withdraw(world.dataUserAddress, signed.task.id);
    world.proxies.csp.inject(/record$/, { kind: 'lose request' });
    await expect(withdraw()).rejects.toEqual(code('ERR_PEER_UNREACHABLE'));
    await withdraw();
    await byHand.expectResult(signed, [0, 1]);
  });

  test('at the CSP alone ends the task for all, since the CSP never takes the records that were handed in', async () => {
    const signed = await contributed(0, 1, 2);
    const path = `/tasks/${signed.task.id}/record`;
    await sendAs(world.cspAddress, await ownerOf(owners[2]!.home), { method: 'DELETE', path });
    await (await world.taskClient()).closeTask(signed.task.id);
    await byHand.expectState(signed, 'failed');
    expect((await byHand.status(signed.task.id)).failure).toMatchObject({ code: 'ERR_RECORDS_CHANGED' });
  });
});
