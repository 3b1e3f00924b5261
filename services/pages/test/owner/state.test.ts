import { nextEntry, OwnerPolicy } from '@eigenveil/data-owner/portable';
import { newTaskId } from '@eigenveil/task';
import { describe, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/owner/backup.ts';
import { BrowserState } from '../../src/owner/state.ts';
import { newDevice, withIndexedDb } from '../support/indexed-db.ts';

withIndexedDb();

/** A device that has a key, and whose browser keeps data as it says. */
async function device({ persisted = true } = {}): Promise<BrowserState> {
  const storage = { persisted: async () => persisted, persist: async () => persisted };
  vi.stubGlobal('navigator', { locks: navigator.locks, storage });
  const database = await newDevice();
  await makeKey(database, null);
  return BrowserState.open(database);
}

const pending = (text: string) => ({
  record: `record ${text}`,
  bytes: new TextEncoder().encode(text),
  dataDigest: `digest of ${text}`,
});

describe('the state of an owner in a browser', () => {
  test('keeps the first contribution of a task for good, whoever comes second', async () => {
    const state = await device();
    const tab = await BrowserState.open(state.database);
    const [task, other] = [newTaskId(), newTaskId()];
    const kept = await Promise.all([
      state.keepPending(task, pending('a')),
      tab.keepPending(task, pending('b')),
    ]);
    expect(kept[0]).toEqual(kept[1]);
    await expect(tab.pending(task)).resolves.toEqual(kept[0]);
    await expect(state.pending(other)).resolves.toBeUndefined();
    await state.discardPending(task);
    await expect(state.pending(task)).resolves.toBeUndefined();
  });

  test('keeps one task in each place of a series, whoever comes second, and each series by itself', async () => {
    const state = await device();
    const [seriesId, other] = [newTaskId(), newTaskId()];
    const entry = (taskId = newTaskId(), of = seriesId) => ({
      seriesId: of,
      number: 0,
      taskId,
      taskDigest: 'A'.repeat(43) as never,
      parametersDigest: 'B'.repeat(43) as never,
      epsilon: null,
      at: '2031-01-01T00:00:00.000Z',
    });
    const [first, second, elsewhere] = [entry(), entry(), entry(newTaskId(), other)];
    await state.series.keep(0, elsewhere);
    await expect(state.series.keep(0, first)).resolves.toEqual(first);
    await expect(state.series.keep(0, second)).resolves.toEqual(first);
    await state.series.keep(1, second);
    const again = await BrowserState.open(state.database);
    await expect(again.series.entries(seriesId)).resolves.toEqual([first, second]);
    await expect(again.series.entries(other)).resolves.toEqual([elsewhere]);
  });

  test('gives the contribution up for its receipt', async () => {
    const state = await device();
    const task = newTaskId();
    await state.keepPending(task, pending('a'));
    await state.saveReceipt(task, 'receipt');
    await expect(state.receipt(task)).resolves.toBe('receipt');
    await expect(state.pending(task)).resolves.toBeUndefined();
    const shown = { title: 'Heart study', deadline: '2031-01-01T00:00:00Z', releaseToOwners: false };
    await state.addTask(task, 'https://user.example.org', shown);
    await state.addTask(task, 'https://moved.example.org');
    await state.keepWithdrawal(task, 'begun');
    const known = { ...shown, dataUser: 'https://moved.example.org', addedAt: expect.any(String) };
    const part = { id: task, receipt: 'receipt', isPending: false };
    await expect(state.tasks()).resolves.toEqual([{ ...known, ...part, withdrawal: 'begun' }]);
    await state.keepWithdrawal(task, 'confirmed');
    await expect(state.tasks()).resolves.toEqual([{ ...known, ...part, withdrawal: 'confirmed' }]);
    await state.endWithdrawal(task);
    await expect(state.withdrawal(task)).resolves.toBeUndefined();
  });

  test('forgets a task of its list, and nothing that must not be forgotten', async () => {
    const state = await device();
    const task = newTaskId();
    await state.addTask(task, 'https://user.example.org');
    await state.makeException(task, { minimumOwners: 3 });
    await state.saveReceipt(task, 'receipt');
    await state.keepWithdrawal(task, 'begun');
    const event = { kind: 'answer', taskId: task, by: 'others', group: task, part: '1' } as const;
    await state.addToLedger(nextEntry([], 'rows', event), 0);
    await state.removeTask(task);
    await expect(state.tasks()).resolves.toEqual([]);
    await expect(state.receipt(task)).resolves.toBe('receipt');
    await expect(state.withdrawal(task)).resolves.toBe('begun');
    await expect(state.ledger()).resolves.toHaveLength(1);
    await expect(state.policyFor(task)).resolves.toEqual(await state.policy());
  });

  test('has exceptions of the policy for one task alone, which add up', async () => {
    const state = await device();
    const [task, other] = [newTaskId(), newTaskId()];
    const policy = OwnerPolicy.parse({ maximumEpsilon: 1 });
    await state.savePolicy(policy);
    await state.makeException(task, { maximumEpsilon: null });
    await state.makeException(task, { minimumKeyBits: 1024 });
    const { maximumEpsilon: _, ...rest } = policy;
    await expect(state.policyFor(task)).resolves.toEqual({ ...rest, minimumKeyBits: 1024 });
    await expect(state.policyFor(other)).resolves.toEqual(policy);
    await expect(state.policy()).resolves.toEqual(policy);
  });

  test('says that it is elsewhere once the transfer file is saved, and not before', async () => {
    const state = await device();
    await state.database.write((it) => it.objectStore('marks').put('2031-01-01T00:00:00.000Z', 'moved'));
    await expect(state.status()).resolves.toMatchObject({ isTransferSaved: false });
    await state.confirmTransfer();
    await expect(state.status()).resolves.toMatchObject({ isTransferSaved: true });
  });

  test('tells data by a key of its own, which stays', async () => {
    const [state, other] = [await device(), await device()];
    const task = newTaskId();
    const digest = await state.digestOfData(task, [1n, -2n]);
    await expect(state.digestOfData(task, [1n, -2n])).resolves.toBe(digest);
    await expect(state.digestOfData(task, [1n, -3n])).resolves.not.toBe(digest);
    await expect(state.digestOfData(newTaskId(), [1n, -2n])).resolves.not.toBe(digest);
    await expect(other.digestOfData(task, [1n, -2n])).resolves.not.toBe(digest);
  });

  test('has a key that signs and cannot be taken out', async () => {
    const state = await device();
    const { privateKey, publicJwk, thumbprint } = await state.signingKey();
    expect(privateKey.extractable).toBe(false);
    await expect(crypto.subtle.exportKey('jwk', privateKey)).rejects.toThrow();
    const data = new Uint8Array([1, 2]);
    const signature = await crypto.subtle.sign('Ed25519', privateKey, data);
    const publicKey = await crypto.subtle.importKey('jwk', publicJwk, 'Ed25519', true, ['verify']);
    await expect(crypto.subtle.verify('Ed25519', publicKey, signature, data)).resolves.toBe(true);
    await expect(state.status()).resolves.toMatchObject({ thumbprint, enrolment: null, movedAt: null });
  });

  test('writes all or nothing, with the disk waited for', async () => {
    const state = await device();
    const task = newTaskId();
    const begin = vi.spyOn(IDBDatabase.prototype, 'transaction');
    const fault = new Error('a fault');
    await expect(
      state.database.write(async (it) => {
        await it.objectStore('receipts').put('receipt', task);
        throw fault;
      }),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_OWNER_HOME', cause: fault }));
    expect(begin).toHaveBeenLastCalledWith(expect.anything(), 'readwrite', { durability: 'strict' });
    begin.mockRestore();
    await expect(state.receipt(task)).resolves.toBeUndefined();
  });

  test('is durable only where the browser has promised to keep it', async () => {
    const state = await device({ persisted: false });
    expect(state.isDurable).toBe(false);
    await expect(state.persist()).resolves.toBe(false);
    expect((await device()).isDurable).toBe(true);
  });

  test('lets one tab at a time do what another must not', async () => {
    const state = await device();
    const tab = await BrowserState.open(state.database);
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = state.exclusively(() => promise);
    await expect(tab.exclusively(async () => 'second')).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_BUSY' }),
    );
    resolve('first');
    await expect(first).resolves.toBe('first');
    await expect(tab.exclusively(async () => 'third')).resolves.toBe('third');
  });

  test('says so where the browser keeps nothing, or something else', async () => {
    const state = await device();
    await state.database.write((it) => it.objectStore('enrolment').put({ ownerId: 7 }, 'enrolment'));
    await expect(state.enrolment()).rejects.toThrow(expect.objectContaining({ code: 'ERR_OWNER_HOME' }));
    state.database.close();
    await expect(state.keepPending(newTaskId(), pending('a'))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_HOME' }),
    );
    vi.stubGlobal('indexedDB', {
      open: () => {
        throw new DOMException('no', 'SecurityError');
      },
    });
    await expect(BrowserState.open()).rejects.toThrow(expect.objectContaining({ code: 'ERR_OWNER_HOME' }));
  });

  test('is durable only as long as the browser promises it, whatever it promised when the page was opened', async () => {
    const state = await device();
    expect(state.isDurable).toBe(true);
    vi.stubGlobal('navigator', { locks: navigator.locks, storage: { persisted: async () => false } });
    await state.exclusively(async () => expect(state.isDurable).toBe(false));
    await expect(state.status()).resolves.toMatchObject({ isPersistent: false });
  });
});
