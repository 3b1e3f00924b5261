/** What comes over the wire that is no request as it should be: lines, headers, bodies, paths, TLS and WebSockets. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { adminTokenFile, openSigningKey } from '@eigenveil/server';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { signIn } from './support/console.ts';
import { answersIn, openTls, sendAndReset, sendBytes, sendPlain } from './support/raw.ts';
import { type Address, credentials, ownerOf, type Sender, send } from './support/requests.ts';
import { upgradeHeaders } from './support/rogue.ts';
import { World } from './support/world.ts';

const SERVICES = ['csp', 'dataUser'] as const;
type Name = (typeof SERVICES)[number];

let world: World;
let taskId: TaskId;
let dataUser: Sender;
let owner: Sender;
let adminToken: string;
let bearer: string;

beforeAll(async () => {
  world = await World.start();
  taskId = (await (await ByHand.start(world)).create()).task.id;
  const { dataDirectory } = world.dataUserConfig;
  dataUser = { key: await openSigningKey(dataDirectory) };
  owner = await ownerOf((await world.enrolledOwner()).home);
  adminToken = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
  bearer = (await signIn(world.dataUserAddress, adminToken)).bearer;
});
afterAll(() => world.close());

/** Of one connection for each request: services end idle ones here, to make room for others. */
const FRESH = new Agent();
const addressOf = (name: Name): Address => ({
  ...(name === 'csp' ? world.cspAddress : world.dataUserAddress),
  agent: FRESH,
});
const expectAlive = async (name: Name) =>
  expect((await send(addressOf(name), { method: 'GET', path: '/healthz' })).status).toBe(200);

const GET = 'GET /healthz HTTP/1.1\r\nhost: x\r\n';
const POST = 'POST /tasks HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
const SECOND = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

// Both have the same server of HTTP, so that one says what the other repeats.
describe('at the csp', () => refusesBadLines('csp'));
describe('at the data user', { tags: ['long'] }, () => refusesBadLines('dataUser'));

