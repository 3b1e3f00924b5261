/** Requests good and bad against a real TLS server, and what they get. */
import { connect, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refuse } from '../src/index.ts';
import { Metrics } from '../src/metrics.ts';
import { Readiness } from '../src/readiness.ts';
import {
  ADMIN_TOKEN,
  identity,
  largeRoute,
  problemIn,
  send,
  sendJson,
  startService,
  type TestService,
} from './harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const feature = { name: 'age', min: 0 };
const octets = { 'content-type': 'application/octet-stream', 'x-owner': 'ada' };

/** Writes raw text to the server and returns everything it answers until it closes the connection. */
async function sendRaw(url: string, text: string, onSocket?: (socket: TLSSocket) => void): Promise<string> {
  const { port } = new URL(url);
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    ca: identity.cert,
    servername: 'localhost',
  });
  socket.write(text);
  onSocket?.(socket);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  await new Promise<void>((resolve) => {
    socket.on('error', () => resolve()).on('close', () => resolve());
  });
  return answer;
}

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

describe('JSON bodies', () => {
  const put = (body: string) => sendJson(`${service.url}/tasks/abcd`, 'PUT', body);

  test.each([
    ['malformed', '{"features": [', 'ERR_BODY_MALFORMED', 400],
    ['empty', '', 'ERR_BODY_MALFORMED', 400],
    ['deeply nested', '['.repeat(500) + ']'.repeat(500), 'ERR_BODY_MALFORMED', 400],
    ['too large', JSON.stringify({ features: [], padding: 'x'.repeat(2000) }), 'ERR_BODY_TOO_LARGE', 413],
    ['with an unknown member', '{"features": [], "extra": 1}', 'ERR_BODY_INVALID', 422],
    ['with a forged prototype', '{"features": [], "__proto__": {"x": 1}}', 'ERR_BODY_INVALID', 422],
    ['of the wrong type', '[]', 'ERR_BODY_INVALID', 422],
  ])('that are %s are refused', async (_, body, code, status) => {
    expect(problemIn(await put(body))).toMatchObject({ code, status });
  });

  test('nested a hundred thousand levels deep do not exhaust the stack', async () => {
    const large = await startService({ routes: [largeRoute()] });
    const body = '['.repeat(100_000) + ']'.repeat(100_000);
    const problem = problemIn(await sendJson(`${large.url}/large`, 'POST', body));
    await large.close();
    expect(problem.code).toBe('ERR_BODY_MALFORMED');
  });

  test('that are invalid get the place and the expectation but not the value', async () => {
    const body = JSON.stringify({ features: [feature, { name: 'b', min: 'patient 4711' }] });
    const answer = await put(body);
    expect(problemIn(answer).detail).toBe(
      '"features[1].min": Invalid input: expected number, received string',
    );
    expect(answer.bytes.toString()).not.toContain('4711');
  });

  test('that are not UTF-8 are refused', async () => {
    const body = Buffer.concat([Buffer.from('{"features": ["'), Buffer.of(0xff, 0xfe), Buffer.from('"]}')]);
    const headers = { 'content-type': 'application/json' };
    const answer = await send(`${service.url}/tasks/abcd`, { method: 'PUT', headers, body });
    expect(problemIn(answer).code).toBe('ERR_BODY_MALFORMED');
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=utf-16', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
    [undefined, {}],
  ])('with content type %s and headers %o are refused', async (type, more) => {
    const body = 'content-encoding' in more ? gzipSync('{"features": []}') : '{"features": []}';
    const headers = { ...more, ...(type === undefined ? {} : { 'content-type': type }) };
    const answer = await send(`${service.url}/tasks/abcd`, { method: 'PUT', headers, body });
    expect(problemIn(answer)).toMatchObject({ code: 'ERR_CONTENT_TYPE', status: 415 });
  });

  test('may name their character set', async () => {
    const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
    const body = '{"features": []}';
    const answer = await send(`${service.url}/tasks/abcd`, { method: 'PUT', headers, body });
    expect(answer.status).toBe(201);
  });
});

