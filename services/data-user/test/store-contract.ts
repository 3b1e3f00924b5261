/** What every store of the data user has to do, whatever database it is in. */

import { newTaskId, type Task, TaskId } from '@eigenveil/task';
import { Digest, OwnerId, ServiceError } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Batch, DataUserStore, PartialProduct } from '../src/store.ts';

export const taskId = TaskId.parse('t'.repeat(22));
const other = TaskId.parse('u'.repeat(22));
export const task = { id: taskId, minimumOwners: 2, maximumOwners: 3 } as Task;
export const owner = (i: number) => OwnerId.parse(`${i}`.padStart(22, '0'));
export const contribution = (i: number, bytes = `bytes ${i}`) => ({
  ownerId: owner(i),
  digest: Digest.parse(`${i}`.padStart(43, '0')),
  bytes: Buffer.from(bytes),
  record: `record ${i}`,
  receipt: `receipt ${i}`,
});
export const stored = (i: number) => {
  const { ownerId, digest, receipt } = contribution(i);
  return { ownerId, digest, receipt, withdrawn: false };
};
/** Of what insertContributions returns. */
export const codesOf = (outcomes: readonly unknown[]) =>
  outcomes.map((outcome) => (outcome instanceof ServiceError ? outcome.code : 'taken'));
export const textOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

