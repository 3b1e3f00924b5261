/** Answers that come line by line: as fast as they are read, for as long as somebody reads them. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openApiDocument } from '../src/http/openapi.ts';
import { serve } from '../src/index.ts';
import { identity, problemIn, send, startService } from './harness.ts';

const Line = z.object({ number: z.int() });
type Lines = (signal: AbortSignal) => AsyncIterable<z.input<typeof Line>>;

const numbers = {
  method: 'get',
  path: '/lines',
  summary: 'Counts',
  auth: 'none',
  response: { status: 200, description: 'Numbers', lines: Line },
  problems: ['ERR_BUSY'],
} as const;
const routesOf = (lines: Lines) => serve({ numbers }, {}, { numbers: ({ signal }) => lines(signal) });

async function started(lines: Lines) {
  const service = await startService({ routes: routesOf(lines) });
  onTestFinished(() => service.close());
  return service;
}

/** The answer, of which nothing is read yet. */
function open(url: string): Promise<{ incoming: IncomingMessage; leave: () => void }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ca: identity.cert, agent: false });
    outgoing.on('error', reject); // what comes after the answer changes nothing any more
    outgoing.on('response', (incoming) => resolve({ incoming, leave: () => outgoing.destroy() }));
    outgoing.end();
  });
}

test('each line goes out when it is there, as its schema gives it', async () => {
  const gate = Promise.withResolvers<void>();
  const { url } = await started(async function* () {
    const first = { number: 1, secret: 'must not leak' };
    yield first;
    await gate.promise;
    yield { number: 2 };
  });
  const { incoming } = await open(`${url}/lines`);
  expect(incoming.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  const [chunk] = await once(incoming, 'data');
  incoming.pause();
  expect(String(chunk)).toBe('{"number":1}\n');
  gate.resolve();
  expect(await text(incoming)).toBe('{"number":2}\n');
});

test('who does not read is waited for, and who leaves is noticed', { tags: ['long'] }, async () => {
  let made = 0;
  const over = Promise.withResolvers<string>();
  const { url } = await started(async function* (signal) {
    signal.addEventListener('abort', () => over.resolve('aborted'));
    for (;;) {
      made += 1;
      yield { number: made };
      if (made % 1000 === 0) await new Promise(setImmediate);
    }
  });
  const { incoming, leave } = await open(`${url}/lines`);
  incoming.pause();
  let before = -1;
  // Until the buffers on the way are full: two looks apart, nothing was made.
  await expect
    .poll(
      () => {
        const isWaiting = made === before;
        before = made;
        return isWaiting;
      },
      { interval: 300 },
    )
    .toBe(true);
  leave();
  expect(await over.promise).toBe('aborted');
});

test('what goes wrong before the first line is a problem, and after it breaks the answer off', async () => {
  const gate = Promise.withResolvers<void>();
  const { url, logLines } = await started(async function* () {
    yield { number: 1 };
    await gate.promise;
    throw new Error('the database password is hunter2');
  });
  const { incoming } = await open(`${url}/lines`);
  await once(incoming, 'data');
  gate.resolve();
  await expect(text(incoming)).rejects.toThrow('aborted');
  await expect.poll(() => logLines.some((line) => line.includes('request failed'))).toBe(true);
  const refusing = await startService({
    routes: routesOf(() => {
      throw new Error('unknown');
    }),
  });
  onTestFinished(() => refusing.close());
  expect(problemIn(await send(`${refusing.url}/lines`)).code).toBe('ERR_INTERNAL');
});

test('whoever asks for the headers alone keeps no stream open', async () => {
  let isBegun = false;
  const { url } = await started(async function* () {
    isBegun = true;
    yield { number: 1 };
  });
  const { status, bytes } = await send(`${url}/lines`, { method: 'HEAD' });
  expect([status, bytes.length, isBegun]).toEqual([200, 0, false]);
});

test('the document says what a line is', () => {
  const info = { title: 'T', version: '1', description: 'D' };
  const { paths } = openApiDocument(
    info,
    routesOf(async function* () {}),
  );
  const { content } = paths!['/lines']!.get!.responses!['200'] as { content: object };
  expect(content).toMatchObject({ 'application/x-ndjson': { schema: { type: 'object' } } });
});
