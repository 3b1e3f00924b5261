/**
 * Records and requests for unblinding that the CSP refuses, and those that it answers once.
 *
 * @claims S-69
 */
import type { TaskProposal } from '@eigenveil/task';
import {
  digestBytes,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  type OwnerRecord,
  type SignedTask,
  type SigningKey,
} from '@eigenveil/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WatchedPool } from './support/pool.ts';
import {
  type Answer,
  credentials,
  ownerOf,
  payloadOf,
  publicKeyOf,
  recordFor,
  send,
  sendAs,
} from './support/requests.ts';
import { RogueDataUser, upgradeHeaders } from './support/rogue.ts';
import { alarmLog, encryptAll, rogueTask, storedTask } from './support/rogue-task.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const MINIMUM = 2;
const paillier = new WatchedPool();
const { log, alarms } = alarmLog();
let world: World;
let proposal: TaskProposal;
let rogue: RogueDataUser;
/** Another data user that the CSP has registered. */
let other: RogueDataUser;
let owners: Enrolled[];
let signed: SignedTask;
let id: string;
let blinded: Uint8Array;
let records: string[];

beforeAll(async () => {
  const otherKey = await importSigningKey(await generatePrivateJwk());
  world = await World.start({
    csp: { dataUsers: [otherKey.thumbprint] },
    cspOverrides: { paillier, log },
  });
  proposal = {
    ...(await exampleOf(dataFile('iris'), 'pca')).proposal,
    minimumOwners: MINIMUM,
    maximumOwners: 3,
  };
  rogue = await RogueDataUser.of(world);
  other = await RogueDataUser.of(world, otherKey);
  owners = await Promise.all(Array.from({ length: 4 }, () => world.enrolledOwner()));
});
beforeEach(async () => {
  ({ signed, id, blinded, records } = await rogueTask(rogue, proposal, owners));
  paillier.begun.decrypt = 0;
  alarms.length = 0;
});
afterAll(() => world.close());

const verified = async (answer: Promise<Answer>) => (await answer).json.verifiedOwners;
const unblindOk = async (body = blinded) => expect((await rogue.unblind(id, body)).status).toBe(200);
const stored = () => storedTask(world, id);

describe('an owner that withdraws at the CSP', () => {
  const withdraw = async (i: number) =>
    sendAs(world.cspAddress, await ownerOf(owners[i]!.home), {
      method: 'DELETE',
      path: `/tasks/${id}/record`,
    });

  test.each(['before its record comes', 'after its record came'])('does not count: %s', async (when) => {
    if (when.startsWith('before')) expect((await withdraw(0)).status).toBe(204);
    await rogue.records(id, records.slice(0, 2));
    if (when.startsWith('after')) expect((await withdraw(0)).status).toBe(204);
    expect((await withdraw(0)).status).toBe(204);
    // Whatever a data user that deviates hands in again.
    expect(await verified(rogue.records(id, records.slice(0, 2)))).toBe(1);
    expect((await rogue.unblind(id, blinded)).code).toBe('ERR_MINIMUM_OWNERS');
    expect(paillier.begun.decrypt).toBe(0);
    await rogue.records(id, [records[2]!]);
    const statement = String((await rogue.unblind(id, blinded)).json.statement);
    expect(payloadOf(statement)).toMatchObject({ verifiedOwners: 2 });
  });

  test('does so before the unblinding, or not at all; and only from a task that there is', async () => {
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    expect((await withdraw(0)).code).toBe('ERR_TASK_CLOSED');
    await rogue.end(id);
    expect((await withdraw(1)).code).toBe('ERR_TASK_CLOSED');
    id = 'A'.repeat(22);
    expect((await withdraw(1)).code).toBe('ERR_TASK_UNKNOWN');
  });
});

