import { nextEntry } from '@eigenveil/data-owner/portable';
import { newTaskId } from '@eigenveil/task';
import { Encrypter } from 'age-encryption';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { leave, makeKey, restore } from '../../src/owner/backup.ts';
import type { Database } from '../../src/owner/database.ts';
import { STORES } from '../../src/owner/database.ts';
import { BrowserState } from '../../src/owner/state.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { newDevice, withIndexedDb } from '../support/indexed-db.ts';

withIndexedDb();

const PASSPHRASE = 'correct horse battery staple';
const TASKS = [newTaskId(), newTaskId(), newTaskId()] as const;

/** Every store with all that is in it. */
function contents(database: Database): Promise<unknown> {
  return database.read((it) =>
    Promise.all(
      STORES.map(async (store) => [
        store,
        await it.objectStore(store).getAllKeys(),
        await it.objectStore(store).getAll(),
      ]),
    ),
  );
}

beforeEach(() => {
  const storage = { persisted: async () => true };
  vi.stubGlobal('navigator', { locks: navigator.locks, storage });
  onTestFinished(cheapScrypt());
});

/** An owner that has used its device for everything that it must not forget. */
async function usedDevice() {
  const database = await newDevice();
  const backup = (await makeKey(database, PASSPHRASE))!;
  const state = await BrowserState.open(database);
  const { publicJwk } = await state.signingKey();
  await state.saveEnrolment({
    ownerId: newTaskId() as never,
    ownerToken: 'token',
    cspKey: publicJwk,
    csp: { url: 'https://csp.example.org' },
  });
  await state.savePolicy({ ...(await state.policy()), minimumOwners: 7 });
  await state.keepPending(TASKS[0], {
    record: 'record',
    bytes: new Uint8Array([1, 2, 255]),
    dataDigest: 'd',
  });
  await state.saveReceipt(TASKS[1], 'receipt');
  await state.keepWithdrawal(TASKS[1], 'begun');
  await state.keepWithdrawal(TASKS[2], 'confirmed');
  const shown = { title: 'Größe der Herzen', deadline: '2031-01-01T00:00:00Z', releaseToOwners: true };
  await state.addTask(TASKS[0], 'https://user.example.org', shown);
  const event = { kind: 'answer', taskId: TASKS[0], by: 'others', group: TASKS[0], part: '1/2' } as const;
  await state.addToLedger(nextEntry([], 'rows', event), 0);
  for (const [before, taskId] of TASKS.entries())
    await state.series.keep(before, {
      ...{ seriesId: TASKS[0], number: before, taskId, epsilon: null, at: '2031-01-01T00:00:00.000Z' },
      ...{ taskDigest: 'A'.repeat(43) as never, parametersDigest: 'B'.repeat(43) as never },
    });
  const digest = await state.digestOfData(TASKS[0], [5n]);
  return { database, backup, state, digest };
}

