/**
 * No secret and no plaintext appears in the logs, wherever a call puts it.
 *
 * @claims S-83
 */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { describe, expect, test } from 'vitest';
import type { LogLevel } from '../../src/cli/settings.ts';
import { createLogger } from '../../src/index.ts';
import { sendJson, startService } from '../harness.ts';

const SECRET = 'cafe-f00d-secret';
const BIG = 2n ** 300n + 12345n;

function capture(level: LogLevel = 'trace') {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level }, { write: (line) => lines.push(line) });
  const last = () => JSON.parse(lines.at(-1) ?? 'null');
  return { log, lines, last };
}

/** Names under which secrets and plaintexts live in the services. */
const SECRET_NAMES = [
  ...['authorization', 'Authorization', 'dpop', 'DPoP', 'cookie', 'proxy-authorization', 'password'],
  ...[
    'key',
    'keys',
    'secretKey',
    'secret_key',
    'privateKey',
    'keyEncryptionKey',
    'jwk',
    'clientSecret',
    'seed',
  ],
  ...[
    'token',
    'enrolmentToken',
    'ownerToken',
    'tokens',
    'proof',
    'body',
    'p',
    'q',
    'R',
    'V',
    'Q',
    'm',
    'lambda',
    'mu',
  ],
  ...[
    'blinding',
    'blindingValues',
    'plaintext',
    'plaintexts',
    'shares',
    'additiveShare',
    'statistics',
    'rows',
    'values',
  ],
];

describe('a secret', () => {
  test.each(SECRET_NAMES)('named %s is redacted at any depth, in bindings and in arguments', (name) => {
    const { log, lines } = capture();
    const holder = { [name]: SECRET };
    log.info(holder, 'message');
    log.info({ deep: { deeper: [{ ...holder }] } });
    log.info('with %o and %j', holder, { holder });
    log.child(holder).info('child');
    log
      .child({})
      .child({ request: { headers: holder } }, { level: 'info' })
      .info('grandchild');
    const bound = log.child({});
    bound.setBindings(holder);
    bound.info('bound');
    log.error(Object.assign(new Error('failed'), holder));
    log.error({
      err: Object.assign(new Error('failed'), holder),
      cause: Object.assign(new Error('why'), holder),
    });
    log.error(new Error('outer', { cause: Object.assign(new Error('inner'), holder) }), 'message', holder);
    log.error(new Error('outer', { cause: holder }));
    log.info({ [name]: { nested: SECRET, list: [SECRET] } });
    log.info({ [name]: BIG, other: BIG });
    expect(lines).toHaveLength(12);
    expect(lines.join('')).not.toContain(SECRET);
    expect(lines.join('')).not.toContain(String(BIG));
  });

  test('in bytes, maps and instances is described by kind', () => {
    const { log, last } = capture();
    class SecretKeyHolder {
      readonly prime = SECRET;
    }
    log.info({
      bytes: Buffer.from(SECRET),
      map: new Map([[1, SECRET]]),
      set: new Set([SECRET]),
      it: new SecretKeyHolder(),
    });
    expect(last()).toMatchObject({
      bytes: '[16 bytes]',
      map: '[Map]',
      set: '[Set]',
      it: '[SecretKeyHolder]',
    });
    log.info(new SecretKeyHolder());
    expect(JSON.stringify(last())).not.toContain(SECRET);
    log.info({ it: { toJSON: () => SECRET } });
    expect(JSON.stringify(last())).not.toContain(SECRET);
  });

  test.each([
    ['Bearer abc.def-ghi', 'abc.def'],
    ['dpop eyJ0eXAiOi.eyJzdWI', 'eyJ0eXAiOi'],
    ['got eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl instead', 'c2lnbmF0dXJl'],
    [`-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----`, 'MIGHAgEAMBMG'],
    [`decrypted to ${BIG}`, String(BIG)],
  ])('inside a text is redacted: %s', (text, secret) => {
    const { log, lines } = capture();
    log.info(text);
    log.info('%s', text);
    log.info({ note: text });
    log.error(new Error(text, { cause: new Error(text) }));
    log.child({ note: text }).info('child');
    expect(lines).toHaveLength(5);
    expect(lines.join('')).not.toContain(secret);
    expect(lines.join('')).toContain('[redacted]');
  });
});

