/**
 * An owner is offered what comes next by what it has done and by the state of the task, and nothing that is
 * refused.
 *
 * @claims S-731
 */
import { newTaskId } from '@eigenveil/task';
import type { TaskState } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import { isWaiting, progressOf, type Situation, stateInWords } from '../../src/owner/progress.ts';

const nothing = { receipt: null, isPending: false, withdrawal: null };
const received = { ...nothing, receipt: 'receipt' };
const pending = { ...nothing, isPending: true };
const withdrawing = { ...received, withdrawal: 'begun' } as const;
const withdrawn = { ...received, withdrawal: 'confirmed' } as const;
const at = (entry: Situation['entry'], state: TaskState | null, changes: Partial<Situation> = {}) =>
  progressOf({
    entry,
    state,
    isLate: false,
    isRefused: false,
    isReleased: true,
    fetched: 'none',
    ...changes,
  });

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
    [
      'gets it meanwhile',
      at(received, 'done', { fetched: 'fetching' }),
      { next: expect.stringMatching(/is being fetched/), canWithdraw: 'doubted' },
    ],
    // The CSP's signature leaves no doubt that the task has ended.
    [
      'has got it',
      at(received, 'done', { fetched: 'checked' }),
      { step: 'result', next: expect.stringMatching(/it is checked/), canWithdraw: 'no' },
    ],
    ['gets none', at(received, 'done', { isReleased: false }), { canGetResult: false }],
    ['sees it cancelled', at(received, 'cancelled'), { canWithdraw: 'doubted', canGetResult: false }],
    ['sees it failed', at(received, 'failed'), { canWithdraw: 'doubted', canGetResult: true }],
    ['sends again', at(pending, 'open'), { step: 'contribution', canContribute: true }],
    // The data user gives the receipt of bytes that have arrived, whatever the state.
    ['asks for its receipt', at(pending, 'closed'), { canContribute: true, canGetResult: true }],
    ['sends nothing to a cancelled task', at(pending, 'cancelled'), { canContribute: false }],
    ['is refused afterwards', at(received, 'done', { isRefused: true }), { canGetResult: true }],
    ['is refused meanwhile', at(pending, 'open', { isRefused: true }), { canContribute: true }],
    ['has withdrawn', at(withdrawn, 'open'), { step: null, canContribute: false, canGetResult: false }],
    [
      'has no answer to its withdrawal',
      at(withdrawing, 'open'),
      { next: expect.stringMatching(/not confirmed yet: withdraw once more/), canWithdraw: 'yes' },
    ],
    ['has none, and the task is lost', at(withdrawing, 'failed'), { next: expect.stringMatching(/failed/) }],
  ])('where it %s', (_, progress, expected) => {
    expect(progress).toMatchObject(expected);
    expect(progress.next).toMatch(/\w/);
  });

  test('is asked for again while it waits for a result', () => {
    const states = ['proposed', 'open', 'decomposed', 'done', 'failed', null] as const;
    expect(states.map((state) => isWaiting(received, state))).toEqual([true, true, true, false, false, true]);
    for (const entry of [nothing, pending, withdrawing, withdrawn])
      expect(isWaiting(entry, 'open')).toBe(false);
  });
});

describe('a list of tasks', () => {
  const now = new Date('2031-01-01T00:00:00Z');
  const shown = { deadline: '2031-01-02T00:00:00Z', releaseToOwners: true };
  const entry = { id: newTaskId(), dataUser: 'https://user.example.org', addedAt: now.toISOString() };
  const over = { ...shown, deadline: '2030-12-31T00:00:00Z' };
  const ofOne = { ...shown, releaseToOwners: false };

  test.each<[string, Situation['entry'] & Partial<typeof shown>, TaskState]>([
    ['open for contributions', { ...nothing, ...shown }, 'open'],
    ['closed to contributions: the deadline has passed', { ...nothing, ...over }, 'open'],
    ['open', nothing, 'open'],
    ['the result is ready', { ...received, ...shown }, 'done'],
    ['ended: the result is for the data user alone', { ...received, ...ofOne }, 'done'],
    ['ended', { ...nothing, ...shown }, 'done'],
    ['ended', { ...withdrawn, ...shown }, 'done'],
    ['ended', received, 'done'],
    ['the result is being computed', { ...received, ...shown }, 'blinded'],
  ])('says “%s” of %o at %s', (words, of, state) => {
    expect(stateInWords({ ...entry, ...of }, state, now)).toBe(words);
  });
});
