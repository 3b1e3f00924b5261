/**
 * The tasks that the list shows, made from the page that is followed and from older pages that were asked
 * for.
 */
import type { TaskList } from '@eigenveil/wire/console';

type Listed = TaskList['tasks'][number];

/**
 * Puts the live page before all known tasks. A task that newer ones have pushed off the page stays, in its
 * last known state.
 */
export function withLive(known: readonly Listed[], live: readonly Listed[]): Listed[] {
  return [...live, ...without(known, live)];
}

/** Puts a page of older tasks behind all known tasks. */
export function withOlder(known: readonly Listed[], older: readonly Listed[]): Listed[] {
  return [...known, ...without(older, known)];
}

function without(tasks: readonly Listed[], others: readonly Listed[]): Listed[] {
  const ids = new Set(others.map(({ taskId }) => taskId));
  return tasks.filter(({ taskId }) => !ids.has(taskId));
}
