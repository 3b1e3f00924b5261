/**
 * The CSP's list of revoked owners at the data user: when it is fetched and kept, and what a CSP that
 * deviates cannot have it believe.
 *
 * @claims S-545, S-548, S-549, S-550
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
  type SigningKey,
} from '@eigenveil/wire';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSqliteStore } from '../../src/store/open.ts';
import type { SqlDataUserStore } from '../../src/store/sql-store.ts';
import { Revocations } from '../../src/tasks/revocations.ts';
import { ModelCsp } from '../model-csp.ts';

const BEGINNING = new Date('2026-01-10T00:00:00.000Z');
const MINUTE = 60_000;
const DIGEST = digestBytes('contribution', Buffer.of(1));
const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;
const owner = (i: number) => OwnerId.parse(String(i).padStart(22, '0'));

let [key, otherKey]: SigningKey[] = [];
let now: Date;
let store: SqlDataUserStore;
let csp: ModelCsp;
let revocations: Revocations;
let task: Task;
beforeAll(async () => {
  [key, otherKey] = await Promise.all([1, 2].map(async () => importSigningKey(await generatePrivateJwk())));
});
beforeEach(async () => {
  now = BEGINNING;
  store = openSqliteStore(':memory:');
  csp = new ModelCsp(key!, () => now, DIGEST);
  revocations = new Revocations({ store, csp, now: () => now, log });
  task = { id: newTaskId(), minimumOwners: 1, maximumOwners: 9 } as Task;
  await store.insertTask(task);
  await store.openTask(task.id, 'agreement');
  const contribution = { digest: DIGEST, bytes: Buffer.of(1), record: 'record', receipt: 'receipt' };
  await store.insertContributions(
    task.id,
    [1, 2, 3].map((i) => ({ ...contribution, ownerId: owner(i) })),
  );
});
afterEach(() => store.close());

const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds);
};
const isRevoked = (i: number) =>
  revocations.check(owner(i)).then(
    () => false,
    (error: CodedError) => error.code === 'ERR_OWNER_REVOKED',
  );
const down = () => Promise.reject(new CodedError(CODES.ERR_PEER_UNREACHABLE, 'the CSP cannot be reached'));
const code = (expected: string) => expect.objectContaining({ code: expected });

test('a list drops the contributions of those who are in it, and lets them in nowhere', async () => {
  await revocations.refresh();
  expect(await isRevoked(2)).toBe(false);
  csp.revoke(owner(2));
  await revocations.refresh();
  expect(await isRevoked(2)).toBe(true);
  expect((await store.task(task.id))!.contributions).toBe(2);
});

describe('a CSP that deviates', () => {
  test('by an older list is not believed: whom it lacks stays revoked, and the newest list gets no younger', async () => {
    csp.revoke(owner(1));
    const older = await csp.revocations();
    csp.revoke(owner(2));
    await revocations.refresh();
    const kept = await store.revocations();
    later(MINUTE);
    csp.revocations = async () => older;
    await expect(revocations.refresh()).rejects.toEqual(code('ERR_REVOCATIONS_INVALID'));
    await expect(revocations.requireFresh()).rejects.toEqual(code('ERR_REVOCATIONS_INVALID'));
    expect(await store.revocations()).toEqual(kept);
    expect(await isRevoked(2)).toBe(true);
  });

  test('by the list of another CSP is not believed', async () => {
    csp.revocations = () => csp.listOf({ owners: [owner(1)], key: otherKey! });
    await expect(revocations.refresh()).rejects.toEqual(code('ERR_REVOCATIONS_INVALID'));
    expect(await isRevoked(1)).toBe(false);
    expect(await store.revocations()).toBeUndefined();
  });

  test('by a newer list that omits an owner lets it back nowhere', async () => {
    csp.revoke(owner(1));
    await revocations.refresh();
    csp.revoked.delete(owner(1));
    csp.revoke(owner(2));
    await revocations.refresh();
    expect(await Promise.all([1, 2].map(isRevoked))).toEqual([true, true]);
  });

  test('by a list from the future, which would not grow old, is not believed; a clock may be a little ahead', async () => {
    const signed = (milliseconds: number) => () =>
      csp.listOf({ issuedAt: new Date(now.getTime() + milliseconds).toISOString() });
    csp.revocations = signed(MINUTE + 1);
    await expect(revocations.refresh()).rejects.toEqual(code('ERR_REVOCATIONS_INVALID'));
    csp.revocations = signed(MINUTE);
    await revocations.refresh();
  });

  test('by the same list again and again stops closing after ten minutes', async () => {
    const same = await csp.revocations();
    csp.revocations = async () => same;
    await revocations.requireFresh();
    later(10 * MINUTE);
    await revocations.requireFresh();
    later(1);
    await expect(revocations.requireFresh()).rejects.toMatchObject({
      code: 'ERR_REVOCATIONS_STALE',
      status: 503,
      parameters: { retryAfterSeconds: 60 },
    });
    await expect(revocations.refresh()).rejects.toEqual(code('ERR_REVOCATIONS_STALE'));
  });
});

describe('where the CSP cannot be asked', () => {
  test('the list that is kept will do for ten minutes', async () => {
    await revocations.refresh();
    csp.revocations = down;
    later(10 * MINUTE);
    await revocations.requireFresh();
    later(1);
    await expect(revocations.requireFresh()).rejects.toMatchObject({
      code: 'ERR_REVOCATIONS_STALE',
      message: expect.stringMatching(/is 10 minutes old, and fetching it failed with ERR_PEER_UNREACHABLE/),
    });
  });

  test('a task is not closed without ever having had one', async () => {
    csp.revocations = down;
    await expect(revocations.requireFresh()).rejects.toEqual(code('ERR_REVOCATIONS_STALE'));
  });

  test('what another process has kept before it died is dropped by the next', async () => {
    await store.keepRevocations({ number: 1, issuedAt: now.toISOString() }, [owner(3)]);
    csp.revocations = down;
    await revocations.requireFresh();
    expect((await store.task(task.id))!.contributions).toBe(2);
  });
});

test('a list that another process has kept while this one was on its way is no deviation', async () => {
  const older = await csp.revocations();
  csp.revocations = async () => {
    await store.keepRevocations({ number: 7, issuedAt: now.toISOString() }, [owner(1)]);
    return older;
  };
  await revocations.refresh();
  expect(await store.revocations()).toMatchObject({ number: 7 });
});

test('the list is fetched at once and every minute, also after a failure', async () => {
  vi.useFakeTimers();
  try {
    let asked = 0;
    const { revocations: fetch } = csp;
    csp.revocations = async () => {
      asked += 1;
      return asked === 1 ? down() : fetch.call(csp);
    };
    revocations.start();
    csp.revoke(owner(1));
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toBe(2);
    await vi.waitUntil(() => isRevoked(1));
    await revocations.stop();
    await vi.advanceTimersByTimeAsync(3 * MINUTE);
    expect(asked).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
