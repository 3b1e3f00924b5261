/**
 * An owner is offered what comes next by what it has done and by the state of the task, and nothing that is
 * refused.
 *
 * @claims S-731
 */
import type { TaskState } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { progressOf, type Situation } from '../../src/owner/progress.ts';

const nothing = { receipt: null, isPending: false, isWithdrawn: false };
const received = { ...nothing, receipt: 'receipt' };
const pending = { ...nothing, isPending: true };
const withdrawn = { ...received, isWithdrawn: true };
const at = (entry: Situation['entry'], state: TaskState | null, changes: Partial<Situation> = {}) =>
  progressOf({ entry, state, isLate: false, isRefused: false, isReleased: true, ...changes });

describe('the next step of an owner', () => {
  test.each<[string, ReturnType<typeof at>, object]>([
    ['begins', at(nothing, 'open'), { step: 'contribution', canContribute: true }],
    ['is not told the state', at(nothing, null), { step: 'contribution', canContribute: true }],
    ['is refused', at(nothing, 'open', { isRefused: true }), { step: 'policy', canContribute: false }],
    ['comes too late', at(nothing, 'open', { isLate: true }), { canContribute: false }],
    ['comes to a closed task', at(nothing, 'blinded'), { canContribute: false, canGetResult: false }],
    ['comes to a refused, closed task', at(nothing, 'done', { isRefused: true }), { step: 'contribution' }],
    ['has contributed', at(received, 'open'), { step: 'result', canWithdraw: 'yes', canGetResult: true }],
    ['waits', at(received, 'closed'), { step: 'result', canWithdraw: 'csp', canContribute: false }],
    ['has a result', at(received, 'done'), { step: 'result', canWithdraw: 'doubted', canGetResult: true }],
    ['gets none', at(received, 'done', { isReleased: false }), { canGetResult: false }],
    ['sees it cancelled', at(received, 'cancelled'), { canWithdraw: 'doubted', canGetResult: false }],
    ['sees it failed', at(received, 'failed'), { canWithdraw: 'doubted', canGetResult: true }],
    ['sends again', at(pending, 'open'), { step: 'contribution', canContribute: true }],
    // The data user gives the receipt of bytes that have arrived, whatever the state.
    ['asks for its receipt', at(pending, 'closed'), { canContribute: true, canGetResult: true }],
    ['sends nothing to a cancelled task', at(pending, 'cancelled'), { canContribute: false }],
    ['has withdrawn', at(withdrawn, 'open'), { canContribute: false, canGetResult: false }],
  ])('where it %s', (_, progress, expected) => {
    expect(progress).toMatchObject(expected);
    expect(progress.next).toMatch(/\w/);
  });
});
