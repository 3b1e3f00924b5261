/** What an owner's state promises, in a folder and in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskId } from '@eigenveil/task';
import { OwnerId } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryOwnerState, OwnerHome, type OwnerState } from '../../src/index.ts';

const taskId = TaskId.parse('t'.repeat(22));
const other = TaskId.parse('u'.repeat(22));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-state-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each<[string, boolean, (name: string) => OwnerState]>([
  ['in a folder', true, (name) => new OwnerHome(join(folder, name))],
  ['in memory', false, () => new MemoryOwnerState()],
])("an owner's state %s", (_, isDurable, make) => {
  test('says whether it outlives the process', () => {
    expect(make('a').isDurable).toBe(isDurable);
  });

  test('has one key, which no other has, and the last enrolment', async () => {
    const [state, another] = [make('b'), make('c')];
    const keys = await Promise.all([state.signingKey(), state.signingKey(), another.signingKey()]);
    const [first, second, foreign] = keys.map(({ thumbprint }) => thumbprint);
    expect(second).toBe(first);
    expect(foreign).not.toBe(first);
    expect(await state.enrolment()).toBeUndefined();
    const cspKey = keys[2]!.publicJwk;
    const csp = { url: 'https://csp.example.org' };
    for (const ownerToken of ['one', 'two'])
      await state.saveEnrolment({ ownerId: OwnerId.parse('o'.repeat(22)), ownerToken, cspKey, csp });
    expect(await state.enrolment()).toMatchObject({ ownerToken: 'two', cspKey });
  });

  test('keeps the first contribution of a task until it is discarded or there is a receipt', async () => {
    const state = make('d');
    const fresh = (record: string) => ({ record, bytes: Buffer.from(record), dataDigest: 'digest' });
    const kept = await Promise.all(['a', 'b', 'c'].map((it) => state.keepPending(taskId, fresh(it))));
    const { record } = kept[0]!;
    expect(new Set(kept.map((it) => it.record)).size).toBe(1);
    expect(await state.pending(taskId)).toEqual(fresh(record));
    expect(await state.pending(other)).toBeUndefined();
    await state.discardPending(taskId);
    expect(await state.pending(taskId)).toBeUndefined();
    await state.keepPending(taskId, fresh('later'));
    expect(await state.receipt(taskId)).toBeUndefined();
    await state.saveReceipt(taskId, 'receipt');
    expect(await state.pending(taskId)).toBeUndefined();
    expect([await state.receipt(taskId), await state.receipt(other)]).toEqual(['receipt', undefined]);
  });

  test('tells data apart by a digest that no other state can make', async () => {
    const state = make('e');
    const digest = await state.digestOfData(taskId, [1n, -2n]);
    expect(await state.digestOfData(taskId, [1n, -2n])).toBe(digest);
    const others = [
      await state.digestOfData(taskId, [1n, 2n]),
      await state.digestOfData(taskId, [1n]),
      await state.digestOfData(other, [1n, -2n]),
      await make('f').digestOfData(taskId, [1n, -2n]),
    ];
    expect(others).not.toContain(digest);
  });

  test('knows from what task the owner withdraws, and whether that is confirmed', async () => {
    const state = make('g');
    const withdrawals = async () => [await state.withdrawal(taskId), await state.withdrawal(other)];
    await state.keepWithdrawal(taskId, 'begun');
    expect(await withdrawals()).toEqual(['begun', undefined]);
    await state.keepWithdrawal(taskId, 'confirmed');
    expect(await withdrawals()).toEqual(['confirmed', undefined]);
    await state.endWithdrawal(taskId);
    expect(await withdrawals()).toEqual([undefined, undefined]);
  });
});