/** Tries a store; `open` gives an empty one each time. */
export function storeContract(name: string, open: () => Promise<DataUserStore>): void {
  describe(name, () => {
    let store: DataUserStore;
    beforeEach(async () => {
      store = await open();
      await store.insertTask(task);
      await store.openTask(taskId, 'agreement');
    });
    afterEach(() => store.close());
    const insert = (...numbers: number[]) =>
      store.insertContributions(
        taskId,
        numbers.map((i) => contribution(i)),
      );
    const read = async () => (await store.task(taskId))!;
    const stateOf = async () => (await read()).state;

    test('tasks come back in pages, the one proposed last first', async () => {
      const ids = Array.from({ length: 4 }, newTaskId);
      for (const id of ids) await store.insertTask({ ...task, id });
      await insert(1, 2);
      const listed = await store.tasks(null, 9);
      expect(listed.map((it) => it.task.id)).toEqual([...ids.toReversed(), taskId]);
      expect(listed.at(-1)).toEqual({ task, state: 'open', contributions: 2 });
      expect(listed[0]).toMatchObject({ state: 'proposed', contributions: 0 });
      const page = await store.tasks(ids[3]!, 2);
      expect(page.map((it) => it.task.id)).toEqual([ids[2], ids[1]]);
      expect(await store.tasks(taskId, 9)).toEqual([]);
    });

    describe('contributions', () => {
      test('are stored once per owner; the first stays', async () => {
        expect(await insert(1)).toEqual([stored(1)]);
        const again = [
          { ...contribution(1, 'other'), receipt: 'other' },
          contribution(2),
          contribution(2, 'other'),
        ];
        expect(await store.insertContributions(taskId, again)).toEqual([stored(1), stored(2), stored(2)]);
        expect(await read()).toMatchObject({ contributions: 2, lastSequence: 2 });
        const bodies = await store.ciphertexts(taskId, 0, 9, 9);
        expect(bodies.map(({ sequence, bytes }) => [sequence, textOf(bytes)])).toEqual([
          [1, 'bytes 1'],
          [2, 'bytes 2'],
        ]);
      });

      test('are refused when the task is full, closed, cancelled or unknown, but a stored one is still given back', async () => {
        expect(codesOf(await insert(1, 2, 3, 4, 1))).toEqual([
          'taken',
          'taken',
          'taken',
          'ERR_TASK_FULL',
          'taken',
        ]);
        await store.closeTask(taskId);
        expect(codesOf(await insert(4, 2))).toEqual(['ERR_TASK_CLOSED', 'taken']);
        await store.advance(taskId, 'closed', { to: 'cancelled' });
        expect(codesOf(await insert(4, 1))).toEqual(['ERR_TASK_CANCELLED', 'taken']);
        expect((await read()).contributions).toBe(3);
        await expect(store.insertContributions(other, [contribution(1)])).rejects.toMatchObject({
          code: 'ERR_TASK_UNKNOWN',
        });
      });

      test('come back in pages, each once, without those that were withdrawn', async () => {
        await insert(3, 1, 2);
        await store.withdraw(taskId, owner(1));
        const first = await store.records(taskId, 0, 1);
        const second = await store.records(taskId, first[0]!.sequence, 5);
        expect([...first, ...second]).toEqual([
          { sequence: 1, record: 'record 3' },
          { sequence: 3, record: 'record 2' },
        ]);
        expect((await store.ciphertexts(taskId, 1, 3, 5)).map(({ bytes }) => textOf(bytes))).toEqual([
          'bytes 2',
        ]);
        expect(await store.ciphertexts(taskId, 0, 2, 5)).toHaveLength(1);
        expect(await read()).toMatchObject({ contributions: 2, lastSequence: 3 });
        expect(await store.contribution(taskId, owner(1))).toEqual({ ...stored(1), withdrawn: true });
      });

      test('that were withdrawn make room for another owner, but not for the same one', async () => {
        await insert(1, 2, 3);
        await store.withdraw(taskId, owner(1));
        await store.withdraw(taskId, owner(1));
        const [again, next] = await insert(1, 4);
        expect(again).toEqual({ ...stored(1), withdrawn: true });
        expect(next).toEqual(stored(4));
        expect(codesOf(await insert(5))).toEqual(['ERR_TASK_FULL']);
      });

      test('that are withdrawn before they come are not taken, and take no place', async () => {
        await store.withdraw(taskId, owner(1));
        await store.withdraw(taskId, owner(1));
        const mark = { ownerId: owner(1), digest: '', receipt: '', withdrawn: true };
        expect(await store.contribution(taskId, owner(1))).toEqual(mark);
        expect(await insert(1, 2, 3, 4)).toEqual([mark, stored(2), stored(3), stored(4)]);
        expect(await store.task(taskId)).toMatchObject({ contributions: 3, lastSequence: 4 });
        expect((await store.records(taskId, 0, 9)).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
      });

      test('cannot be withdrawn once the task is closed, and not by strangers', async () => {
        await insert(1, 2);
        await store.closeTask(taskId);
        await expect(store.withdraw(taskId, owner(7))).rejects.toMatchObject({
          code: 'ERR_CONTRIBUTION_UNKNOWN',
        });
        await expect(store.withdraw(taskId, owner(1))).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
      });
    });

    describe('a batch', () => {
      const batch: Batch = { number: 0, first: 1, last: 2 };
      const product = (changes: Partial<PartialProduct> = {}): PartialProduct => ({
        batch,
        contributions: 2,
        bytes: Buffer.from('product'),
        ...changes,
      });
      const rest = product({
        batch: { number: 1, first: 3, last: 4 },
        contributions: 1,
        bytes: Buffer.from('rest'),
      });

      test('gets its partial product once, while the task is closed', async () => {
        await insert(1, 2, 3);
        expect(await store.completeBatch(taskId, product())).toBe(false);
        await store.closeTask(taskId);
        expect(await store.completeBatch(taskId, rest)).toBe(true);
        expect(await store.completeBatch(taskId, product())).toBe(true);
        expect(await store.completeBatch(taskId, product({ bytes: Buffer.from('again') }))).toBe(false);
        expect(await store.completedBatches(taskId)).toEqual([0, 1]);
        const [first] = await store.partialProducts(taskId, -1, 1);
        expect({ ...first, bytes: textOf(first!.bytes) }).toEqual({ ...product(), bytes: 'product' });
        expect(await store.partialProducts(taskId, 0, 5)).toMatchObject([
          { batch: rest.batch, contributions: 1 },
        ]);
        await store.advance(taskId, 'closed', { to: 'cancelled' });
        expect(await store.completeBatch(taskId, product({ batch: { number: 2, first: 5, last: 6 } }))).toBe(
          false,
        );
      });

      test('must be of exactly the contributions that count, or nothing of it is stored', async () => {
        await insert(1, 2, 3);
        await store.withdraw(taskId, owner(2));
        await store.closeTask(taskId);
        await expect(store.completeBatch(taskId, product())).rejects.toThrow(
          'expected 2 contributions to mark, got 1',
        );
        expect(await store.completedBatches(taskId)).toEqual([]);
        expect(await store.completeBatch(taskId, product({ contributions: 1 }))).toBe(true);
      });

      test('cannot take a contribution that another one has', async () => {
        await insert(1, 2, 3);
        await store.closeTask(taskId);
        await store.completeBatch(taskId, product());
        const overlapping = product({ batch: { number: 1, first: 2, last: 3 } });
        await expect(store.completeBatch(taskId, overlapping)).rejects.toThrow('to mark, got 1');
      });

      test('may be of no contribution at all', async () => {
        await insert(1, 2, 3);
        await store.withdraw(taskId, owner(3));
        await store.closeTask(taskId);
        expect(await store.completeBatch(taskId, { ...rest, contributions: 0, bytes: null })).toBe(true);
        expect(await store.partialProducts(taskId, -1, 5)).toEqual([
          { ...rest, contributions: 0, bytes: null },
        ]);
      });
    });

    describe('a task', () => {
      test('closes only with its minimum of contributions, and then stays closed', async () => {
        await insert(1);
        await expect(store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
        expect(await stateOf()).toBe('open');
        await insert(2);
        await store.withdraw(taskId, owner(1));
        await expect(store.closeTask(taskId)).rejects.toMatchObject({ code: 'ERR_MINIMUM_OWNERS' });
        await insert(3);
        await store.closeTask(taskId);
        await store.closeTask(taskId);
        expect(await stateOf()).toBe('closed');
        await expect(store.closeTask(other)).rejects.toMatchObject({ code: 'ERR_TASK_UNKNOWN' });
      });

      test('moves on from the state it is in, and from no other', async () => {
        expect(await store.advance(taskId, 'closed', { to: 'blinded' })).toBe(false);
        expect(await stateOf()).toBe('open');
      });

      test('keeps what a stage left and adds up its timings, until it is final', async () => {
        await insert(1, 2);
        await store.closeTask(taskId);
        const [sealedBlinding, blinded] = [Buffer.from('blinding'), Buffer.from('blinded')];
        const timing = { stage: 'aggregate', milliseconds: 2 };
        await store.advance(taskId, 'closed', { to: 'blinded', sealedBlinding, blinded, timing });
        await store.advance(taskId, 'blinded', { to: 'unblinded', timing });
        const between = await read();
        expect(textOf(between.sealedBlinding)).toBe('blinding');
        expect(textOf(between.blinded)).toBe('blinded');
        expect(between.timings).toEqual({ aggregate: 4 });
        await store.advance(taskId, 'unblinded', { to: 'done', projection: 'projection' });
        expect(await read()).toMatchObject({
          state: 'done',
          sealedBlinding: null,
          blinded: null,
          projection: 'projection',
        });
      });

      test('keeps what gets known of its provenance; the projection of one that has not come to it is destroyed', async () => {
        await insert(1, 2);
        await store.closeTask(taskId);
        const projectionDigest = Digest.parse('d'.repeat(43));
        await store.advance(taskId, 'closed', { to: 'unblinded', provenance: { statement: 'statement' } });
        await store.advance(taskId, 'unblinded', {
          to: 'decomposed',
          projection: 'projection',
          provenance: { projectionDigest },
        });
        expect(await read()).toMatchObject({
          projection: 'projection',
          provenance: { statement: 'statement', projectionDigest },
        });
        await store.advance(taskId, 'decomposed', { to: 'cancelled' });
        expect(await read()).toMatchObject({ projection: null, provenance: { projectionDigest } });
      });

      test('gives the contributions that count in the order of their owners, also when it is over', async () => {
        await insert(3, 1, 2);
        await store.withdraw(taskId, owner(2));
        await insert(4);
        const of = async (...page: [OwnerId | '', number]) =>
          (await store.contributions(taskId, ...page)).map(({ ownerId }) => ownerId);
        expect(await of('', 9)).toEqual([1, 3, 4].map(owner));
        expect(await of('', 2)).toEqual([1, 3].map(owner));
        expect(await of(owner(1), 9)).toEqual([3, 4].map(owner));
        await store.advance(taskId, 'open', { to: 'cancelled' });
        while (await store.eraseContributions(taskId, 9));
        expect(await store.contributions(taskId, owner(3), 9)).toEqual([
          { ownerId: owner(4), contributionDigest: stored(4).digest },
        ]);
      });

      test('has what is sealed changed in place, unless it is destroyed meanwhile', async () => {
        await insert(1, 2);
        await store.closeTask(taskId);
        await store.advance(taskId, 'closed', { to: 'blinded', sealedBlinding: Buffer.from('old') });
        const places: string[] = [];
        const note = (place: string, sealed: Uint8Array) => {
          places.push(`${place} ${textOf(sealed)}`);
          return sealed;
        };
        expect(await store.reseal(note)).toBe(0);
        expect(await store.reseal(() => Buffer.from('new'))).toBe(1);
        expect(textOf((await read()).sealedBlinding)).toBe('new');
        await store.advance(taskId, 'blinded', { to: 'cancelled' });
        expect(await store.reseal(note)).toBe(0);
        expect(places).toEqual([`data-user/tasks/${taskId}/blinding old`]);
      });

      test('is unfinished until it is final and the CSP knows, except while it is open', async () => {
        await store.insertTask({ ...task, id: other });
        expect(await store.unfinishedTasks()).toEqual([other]);
        await store.advance(other, 'proposed', { to: 'failed' });
        await store.markEndedAtCsp(other);
        expect(await store.unfinishedTasks()).toEqual([]);
        await insert(1, 2);
        await store.closeTask(taskId);
        expect(await store.unfinishedTasks()).toEqual([taskId]);
        await store.advance(taskId, 'closed', { to: 'cancelled' });
        expect(await store.unfinishedTasks()).toEqual([taskId]);
        await store.markEndedAtCsp(taskId);
        expect(await store.unfinishedTasks()).toEqual([]);
      });

      test('tells what it does, and counts its faults', async () => {
        const waiting = { code: 'ERR_INTERNAL', message: 'internal error' } as const;
        await store.setActivity(taskId, { waiting });
        expect((await read()).activity).toEqual({ waiting });
        expect([await store.addFault(taskId), await store.addFault(taskId)]).toEqual([1, 2]);
        expect((await read()).faults).toBe(2);
        await insert(1, 2);
        await store.closeTask(taskId);
        await store.advance(taskId, 'closed', { to: 'blinded' });
        expect((await read()).activity).toEqual({});
      });

      test('remembers how far the records were sent, and never less', async () => {
        expect((await read()).recordsSent).toBe(0);
        await store.noteRecordsSent(taskId, 7);
        await store.noteRecordsSent(taskId, 5);
        expect((await read()).recordsSent).toBe(7);
      });

      test('is opened once, and only if nobody has given it up', async () => {
        expect(await store.openTask(taskId, 'another agreement')).toBe(false);
        expect((await read()).agreement).toBe('agreement');
        const other = newTaskId();
        await store.insertTask({ ...task, id: other });
        await store.advance(other, 'proposed', { to: 'failed' });
        expect(await store.openTask(other, 'agreement')).toBe(false);
        expect((await store.task(other))!.state).toBe('failed');
      });

      test('tells nothing that comes when it is over for good', async () => {
        const waiting = { code: 'ERR_INTERNAL', message: 'internal error' } as const;
        await store.advance(taskId, 'open', { to: 'cancelled' });
        await store.setActivity(taskId, { waiting });
        expect((await read()).activity).toEqual({ waiting });
        await store.markEndedAtCsp(taskId);
        await store.setActivity(taskId, { waiting });
        expect((await read()).activity).toEqual({});
      });

      test('is erased piece by piece once it is final; who has contributed stays known', async () => {
        await insert(1, 2, 3);
        await expect(store.eraseContributions(taskId, 2)).rejects.toThrow('expected a final task, got open');
        await store.closeTask(taskId);
        const batch = { number: 0, first: 1, last: 256 };
        await store.completeBatch(taskId, { batch, contributions: 3, bytes: Buffer.from('product') });
        await store.advance(taskId, 'closed', { to: 'cancelled' });
        expect(await store.eraseContributions(taskId, 2)).toBe(true);
        expect(await store.records(taskId, 0, 9)).toHaveLength(1);
        while (await store.eraseContributions(taskId, 2));
        expect(await store.records(taskId, 0, 9)).toEqual([]);
        expect(await store.ciphertexts(taskId, 0, 9, 9)).toEqual([]);
        expect(await store.partialProducts(taskId, -1, 9)).toEqual([]);
        expect(await store.contribution(taskId, owner(1))).toEqual(stored(1));
      });
    });

    test('whatever owners do, those who count are counted', async () => {
      const operation = fc.record({
        withdraws: fc.boolean(),
        owners: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
          const id = newTaskId();
          await store.insertTask({ ...task, id, maximumOwners: 4 });
          await store.openTask(id, 'agreement');
          const counted = new Map<number, boolean>();
          const count = () => [...counted.values()].filter(Boolean).length;
          for (const { withdraws, owners } of operations) {
            if (!withdraws) {
              const outcomes = codesOf(
                await store.insertContributions(
                  id,
                  owners.map((i) => contribution(i)),
                ),
              );
              for (const [i, number] of owners.entries()) {
                const isTaken = counted.has(number) || count() < 4;
                expect(outcomes[i]).toBe(isTaken ? 'taken' : 'ERR_TASK_FULL');
                if (isTaken && !counted.has(number)) counted.set(number, true);
              }
            } else {
              for (const number of owners) {
                await store.withdraw(id, owner(number));
                counted.set(number, false);
              }
            }
          }
          expect(await store.task(id)).toMatchObject({ contributions: count(), lastSequence: counted.size });
          const expected = [...counted].filter(([, counts]) => counts).map(([number]) => number);
          expect((await store.records(id, 0, 99)).map(({ record }) => record)).toEqual(
            expected.map((number) => `record ${number}`),
          );
          expect((await store.ciphertexts(id, 0, 99, 99)).map(({ bytes }) => textOf(bytes))).toEqual(
            expected.map((number) => `bytes ${number}`),
          );
        }),
      );
    });
  });
}