describe('a countersignature', () => {
  const [digest, another] = ['D', 'E'].map((letter) => letter.repeat(43)) as [string, string];

  test('is of the first digest of an unblinded task and of no other, also when the CSP was restarted and when the task has ended', async () => {
    expect((await rogue.countersign(id, digest)).code).toBe('ERR_NOT_READY');
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    expect((await other.countersign(id, digest)).code).toBe('ERR_TASK_UNKNOWN');
    const first = await rogue.countersign(id, digest);
    const countersignature = String(first.json.countersignature);
    expect(payloadOf(countersignature)).toEqual({
      taskId: id,
      taskDigest: digestTask(signed.task),
      projectionDigest: digest,
    });
    const again = async () => {
      expect((await rogue.countersign(id, digest)).json).toEqual(first.json);
      expect((await rogue.countersign(id, another)).code).toBe('ERR_PROJECTION_CONFLICT');
    };
    await again();
    await world.stopCsp();
    await world.startCsp();
    await again();
    await rogue.end(id);
    await again();
  });

  test('is not of a task that has ended without one', async () => {
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    await rogue.end(id);
    expect((await rogue.countersign(id, digest)).code).toBe('ERR_TASK_CLOSED');
  });
});

describe('records', () => {
  const one = async (i: number, claims: Partial<OwnerRecord>, signer?: SigningKey) =>
    recordFor(signed, owners[i]!.home, blinded, signer === undefined ? { claims } : { claims, signer });

  test('count once each, in one request or in several', async () => {
    expect(await verified(rogue.records(id, [records[0]!, records[0]!]))).toBe(1);
    expect(await verified(rogue.records(id, [records[0]!]))).toBe(1);
    expect(await verified(rogue.records(id, records.slice(0, 2)))).toBe(2);
  });

  test('of somebody who is not enrolled, or who signs for an enrolled owner, are refused', async () => {
    const stranger = await importSigningKey(await generatePrivateJwk());
    const madeUp = { ownerId: OwnerId.parse('A'.repeat(22)) };
    const { ownerId } = (await owners[1]!.home.enrolment())!;
    const claimed = { header: { jwk: (await owners[0]!.home.signingKey()).publicJwk }, signer: stranger };
    for (const record of [
      await one(0, madeUp, stranger),
      await one(0, madeUp),
      await one(0, {}, stranger),
      await one(0, { ownerId }),
      await recordFor(signed, owners[0]!.home, blinded, claimed),
      await recordFor(signed, owners[0]!.home, blinded, { header: { jwk: undefined } }),
      await recordFor(signed, owners[0]!.home, blinded, { header: { typ: 'eigenveil-receipt+jws' } }),
      records[0]!.slice(0, -4),
      'x',
    ]) {
      expect((await rogue.records(id, [record])).code).toBe('ERR_RECORD_INVALID');
    }
    expect(await verified(rogue.records(id, [records[0]!]))).toBe(1);
  });

  test('of another task, of other parameters and under another key are refused', async () => {
    const elsewhere = await rogue.agree(proposal);
    const digest = digestBytes('something else');
    for (const record of [
      await recordFor(elsewhere, owners[0]!.home, blinded),
      await one(0, { taskId: elsewhere.task.id }),
      await one(0, { taskDigest: digest }),
      await one(0, { publicKeyDigest: digest }),
    ]) {
      expect((await rogue.records(id, [record])).code).toBe('ERR_TASK_MISMATCH');
    }
    expect(alarms).toEqual([]); // a data user's mistake, or its malice
  });

  test('with other bytes of the same owner are a conflict', async () => {
    await rogue.records(id, [records[0]!]);
    const changed = await one(0, { contributionDigest: digestBytes('contribution', Buffer.alloc(3)) });
    expect((await rogue.records(id, [changed])).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    expect((await rogue.records(id, [records[1]!, changed])).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    expect(await verified(rogue.records(id, [records[0]!]))).toBe(1);
  });

  test('beside one that is refused do not count either', async () => {
    expect((await rogue.records(id, [records[0]!, 'x', records[1]!])).code).toBe('ERR_RECORD_INVALID');
    expect(await verified(rogue.records(id, [records[2]!]))).toBe(1);
  });

  test('come in bounded numbers and lengths', async () => {
    for (const list of [[], new Array(501).fill(records[0]!), ['x'.repeat(2049)]]) {
      expect((await rogue.records(id, list)).code).toBe('ERR_BODY_INVALID');
    }
    expect((await rogue.records(id, new Array(500).fill('x'.repeat(2300)))).code).toBe('ERR_BODY_TOO_LARGE');
  });

  test('after the unblinding add nobody, while those that were there may come again', async () => {
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    expect((await rogue.records(id, [records[2]!])).code).toBe('ERR_TASK_CLOSED');
    expect(await verified(rogue.records(id, records.slice(0, 2)))).toBe(2);
  });
});

describe('unblinding', () => {
  test('is refused before there are records of enough owners', async () => {
    for (const hidden of [[], [records[0]!, records[0]!]]) {
      if (hidden.length > 0) await rogue.records(id, hidden);
      expect((await rogue.unblind(id, blinded)).code).toBe('ERR_MINIMUM_OWNERS');
    }
    expect(paillier.begun.decrypt).toBe(0);
    expect(stored()).toEqual({ state: 'agreed', sealed_shares: null });
    await rogue.records(id, [records[1]!]);
    await unblindOk();
  });

  test('of bytes that are no ciphertexts is refused, and costs nothing', async () => {
    await rogue.records(id, records.slice(0, 2));
    const { n, ciphertextBytes } = publicKeyOf(signed);
    const notCoprime = Uint8Array.from(blinded);
    notCoprime.set(Buffer.from(n.toString(16).padStart(2 * ciphertextBytes, '0'), 'hex'));
    expect((await rogue.unblind(id, notCoprime)).code).toBe('ERR_CIPHERTEXT_INVALID');
    expect((await rogue.unblind(id, Buffer.alloc(blinded.length))).code).toBe('ERR_CIPHERTEXT_INVALID');
    expect((await rogue.unblind(id, blinded.subarray(1))).code).toBe('ERR_BODY_LENGTH');
    expect((await rogue.unblind(id, Buffer.concat([blinded, blinded]))).code).toBe('ERR_BODY_TOO_LARGE');
    expect(paillier.begun.decrypt).toBe(0);
    await unblindOk();
  });

  test('is done once: the same bytes are answered the same way, others are refused', async () => {
    await rogue.records(id, records.slice(0, 2));
    const first = await rogue.unblind(id, blinded);
    const statement = String(first.json.statement);
    expect(payloadOf(statement)).toMatchObject({ taskId: id, verifiedOwners: 2 });
    const before = stored();
    expect((await rogue.unblind(id, blinded)).text).toBe(first.text);
    expect((await rogue.unblind(id, await encryptAll(signed, 1n))).code).toBe('ERR_UNBLINDING_CONFLICT');
    expect(stored()).toEqual(before);
    expect(paillier.begun.decrypt).toBe(1);
  });

  test('is done once, too, when several requests come at the same time', async () => {
    await rogue.records(id, records.slice(0, 2));
    const versions = [blinded, await encryptAll(signed, 0n), await encryptAll(signed, 2n)];
    const answers = await Promise.all(versions.map((version) => rogue.unblind(id, version)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const answered = answers.findIndex(({ status }) => status === 200);
    for (const [i, version] of versions.entries()) {
      const { code } = await rogue.unblind(id, version);
      expect(code).toBe(i === answered ? undefined : 'ERR_UNBLINDING_CONFLICT');
    }
  });

  // Whether a plaintext overflows tells one bit about it: answered again and again, it gives any owner's values away.
  test('is used up by a request that overflows', async () => {
    await rogue.records(id, records.slice(0, 2));
    const request = await encryptAll(signed, -1n);
    expect((await rogue.unblind(id, request)).code).toBe('ERR_PACKING_OVERFLOW');
    expect((await rogue.unblind(id, request)).code).toBe('ERR_TASK_CLOSED');
    expect((await rogue.unblind(id, blinded)).code).toBe('ERR_TASK_CLOSED');
    expect(paillier.begun.decrypt).toBe(1);
  });

  // The bounds of the layout hold for the task's largest number of owners.
  test('is not done for more owners than the task may have', async () => {
    await rogue.records(id, records.slice(0, 3));
    expect((await rogue.records(id, [records[3]!])).code).toBe('ERR_TASK_FULL');
  });
});

describe('a task of another data user', () => {
  test('is unknown to a registered one, and closed to strangers, before and after the unblinding', async () => {
    const key = await importSigningKey(await generatePrivateJwk());
    const stranger = await RogueDataUser.of(world, key);
    for (const state of ['agreed', 'unblinded']) {
      expect(stored().state).toBe(state);
      for (const [who, code] of [
        [other, 'ERR_TASK_UNKNOWN'],
        [stranger, 'ERR_AUTH_FORBIDDEN'],
      ] as const) {
        expect((await who.records(id, records)).code).toBe(code);
        expect((await who.unblind(id, blinded)).code).toBe(code);
        expect((await who.connect(id)).code).toBe(code);
        expect((await who.end(id)).code).toBe(code);
      }
      await rogue.records(id, records.slice(0, 2));
      await unblindOk();
    }
  });
});

describe('the two-party connection', () => {
  test('is refused before the unblinding and after the end', async () => {
    expect((await rogue.connect(id)).code).toBe('ERR_NOT_READY');
    await rogue.records(id, records.slice(0, 2));
    expect((await rogue.connect(id)).code).toBe('ERR_NOT_READY');
    await unblindOk();
    await rogue.end(id);
    expect((await rogue.connect(id)).code).toBe('ERR_TASK_CLOSED');
  });

  test('is refused without a proof, with a used one, for an unknown task and elsewhere', async () => {
    expect((await rogue.connect(id, {})).code).toBe('ERR_AUTH_REQUIRED');
    expect((await rogue.connect(id, { dpop: 'x' })).code).toBe('ERR_AUTH_REQUIRED');
    const proof = await credentials(world.cspAddress, rogue, {
      method: 'GET',
      path: `/tasks/${id}/two-party`,
    });
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    expect((await rogue.connect(id, proof)).status).toBe(101);
    expect((await rogue.connect(id, proof)).code).toBe('ERR_PROOF_REPLAYED');
    expect((await rogue.connect('A'.repeat(22))).code).toBe('ERR_TASK_UNKNOWN');
    expect((await rogue.connect('x')).code).toBe('ERR_ROUTE_UNKNOWN');
    const headers = upgradeHeaders();
    for (const path of ['/', '/healthz', `/tasks/${id}/records`]) {
      expect((await send(world.cspAddress, { method: 'GET', path, headers })).code).toBe('ERR_ROUTE_UNKNOWN');
    }
  });
});

describe('a task that has ended', () => {
  test('answers nothing any more, and its end can be repeated', async () => {
    await rogue.records(id, records.slice(0, 2));
    await unblindOk();
    expect((await rogue.end(id)).status).toBe(204);
    expect((await rogue.end(id)).status).toBe(204);
    expect((await rogue.records(id, [records[0]!])).code).toBe('ERR_TASK_CLOSED');
    expect((await rogue.unblind(id, blinded)).code).toBe('ERR_TASK_CLOSED');
    expect((await rogue.propose(signed.task)).code).toBe('ERR_TASK_CLOSED');
    expect(stored()).toEqual({ state: 'ended', sealed_shares: null });
  });

  test('while it is unblinded is either, but not both', async () => {
    await rogue.records(id, records.slice(0, 2));
    const [unblinding, end] = await Promise.all([rogue.unblind(id, blinded), rogue.end(id)]);
    expect(end.status).toBe(204);
    expect([undefined, 'ERR_TASK_CLOSED']).toContain(unblinding.code);
    expect(stored()).toEqual({ state: 'ended', sealed_shares: null });
  });
});