describe('a log entry', () => {
  test('keeps what an operator needs', () => {
    const { log, last } = capture();
    log.info(
      { taskId: 'ab_c', owners: 10, keyBits: 2048, ok: true, at: new Date(0), none: null, list: ['x'] },
      'hello %d',
      7,
    );
    expect(last()).toMatchObject({
      level: 'info',
      service: 'test',
      msg: 'hello 7',
      taskId: 'ab_c',
      owners: 10,
      keyBits: 2048,
      ok: true,
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      list: ['x'],
    });
    expect(Date.parse(last().time)).toBeGreaterThan(0);
  });

  test('of an error has name, code, message, stack and cause, and nothing else', () => {
    const { log, last } = capture();
    const cause = Object.assign(new RangeError('out of range'), { input: 5 });
    log.error(
      { err: new CodedError(CODES.ERR_BUSY, 'too busy', { cause, retryAfterSeconds: 3 }), taskId: 't' },
      'failed',
    );
    const { err, ...rest } = last();
    expect(rest).toMatchObject({ level: 'error', msg: 'failed', taskId: 't' });
    expect(Object.keys(err)).toStrictEqual(['name', 'code', 'message', 'stack', 'cause']);
    expect(err).toMatchObject({ name: 'CodedError', code: 'ERR_BUSY', message: 'too busy' });
    expect(err.stack).toContain('log.test.ts');
    expect(err.cause).toMatchObject({ name: 'RangeError', message: 'out of range' });
    expect(err.cause).not.toHaveProperty('input');
    log.error(new Error('alone'));
    expect(last()).toMatchObject({ msg: 'alone', err: { message: 'alone' } });
  });

  test('survives cycles, getters that throw, long lists and numbers that JSON lacks', () => {
    const { log, last } = capture();
    const cycle: Record<string, unknown> = { number: Number.NaN };
    cycle.self = cycle;
    Object.defineProperty(cycle, 'trap', { enumerable: true, get: () => JSON.parse('{') });
    const error = new Error('around');
    error.cause = error;
    log.info({ cycle, list: Array.from({ length: 200 }, (_, i) => i), error, date: new Date(Number.NaN) });
    expect(last()).toMatchObject({ cycle: { number: null, trap: '[unreadable]' }, date: null });
    expect(last().list).toHaveLength(51);
  });

  test('below the level is not written', () => {
    const { log, lines } = capture('warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });
});

test('a request is logged by its route, without path, query, headers or body', async () => {
  const service = await startService({ level: 'trace' });
  const url = `${service.url}/tasks/abcd`;
  const body = JSON.stringify({ features: [], note: SECRET });
  await sendJson(`${url}?token=${SECRET}`, 'PUT', body);
  await sendJson(url, 'PUT', body);
  await sendJson(url, 'PUT', '{"n": s3cr3t');
  await sendJson(`${service.url}/${SECRET}`, 'PUT', '{}');
  await service.close();
  const text = service.logLines.join('');
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('s3cr3t'); // JSON.parse quotes what it cannot parse
  const requests = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(requests).toMatchObject([
    {
      level: 'info',
      method: 'PUT',
      route: '/tasks/:taskId',
      status: 422,
      taskId: 'abcd',
      code: 'ERR_BODY_INVALID',
    },
    { status: 422, code: 'ERR_BODY_INVALID' },
    { status: 400, code: 'ERR_BODY_MALFORMED' },
    { route: 'unknown', status: 404, code: 'ERR_ROUTE_UNKNOWN' },
  ]);
  for (const request of requests) {
    expect(request.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(request.milliseconds).toBeGreaterThanOrEqual(0);
  }
});
