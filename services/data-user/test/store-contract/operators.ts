/** The part of the stores' contract about operators and the log of what they did. */
import type { Digest } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { ADMIN, type OperatorAction, verifyOperatorLog } from '../../src/tasks/operators.ts';
import { type Tested, taskId } from './tested.ts';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const LATER = new Date('2026-02-01T00:00:00.000Z');
const hash = (letter: string) => letter.repeat(43);

export function operatorsContract(tested: Tested): void {
  const act = (operator: string): OperatorAction => ({
    operator,
    operation: 'task closed',
    taskId,
    subject: null,
  });
  const add = (name: string, letter: string, now = NOW) =>
    tested.store.operators.add({ name, tokenHash: hash(letter), expiresAt: LATER.toISOString() }, now);

  test('operators are added once, revoked once, and found by name and by hash of their token', async () => {
    const { operators } = tested.store;
    expect(await add('bob', 'b')).toBe(true);
    expect(await add('alice', 'a')).toBe(true);
    expect(await add('alice', 'c')).toBe(false);
    expect((await operators.list()).map(({ name }) => name)).toEqual(['alice', 'bob']);
    const alice = {
      name: 'alice',
      tokenHash: hash('a'),
      addedAt: NOW.toISOString(),
      expiresAt: LATER.toISOString(),
      revokedAt: null,
    };
    expect(await operators.named('alice')).toEqual(alice);
    expect(await operators.withHash(hash('a'))).toEqual(alice);
    expect(await operators.withHash(hash('c'))).toBeUndefined();
    expect(await operators.revoke('alice', LATER)).toBe(true);
    expect(await operators.revoke('alice', LATER)).toBe(false);
    expect(await operators.revoke('carol', LATER)).toBe(false);
    expect(await operators.named('alice')).toEqual({ ...alice, revokedAt: LATER.toISOString() });
    expect(await add('alice', 'c', LATER)).toBe(true);
    expect(await operators.named('alice')).toMatchObject({ tokenHash: hash('c'), revokedAt: null });
    expect(await add('bob', 'd', LATER)).toBe(true); // has expired
  });

  test('what is noted of operators is a chain; nobody who is revoked is noted any more', async () => {
    const { operators } = tested.store;
    await add('alice', 'a');
    expect(await operators.note(act('alice'), NOW)).toBe(true);
    expect(await operators.note(act('admin'), NOW)).toBe(true);
    expect(await operators.note(act('mallory'), NOW)).toBe(false);
    // At once: one after the other all the same.
    const many = await Promise.all(Array.from({ length: 8 }, () => operators.note(act('alice'), NOW)));
    expect(many).toEqual(many.map(() => true));
    await operators.revoke('alice', LATER);
    expect(await operators.note(act('alice'), LATER)).toBe(false);
    const rows = await tested.store.operators.log();
    const { entries, lastHash } = verifyOperatorLog(rows, ADMIN);
    expect(entries).toHaveLength(12);
    expect(entries[0]).toMatchObject({
      sequence: 1,
      operator: null,
      operation: 'operator added',
      subject: 'alice',
      taskId: null,
    });
    expect(entries[1]).toMatchObject({ time: NOW.toISOString(), ...act('alice') });
    expect(entries.at(-1)).toMatchObject({ operation: 'operator revoked', subject: 'alice', hash: lastHash });
    const broken = (changed: Record<string, unknown>[], noted?: Digest) =>
      expect(() => verifyOperatorLog(changed, ADMIN, noted)).toThrow(
        expect.objectContaining({ code: 'ERR_AUDIT_BROKEN' }),
      );
    broken(rows.with(1, { ...rows[1]!, operator: 'admin' }));
    broken(rows.toSpliced(2, 1));
    broken(rows.slice(0, -1), lastHash);
    verifyOperatorLog(rows, ADMIN, entries[3]!.hash);
  });
}
