/**
 * What comes over the wire that is no request as it should be: lines, headers, bodies, paths, TLS and
 * WebSockets.
 * @claims S-79
 */
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
import { answersIn, openTls, type RawAnswer, sendAndReset, sendBytes, sendPlain } from './support/raw.ts';
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
const METRICS = 'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
const POST = 'POST /tasks HTTP/1.1\r\nhost: x\r\nconnection: close\r\n';
const CHUNKED = `${POST}transfer-encoding: chunked\r\n\r\n`;
const SECOND = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
const LONG = 'x'.repeat(10_000);

/** What a service may answer to a request that it refuses, once, whatever comes behind it. */
const isMalformed = (answers: readonly RawAnswer[]) => {
  // What the header section says may be refused before the rest of it turns out to be wrong.
  expect(answers.at(-1)).toMatchObject({
    type: 'application/problem+json',
    status: expect.toBeOneOf([400, 401]),
  });
  for (const { status, code } of answers) {
    expect(status).not.toBe(200);
    expect(code).toMatch(/^ERR_/);
  }
};
const isTooLarge = (answers: readonly RawAnswer[]) =>
  expect(answers).toEqual([{ status: 431, code: 'ERR_HEADERS_TOO_LARGE', type: 'application/problem+json' }]);
const isRefused = (answers: readonly RawAnswer[]) =>
  expect(answers.at(-1)!.status).toBeGreaterThanOrEqual(400);
const isOfNobody = (answers: readonly RawAnswer[]) =>
  expect(answers).toEqual([expect.objectContaining({ status: 401, code: 'ERR_AUTH_REQUIRED' })]);

