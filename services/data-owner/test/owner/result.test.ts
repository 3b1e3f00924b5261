/** Waiting for a result: when it goes on, and when it ends. */
import { CodedError } from '@eigenveil/platform';
import { CODES, type ErrorCode } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { untilReady } from '../../src/owner/result.ts';

const LONG = 3_600_000;
const refusal = (code: ErrorCode, message: string) => Promise.reject(new CodedError(CODES[code], message));

test('goes on while there is no result or nobody to ask, and says why once for each reason', async () => {
  const answers = [
    () => refusal('ERR_PEER_UNREACHABLE', 'nobody there'),
    () => refusal('ERR_NOT_READY', 'the task is open'),
    () => refusal('ERR_NOT_READY', 'the task is open'),
    () => Promise.resolve('result'),
  ];
  const told: [string, boolean][] = [];
  const ask = () => answers.shift()!();
  const onWait = (reason: string, isDown: boolean) => void told.push([reason, isDown]);
  expect(await untilReady<unknown>(ask, { milliseconds: LONG, onWait })).toBe('result');
  expect(told).toEqual([
    ['nobody there', true],
    ['the task is open', false],
  ]);
});

test.each(['ERR_TASK_CANCELLED', 'ERR_FULL_RANK', 'ERR_AUTH_FORBIDDEN'] as const)(
  'ends with %s, which no waiting changes',
  async (code) => {
    await expect(untilReady(() => refusal(code, 'no'), { milliseconds: LONG })).rejects.toMatchObject({
      code,
      message: 'no',
    });
  },
);

test('ends when its time is over', async () => {
  const ask = () => refusal('ERR_NOT_READY', 'the task is open');
  await expect(untilReady(ask, { milliseconds: 0 })).rejects.toMatchObject({
    code: 'ERR_NOT_READY',
    message: 'the time to wait is over: the task is open; nothing was written, give the command again',
  });
});

test.each<[string, () => Promise<never>]>([
  ['between two questions', () => refusal('ERR_NOT_READY', 'the task is open')],
  ['during a question that nobody answers', () => new Promise(() => {})],
])('ends when it is told to, %s', async (_, ask) => {
  const controller = new AbortController();
  const onWait = () => controller.abort();
  const waiting = untilReady(ask, { milliseconds: LONG, signal: controller.signal, onWait });
  setImmediate(() => controller.abort());
  await expect(waiting).rejects.toMatchObject({
    code: 'ERR_NOT_READY',
    message: expect.stringMatching(/^the waiting was ended: /),
  });
  let asked = false;
  const again = untilReady(
    async () => {
      asked = true;
    },
    { milliseconds: LONG, signal: controller.signal },
  );
  await expect(again).rejects.toMatchObject({ code: 'ERR_NOT_READY' });
  expect(asked).toBe(false);
});
