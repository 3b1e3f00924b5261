/** Requests good and bad against a real TLS server, and what they get. */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refuse } from '../../src/index.ts';
import {
  ADMIN_TOKEN,
  feature,
  octets,
  problemIn,
  send,
  sendJson,
  sendRaw,
  startService,
  type TestService,
} from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('answers', () => {
  test('carry the headers of an API that no page may use', async () => {
    for (const path of ['/healthz', '/no-such-route', '/tasks/abcd']) {
      const { headers } = await send(service.url + path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('etag');
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('have a request id of our own, whatever the peer sends', async () => {
    const { headers } = await send(`${service.url}/healthz`, { headers: { 'x-request-id': 'forged' } });
    expect(headers['x-request-id']).not.toBe('forged');
  });

  test('to a good request have the status and body of the route', async () => {
    const answer = await sendJson(
      `${service.url}/tasks/abcd`,
      'PUT',
      JSON.stringify({ features: [feature] }),
    );
    expect(answer.status).toBe(201);
    expect(answer.json()).toStrictEqual({ count: 1 });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('to a binary request arrive byte for byte', async () => {
    const answer = await send(`${service.url}/bytes`);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect([...answer.bytes]).toStrictEqual([1, 2, 3, 255]);
  });

  test('never hold a member that their schema does not name', async () => {
    const answer = await send(`${service.url}/tasks/abcd/contribution`, {
      method: 'POST',
      headers: octets,
      body: new Uint8Array(1000).fill(2),
    });
    expect(answer.json()).toStrictEqual({ ownerId: 'ada', sum: 2000 });
  });
});

describe('paths', () => {
  test.each(['/nothing', '/tasks', '/tasks/abcd/', '/TASKS/abcd', '/healthz/', '//healthz'])(
    '%s is no route',
    async (path) => {
      expect(problemIn(await send(service.url + path))).toMatchObject({
        code: 'ERR_ROUTE_UNKNOWN',
        status: 404,
        detail: expect.stringMatching(/^this is an? .*, which has no such method and path/),
      });
    },
  );

  test('with bad percent-encoding are malformed', async () => {
    const problem = problemIn(await sendJson(`${service.url}/tasks/%E0%A4%A`, 'PUT', '{}'));
    expect(problem).toMatchObject({ code: 'ERR_BODY_MALFORMED', status: 400 });
    expect(problem.detail).not.toContain('%E0');
  });

  test.each(['toolong', 'AB-D', '%2e%2e%2fx'])('with a parameter like %s are refused', async (taskId) => {
    const problem = problemIn(await sendJson(`${service.url}/tasks/${taskId}`, 'PUT', '{"features": []}'));
    expect(problem).toMatchObject({ code: 'ERR_BODY_INVALID', status: 422 });
  });

  test('longer than the limit on headers are refused', async () => {
    const answer = await send(`${service.url}/${'x'.repeat(20_000)}`);
    expect(problemIn(answer)).toMatchObject({ code: 'ERR_HEADERS_TOO_LARGE', status: 431 });
  });
});

describe('queries', () => {
  test('are read by their schema, which has each member once', async () => {
    const put = (query: string) =>
      sendJson(`${service.url}/tasks/abcd${query}`, 'PUT', JSON.stringify({ features: [feature] }));
    expect((await put('?least=5')).json()).toEqual({ count: 5 });
    expect((await put('?')).json()).toEqual({ count: 1 });
    for (const query of ['?least=x', '?least=5&least=5', '?most=5', '?least=5&__proto__=1', '?least=5?'])
      expect(problemIn(await put(query)).code).toBe('ERR_BODY_INVALID');
  });

  test('of routes that take none are not read', async () => {
    expect((await send(`${service.url}/bytes?least=x`)).status).toBe(200);
  });
});

describe('of several who may ask', () => {
  const who = (headers: Record<string, string>) => send(`${service.url}/who`, { headers });

  test('the scheme of the credentials says which one asks', async () => {
    expect((await who({ 'x-owner': 'ada' })).json()).toBe('ada');
    expect((await who({ 'x-owner': 'ada', authorization: 'DPoP x' })).json()).toBe('ada');
    expect((await who({ authorization: `bearer ${ADMIN_TOKEN}` })).json()).toBe('admin');
  });

  test('nobody is let in by the credentials of another, and all schemes are told', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer x', 'x-owner': 'ada' },
      { authorization: ADMIN_TOKEN },
    ]) {
      const answer = await who(headers);
      expect(problemIn(answer).code).toBe('ERR_AUTH_REQUIRED');
      expect(answer.headers['www-authenticate']).toBe('DPoP, Bearer');
    }
  });
});

describe('failures', () => {
  test('of the service say nothing about themselves', async () => {
    const answer = await send(`${service.url}/failure/crash`);
    expect(answer.json()).toStrictEqual({
      type: 'urn:eigenveil:error:internal',
      title: 'The service failed',
      status: 500,
      code: 'ERR_INTERNAL',
    });
    const entry = service.logLines
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === 'request failed');
    expect(entry).toMatchObject({
      level: 'error',
      requestId: answer.headers['x-request-id'],
      err: { name: 'Error', cause: { message: 'disk full' } },
    });
  });

  test('include answers that break their own schema', async () => {
    expect(problemIn(await send(`${service.url}/failure/answer`)).code).toBe('ERR_INTERNAL');
  });

  test('that pass say when to come again', async () => {
    const answer = await send(`${service.url}/failure/not-ready`);
    expect(problemIn(answer)).toMatchObject({ code: 'ERR_NOT_READY', detail: 'come again' });
    expect(answer.headers['retry-after']).toBe('2');
  });
});

describe('the operator', () => {
  test.each([
    undefined,
    'Bearer',
    'Bearer wrong-token',
    `Bearer ${ADMIN_TOKEN}x`,
    `Basic ${ADMIN_TOKEN}`,
    ADMIN_TOKEN,
  ])('is not admitted with authorization %s', async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await send(`${service.url}/tasks/abcd`, { method: 'DELETE', headers });
    expect(problemIn(answer)).toMatchObject({ code: 'ERR_AUTH_REQUIRED', status: 401 });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('is admitted with the token', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await send(`${service.url}/tasks/abcd`, { method: 'DELETE', headers });
    expect(answer.status).toBe(204);
    expect(answer.bytes).toHaveLength(0);
  });

  test('alone reads the metrics, which know routes and codes but no paths', async () => {
    expect((await send(`${service.url}/metrics`)).status).toBe(401);
    await send(`${service.url}/tasks/zzzz`);
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const text = (await send(`${service.url}/metrics`, { headers })).bytes.toString();
    expect(text).toMatch(
      /eigenveil_http_request_duration_seconds_count\{.*route="\/failure\/:kind",status="409"\} 1/,
    );
    expect(text).toMatch(/eigenveil_http_problems_total\{.*code="ERR_NOT_READY".*\} 1/);
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toMatch(/abcd|zzzz/);
  });
});

test('a peer that asks too often is told to wait, but may see that the service runs', async () => {
  const limited = await startService({ requestsPerMinute: 3 });
  for (let request = 0; request < 3; request++) {
    const headers = { 'x-forwarded-for': `10.0.0.${request}` };
    expect((await send(`${limited.url}/bytes`, { headers })).status).toBe(200);
  }
  const answer = await send(`${limited.url}/bytes`, { headers: { 'x-forwarded-for': '10.0.0.9' } });
  expect(problemIn(answer)).toMatchObject({ code: 'ERR_RATE_LIMITED', status: 429 });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.headers['ratelimit-policy']).toMatch(/q=3; w=60/);
  for (const path of ['/healthz', '/readyz']) expect((await send(`${limited.url}${path}`)).status).toBe(200);
  await limited.close();
});

test('an upgrade that is refused gets a problem and no connection', async () => {
  const upgrading = await startService();
  upgrading.server.on('upgrade', (_request, socket) => {
    refuse(socket, new CodedError(CODES.ERR_AUTH_REQUIRED, 'not you'));
  });
  const answer = await sendRaw(
    upgrading.url,
    'GET /channel HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  );
  await upgrading.close();
  expect(answer).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
  expect(answer).toMatch(/"code":"ERR_AUTH_REQUIRED".*"detail":"not you"\}$/);
});
