/**
 * Fixing the records of a closed task: several requests at a time, after an interruption only what the CSP has not confirmed; and whatever the CSP
 * revokes in between, both servers have the same owners in the end, or the task has too few.
 *
 * @claims S-546, S-547, S-550, S-552
 */
import { CodedError } from '@eigenveil/platform';
import type { Logger } from '@eigenveil/server';
import { newTaskId, type Task } from '@eigenveil/task';
import {
  CODES,
  digestBytes,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  RECORDS_PER_REQUEST,
  type SigningKey,
} from '@eigenveil/wire';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Fixing } from '../../src/compute/fixing.ts';
import { openSqliteStore } from '../../src/store/open.ts';
import type { SqlDataUserStore } from '../../src/store/sql-store.ts';
import type { DataUserStore } from '../../src/store/store.ts';
import { Revocations } from '../../src/tasks/revocations.ts';
import { ModelCsp } from '../model-csp.ts';

const NOW = new Date('2026-01-10T00:00:00.000Z');
const DIGEST = digestBytes('contribution', Buffer.of(1));
const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;
const owner = (i: number) => OwnerId.parse(String(i).padStart(22, '0'));

let key: SigningKey;
let store: SqlDataUserStore;
let task: Task;
let csp: ModelCsp;
beforeAll(async () => {
  key = await importSigningKey(await generatePrivateJwk());
});
afterEach(() => store.close());

/** A task that has been closed with contributions of so many owners. */
async function begin(owners: number): Promise<void> {
  store = openSqliteStore(':memory:');
  csp = new ModelCsp(key, () => NOW, DIGEST);
  task = { id: newTaskId(), minimumOwners: 2, maximumOwners: owners } as Task;
  await store.insertTask(task);
  await store.openTask(task.id, 'agreement');
  const contributions = Array.from({ length: owners }, (_, i) => ({
    ...{ ownerId: owner(i), digest: DIGEST, bytes: Buffer.of(1), receipt: 'receipt' },
    record: owner(i),
  }));
  await store.insertContributions(task.id, contributions);
  await store.closeTask(task.id);
}

/** A process that does it, with what it has of the store and of the CSP. */
function fix(
  parts: { store?: DataUserStore; csp?: ModelCsp } = {},
  signal = new AbortController().signal,
): Promise<void> {
  const its = { store, csp, ...parts };
  const revocations = new Revocations({ ...its, now: () => NOW, log });
  const clock = { now: () => 0, sleep: async () => undefined };
  return new Fixing({ ...its, revocations, clock }).fix(task.id, { signal, confirm: async () => undefined });
}

const counted = async () => (await store.contributions(task.id, '', 100_000)).map(({ ownerId }) => ownerId);
/** Both servers have exactly these, for good. */
async function expectFixed(owners: readonly number[]): Promise<void> {
  expect(await counted()).toEqual(owners.map(owner));
  expect(csp.owners).toEqual(owners.map(owner));
  expect((await store.task(task.id))!.fixation).toEqual({ ...csp.fixed, isFixed: true });
}

describe('records', () => {
  /** The last of five rounds of requests is not full. */
  const OWNERS = 4 * 4 * RECORDS_PER_REQUEST + 700;
  const AT_ONCE = 4;

  /** The records of every request, in the order of their coming. */
  let requests: (readonly string[])[];
  let refuses: (records: readonly string[]) => boolean;
  let [running, most] = [0, 0];

  beforeEach(async () => {
    await begin(OWNERS);
    [requests, refuses, running, most] = [[], () => false, 0, 0];
    const take = csp.sendRecords.bind(csp);
    csp.sendRecords = async (call) => {
      const { records } = call.body;
      requests.push(records);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      if (refuses(records)) throw new CodedError(CODES.ERR_PEER_UNREACHABLE, 'the CSP cannot be reached');
      return take(call);
    };
  });

  test('are sent once, a few requests at a time, before they are fixed', async () => {
    await fix();
    expect(requests.flat().toSorted()).toEqual(await counted());
    expect(most).toBe(AT_ONCE);
    expect(Math.max(...requests.map(({ length }) => length))).toBe(RECORDS_PER_REQUEST);
    expect(await store.task(task.id)).toMatchObject({ recordsSent: OWNERS, fixation: { isFixed: true } });
  });

  test('which the CSP has confirmed are not sent again by whoever goes on', async () => {
    const lost = owner(5000);
    refuses = (records) => records.includes(lost);
    await expect(fix()).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    const confirmed = 2 * AT_ONCE * RECORDS_PER_REQUEST; // without the round in which a request was lost
    expect(await store.task(task.id)).toMatchObject({ recordsSent: confirmed, fixation: null });
    refuses = () => false;
    const before = requests.length;
    await fix();
    const again = requests.slice(before).flat();
    expect(again).toContain(lost);
    expect(again).toHaveLength(OWNERS - confirmed);
    expect(csp.owners).toHaveLength(OWNERS);
  });

  test('are sent no more by a process that has to leave the task', async () => {
    const leaving = new AbortController();
    refuses = () => {
      leaving.abort();
      return false;
    };
    await expect(fix({}, leaving.signal)).rejects.toThrow();
    expect(requests).toHaveLength(AT_ONCE);
    expect(csp.fixed).toBeUndefined();
  });
});

