/** The part of the stores' contract about revoked owners: whom the CSP has revoked, whose contributions go, and the set of records that stays. */
import { digestBytes, type TaskState } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import type { Fixation } from '../../src/store/store.ts';
import { codesOf, contribution, other, owner, type Tested, task, taskId, textOf } from './tested.ts';

const at = (minute: number) => `2026-01-10T00:0${minute}:00.000Z`;
const ASKED: Fixation = { verifiedOwners: 2, contributionsRoot: digestBytes('root'), isFixed: false };
const FIXED: Fixation = { ...ASKED, isFixed: true };

export function revocationsContract(tested: Tested): void {
  const revoke = (...numbers: number[]) =>
    tested.store.keepRevocations({ number: 1, issuedAt: at(0) }, numbers.map(owner));
  const sequences = async () => (await tested.store.records(taskId, 0, 9)).map(({ sequence }) => sequence);

  describe('the list of revoked owners', () => {
    test('is the newest, whichever comes last; of one number that which was signed last', async () => {
      expect(await tested.store.revocations()).toBeUndefined();
      const number = 2 ** 53 - 1; // the largest there is
      for (const list of [
        { number: 7, issuedAt: at(5) },
        { number: 6, issuedAt: at(9) },
        { number: 7, issuedAt: at(4) },
      ])
        await tested.store.keepRevocations(list, []);
      expect(await tested.store.revocations()).toEqual({ number: 7, issuedAt: at(5) });
      await tested.store.keepRevocations({ number: 7, issuedAt: at(6) }, []);
      expect(await tested.store.revocations()).toEqual({ number: 7, issuedAt: at(6) });
      await tested.store.keepRevocations({ number, issuedAt: at(1) }, []);
      expect(await tested.store.revocations()).toEqual({ number, issuedAt: at(1) });
    });

    test('lets nobody back whom an earlier one has revoked', async () => {
      expect(await revoke(1, 2)).toBe(2);
      expect(await tested.store.keepRevocations({ number: 2, issuedAt: at(1) }, [owner(2), owner(3)])).toBe(
        1,
      );
      const revoked = await Promise.all([1, 2, 3, 4].map((i) => tested.store.isRevoked(owner(i))));
      expect(revoked).toEqual([true, true, true, false]);
    });
  });

  describe('a revoked owner', () => {
    test('is not let in, though its contribution was checked before, and takes no place', async () => {
      await revoke(1);
      expect(codesOf(await tested.insert(1, 2, 3, 4))).toEqual([
        'ERR_OWNER_REVOKED',
        'taken',
        'taken',
        'taken',
      ]);
      expect(await tested.read()).toMatchObject({ contributions: 3, lastSequence: 3 });
      expect(await sequences()).toEqual([1, 2, 3]);
    });

    test('gets no receipt again', async () => {
      await tested.insert(1);
      await revoke(1);
      expect(codesOf(await tested.insert(1))).toEqual(['ERR_OWNER_REVOKED']);
    });

    test('is dropped from a task that is open, for good, with its ciphertexts and its record', async () => {
      await tested.insert(1, 2, 3);
      await revoke(2, 9);
      expect(await tested.store.tasksWithRevoked()).toEqual([taskId]);
      expect(await tested.store.dropRevoked(taskId)).toBe(1);
      expect(await tested.read()).toMatchObject({ contributions: 2, lastSequence: 3 });
      expect(await sequences()).toEqual([1, 3]);
      const bodies = await tested.store.ciphertexts(taskId, 0, 9, 9);
      expect(bodies.map(({ bytes }) => textOf(bytes))).toEqual(['bytes 1', 'bytes 3']);
      expect((await tested.store.contributions(taskId, '', 9)).map(({ ownerId }) => ownerId)).toEqual([
        owner(1),
        owner(3),
      ]);
      expect(await tested.store.tasksWithRevoked()).toEqual([]);
      expect(await tested.store.dropRevoked(taskId)).toBe(0);
    });

    test('leaves a task with too few, which stays open', async () => {
      await tested.insert(1, 2);
      await revoke(2);
      await tested.store.dropRevoked(taskId);
      await expect(tested.store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
      expect((await tested.read()).state).toBe('open');
    });

    test('takes the partial products with it that it was in; others stay', async () => {
      await tested.insert(1, 2, 3);
      await tested.store.closeTask(taskId);
      for (const [number, first, last] of [
        [0, 1, 2],
        [1, 3, 3],
      ] as const) {
        const product = {
          batch: { number, first, last },
          contributions: last - first + 1,
          bytes: Buffer.of(number),
        };
        expect(await tested.store.completeBatch(taskId, product)).toBe(true);
      }
      await revoke(2);
      expect(await tested.store.dropRevoked(taskId)).toBe(1);
      expect(await tested.store.completedBatches(taskId)).toEqual([1]);
      const again = { batch: { number: 0, first: 1, last: 2 }, contributions: 1, bytes: Buffer.of(7) };
      expect(await tested.store.completeBatch(taskId, again)).toBe(true);
      const products = await tested.store.partialProducts(taskId, -1, 9);
      expect(products.map(({ contributions, bytes }) => [contributions, bytes![0]])).toEqual([
        [1, 7],
        [1, 1],
      ]);
    });

    test('does not leave other tasks', async () => {
      await tested.store.insertTask({ ...task, id: other });
      await tested.store.openTask(other, 'agreement');
      await tested.store.insertContributions(other, [contribution(1)]);
      await tested.insert(2);
      await revoke(1);
      expect(await tested.store.tasksWithRevoked()).toEqual([other]);
      expect(await tested.store.dropRevoked(taskId)).toBe(0);
      expect(await tested.store.dropRevoked(other)).toBe(1);
    });
  });

  describe('the set of records', () => {
    const closed = async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
    };

    test('is asked for and fixed once, from what stands there', async () => {
      await closed();
      expect((await tested.read()).fixation).toBeNull();
      expect(await tested.store.setFixation(taskId, ASKED, FIXED)).toBe(false);
      expect(await tested.store.setFixation(taskId, null, ASKED)).toBe(true);
      expect(await tested.store.setFixation(taskId, null, ASKED)).toBe(false);
      expect(await tested.store.setFixation(taskId, ASKED, FIXED)).toBe(true);
      expect((await tested.read()).fixation).toEqual(FIXED);
      expect((await tested.store.watched(taskId))!.fixation).toEqual(FIXED);
      expect(await tested.store.setFixation(taskId, ASKED, null)).toBe(false);
    });

    test('may be given up when it was refused', async () => {
      await closed();
      await tested.store.setFixation(taskId, null, ASKED);
      expect(await tested.store.setFixation(taskId, ASKED, null)).toBe(true);
      expect((await tested.read()).fixation).toBeNull();
    });

    test('is of as many as there are, and of a closed task', async () => {
      await tested.insert(1, 2);
      expect(await tested.store.setFixation(taskId, null, ASKED)).toBe(false);
      await tested.store.closeTask(taskId);
      expect(await tested.store.setFixation(taskId, null, { ...ASKED, verifiedOwners: 3 })).toBe(false);
    });

    test.each([
      ['may be fixed', ASKED],
      ['is fixed', FIXED],
    ])('that %s loses nobody', async (_, fixation) => {
      await closed();
      await tested.store.setFixation(taskId, null, fixation);
      await revoke(1);
      expect(await tested.store.tasksWithRevoked()).toEqual([]);
      expect(await tested.store.dropRevoked(taskId)).toBe(0);
      expect((await tested.read()).contributions).toBe(2);
    });

    test.each<TaskState>(['blinded', 'unblinded', 'decomposed', 'done', 'failed', 'cancelled'])(
      'of a task that is %s loses nobody',
      async (state) => {
        await closed();
        await tested.store.advance(taskId, 'closed', { to: state });
        await revoke(1);
        expect(await tested.store.tasksWithRevoked()).toEqual([]);
        expect(await tested.store.dropRevoked(taskId)).toBe(0);
      },
    );
  });
}