/** `TOKEN` stands for the token of the data user's operator. */
const LINES: [string, string, (answers: readonly RawAnswer[]) => void][] = [
  ['no HTTP at all', `${randomBytes(64).toString('latin1')}\r\n\r\n`, isMalformed],
  ['HTTP/0.9', 'GET /healthz\r\n\r\n', isMalformed],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', isMalformed],
  ['HTTP/9.9', 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n', isMalformed],
  ['a method of its own', 'STEAL /metrics HTTP/1.1\r\nhost: x\r\n\r\n', isMalformed],
  ['a method in small letters', 'get /healthz HTTP/1.1\r\nhost: x\r\n\r\n', isMalformed],
  ['two hosts', `${METRICS}host: y\r\n\r\n`, isMalformed],
  ['a path of the wrong form', 'GET healthz HTTP/1.1\r\nhost: x\r\n\r\n', isMalformed],
  ['a path with a line feed', 'GET /heal\nthz HTTP/1.1\r\nhost: x\r\n\r\n', isMalformed],
  ['a path with a zero byte', 'GET /healthz\0 HTTP/1.1\r\nhost: x\r\n\r\n', isMalformed],
  ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', isMalformed],
  ['a header without a colon', `${GET}authorization\r\n\r\n`, isMalformed],
  ['a header whose name has a space', `${GET}authorization : Bearer x\r\n\r\n`, isMalformed],
  ['a header with a zero byte', `${GET}authorization: Bearer \0\r\n\r\n`, isMalformed],
  ['a header that goes on in the next line', `${GET}x: a\r\n b\r\n\r\n`, isMalformed],
  ['a header behind a bare carriage return', `${GET}x: a\rauthorization: b\r\n\r\n`, isMalformed],
  [
    'both lengths',
    `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
    isMalformed,
  ],
  ['two lengths', `${POST}content-length: 4\r\ncontent-length: 5\r\n\r\nabcde${SECOND}`, isMalformed],
  ['a list of lengths', `${POST}content-length: 4, 4\r\n\r\nabcd${SECOND}`, isMalformed],
  ['a negative length', `${POST}content-length: -1\r\n\r\n${SECOND}`, isMalformed],
  ['a length with a sign', `${POST}content-length: +4\r\n\r\nabcd${SECOND}`, isMalformed],
  ['a length in hexadecimal', `${POST}content-length: 0x4\r\n\r\nabcd${SECOND}`, isMalformed],
  ['a length beyond all integers', `${POST}content-length: ${'9'.repeat(40)}\r\n\r\nabcd`, isMalformed],
  ['an unknown encoding', `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`, isMalformed],
  [
    'chunks within something else',
    `${POST}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n${SECOND}`,
    isMalformed,
  ],
  ['a chunk of no length', `${CHUNKED}x\r\nabcd\r\n0\r\n\r\n`, isMalformed],
  ['a chunk of endless length', `${CHUNKED}${'f'.repeat(20)}\r\nabcd\r\n`, isMalformed],
  ['a chunk that is longer than it says', `${CHUNKED}2\r\nabcdef\r\n0\r\n\r\n`, isMalformed],
  ['a long header', `${GET}x: ${LONG}\r\n\r\n`, isTooLarge],
  ['a long name of a header', `${GET}${LONG}: x\r\n\r\n`, isTooLarge],
  [
    'many headers',
    `${GET}${Array.from({ length: 2000 }, (_, i) => `x${i}: y\r\n`).join('')}\r\n`,
    isTooLarge,
  ],
  ['a long path', `GET /${LONG} HTTP/1.1\r\nhost: x\r\n\r\n`, isTooLarge],
  ['a long token', `${GET}authorization: Bearer ${LONG}\r\n\r\n`, isTooLarge],
  ['long trailers', `${CHUNKED}0\r\n${`x: ${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n`, isRefused],
  ['a long extension of a chunk', `${CHUNKED}1;${LONG.repeat(2)}\r\na\r\n0\r\n\r\n`, isRefused],
  [
    'a token in a second header',
    `${METRICS}authorization: Bearer x\r\nauthorization: Bearer TOKEN\r\n\r\n`,
    isOfNobody,
  ],
  [
    'a token in a trailer',
    `${METRICS}transfer-encoding: chunked\r\ntrailer: authorization\r\n\r\n0\r\nauthorization: Bearer TOKEN\r\n\r\n`,
    isOfNobody,
  ],
  [
    'a token in headers of other names',
    `${METRICS}proxy-authorization: Bearer TOKEN\r\nx-authorization: Bearer TOKEN\r\n\r\n`,
    isOfNobody,
  ],
  [
    'a token in the query',
    METRICS.replace('/metrics', '/metrics?access_token=TOKEN').concat('\r\n'),
    isOfNobody,
  ],
  [
    'a token in the address',
    METRICS.replace('/metrics', 'https://admin:TOKEN@127.0.0.1/metrics').concat('\r\n'),
    isOfNobody,
  ],
];

/** Paths that are written in another way than a route's, `HOST` and `ID` for those of the service and of a task. */
const PATHS = String.raw`
  /metrics/ //metrics /./metrics /x/../metrics /healthz/../metrics /healthz%2f..%2fmetrics
  /%6detrics /%256detrics /metrics%00 /metrics%20 /metrics;x=y /METRICS /metrics?x /metrics#x
  /..%2fmetrics /%2e%2e/metrics /%252e%252e%252fmetrics /%c0%ae%c0%ae/metrics /% /%zz \metrics
  https://HOST/metrics http://HOST/metrics https://example.org/metrics * HOST
  /tasks/ID%2fstatus /tasks/..%2fID/status /tasks/%2e%2e/ID/status
  /tasks/ID/status/..%2fresult /tasks/ID%00/status /tasks//ID/status`;

// Both have the same server of HTTP, so that one says what the other repeats.
describe('at the csp', () => refusesBadLines('csp'));
describe('at the data user', { tags: ['long'] }, () => refusesBadLines('dataUser'));

function refusesBadLines(name: Name): void {
  const answersTo = async (text: string) =>
    answersIn(await sendBytes(addressOf(name), Buffer.from(text, 'latin1')));
  afterAll(() => expectAlive(name));

  test.each(LINES)('%s is refused, and nothing behind it is a request', async (_, text, expectAnswers) => {
    expectAnswers(await answersTo(text.replaceAll('TOKEN', adminToken)));
  });

  test('a path written in another way opens nothing', async () => {
    const { host } = new URL(addressOf(name).url);
    const paths = PATHS.trim().replaceAll('HOST', host).replaceAll('ID', taskId).split(/\s+/);
    const others = ['HEAD', 'OPTIONS', 'TRACE', 'CONNECT'];
    for (const [i, path] of paths.entries()) {
      for (const method of ['GET', others[i % others.length]]) {
        const answers = await answersTo(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
        if (method === 'CONNECT' && answers.length === 0) continue; // hung up on: nobody is connected to anything
        expect({ path, answers }).toEqual({
          path,
          answers: [
            expect.objectContaining({
              status: expect.toBeOneOf([400, 401, 404]),
              type: 'application/problem+json',
            }),
          ],
        });
      }
    }
  }, 120_000);

  test('what a peer expects, or would like to switch to, makes no difference', async () => {
    const close = 'connection: close\r\n';
    expect(await answersTo(`${GET}${close}expect: the moon\r\n\r\n`)).toMatchObject([{ status: 200 }]);
    const [answer] = await answersTo(
      'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    );
    expect(answer).toMatchObject({ type: 'application/problem+json', status: name === 'csp' ? 404 : 401 });
    const tunnel = await answersTo('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n');
    expect(tunnel.map(({ status }) => status)).not.toContain(200);
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
    for (const text of [`${GET}\r\n`, LONG.repeat(10)])
      expect(answersIn(await sendPlain(addressOf(name), text))).toEqual([]);
  });

  test('a peer that says nothing is hung up on', { tags: ['long'] }, async () => {
    expect(await sendPlain(addressOf(name), '')).toBe('');
  });

  test('peers that never finish do not keep others out', { tags: ['long'] }, async () => {
    const address = addressOf(name);
    const starts = [GET, `${POST}content-length: 100000\r\n\r\n{`, `${CHUNKED}1\r\n{`];
    const sockets = await Promise.all(
      Array.from({ length: 45 }, async (_, i) => {
        const socket = await openTls(address);
        socket.write(starts[i % starts.length]!);
        return socket;
      }),
    );
    for (let i = 0; i < 10; i += 1) await expectAlive(name);
    for (const socket of sockets) socket.destroy();
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
      const address = name === 'csp' ? world.cspAddress : world.dataUserAddress;
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

  const good = () => `/tasks/${taskId}/two-party`;
  const ELSEWHERE = `/ /metrics /healthz /tasks/ID /tasks/ID/two-party/ /tasks/ID/two-party?x
    /x/tasks/ID/two-party //tasks/ID/two-party /tasks/ID%2ftwo-party /tasks/x/two-party
    /tasks/..%2f../two-party /TASKS/ID/TWO-PARTY`;

  test('for another path is refused', async () => {
    for (const path of ELSEWHERE.replaceAll('ID', taskId).split(/\s+/)) {
      const { status, code, headers } = await ask(path);
      expect({ path, status, code }).toEqual({ path, status: 404, code: 'ERR_ROUTE_UNKNOWN' });
      expect(headers['content-type']).toBe('application/problem+json');
    }
    expect((await ask(`/tasks/${newTaskId()}/two-party`)).code).toBe('ERR_TASK_UNKNOWN');
    expect((await ask(good())).code).toBe('ERR_NOT_READY'); // the right one, only too early
  });

  test('without credentials is refused before anything else', async () => {
    expect(await ask(good(), { dpop: undefined })).toMatchObject({
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
