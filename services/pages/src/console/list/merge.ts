/** The tasks that the list shows, made of the page that is followed and of older pages that were asked for. */
import type { TaskList } from '@eigenveil/wire/console';

type Listed = TaskList['tasks'][number];

/** The live page with all that is known beside it: what newer tasks have pushed off the page stays, as it was last. */
export function withLive(known: readonly Listed[], live: readonly Listed[]): Listed[] {
  return [...live, ...without(known, live)];
}

/** A page of older tasks behind all that is known. */
export function withOlder(known: readonly Listed[], older: readonly Listed[]): Listed[] {
  return [...known, ...without(older, known)];
}

function without(tasks: readonly Listed[], others: readonly Listed[]): Listed[] {
  const ids = new Set(others.map(({ taskId }) => taskId));
  return tasks.filter(({ taskId }) => !ids.has(taskId));
}
