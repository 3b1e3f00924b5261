/** What is told of a task in each state: what it waits for, its stages, how far its computation is, and when what came. */
import type { ClosesWhen, Task } from '@eigenveil/task';
import {
  digestBytes,
  generatePrivateJwk,
  importSigningKey,
  RECEIPT,
  signStatement,
  TaskState,
} from '@eigenveil/wire';
import { TaskProgress } from '@eigenveil/wire/console';
import { expect, test, vi } from 'vitest';
import { TaskProgresses } from '../../src/console/progress.ts';
import type { WatchedTask } from '../../src/store/store.ts';
import { taskId } from '../store-contract/tested.ts';

const NOW = new Date('2026-01-10T00:00:00.000Z');
const AHEAD = '2026-01-11T00:00:00.000Z';
const PAST = '2026-01-09T00:00:00.000Z';
const day = (n: number) => `2026-01-0${n}T00:00:00.000Z`;

function watched(changes: Partial<WatchedTask>, deadline = AHEAD): WatchedTask {
  const task = { id: taskId, minimumOwners: 2, maximumOwners: 3, deadline, differentialPrivacy: null };
  return {
    task: task as Task,
    state: 'open',
    contributions: 0,
    lastSequence: 0,
    failure: null,
    timings: {},
    entered: {},
    activity: {},
    fixation: null,
    refused: [],
    ...changes,
  };
}

const FIXATION = { verifiedOwners: 2, contributionsRoot: digestBytes('root'), isFixed: false };

const BOTH = ['deadline', 'full'] as const;
function closing(
  changes: Partial<WatchedTask>,
  closes: readonly ClosesWhen[],
  deadline = AHEAD,
): WatchedTask {
  const open = watched(changes, deadline);
  return { ...open, task: { ...open.task, closes: [...closes] } };
}

function told(task: WatchedTask, arrivals: { receipt: string; contributions: number }[] = []) {
  const store = {
    watched: vi.fn(async () => task),
    arrivals: vi.fn(async () => arrivals),
    owners: vi.fn(async () => []),
  };
  const progresses = new TaskProgresses({ store, now: () => NOW });
  return { store, of: async () => TaskProgress.parse(await progresses.of(taskId)) };
}

const waiting = (code: string) => ({ activity: { waiting: { code, message: 'why' } } });
test.each<[string, WatchedTask, string, string]>([
  ['proposed', watched({ state: 'proposed' }), 'csp', 'signature'],
  ['open, with too few', watched({ contributions: 1 }), 'owners', 'contributions'],
  ['open, with too few for good', watched({ contributions: 1 }, PAST), 'operator', 'cancel'],
  ['open, with enough', watched({ contributions: 2 }), 'operator', 'close'],
  ['open, with enough and no time left', watched({ contributions: 2 }, PAST), 'operator', 'close overdue'],
  ['open and full', watched({ contributions: 3 }, PAST), 'operator', 'close full'],
  ['open, with enough, until it closes', closing({ contributions: 2 }, ['full']), 'owners', 'end'],
  ['open, with too few though it closes', closing({ contributions: 1 }, BOTH, PAST), 'operator', 'cancel'],
  ['full, and closes so', closing({ contributions: 3 }, BOTH), 'data user', 'closing'],
  ['full, and closes later', closing({ contributions: 3 }, ['deadline']), 'operator', 'close full'],
  ['late, and closes so', closing({ contributions: 2 }, BOTH, PAST), 'data user', 'closing'],
  ['late, and closes full', closing({ contributions: 2 }, ['full'], PAST), 'operator', 'close overdue'],
  ['closed', watched({ state: 'closed' }), 'csp', 'records'],
  ['closed, its records asked for', watched({ state: 'closed', fixation: FIXATION }), 'csp', 'records'],
  [
    'closed, its records fixed',
    watched({ state: 'closed', fixation: { ...FIXATION, isFixed: true } }),
    'data user',
    'aggregation',
  ],
  [
    'closing that needs a list',
    watched({ contributions: 2, ...waiting('ERR_REVOCATIONS_STALE') }),
    'csp',
    'obstacle',
  ],
  ['blinded', watched({ state: 'blinded' }), 'csp', 'unblinding'],
  ['unblinded', watched({ state: 'unblinded' }), 'data user', 'computation'],
  ['decomposed', watched({ state: 'decomposed' }), 'csp', 'countersignature'],
  [
    'where the CSP is away',
    watched({ state: 'blinded', ...waiting('ERR_PEER_UNREACHABLE') }),
    'csp',
    'obstacle',
  ],
  [
    'where a key is missing here',
    watched({ state: 'unblinded', ...waiting('ERR_SEAL_BROKEN') }),
    'operator',
    'obstacle',
  ],
  ...(['done', 'cancelled', 'failed'] as const).map(
    (state) => [state, watched({ state }), 'nobody', 'nothing'] as [string, WatchedTask, string, string],
  ),
])('a task that is %s waits for whom it should', async (_, task, who, code) => {
  expect((await told(task).of()).status.waitsFor).toEqual({ who, code });
});

