/** The pauses of the work queue of one process. */
import { newTaskId } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { type LocalQueueTimes, LocalWorkQueue } from '../../src/compute/work-queue.ts';

/** A queue with one task, whose first attempts fail. */
async function startFailing(times: LocalQueueTimes, failures: number) {
  const queue = new LocalWorkQueue({ batches: 1, times });
  let attempts = 0;
  const step = async () => {
    attempts += 1;
    if (attempts <= failures) throw new Error('not yet');
    return false;
  };
  const [unfinished, nothing] = [async () => [newTaskId()], async () => undefined];
  await queue.start({ unfinished, step, batch: nothing, waits: nothing });
  return { queue, attempts: () => attempts };
}

test('are no longer than the longest, however often a task fails', async () => {
  const { queue, attempts } = await startFailing({ firstBackoff: 1, longestBackoff: 2 }, 100);
  // Doubled each time without an end, they would take longer than the world is old.
  await expect.poll(attempts).toBe(101);
  await expect.poll(() => queue.lengths()).toMatchObject({ tasks: 0 });
});

test('do not hold a process up that stops', async () => {
  const long = 2 ** 31 - 1;
  const { queue, attempts } = await startFailing({ firstBackoff: long, longestBackoff: long }, 1);
  await expect.poll(attempts).toBe(1);
  await queue.close();
  expect(attempts()).toBe(1);
});
