/**
 * Metrics of single tasks are those of few, however many tasks there are.
 *
 * @claims S-582
 */
import { Metrics } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { expect, test } from 'vitest';
import type { WatchedTask } from '../../src/store/store.ts';
import { measureTasks } from '../../src/tasks/metrics.ts';

const NOW = new Date('2026-11-23T12:00:00Z');

/** So many tasks, of which number i waits for i minutes and has i contributions. */
function storeOf(count: number) {
  return {
    unfinishedTasks: async () => Array.from({ length: count }, (_, i) => `task-${i}` as TaskId),
    async watched(taskId: TaskId) {
      const i = Number(taskId.slice(5));
      const since = new Date(NOW.getTime() - 60_000 * i).toISOString();
      return { state: 'blinded', contributions: i, entered: { blinded: since } } as unknown as WatchedTask;
    },
  };
}

async function scrape(count: number): Promise<string[]> {
  const metrics = new Metrics('data_user');
  measureTasks(metrics, storeOf(count), () => NOW);
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => /^eigenveil_(task|oldest)/.test(line));
}

test('none waits', async () => {
  expect(await scrape(0)).toEqual(['eigenveil_oldest_waiting_task_seconds{service="data_user"} 0']);
});

test('the twenty that wait longest have series, and the longest is told', async () => {
  const lines = await scrape(50);
  expect(lines).toHaveLength(41);
  expect(lines).toContain('eigenveil_oldest_waiting_task_seconds{service="data_user"} 2940');
  expect(lines).toContain('eigenveil_task_waiting_seconds{task="task-30",service="data_user"} 1800');
  expect(lines).toContain('eigenveil_task_contributions{task="task-49",service="data_user"} 49');
  expect(lines.join()).not.toContain('task-29"');
});
