/** The part of the stores' contract about contributions, withdrawn ones too, and the batches in which they are multiplied. */
import { newTaskId } from '@eigenveil/task';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Batch, PartialProduct } from '../../src/store/store.ts';
import { codesOf, contribution, other, owner, stored, type Tested, task, taskId, textOf } from './tested.ts';

export function contributionsContract(tested: Tested): void {
  describe('contributions', () => {
    test('are stored once per owner; the first stays', async () => {
      expect(await tested.insert(1)).toEqual([stored(1)]);
      const again = [
        { ...contribution(1, 'other'), receipt: 'other' },
        contribution(2),
        contribution(2, 'other'),
      ];
      expect(await tested.store.insertContributions(taskId, again)).toEqual([
        stored(1),
        stored(2),
        stored(2),
      ]);
      expect(await tested.read()).toMatchObject({ contributions: 2, lastSequence: 2 });
      const bodies = await tested.store.ciphertexts(taskId, 0, 9, 9);
      expect(bodies.map(({ sequence, bytes }) => [sequence, textOf(bytes)])).toEqual([
        [1, 'bytes 1'],
        [2, 'bytes 2'],
      ]);
    });

    test('are refused when the task is full, closed, cancelled or unknown, but a stored one is still given back', async () => {
      expect(codesOf(await tested.insert(1, 2, 3, 4, 1))).toEqual([
        'taken',
        'taken',
        'taken',
        'ERR_TASK_FULL',
        'taken',
      ]);
      await tested.store.closeTask(taskId);
      expect(codesOf(await tested.insert(4, 2))).toEqual(['ERR_TASK_CLOSED', 'taken']);
      await tested.store.advance(taskId, 'closed', { to: 'cancelled' });
      expect(codesOf(await tested.insert(4, 1))).toEqual(['ERR_TASK_CANCELLED', 'taken']);
      expect((await tested.read()).contributions).toBe(3);
      await expect(tested.store.insertContributions(other, [contribution(1)])).rejects.toMatchObject({
        code: 'ERR_TASK_UNKNOWN',
      });
    });

    test('come back in pages, each once, without those that were withdrawn', async () => {
      await tested.insert(3, 1, 2);
      await tested.store.withdraw(taskId, owner(1));
      const first = await tested.store.records(taskId, 0, 1);
      const second = await tested.store.records(taskId, first[0]!.sequence, 5);
      expect([...first, ...second]).toEqual([
        { sequence: 1, record: 'record 3' },
        { sequence: 3, record: 'record 2' },
      ]);
      expect((await tested.store.ciphertexts(taskId, 1, 3, 5)).map(({ bytes }) => textOf(bytes))).toEqual([
        'bytes 2',
      ]);
      expect(await tested.store.ciphertexts(taskId, 0, 2, 5)).toHaveLength(1);
      expect(await tested.read()).toMatchObject({ contributions: 2, lastSequence: 3 });
      expect(await tested.store.contribution(taskId, owner(1))).toEqual({ ...stored(1), withdrawn: true });
    });

    test('that were withdrawn make room for another owner, but not for the same one', async () => {
      await tested.insert(1, 2, 3);
      await tested.store.withdraw(taskId, owner(1));
      await tested.store.withdraw(taskId, owner(1));
      const [again, next] = await tested.insert(1, 4);
      expect(again).toEqual({ ...stored(1), withdrawn: true });
      expect(next).toEqual(stored(4));
      expect(codesOf(await tested.insert(5))).toEqual(['ERR_TASK_FULL']);
    });

    test('that are withdrawn before they come are not taken, and take no place', async () => {
      await tested.store.withdraw(taskId, owner(1));
      await tested.store.withdraw(taskId, owner(1));
      const mark = { ownerId: owner(1), digest: '', receipt: '', withdrawn: true };
      expect(await tested.store.contribution(taskId, owner(1))).toEqual(mark);
      expect(await tested.insert(1, 2, 3, 4)).toEqual([mark, stored(2), stored(3), stored(4)]);
      expect(await tested.store.task(taskId)).toMatchObject({ contributions: 3, lastSequence: 4 });
      expect((await tested.store.records(taskId, 0, 9)).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
    });

    test('cannot be withdrawn once the task is closed, and not by strangers', async () => {
      await tested.insert(1, 2);
      await tested.store.closeTask(taskId);
      await expect(tested.store.withdraw(taskId, owner(7))).rejects.toMatchObject({
        code: 'ERR_CONTRIBUTION_UNKNOWN',
      });
      await expect(tested.store.withdraw(taskId, owner(1))).rejects.toMatchObject({
        code: 'ERR_TASK_CLOSED',
      });
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
      await tested.insert(1, 2, 3);
      expect(await tested.store.completeBatch(taskId, product())).toBe(false);
      await tested.store.closeTask(taskId);
      expect(await tested.store.completeBatch(taskId, rest)).toBe(true);
      expect(await tested.store.completeBatch(taskId, product())).toBe(true);
      expect(await tested.store.completeBatch(taskId, product({ bytes: Buffer.from('again') }))).toBe(false);
      expect(await tested.store.completedBatches(taskId)).toEqual([0, 1]);
      const [first] = await tested.store.partialProducts(taskId, -1, 1);
      expect({ ...first, bytes: textOf(first!.bytes) }).toEqual({ ...product(), bytes: 'product' });
      expect(await tested.store.partialProducts(taskId, 0, 5)).toMatchObject([
        { batch: rest.batch, contributions: 1 },
      ]);
      await tested.store.advance(taskId, 'closed', { to: 'cancelled' });
      expect(
        await tested.store.completeBatch(taskId, product({ batch: { number: 2, first: 5, last: 6 } })),
      ).toBe(false);
    });

    test('must be of exactly the contributions that count, or nothing of it is stored', async () => {
      await tested.insert(1, 2, 3);
      await tested.store.withdraw(taskId, owner(2));
      await tested.store.closeTask(taskId);
      await expect(tested.store.completeBatch(taskId, product())).rejects.toThrow(
        'expected 2 contributions to mark, got 1',
      );
      expect(await tested.store.completedBatches(taskId)).toEqual([]);
      expect(await tested.store.completeBatch(taskId, product({ contributions: 1 }))).toBe(true);
    });

    test('cannot take a contribution that another one has', async () => {
      await tested.insert(1, 2, 3);
      await tested.store.closeTask(taskId);
      await tested.store.completeBatch(taskId, product());
      const overlapping = product({ batch: { number: 1, first: 2, last: 3 } });
      await expect(tested.store.completeBatch(taskId, overlapping)).rejects.toThrow('to mark, got 1');
    });

    test('may be of no contribution at all', async () => {
      await tested.insert(1, 2, 3);
      await tested.store.withdraw(taskId, owner(3));
      await tested.store.closeTask(taskId);
      expect(await tested.store.completeBatch(taskId, { ...rest, contributions: 0, bytes: null })).toBe(true);
      expect(await tested.store.partialProducts(taskId, -1, 5)).toEqual([
        { ...rest, contributions: 0, bytes: null },
      ]);
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
        await tested.store.insertTask({ ...task, id, maximumOwners: 4 });
        await tested.store.openTask(id, 'agreement');
        const counted = new Map<number, boolean>();
        const count = () => [...counted.values()].filter(Boolean).length;
        for (const { withdraws, owners } of operations) {
          if (!withdraws) {
            const outcomes = codesOf(
              await tested.store.insertContributions(
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
              await tested.store.withdraw(id, owner(number));
              counted.set(number, false);
            }
          }
        }
        expect(await tested.store.task(id)).toMatchObject({
          contributions: count(),
          lastSequence: counted.size,
        });
        const expected = [...counted].filter(([, counts]) => counts).map(([number]) => number);
        expect(await tested.store.arrivals(id, 99)).toEqual(
          expected.map((number, i) => ({ receipt: `receipt ${number}`, contributions: i + 1 })),
        );
        expect((await tested.store.records(id, 0, 99)).map(({ record }) => record)).toEqual(
          expected.map((number) => `record ${number}`),
        );
        expect((await tested.store.ciphertexts(id, 0, 99, 99)).map(({ bytes }) => textOf(bytes))).toEqual(
          expected.map((number) => `bytes ${number}`),
        );
      }),
      { numRuns: tested.runs },
    );
  });

  test('owners come in the order in which they were stored, page by page, those who withdrew among them', async () => {
    await tested.insert(3, 1);
    await tested.store.withdraw(taskId, owner(2)); // before a contribution came
    await tested.store.withdraw(taskId, owner(3));
    await tested.insert(4);
    const all = [
      { sequence: 1, ownerId: owner(3), receipt: 'receipt 3', withdrawn: true },
      { sequence: 2, ownerId: owner(1), receipt: 'receipt 1', withdrawn: false },
      { sequence: 3, ownerId: owner(2), receipt: '', withdrawn: true },
      { sequence: 4, ownerId: owner(4), receipt: 'receipt 4', withdrawn: false },
    ];
    expect(await tested.store.owners(taskId, 0, 9)).toEqual(all);
    expect(await tested.store.owners(taskId, 1, 2)).toEqual(all.slice(1, 3));
    expect(await tested.store.owners(other, 0, 9)).toEqual([]);
  });

  test('arrivals are thinned out evenly, and the first and the last stay', async () => {
    const id = newTaskId();
    await tested.store.insertTask({ ...task, id, maximumOwners: 1000 });
    await tested.store.openTask(id, 'agreement');
    expect(await tested.store.arrivals(id, 5)).toEqual([]);
    await tested.store.insertContributions(
      id,
      Array.from({ length: 20 }, (_, i) => contribution(i)),
    );
    for (const i of [0, 7, 8, 9, 19]) await tested.store.withdraw(id, owner(i));
    await tested.store.withdraw(id, owner(99));
    const counting = Array.from({ length: 20 }, (_, i) => i).filter((i) => ![0, 7, 8, 9, 19].includes(i));
    const at = (rank: number) => ({ receipt: `receipt ${counting[rank - 1]}`, contributions: rank });
    expect(await tested.store.arrivals(id, 3)).toEqual([1, 8, 15].map(at));
    expect(await tested.store.arrivals(id, 8)).toEqual([1, 3, 5, 7, 9, 11, 13, 15].map(at));
    expect(await tested.store.arrivals(id, 15)).toEqual(counting.map((_, i) => at(i + 1)));
    expect(await tested.store.arrivals(id, 1)).toEqual([at(15)]);
    expect(await tested.store.arrivals(other, 5)).toEqual([]);
  });

  test('refused uploads are added up by code, and those of no task are dropped', async () => {
    const [earlier, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    const refused = (code: 'ERR_TASK_FULL' | 'ERR_RECORD_INVALID', count: number, lastAt: string) => ({
      taskId,
      code,
      count,
      lastAt,
    });
    expect((await tested.store.watched(taskId))!.refused).toEqual([]);
    await tested.store.addRefused([
      refused('ERR_TASK_FULL', 2, later),
      refused('ERR_RECORD_INVALID', 4, earlier),
      { ...refused('ERR_TASK_FULL', 7, later), taskId: other },
    ]);
    await tested.store.addRefused([refused('ERR_TASK_FULL', 3, earlier)]);
    expect((await tested.store.watched(taskId))!.refused).toEqual([
      { code: 'ERR_TASK_FULL', count: 5, lastAt: later },
      { code: 'ERR_RECORD_INVALID', count: 4, lastAt: earlier },
    ]);
    expect(await tested.store.watched(other)).toBeUndefined();
  });
}
