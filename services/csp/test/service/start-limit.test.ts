/**
 * The limit of computations that start: of each task by itself, in any minute, and of none for ever.
 *
 * @claims S-38
 */
import { TaskId } from '@eigenveil/task';
import { expect, test } from 'vitest';
import { StartLimit } from '../../src/service/two-party-server.ts';

const [task, other] = ['a', 'b'].map((letter) => TaskId.parse(letter.repeat(22))) as [TaskId, TaskId];

test('so many of a task are admitted within a minute, and more after it', () => {
  let now = 0;
  const limit = new StartLimit(3, () => now);
  for (const time of [0, 20_000, 40_000]) {
    now = time;
    limit.admit(task);
  }
  const tooMany = expect.objectContaining({
    code: 'ERR_RATE_LIMITED',
    parameters: { retryAfterSeconds: 20 },
  });
  expect(() => limit.admit(task)).toThrow(tooMany);
  limit.admit(other);
  now = 60_000;
  limit.admit(task); // the first is a minute old; a refusal counts for nothing
  expect(() => limit.admit(task)).toThrow(tooMany);
});

test('a task may come any number of times', () => {
  let now = 0;
  const limit = new StartLimit(2, () => now);
  for (let i = 0; i < 1000; i += 1) {
    limit.admit(task);
    now += 30_000;
  }
});

test('a task that has ended is forgotten', () => {
  const limit = new StartLimit(1, () => 0);
  limit.admit(task);
  limit.forget(task);
  limit.admit(task);
});