test('every state has something to wait for', async () => {
  for (const state of TaskState.options)
    expect((await told(watched({ state })).of()).status.waitsFor.code).toEqual(expect.any(String));
});

test('stages are those that the task was in, each until the next, with the work that was done', async () => {
  const entered = { closed: day(3), proposed: day(1), open: day(2), cancelled: day(4) };
  const { stages } = await told(
    watched({ state: 'cancelled', entered, timings: { aggregate: 7, other: 1 } }),
  ).of();
  expect(stages).toEqual([
    { state: 'proposed', startedAt: day(1), endedAt: day(2), milliseconds: null },
    { state: 'open', startedAt: day(2), endedAt: day(3), milliseconds: null },
    { state: 'closed', startedAt: day(3), endedAt: day(4), milliseconds: 7 },
    { state: 'cancelled', startedAt: day(4), endedAt: null, milliseconds: null },
  ]);
});

test('a computation says how far it is, and how long it will take at that speed', async () => {
  const progress = { unit: 'products', done: 30, planned: 120, seconds: 2 } as const;
  const during = await told(watched({ state: 'unblinded', activity: { progress } })).of();
  expect(during.computation).toEqual({ unit: 'products', done: 30, planned: 120, secondsLeft: 6 });
  const { planned: _, ...uncounted } = progress;
  const before = await told(watched({ state: 'unblinded', activity: { progress: uncounted } })).of();
  expect(before.computation).toEqual({ unit: 'products', done: 30, planned: null, secondsLeft: null });
  const after = await told(watched({ state: 'decomposed', activity: { progress } })).of();
  expect(after.computation).toBeNull();
});

test('arrivals have the times of the receipts, never backwards, and are read again when there are more', async () => {
  const key = await importSigningKey(await generatePrivateJwk());
  const digest = 'd'.repeat(43);
  const receipt = (receivedAt: string) =>
    signStatement(RECEIPT, key, {
      taskId,
      taskDigest: digest,
      publicKeyDigest: digest,
      ownerId: 'o'.repeat(22),
      contributionDigest: digest,
      receivedAt,
    });
  const times = [day(1), day(3), day(2), day(4)];
  const arrivals = await Promise.all(
    times.map(async (at, i) => ({ receipt: await receipt(at), contributions: i + 1 })),
  );
  const task = { ...watched({ contributions: 4, lastSequence: 4 }) };
  const { store, of } = told(task, arrivals);
  expect((await of()).arrivals).toEqual([
    { at: day(1), contributions: 1 },
    { at: day(3), contributions: 2 },
    { at: day(3), contributions: 3 },
    { at: day(4), contributions: 4 },
  ]);
  await of();
  expect(store.arrivals).toHaveBeenCalledOnce();
  // One was withdrawn: there is another.
  store.watched.mockResolvedValue({ ...task, contributions: 3, lastSequence: 4 });
  await of();
  store.watched.mockResolvedValue({ ...task, contributions: 4, lastSequence: 5 });
  await of();
  expect(store.arrivals).toHaveBeenCalledTimes(3);
});
