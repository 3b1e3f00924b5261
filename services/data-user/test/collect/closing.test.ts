/** The look for tasks to close: it goes on after a task that cannot be closed, and tells why once. */
import { CodedError } from '@eigenveil/platform';
import { newTaskId, type Task } from '@eigenveil/task';
import { CODES, type ErrorCode } from '@eigenveil/wire';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Closing } from '../../src/collect/closing.ts';

const NOW = new Date('2026-01-01T00:00:00.000Z');
const PAST = '2025-12-31T00:00:00.000Z';

function closingTask(deadline: string, closes: Task['closes']) {
  const task = { id: newTaskId(), minimumOwners: 2, maximumOwners: 3, deadline, closes } as Task;
  return { task, state: 'open' as const, contributions: 2 };
}

test('one task that cannot be closed holds up no other, and is tried again; why is told when it changes', async () => {
  const stuck = closingTask(PAST, ['deadline']);
  const due = closingTask(PAST, ['deadline', 'full']);
  const later = closingTask('2026-01-02T00:00:00.000Z', ['deadline', 'full']);
  let code: ErrorCode | null = 'ERR_BUSY';
  const closeByItself = vi.fn(async (id: string) => {
    if (id === stuck.task.id && code !== null) throw new CodedError(CODES[code], 'why');
    return true;
  });
  const deps = {
    store: { closingTasks: vi.fn(async () => [stuck, due, later]) },
    tasks: { closeByItself },
    queue: { offer: vi.fn(async () => undefined) },
    now: () => NOW,
    waits: vi.fn(async () => undefined),
    log: { info: vi.fn(), error: vi.fn() },
  };
  const closing = new Closing(deps);
  onTestFinished(() => closing.stop());
  await closing.start();
  expect(deps.queue.offer.mock.calls).toEqual([[due.task.id]]);
  expect(closeByItself.mock.calls.map(([id]) => id)).toEqual([stuck.task.id, due.task.id]);
  await closing.start();
  expect(deps.waits.mock.calls).toEqual([[stuck.task.id, expect.objectContaining({ code })]]);
  code = 'ERR_DATABASE_UNREACHABLE';
  await closing.start();
  expect(deps.waits).toHaveBeenCalledTimes(2);
  code = null;
  await closing.start();
  expect(deps.queue.offer).toHaveBeenCalledWith(stuck.task.id);

  deps.store.closingTasks.mockRejectedValue(new Error('away'));
  await closing.start();
  await closing.start();
  expect(deps.log.error).toHaveBeenCalledTimes(1);
});