describe('an owner that is revoked', () => {
  beforeEach(() => begin(4));

  test('before the list is fetched is dropped, and nothing of it is sent', async () => {
    csp.revoke(owner(2));
    const sent = vi.spyOn(csp, 'sendRecords');
    await fix();
    await expectFixed([0, 1, 3]);
    expect(sent.mock.calls.map(([{ body }]) => body.records)).toEqual([[0, 1, 3].map(owner)]);
  });

  test('after the records were fixed stays, also where the answer was lost', async () => {
    const { fixRecords } = csp;
    csp.fixRecords = async (call) => {
      await fixRecords.call(csp, call);
      csp.fixRecords = fixRecords;
      csp.revoke(owner(2));
      throw new CodedError(CODES.ERR_PEER_UNREACHABLE, 'the answer was lost');
    };
    await expect(fix()).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    await fix();
    await expectFixed([0, 1, 2, 3]);
  });

  test('so that too few are left fails the task, and says why', async () => {
    for (const i of [0, 1, 3]) csp.revoke(owner(i));
    await expect(fix()).rejects.toMatchObject({
      code: 'ERR_MINIMUM_OWNERS',
      message: expect.stringMatching(/at least 2 .* got 1 without those of owners whom the CSP has revoked/),
    });
    expect(csp.fixed).toBeUndefined();
  });
});

test('whatever is revoked, polled or killed between any two steps, nobody revoked before the fixation is in it', async () => {
  const OWNERS = 6;
  const event = fc.record({
    step: fc.nat({ max: 40 }),
    what: fc.oneof(fc.nat({ max: OWNERS - 1 }), fc.constantFrom('kill' as const, 'poll' as const)),
  });
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
      await begin(OWNERS);
      let step = 0;
      let revokedAtFixation: OwnerId[] = [];
      const happen = async () => {
        step += 1;
        for (const { what } of events.filter((it) => it.step === step)) {
          if (what === 'kill') throw new Error('killed');
          // Another process of the data user.
          if (what === 'poll') await new Revocations({ store, csp, now: () => NOW, log }).refresh();
          else csp.revoke(owner(what));
          if (csp.fixed === undefined) revokedAtFixation = [...csp.revoked];
        }
      };
      /** Something happens before and after each call that changes something, or asks the CSP. */
      const disturbed = <Part extends object>(part: Part, names: readonly (keyof Part)[]): Part =>
        new Proxy(part, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            if (!names.includes(name as keyof Part)) return value.bind(target);
            return async (...input: unknown[]) => {
              await happen();
              const result: unknown = await value.apply(target, input);
              await happen();
              return result;
            };
          },
        });
      const parts = () => ({
        store: disturbed<DataUserStore>(store, [
          'keepRevocations',
          'dropRevoked',
          'setFixation',
          'noteRecordsSent',
        ]),
        csp: disturbed(csp, ['revocations', 'sendRecords', 'fixRecords']),
      });
      let failure: string | undefined;
      for (let isDone = false; !isDone; ) {
        try {
          await fix(parts());
          isDone = true;
        } catch (error) {
          failure = (error as CodedError).code;
          isDone = failure !== undefined; // not killed
        }
      }
      const left = Array.from({ length: OWNERS }, (_, i) => owner(i)).filter(
        (ownerId) => !revokedAtFixation.includes(ownerId),
      );
      outcomes.add(failure ?? `${left.length} left`);
      if (failure === undefined) {
        expect(await counted()).toEqual(left);
        expect(csp.owners).toEqual(left);
        expect(csp.fixed?.verifiedOwners).toBe(left.length);
        expect(left.length).toBeGreaterThanOrEqual(2);
      } else {
        expect({ failure, enough: left.length >= 2, fixed: csp.fixed }).toEqual({
          failure: 'ERR_MINIMUM_OWNERS',
          enough: false,
          fixed: undefined,
        });
      }
      store.close();
    }),
    {
      numRuns: 60,
      examples: [
        [[0, 1, 2, 3, 4].map((what) => ({ step: 5 + what, what }))],
        // Revoked, and polled by another process, while the CSP's word that the records are fixed is on its way.
        [
          [
            { step: 14, what: 0 },
            { step: 15, what: 'poll' },
          ],
        ],
      ],
    },
  );
  expect(outcomes).toContain('ERR_MINIMUM_OWNERS');
  expect(outcomes.size).toBeGreaterThan(3);
  await begin(2);
});

describe('a CSP that has other records without a reason', () => {
  beforeEach(() => begin(4));

  test('is asked a few times, and then the task fails: an owner may have withdrawn there alone', async () => {
    let asked = 0;
    const { fixRecords } = csp;
    csp.fixRecords = async (call) => {
      asked += 1;
      csp.forget(owner(1));
      return fixRecords.call(csp, call);
    };
    await expect(fix()).rejects.toMatchObject({ code: 'ERR_RECORDS_CHANGED' });
    expect(asked).toBe(3);
    expect((await store.task(task.id))!.fixation).toBeNull();
  });

  test('is believed when its list has the reason a moment later', async () => {
    const list = await csp.revocations(); // as it may be given for a second
    csp.revoke(owner(1));
    const { revocations } = csp;
    let old = 2;
    csp.revocations = async () => (old-- > 0 ? list : revocations.call(csp));
    await fix();
    await expectFixed([0, 2, 3]);
  });

  test('and refuses a record of an owner whom its list does not name gets no other set', async () => {
    csp.revoke(owner(1));
    csp.revocations = () => csp.listOf({});
    await expect(fix()).rejects.toMatchObject({ code: 'ERR_OWNER_REVOKED' });
    expect(await counted()).toHaveLength(4);
  });
});