describe('an owner that moves', () => {
  test('is on the new device with all that it must not forget, and on the old one no more', async () => {
    const { database, backup, state, digest } = await usedDevice();
    const transfer = await leave(database, backup, PASSPHRASE);
    const there = await newDevice();
    await restore(there, backup, transfer, PASSPHRASE);
    const moved = await BrowserState.open(there);

    expect((await moved.status()).thumbprint).toBe((await state.status()).thumbprint);
    expect((await moved.signingKey()).privateKey.extractable).toBe(false);
    await expect(moved.enrolment()).resolves.toEqual(await state.enrolment());
    await expect(moved.policy()).resolves.toMatchObject({ minimumOwners: 7 });
    await expect(moved.pending(TASKS[0])).resolves.toEqual({
      record: 'record',
      bytes: new Uint8Array([1, 2, 255]),
      dataDigest: 'd',
    });
    await expect(moved.receipt(TASKS[1])).resolves.toBe('receipt');
    await expect(moved.withdrawal(TASKS[1])).resolves.toBe('begun');
    await expect(moved.withdrawal(TASKS[2])).resolves.toBe('confirmed');
    await expect(moved.digestOfData(TASKS[0], [5n])).resolves.toBe(digest);
    await expect(moved.tasks()).resolves.toEqual(await state.tasks());
    expect(await moved.ledger()).toEqual(await state.ledger());
    expect(await moved.ledger()).toHaveLength(1);
    expect(await moved.series.entries(TASKS[0])).toEqual(await state.series.entries(TASKS[0]));
    expect(await moved.series.entries(TASKS[0])).toHaveLength(3);
    expect([moved.isDurable, (await moved.status()).movedAt]).toEqual([true, null]);

    const refused = expect.objectContaining({ code: 'ERR_OWNER_MOVED' });
    await expect(state.signingKey()).rejects.toThrow(refused);
    await expect(
      state.keepPending(TASKS[2], { record: '', bytes: new Uint8Array(), dataDigest: '' }),
    ).rejects.toThrow(refused);
    await expect(state.discardPending(TASKS[0])).rejects.toThrow(refused);
    await expect(state.keepWithdrawal(TASKS[0], 'begun')).rejects.toThrow(refused);
    await expect(state.savePolicy(await state.policy())).rejects.toThrow(refused);
    await expect(state.receipt(TASKS[1])).resolves.toBe('receipt');
    await expect(makeKey(database, null)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_EXISTS' }),
    );
  });

  test('is marked before there is a file, which can be made again', async () => {
    const { database, backup, state } = await usedDevice();
    const encrypt = vi
      .spyOn(Encrypter.prototype, 'encrypt')
      .mockRejectedValueOnce(new Error('the page is closed here'));
    await expect(leave(database, backup, PASSPHRASE)).rejects.toThrow('closed here');
    encrypt.mockRestore();
    const { movedAt } = await state.status();
    expect(movedAt).not.toBeNull();
    const again = await leave(database, backup, PASSPHRASE);
    const there = await newDevice();
    await restore(there, backup, again, PASSPHRASE);
    await expect((await BrowserState.open(there)).pending(TASKS[0])).resolves.toBeDefined();
    expect((await state.status()).movedAt).toBe(movedAt);
  });

  test('stays where it is when the backup is another or the passphrase wrong', async () => {
    const { database, backup } = await usedDevice();
    const before = await contents(database);
    const foreign = (await makeKey(await newDevice(), PASSPHRASE))!;
    for (const [file, passphrase, code] of [
      [foreign, PASSPHRASE, 'ERR_BACKUP_INVALID'],
      [backup, 'incorrect horse battery staple', 'ERR_PASSPHRASE'],
      [backup.slice(0, -30), PASSPHRASE, 'ERR_BACKUP_INVALID'],
    ] as const)
      await expect(leave(database, file, passphrase)).rejects.toThrow(expect.objectContaining({ code }));
    await expect(contents(database)).resolves.toEqual(before);
  });

  test('comes once, whole or not at all', async () => {
    const { database, backup } = await usedDevice();
    const transfer = await leave(database, backup, PASSPHRASE);
    const other = await usedDevice();
    const foreign = await leave(other.database, other.backup, PASSPHRASE);
    const there = await newDevice();
    for (const [file, beside, passphrase, code, at] of [
      [backup, transfer, 'incorrect horse battery staple', 'ERR_PASSPHRASE', 'passphrase'],
      [backup, transfer.slice(0, -30), PASSPHRASE, 'ERR_BACKUP_INVALID', 'transfer'],
      [backup, foreign, PASSPHRASE, 'ERR_BACKUP_INVALID', 'transfer'],
      [transfer, backup, PASSPHRASE, 'ERR_BACKUP_INVALID', 'backup'],
      [backup, backup, PASSPHRASE, 'ERR_BACKUP_INVALID', 'transfer'],
    ] as const)
      await expect(restore(there, file, beside, passphrase)).rejects.toThrow(
        expect.objectContaining({ code, faults: [expect.objectContaining({ path: [at] })] }),
      );
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      value,
      key,
    ) {
      if (this.name === 'withdrawals') throw new DOMException('the disk is full', 'QuotaExceededError');
      return this.add(value, key);
    });
    await expect(restore(there, backup, transfer, PASSPHRASE)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_HOME' }),
    );
    put.mockRestore();
    await expect(contents(there)).resolves.toEqual(STORES.map((store) => [store, [], []]));

    await restore(there, backup, transfer, PASSPHRASE);
    const after = await contents(there);
    await expect(restore(there, backup, transfer, PASSPHRASE)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_EXISTS' }),
    );
    await expect(restore(database, backup, transfer, PASSPHRASE)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_EXISTS' }),
    );
    await expect(contents(there)).resolves.toEqual(after);
  });

  test('with the backup alone does not know what it has contributed, and so is not durable', async () => {
    const { backup } = await usedDevice();
    const there = await newDevice();
    await restore(there, backup, null, PASSPHRASE);
    const state = await BrowserState.open(there);
    expect([state.isDurable, (await state.status()).isBare]).toEqual([false, true]);
    // Nor on the device after it.
    const transfer = await leave(there, backup, PASSPHRASE);
    const next = await newDevice();
    await restore(next, backup, transfer, PASSPHRASE);
    expect((await BrowserState.open(next)).isDurable).toBe(false);
  });

  test('needs a backup under a passphrase that is hard to guess, before there is a key', async () => {
    const database = await newDevice();
    await expect(makeKey(database, 'password')).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_PASSPHRASE_WEAK' }),
    );
    await expect((await BrowserState.open(database)).status()).resolves.toMatchObject({ thumbprint: null });
    const backup = await makeKey(database, PASSPHRASE);
    const { thumbprint } = await (await BrowserState.open(database)).status();
    const there = await newDevice();
    await restore(there, backup!, null, PASSPHRASE);
    expect((await (await BrowserState.open(there)).status()).thumbprint).toBe(thumbprint);
  });

  test('is of the key that the device has, also if another tab makes one, too', async () => {
    const database = await newDevice();
    const made = await Promise.allSettled([makeKey(database, PASSPHRASE), makeKey(database, PASSPHRASE)]);
    const [backup] = made.flatMap((it) => (it.status === 'fulfilled' ? [it.value!] : []));
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(makeKey(database, null)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_OWNER_EXISTS' }),
    );
    await leave(database, backup!, PASSPHRASE);
  });
});
