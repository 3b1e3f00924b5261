/**
 * What is counted of refused uploads, and how little is written for it.
 *
 * @claims S-505
 */
import { CodedError } from '@eigenveil/platform';
import { createLogger } from '@eigenveil/server';
import { newTaskId } from '@eigenveil/task';
import { CODES, type ErrorCode } from '@eigenveil/wire';
import { expect, test, vi } from 'vitest';
import { Refusals } from '../../src/collect/refusals.ts';
import type { DataUserStore } from '../../src/store/store.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const taskId = newTaskId();

function counting() {
  let now = Date.parse('2026-01-01T00:00:00.000Z');
  const addRefused = vi.fn<DataUserStore['addRefused']>(async () => undefined);
  const refusals = new Refusals({ store: { addRefused }, now: () => new Date(now), log });
  const refuse = (code: ErrorCode, id = taskId) => refusals.count(id, new CodedError(CODES[code], 'refused'));
  return { refusals, addRefused, refuse, pass: () => (now += 1000) };
}

test('refusals of a task are added up by code and written together', async () => {
  const { refusals, addRefused, refuse, pass } = counting();
  for (let i = 0; i < 10_000; i += 1) refuse('ERR_RECORD_INVALID');
  pass();
  refuse('ERR_RECORD_INVALID');
  refuse('ERR_TOKEN_EXPIRED');
  await refusals.flush();
  const lastAt = '2026-01-01T00:00:01.000Z';
  expect(addRefused.mock.calls).toEqual([
    [
      [
        { taskId, code: 'ERR_RECORD_INVALID', count: 10_001, lastAt },
        { taskId, code: 'ERR_TOKEN_EXPIRED', count: 1, lastAt },
      ],
    ],
  ]);
  await refusals.flush();
  await refusals.close();
  expect(addRefused).toHaveBeenCalledOnce();
});

test('a fault of this server is no refusal, and an error without a code neither', async () => {
  const { refusals, addRefused, refuse } = counting();
  for (const code of ['ERR_BUSY', 'ERR_DATABASE_UNREACHABLE', 'ERR_INTERNAL'] as const) refuse(code);
  refusals.count(taskId, new Error('unknown'));
  await refusals.close();
  expect(addRefused).not.toHaveBeenCalled();
});

test('what could not be written is written with what comes next', async () => {
  const { refusals, addRefused, refuse } = counting();
  addRefused.mockRejectedValueOnce(new Error('the database is away'));
  refuse('ERR_TASK_FULL');
  await refusals.flush();
  refuse('ERR_TASK_FULL');
  await refusals.close();
  expect(addRefused.mock.lastCall![0]).toMatchObject([{ code: 'ERR_TASK_FULL', count: 2 }]);
});

test('made-up ids of tasks fill no memory', async () => {
  const { refusals, addRefused, refuse } = counting();
  for (let i = 0; i < 5000; i += 1) refuse('ERR_AUTH_REQUIRED', newTaskId());
  await refusals.close();
  expect(addRefused.mock.lastCall![0]).toHaveLength(1000);
});

test('they are written by themselves', async () => {
  const { refusals, addRefused, refuse } = counting();
  refuse('ERR_TASK_FULL');
  await expect.poll(() => addRefused.mock.calls.length).toBe(1);
  await refusals.close();
});
