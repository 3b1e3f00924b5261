/** Bodies good and bad against a real TLS server, and what they get. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  feature,
  largeRoute,
  octets,
  problemIn,
  send,
  sendJson,
  sendRaw,
  startService,
  type TestService,
} from './harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

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
    expect(problemIn(answer).detail).toBe('"features[1].min": expected a number, got a text');
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
      (socket) => socket.once('data', () => socket.destroy()),
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
      (socket) => service.server.once('request', () => socket.destroy()),
    );
    await expect.poll(() => service.logLines.join('')).toContain('the request was broken off');
    expect((await send(`${service.url}/healthz`)).status).toBe(200);
  });
});