function refusesBadLines(name: Name): void {
  const malformed: [string, string][] = [
    ['no HTTP at all', `${randomBytes(64).toString('latin1')}\r\n\r\n`],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a method of its own', 'STEAL /metrics HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a method in small letters', 'get /healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['two hosts', `${GET}host: y\r\n\r\n`],
    ['a path of the wrong form', 'GET healthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a path with a line feed', 'GET /heal\nthz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a path with a zero byte', 'GET /healthz\0 HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['a header without a colon', `${GET}authorization\r\n\r\n`],
    ['a header whose name has a space', `${GET}authorization : Bearer x\r\n\r\n`],
    ['a header with a zero byte', `${GET}authorization: Bearer \0\r\n\r\n`],
    ['a header that goes on in the next line', `${GET}x: a\r\n b\r\n\r\n`],
    ['a header behind a bare carriage return', `${GET}x: a\rauthorization: b\r\n\r\n`],
    ['both lengths', `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`],
    ['two lengths', `${POST}content-length: 4\r\ncontent-length: 5\r\n\r\nabcde${SECOND}`],
    ['a list of lengths', `${POST}content-length: 4, 4\r\n\r\nabcd${SECOND}`],
    ['a negative length', `${POST}content-length: -1\r\n\r\n${SECOND}`],
    ['a length with a sign', `${POST}content-length: +4\r\n\r\nabcd${SECOND}`],
    ['a length in hexadecimal', `${POST}content-length: 0x4\r\n\r\nabcd${SECOND}`],
    ['a length beyond all integers', `${POST}content-length: ${'9'.repeat(40)}\r\n\r\nabcd`],
    ['an unknown transfer encoding', `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`],
    ['chunks within something else', `${POST}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n${SECOND}`],
    ['a chunk of no length', `${POST}transfer-encoding: chunked\r\n\r\nx\r\nabcd\r\n0\r\n\r\n`],
    ['a chunk of endless length', `${POST}transfer-encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\nabcd\r\n`],
    [
      'a chunk that is longer than it says',
      `${POST}transfer-encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n`,
    ],
  ];

  test.each(malformed)('%s is refused, once, and nothing behind it is a request', async (_, bytes) => {
    const answers = answersIn(await sendBytes(addressOf(name), Buffer.from(bytes, 'latin1')));
    // What the header section says may be refused before the rest of it turns out to be wrong.
    const last = answers.at(-1);
    expect(last).toMatchObject({ type: 'application/problem+json' });
    expect([400, 401]).toContain(last!.status);
    expect(answers.map(({ status }) => status)).not.toContain(200);
    expect(answers.map(({ code }) => code).every((code) => code?.startsWith('ERR_'))).toBe(true);
    await expectAlive(name);
  });

  test('headers and paths that are too large are refused', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => `x${i}: y\r\n`).join('');
    for (const bytes of [
      `${GET}x: ${'x'.repeat(10_000)}\r\n\r\n`,
      `${GET}${'x'.repeat(10_000)}: x\r\n\r\n`,
      `${GET}${many}\r\n`,
      `GET /${'x'.repeat(10_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      `${GET}authorization: Bearer ${'x'.repeat(10_000)}\r\n\r\n`,
    ]) {
      expect(answersIn(await sendBytes(addressOf(name), bytes))).toEqual([
        { status: 431, code: 'ERR_HEADERS_TOO_LARGE', type: 'application/problem+json' },
      ]);
    }
    const trailers = `${POST}transfer-encoding: chunked\r\n\r\n0\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n`;
    expect(answersIn(await sendBytes(addressOf(name), trailers)).at(-1)!.status).toBeGreaterThanOrEqual(400);
    const extension = `${POST}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`;
    expect(answersIn(await sendBytes(addressOf(name), extension)).at(-1)!.status).toBeGreaterThanOrEqual(400);
    await expectAlive(name);
  });

  test('credentials in a trailer, in a second header or in the path count for nothing', async () => {
    const token = `Bearer ${adminToken}`;
    const metrics = 'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
    for (const bytes of [
      `${metrics}authorization: Bearer x\r\nauthorization: ${token}\r\n\r\n`,
      `${metrics}transfer-encoding: chunked\r\ntrailer: authorization\r\n\r\n0\r\nauthorization: ${token}\r\n\r\n`,
      `${metrics}proxy-authorization: ${token}\r\nx-authorization: ${token}\r\n\r\n`,
      `GET /metrics?access_token=${adminToken} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      `GET https://admin:${adminToken}@127.0.0.1/metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    ]) {
      const [answer, ...others] = answersIn(await sendBytes(addressOf(name), bytes));
      expect(answer).toMatchObject({ status: 401, code: 'ERR_AUTH_REQUIRED' });
      expect(others).toEqual([]);
    }
  });

  test('a path written in another way opens nothing', async () => {
    const { host } = new URL(addressOf(name).url);
    const paths = [
      ...[
        '/metrics/',
        '//metrics',
        '/./metrics',
        '/x/../metrics',
        '/healthz/../metrics',
        '/healthz%2f..%2fmetrics',
      ],
      ...[
        '/%6detrics',
        '/%256detrics',
        '/metrics%00',
        '/metrics%20',
        '/metrics;x=y',
        '/METRICS',
        '/metrics?x',
        '/metrics#x',
      ],
      ...[
        '/..%2fmetrics',
        '/%2e%2e/metrics',
        '/%252e%252e%252fmetrics',
        '/%c0%ae%c0%ae/metrics',
        '/%',
        '/%zz',
        '\\metrics',
      ],
      ...[`https://${host}/metrics`, `http://${host}/metrics`, 'https://example.org/metrics', '*', `${host}`],
      ...[`/tasks/${taskId}%2fstatus`, `/tasks/..%2f${taskId}/status`, `/tasks/%2e%2e/${taskId}/status`],
      ...[`/tasks/${taskId}/status/..%2fresult`, `/tasks/${taskId}%00/status`, `/tasks//${taskId}/status`],
    ];
    const others = ['HEAD', 'OPTIONS', 'TRACE', 'CONNECT'];
    for (const [i, path] of paths.entries()) {
      for (const method of ['GET', others[i % others.length]]) {
        const text = await sendBytes(
          addressOf(name),
          `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
        );
        const answers = answersIn(text);
        expect(answers.length, `${method} ${path}`).toBeLessThanOrEqual(1);
        if (method === 'CONNECT' && answers.length === 0) continue; // hung up on: nobody is connected to anything
        expect({ path, status: answers[0]!.status }).toEqual({
          path,
          status: expect.toBeOneOf([400, 401, 404]),
        });
        expect(answers[0]!.type).toBe('application/problem+json');
      }
    }
    await expectAlive(name);
  }, 120_000);

  test('what a peer expects, or would like to switch to, makes no difference', async () => {
    const close = 'connection: close\r\n';
    const text = await sendBytes(addressOf(name), `${GET}${close}expect: the moon\r\n\r\n`);
    expect(answersIn(text)).toMatchObject([{ status: 200 }]);
    const upgrade = `GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`;
    const [answer] = answersIn(await sendBytes(addressOf(name), upgrade));
    expect(answer).toMatchObject({ type: 'application/problem+json', status: name === 'csp' ? 404 : 401 });
    const tunnel = await sendBytes(
      addressOf(name),
      'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n',
    );
    expect(answersIn(tunnel).map(({ status }) => status)).not.toContain(200);
  });

  test('TLS below 1.3 and no TLS at all are refused', async () => {
    const port = Number(new URL(addressOf(name).url).port);
    for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const) {
      const socket = connect({
        ...{ host: '127.0.0.1', port, ca: world.ca, ciphers: 'DEFAULT@SECLEVEL=0' },
        ...{ minVersion: version, maxVersion: version },
      });
      const [error] = (await Promise.race([
        once(socket, 'error'),
        once(socket, 'secureConnect').then(() => [undefined]),
      ]).catch((cause: unknown) => [cause])) as [Error | undefined];
      expect(error?.message).toMatch(/protocol version|unsupported protocol|no protocols available/);
      socket.destroy();
    }
    for (const text of [`${GET}\r\n`, 'x'.repeat(100_000), '']) {
      expect(answersIn(await sendPlain(addressOf(name), text))).toEqual([]);
    }
    await expectAlive(name);
  });

  test('peers that never finish do not keep others out', { tags: ['long'] }, async () => {
    const address = addressOf(name);
    const starts = [
      GET,
      `${POST}content-length: 100000\r\n\r\n{`,
      `${POST}transfer-encoding: chunked\r\n\r\n1\r\n{`,
    ];
    const sockets = await Promise.all(
      Array.from({ length: 45 }, async (_, i) => {
        const socket = await openTls(address);
        socket.write(starts[i % starts.length]!);
        return socket;
      }),
    );
    for (let i = 0; i < 10; i += 1) await expectAlive(name);
    for (const socket of sockets) socket.destroy();
    await expectAlive(name);
  });
}

describe('bodies, from those who may send some', () => {
  const type = { 'content-type': 'application/json' };
  const bodies: [string, Record<string, string>, string | Uint8Array][] = [
    ['nothing', type, ''],
    ['no JSON', type, '{"task":'],
    ['a list', type, '[]'],
    ['null', type, 'null'],
    ['a number beyond all numbers', type, '{"task": 1e999, "records": [1e999], "enrolmentToken": 1e999}'],
    ['a prototype', type, '{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}}'],
    ['a member twice', type, '{"task": {}, "task": {}, "records": [], "records": []}'],
    ['a member too many', type, '{"admin": true}'],
    [
      'lone surrogates',
      type,
      '{"task": "\\ud800", "records": ["\\udfff"], "enrolmentToken": "\\ud800\\ud800"}',
    ],
    ['nesting', type, `{"task": ${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['nesting of objects', type, `${'{"task":'.repeat(500)}1${'}'.repeat(500)}`],
    ['nesting without an end', type, '['.repeat(3000)],
    ['a mark of byte order', type, Buffer.from('\ufeff{"records": 1}', 'utf16le')],
    ['bytes that are no UTF-8', type, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['more than the limit', type, `{"records": ["${'x'.repeat(2_000_000)}"]}`],
    ['a key of great length', type, `{"${'k'.repeat(3000)}": 1}`],
    ['no type', {}, '{}'],
    ['another type', { 'content-type': 'text/plain' }, '{}'],
    ['a type that starts alike', { 'content-type': 'application/jsonx' }, '{}'],
    ['two types', { 'content-type': 'application/json, text/plain' }, '{}'],
    ['another character set', { 'content-type': 'application/json; charset=utf-16' }, '{}'],
    ['compression', { ...type, 'content-encoding': 'gzip' }, '{}'],
    ['compression twice', { ...type, 'content-encoding': 'identity, br' }, '{}'],
  ];

  /** Of somebody who may use a route of this scheme; none where everybody may. */
  async function credentialsFor(
    scheme: string | undefined,
    address: Address,
    message: { readonly method: string; readonly path: string },
  ): Promise<Record<string, string>> {
    if (scheme === undefined) return {};
    if (scheme === 'operator') return { authorization: `Bearer ${adminToken}` };
    if (scheme === 'console') return { authorization: `Bearer ${bearer}` };
    return credentials(address, scheme === 'owner' ? owner : dataUser, message);
  }

  /** Sends every route the bodies of its number. */
  async function expectRefused(bodiesOf: (route: number) => typeof bodies): Promise<void> {
    let routes = 0;
    for (const name of SERVICES) {
      const address = addressOf(name);
      const { json } = await send(address, { method: 'GET', path: '/openapi.json' });
      type Route = { security: Record<string, unknown>[]; requestBody?: unknown };
      for (const [pattern, methods] of Object.entries(json.paths as Record<string, Record<string, Route>>)) {
        for (const [verb, { security, requestBody }] of Object.entries(methods)) {
          if (requestBody === undefined) continue;
          const message = {
            method: verb.toUpperCase(),
            path: pattern.replace('{taskId}', taskId).replace('{number}', '0'),
          };
          for (const [what, headers, body] of bodiesOf(routes)) {
            const who = await credentialsFor(Object.keys(security[0] ?? {})[0], address, message);
            // Closing or cancelling a task takes an empty object, which a bad one must not be taken for.
            const answer = await send(address, { ...message, headers: { ...who, ...headers }, body });
            const got = { ...message, what, status: answer.status, code: answer.code };
            expect(got).toEqual({
              ...got,
              status: expect.toBeOneOf([400, 413, 415, 422]),
              code: expect.toBeOneOf([
                ...['ERR_BODY_MALFORMED', 'ERR_BODY_INVALID', 'ERR_BODY_TOO_LARGE', 'ERR_CONTENT_TYPE'],
                'ERR_RECORD_INVALID',
              ]),
            });
            expect(answer.headers['content-type']).toBe('application/problem+json');
            expect(answer.text.length).toBeLessThan(2000);
          }
          routes += 1;
        }
      }
    }
    expect(routes).toBeGreaterThan(6);
  }

  test('some on every route, each on some, get a stable code and nothing back', () =>
    expectRefused((route) => bodies.filter((_, i) => i % 4 === route % 4)));

  test('each on every route gets a stable code and nothing back', { tags: ['long'] }, () =>
    expectRefused(() => bodies),
  );
});

describe('a request for the two-party connection', () => {
  const ask = async (path: string, headers: Record<string, string | undefined> = {}, method = 'GET') => {
    const proof = await credentials(world.cspAddress, dataUser, { method, path });
    const all = Object.entries({ ...upgradeHeaders(), ...proof, ...headers });
    const given = Object.fromEntries(all.filter((it): it is [string, string] => it[1] !== undefined));
    return send(world.cspAddress, { method, path, headers: given });
  };

  test('for another path is refused', async () => {
    const good = `/tasks/${taskId}/two-party`;
    for (const path of [
      ...[
        '/',
        '/metrics',
        '/healthz',
        `/tasks/${taskId}`,
        `${good}/`,
        `${good}?x`,
        `/x${good}`,
        `//tasks/${taskId}/two-party`,
      ],
      ...[
        `/tasks/${taskId}%2ftwo-party`,
        '/tasks/x/two-party',
        '/tasks/..%2f../two-party',
        good.toUpperCase(),
      ],
    ]) {
      const answer = await ask(path);
      expect({ path, status: answer.status, code: answer.code }).toEqual({
        path,
        status: 404,
        code: 'ERR_ROUTE_UNKNOWN',
      });
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    expect((await ask(`/tasks/${newTaskId()}/two-party`)).code).toBe('ERR_TASK_UNKNOWN');
    expect((await ask(good)).code).toBe('ERR_NOT_READY'); // the right one, only too early
  });

  test('without credentials is refused before anything else', async () => {
    expect(await ask(`/tasks/${taskId}/two-party`, { dpop: undefined })).toMatchObject({
      status: 401,
      code: 'ERR_AUTH_REQUIRED',
    });
  });
});

test('a connection that is reset while its request to upgrade is looked at brings nothing down', async () => {
  const uncaught = vi.fn();
  process.on('uncaughtException', uncaught);
  const path = `/tasks/${taskId}/two-party`;
  try {
    for (let i = 0; i < 20; i += 1) {
      // With good credentials, whose signatures take the CSP some turns of its event loop.
      const proof = await credentials(world.cspAddress, dataUser, { method: 'GET', path });
      const headers = Object.entries({ host: 'x', ...upgradeHeaders(), ...proof });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      await sendAndReset(world.cspAddress, `GET ${path} HTTP/1.1\r\n${lines}\r\n`);
      await expectAlive('csp');
    }
  } finally {
    process.off('uncaughtException', uncaught);
  }
  expect(uncaught).not.toHaveBeenCalled();
});

test('requests to upgrade count as requests do, whoever sends them', async () => {
  const limited = await World.start({ csp: { requestsPerMinute: 20 } });
  try {
    const path = `/tasks/${newTaskId()}/two-party`;
    const upgrade = () => send(limited.cspAddress, { method: 'GET', path, headers: upgradeHeaders() });
    const request = () => send(limited.cspAddress, { method: 'GET', path: '/metrics' });
    const codes: (string | undefined)[] = [];
    for (let i = 0; i < 15; i += 1) codes.push((await upgrade()).code, (await request()).code);
    expect(codes.indexOf('ERR_RATE_LIMITED')).toBeGreaterThan(15); // starting the world took some requests
    expect(codes.slice(20)).toEqual(codes.slice(20).map(() => 'ERR_RATE_LIMITED'));
    const refused = await upgrade();
    expect(refused).toMatchObject({ status: 429, code: 'ERR_RATE_LIMITED' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers['content-type']).toBe('application/problem+json');
  } finally {
    await limited.close();
  }
});
