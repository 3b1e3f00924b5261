/** Metrics about single tasks: those that wait or are worked on, up to a fixed number. */
import type { Metrics } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import type { DataUserStore, WatchedTask } from '../store/store.ts';

/**
 * Each task is a series of each of its metrics. This bounds the number of series, however many tasks somebody
 * makes.
 */
const MOST_TASKS = 20;
/** The number of tasks among which the one that waits longest is looked for. */
const MOST_READ = 200;
/** The metrics of one scrape share what was read. */
const REMEMBERED_MILLISECONDS = 1000;

interface Waiting {
  readonly taskId: TaskId;
  readonly seconds: number;
  readonly contributions: number;
}

export function measureTasks(
  metrics: Metrics,
  store: Pick<DataUserStore, 'unfinishedTasks' | 'watched'>,
  now: () => Date,
): void {
  let last: { readonly at: number; readonly waiting: Promise<readonly Waiting[]> } | undefined;
  const waiting = () => {
    if (last === undefined || performance.now() - last.at > REMEMBERED_MILLISECONDS)
      last = { at: performance.now(), waiting: readWaiting(store, now()) };
    return last.waiting;
  };
  const byTask = async (value: (task: Waiting) => number) =>
    new Map((await waiting()).slice(0, MOST_TASKS).map((it) => [it.taskId, value(it)]));
  metrics.gauge(
    'oldest_waiting_task_seconds',
    'For how long the task that waits longest has been in its state; 0 where none waits.',
    async () => (await waiting())[0]?.seconds ?? 0,
  );
  metrics.gauge(
    'task_waiting_seconds',
    'For how long a task has been in its state; the 20 that wait longest.',
    () => byTask(({ seconds }) => seconds),
    'task',
  );
  metrics.gauge(
    'task_contributions',
    'Contributions to a task; the 20 that wait longest.',
    () => byTask(({ contributions }) => contributions),
    'task',
  );
}

/** Returns tasks that wait, the one that waits longest first. */
async function readWaiting(
  store: Pick<DataUserStore, 'unfinishedTasks' | 'watched'>,
  now: Date,
): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  for (const taskId of (await store.unfinishedTasks()).slice(0, MOST_READ)) {
    const task = await store.watched(taskId);
    if (task !== undefined)
      found.push({ taskId, seconds: age(task, now), contributions: task.contributions });
  }
  return found.sort((a, b) => b.seconds - a.seconds);
}

function age({ entered, state }: WatchedTask, now: Date): number {
  const since = entered[state];
  return since === undefined ? 0 : Math.max(0, (now.getTime() - new Date(since).getTime()) / 1000);
}