describe('binary bodies', () => {
  const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
    send(`${service.url}/tasks/abcd/contribution`, {
      method: 'POST',
      headers: { ...octets, ...headers },
      body,
    });

  test.each([
    [999, 'ERR_BODY_LENGTH', 400],
    [0, 'ERR_BODY_LENGTH', 400],
    [1001, 'ERR_BODY_TOO_LARGE', 413],
    [500_000, 'ERR_BODY_TOO_LARGE', 413],
  ])('of %i bytes instead of 1000 are refused', async (length, code, status) => {
    expect(problemIn(await post(new Uint8Array(length)))).toMatchObject({ code, status });
  });

  test.each([
    [999, 'ERR_BODY_LENGTH'],
    [1001, 'ERR_BODY_TOO_LARGE'],
    [400_000, 'ERR_BODY_TOO_LARGE'],
  ])('of %i bytes that do not declare their length are refused', async (length, code) => {
    const answer = await post(new Uint8Array(length), { 'transfer-encoding': 'chunked' });
    expect(problemIn(answer).code).toBe(code);
  });

  test('of the right length need not declare it', async () => {
    const answer = await post(new Uint8Array(1000), { 'transfer-encoding': 'chunked' });
    expect(answer.status).toBe(200);
  });

  test.each([
    [1_000_000_000, 413],
    [999, 400],
  ])('that declare %i bytes are refused before they are sent', async (length, status) => {
    const answer = await sendRaw(
      service.url,
      'POST /tasks/abcd/contribution HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-owner: ada\r\n' +
        `content-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n`,
      (socket) => socket.setTimeout(3000, () => socket.destroy()),
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('that never end are cut off', async () => {
    let sent = 0;
    await sendRaw(
      service.url,
      'POST /tasks/abcd/contribution HTTP/1.1\r\nhost: localhost\r\nx-owner: ada\r\n' +
        'content-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      (socket) => {
        const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
        const more = (): void => {
          if (socket.destroyed) return;
          sent += 0x10000;
          socket.write(chunk, () => setImmediate(more));
        };
        more();
      },
    );
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('need authentication before a byte of them is read', async () => {
    const answer = await post(new Uint8Array(500_000), { 'x-owner': '' });
    expect(answer.status).toBe(413); // an empty owner is one
    const headers = { 'content-type': 'application/octet-stream' };
    const body = new Uint8Array(500_000);
    const anonymous = await send(`${service.url}/tasks/abcd/contribution`, { method: 'POST', headers, body });
    expect(problemIn(anonymous).code).toBe('ERR_AUTH_REQUIRED');
    expect(anonymous.headers['www-authenticate']).toBe('DPoP');
  });

  test('broken off leave the service running', async () => {
    await sendRaw(
      service.url,
      'POST /tasks/abcd/contribution HTTP/1.1\r\nhost: localhost\r\nx-owner: ada\r\n' +
        'content-type: application/octet-stream\r\ncontent-length: 1000\r\n\r\nabc',
      (socket) => setTimeout(() => socket.destroy(), 50),
    );
    await expect.poll(() => service.logLines.join('')).toContain('the request was broken off');
    expect((await send(`${service.url}/healthz`)).status).toBe(200);
  });
});

describe('paths', () => {
  test.each(['/nothing', '/tasks', '/tasks/abcd/', '/TASKS/abcd', '/healthz/', '//healthz'])(
    '%s is no route',
    async (path) => {
      expect(problemIn(await send(service.url + path))).toMatchObject({
        code: 'ERR_ROUTE_UNKNOWN',
        status: 404,
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

test('a service that waits for its database runs, but is not ready', async () => {
  const problem = new ServiceError('ERR_DATABASE_UNREACHABLE', 'it is down', { retryAfterSeconds: 1 });
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

test('an upgrade that is refused gets a problem and no connection', async () => {
  const upgrading = await startService();
  upgrading.server.on('upgrade', (_request, socket) => {
    refuse(socket, new ServiceError('ERR_AUTH_REQUIRED', 'not you'));
  });
  const answer = await sendRaw(
    upgrading.url,
    'GET /channel HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  );
  await upgrading.close();
  expect(answer).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
  expect(answer).toMatch(/"code":"ERR_AUTH_REQUIRED".*"detail":"not you"\}$/);
});
