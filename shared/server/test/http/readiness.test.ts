/** What a service tells of itself: whether it is ready, and its metrics. */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { Readiness } from '../../src/http/http.ts';
import { Metrics } from '../../src/observe/metrics.ts';
import { problemIn, send, startService } from '../harness.ts';

test('a service that waits for its database runs, but is not ready', async () => {
  const problem = new CodedError(CODES.ERR_DATABASE_UNREACHABLE, 'it is down', { retryAfterSeconds: 1 });
  const waiting = await startService({
    checkReady: async () => {
      throw problem;
    },
  });
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(`${waiting.url}/readyz`)));
  for (const answer of answers) {
    expect(problemIn(answer)).toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE', status: 503 });
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect((await send(`${waiting.url}/healthz`)).json()).toEqual({ status: 'ok' });
  await waiting.close();
});

test('readiness is asked for again when what is known is a second old', async () => {
  const answers = [Promise.reject(new Error('down')), Promise.resolve()];
  answers[0]!.catch(() => undefined);
  let asked = 0;
  const readiness = new Readiness(() => answers[asked++]!);
  for (const now of [0, 0, 999]) await expect(readiness.require(now)).rejects.toThrow('down');
  for (const now of [1000, 1999]) await readiness.require(now);
  expect(asked).toBe(2);
});

test('a check of readiness that takes long is the only one, and is made again when it has ended', async () => {
  const [silent, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const readiness = new Readiness(() => [silent, back][asked++]!.promise);
  const waiting = [0, 1000, 30_000].map((now) => readiness.require(now));
  expect(asked).toBe(1);
  silent.reject(new Error('down'));
  for (const answer of waiting) await expect(answer).rejects.toThrow('down');
  back.resolve();
  await readiness.require(30_000);
  expect(asked).toBe(2);
});

test('a value that cannot be read, or not soon, hides no other metric', async () => {
  const metrics = new Metrics('test');
  metrics.gauge('silent', 'Takes for ever.', () => new Promise(() => {}));
  metrics.gauge('lost', 'Fails.', async () => {
    throw new Error('down');
  });
  metrics.gauge('known', 'Works.', () => 7);
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/^eigenveil_lost\{service="test"\} NaN$/im);
  expect(text).toMatch(/^eigenveil_silent\{service="test"\} NaN$/im);
  expect(text).toMatch(/^eigenveil_known\{service="test"\} 7$/m);
});
