/**
 * Pages of other origins: what they may ask and read, and that asking whether they may counts for the limit.
 *
 * @claims S-534
 */
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { serve } from '../../src/index.ts';
import { authenticators, problemIn, send, startService } from '../harness.ts';

const ORIGIN = 'https://owner.example.org';

async function started(allowedOrigins: readonly string[] = [ORIGIN], requestsPerMinute = 1000) {
  const open = {
    method: 'put',
    path: '/open/:id',
    summary: 'Takes bytes of an owner',
    auth: 'owner',
    fromPages: true,
    params: z.strictObject({ id: z.string() }),
    response: { status: 204, description: 'Taken' },
    problems: [],
  } as const;
  const routes = serve({ open }, authenticators, { open: () => {} });
  const service = await startService({ routes, allowedOrigins, requestsPerMinute });
  onTestFinished(() => service.close());
  return `${service.url}/open/x`;
}

const preflight = (url: string, origin = ORIGIN) =>
  send(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } });

test('a preflight needs no credentials and says what may be sent', async () => {
  const { status, headers, bytes } = await preflight(await started());
  expect([status, bytes.length]).toEqual([204, 0]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'PUT',
    'access-control-allow-headers': 'Authorization,Content-Type,DPoP,Eigenveil-Record,eigenveil-protocol',
    'access-control-max-age': '600',
  });
  expect(headers.vary).toContain('Origin');
  expect(headers['access-control-allow-credentials']).toBeUndefined();
});

test('a page can read why it was refused, and when it may come again', async () => {
  const answer = await send(await started(), { method: 'PUT', headers: { origin: ORIGIN } });
  expect(problemIn(answer).code).toBe('ERR_AUTH_REQUIRED');
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': 'Retry-After,eigenveil-protocol',
  });
});

test.each([
  ['another page', [ORIGIN], `${ORIGIN}.example`],
  ['a page where none is allowed', [], ORIGIN],
  ['a page of no origin', [ORIGIN], 'null'],
])('%s may read nothing', async (_, allowed, origin) => {
  const url = await started(allowed);
  for (const { headers } of [await preflight(url, origin), await send(url, { headers: { origin } })])
    expect(headers['access-control-allow-origin']).toBeUndefined();
});

test('preflights count for the limit, and what comes after it can be read', async () => {
  const url = await started([ORIGIN], 2);
  for (let i = 0; i < 2; i += 1) expect((await preflight(url)).status).toBe(204);
  expect(problemIn(await preflight(url)).code).toBe('ERR_RATE_LIMITED');
  const refused = await send(url, { method: 'PUT', headers: { origin: ORIGIN } });
  expect(problemIn(refused).code).toBe('ERR_RATE_LIMITED');
  expect(refused.headers['access-control-allow-origin']).toBe(ORIGIN);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});
