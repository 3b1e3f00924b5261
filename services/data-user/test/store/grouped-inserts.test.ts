/** Contributions that share transactions: each is stored once, and hears what became of it and of nothing else. */

import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GroupedInserts } from '../../src/store/grouped-inserts.ts';
import type { NewContribution, StoredContribution } from '../../src/store/store.ts';

const TASK = 'a'.repeat(22) as TaskId;

const contribution = (name: string, bytes = 16) =>
  ({ ownerId: name, receipt: `receipt of ${name}`, bytes: new Uint8Array(bytes) }) as NewContribution;

/** Keeps the groups that it is given; what it is told to refuse is refused as a full task would. */
class Groups {
  readonly stored: { readonly taskId: TaskId; readonly owners: string[] }[] = [];
  readonly refused = new Set<string>();
  failure: Error | undefined;

  async insertContributions(taskId: TaskId, contributions: readonly NewContribution[]) {
    if (this.failure !== undefined) throw this.failure;
    this.stored.push({ taskId, owners: contributions.map(({ ownerId }) => ownerId) });
    return contributions.map(({ ownerId, receipt }) =>
      this.refused.has(ownerId)
        ? new CodedError(CODES.ERR_TASK_FULL, `no room for ${ownerId}`)
        : ({ ownerId, receipt } as StoredContribution),
    );
  }
}

function start() {
  const store = new Groups();
  const inserts = new GroupedInserts(store);
  const insert = (name: string, ready: Promise<void> = Promise.resolve(), taskId = TASK) =>
    inserts.insert(taskId, () => ready.then(() => contribution(name)));
  return { store, insert };
}

describe('grouped inserts', () => {
  test('store a lone contribution', async () => {
    const { store, insert } = start();
    expect(await insert('anna')).toMatchObject({ receipt: 'receipt of anna' });
    expect(store.stored).toEqual([{ taskId: TASK, owners: ['anna'] }]);
  });

  test('put contributions that are ready together into one transaction per task', async () => {
    const { store, insert } = start();
    const other = 'b'.repeat(22) as TaskId;
    await Promise.all([insert('anna'), insert('bert'), insert('cleo', undefined, other), insert('dora')]);
    expect(store.stored).toEqual([
      { taskId: TASK, owners: ['anna', 'bert', 'dora'] },
      { taskId: other, owners: ['cleo'] },
    ]);
  });

  test('bound a transaction', async () => {
    const { store, insert } = start();
    await Promise.all(Array.from({ length: 300 }, (_, i) => insert(`${i}`)));
    expect(store.stored.map(({ owners }) => owners.length)).toEqual([128, 128, 44]);
  });

  test('bound a transaction of large contributions by their size, and store one that is larger still', async () => {
    const store = new Groups();
    const inserts = new GroupedInserts(store);
    const sizes = [3, 3, 3, 9, 1, 1];
    await Promise.all(
      sizes.map((size, i) => inserts.insert(TASK, async () => contribution(`${i}`, size * 2 ** 20))),
    );
    expect(store.stored.map(({ owners }) => owners)).toEqual([['0', '1'], ['2'], ['3'], ['4', '5']]);
  });

  test('do not wait for a contribution that is not made ready', async () => {
    const { store, insert } = start();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = insert('anna', promise);
    await insert('bert');
    expect(store.stored).toEqual([{ taskId: TASK, owners: ['bert'] }]);
    resolve();
    await slow;
    expect(store.stored[1]).toEqual({ taskId: TASK, owners: ['anna'] });
  });

  test('tell only the sender of a contribution that its preparation failed, or that it was refused', async () => {
    const { store, insert } = start();
    store.refused.add('bert');
    const [anna, bert, cleo] = await Promise.allSettled([
      insert('anna', Promise.reject(new TypeError('not encrypted'))),
      insert('bert'),
      insert('cleo'),
    ]);
    expect(anna).toMatchObject({ reason: new TypeError('not encrypted') });
    expect(bert).toMatchObject({ reason: { code: 'ERR_TASK_FULL', message: 'no room for bert' } });
    expect(cleo).toMatchObject({ value: { receipt: 'receipt of cleo' } });
  });

  test('tell everybody of a group that failed, and go on with the next', async () => {
    const { store, insert } = start();
    store.failure = new Error('disk full');
    const both = await Promise.allSettled([insert('anna'), insert('bert')]);
    expect(both).toEqual([
      { status: 'rejected', reason: store.failure },
      { status: 'rejected', reason: store.failure },
    ]);
    store.failure = undefined;
    expect(await insert('cleo')).toMatchObject({ receipt: 'receipt of cleo' });
  });

  test('store each contribution exactly once, in whatever order they become ready', async () => {
    const step = fc.record({ turns: fc.integer({ min: 0, max: 20 }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300 }), async (steps) => {
        const { store, insert } = start();
        const outcomes = await Promise.allSettled(
          steps.map(({ turns, fails }, i) => insert(`${i}`, turnsOf(turns, fails))),
        );
        const good = steps.flatMap(({ fails }, i) => (fails ? [] : [`${i}`]));
        expect(store.stored.flatMap(({ owners }) => owners).toSorted()).toEqual(good.toSorted());
        for (const [i, outcome] of outcomes.entries()) {
          const { fails } = steps[i]!;
          expect(outcome).toMatchObject(
            fails ? { status: 'rejected' } : { value: { receipt: `receipt of ${i}` } },
          );
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** Ready, or broken, after so many turns of the event loop. */
async function turnsOf(turns: number, fails: boolean): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
  if (fails) throw new TypeError('not encrypted');
}
