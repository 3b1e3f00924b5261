import { TaskList } from '@eigenveil/wire/console';
import { expect, test } from 'vitest';
import { withLive, withOlder } from '../../src/console/list/merge.ts';

const idOf = (i: number) => `task${i}`.padEnd(22, '-');
const tasks = (...numbers: readonly number[]) =>
  TaskList.parse({
    older: false,
    tasks: numbers.map((i) => ({
      taskId: idOf(i),
      state: 'open',
      method: { kind: 'pca' },
      contributions: i,
      deadline: '2031-01-01T00:00:00Z',
    })),
  }).tasks;
const ids = (list: readonly { taskId: string }[]) => list.map(({ taskId }) => taskId);

test('a new task that pushes another off the live page leaves no hole before the older pages', () => {
  const seen = withOlder(withLive([], tasks(4, 3)), tasks(2, 1));
  expect(ids(seen)).toEqual([4, 3, 2, 1].map(idOf));
  expect(ids(withLive(seen, tasks(5, 4)))).toEqual([5, 4, 3, 2, 1].map(idOf));
});

test('what is live counts more than what was known, and a page that comes twice is there once', () => {
  const [before] = tasks(1);
  const [after] = tasks(1).map((it) => ({ ...it, contributions: 7 }));
  expect(withLive([before!], [after!])).toEqual([after]);
  expect(ids(withOlder(tasks(3, 2), tasks(2, 1)))).toEqual([3, 2, 1].map(idOf));
});
