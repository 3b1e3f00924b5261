import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { generate } from 'selfsigned';
import { Agent, type RequestInit, fetch as undiciFetch } from 'undici';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { generatePrivateJwk, importSigningKey, ServiceClient, verifyProof } from '../../src/index.ts';
import { type Clock, Deadline, type ServiceClientOptions } from '../../src/transport/client.ts';
import { openTransport as openFetch } from '../../src/transport/fetch.ts';
import { openTransport as openUndici } from '../../src/transport/undici.ts';
import { type Certificate, certificateWith, type Scripted, serveScripted } from '../scripted-service.ts';

let certificate: Certificate;
beforeAll(async () => {
  certificate = await certificateWith({});
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** See serveScripted. */
async function serve(answers: readonly Scripted[], tls: object = {}) {
  const { close, ...service } = await serveScripted(certificate, answers, tls);
  closers.push(close);
  return service;
}

/** What a page asks of `fetch`, which here trusts the services of this file. */
const fetched: RequestInit[] = [];
beforeEach(() => {
  fetched.length = 0;
  const dispatcher = new Agent({ connect: { ca: certificate.cert } });
  closers.push(() => dispatcher.destroy());
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    fetched.push(init);
    return undiciFetch(url, { ...init, dispatcher });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function clientOf(
  url: string,
  options: Partial<ServiceClientOptions> = {},
  open: typeof openFetch | undefined = openUndici,
): ServiceClient {
  const ca = open === openFetch ? undefined : certificate.cert;
  const client = new ServiceClient({ url, ca, credentials: { kind: 'none' }, ...options }, open);
  closers.push(() => client.close());
  return client;
}

/** Time that passes when the test says so. */
class FakeClock implements Clock {
  #now = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly callback: () => void }>();

  get waiting(): number {
    return this.#waiting.size;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#waiting]) {
      if (timer.at > this.#now || !this.#waiting.delete(timer)) continue;
      timer.callback();
    }
  }
}

const GET = { method: 'GET', path: '/thing', response: z.strictObject({ ok: z.boolean() }) } as const;
const PROBLEM = 'application/problem+json';
const problem = (code: string, status: number) =>
  JSON.stringify({ type: 'urn:x', title: 'title', status, code, detail: 'why' });

describe.each([
  ['undici', openUndici],
  ['fetch', openFetch],
])('the client of a service, with %s,', (_, open) => {
  const client = (url: string, options: Partial<ServiceClientOptions> = {}) => clientOf(url, options, open);

  test('returns the answer that the schema allows', async () => {
    const { url } = await serve([{}]);
    expect(await client(url).send(GET)).toEqual({ ok: true });
  });

  test('proves its key afresh for every attempt', async () => {
    const key = await importSigningKey(await generatePrivateJwk());
    const { url, requests } = await serve(['drop', {}]);
    await client(url, {
      credentials: { kind: 'key', key, token: 'token' },
      patienceMilliseconds: 5000,
    }).send(GET);
    const proofs = await Promise.all(
      requests.map(({ headers }) =>
        verifyProof(String(headers.dpop), { method: 'GET', url: `${url}/thing`, token: 'token' }),
      ),
    );
    expect(proofs.map(({ thumbprint }) => thumbprint)).toEqual([key.thumbprint, key.thumbprint]);
    expect(proofs[0]!.proofId).not.toBe(proofs[1]!.proofId);
  });

  test.each([
    ['another schema', { body: '{"ok":"yes"}' }],
    ['no JSON', { body: '<html>' }],
    ['JSON under another name', { type: 'text/html' }],
    ['an error without problem details', { status: 500, body: 'oops', type: 'text/plain' }],
    [
      'a problem with a code that does not exist',
      { status: 409, type: PROBLEM, body: problem('ERR_INVENTED', 409) },
    ],
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' }, body: '' }],
  ])('takes %s for a breach of the protocol', async (_name, answer) => {
    const { url } = await serve([answer]);
    await expect(client(url).send(GET)).rejects.toMatchObject({ code: 'ERR_PEER_PROTOCOL' });
  });

  test("turns a peer's problem into an error with its code, message and delay", async () => {
    const { url } = await serve([
      { status: 409, type: PROBLEM, body: problem('ERR_NOT_READY', 409), headers: { 'retry-after': '7' } },
    ]);
    await expect(client(url).send(GET)).rejects.toMatchObject({
      code: 'ERR_NOT_READY',
      message: 'why',
      parameters: { retryAfterSeconds: 7 },
    });
  });

  test('goes on trying while the peer is down or busy, and only then', async () => {
    const busy = { status: 503, type: PROBLEM, body: problem('ERR_BUSY', 503) };
    const down = { status: 503, type: PROBLEM, body: problem('ERR_DATABASE_UNREACHABLE', 503) };
    const patient = await serve(['drop', busy, down, {}]);
    expect(await client(patient.url, { patienceMilliseconds: 10_000 }).send(GET)).toEqual({ ok: true });
    const impatient = await serve(['drop', {}]);
    await expect(client(impatient.url).send(GET)).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    const refusing = await serve([
      { status: 403, type: PROBLEM, body: problem('ERR_AUTH_FORBIDDEN', 403) },
      {},
    ]);
    await expect(client(refusing.url, { patienceMilliseconds: 10_000 }).send(GET)).rejects.toMatchObject({
      code: 'ERR_AUTH_FORBIDDEN',
    });
    expect(refusing.requests).toHaveLength(1);
  });

  test('tells of each attempt that it repeats, and ends with its signal while it waits or asks', async () => {
    const busy = { status: 503, type: PROBLEM, body: problem('ERR_BUSY', 503) };
    const retries: string[] = [];
    const onRetry = ({ code }: { readonly code: string }) => void retries.push(code);
    const { url } = await serve(['drop', busy, {}]);
    await client(url, { patienceMilliseconds: 10_000, onRetry }).send(GET);
    expect(retries).toEqual(['ERR_PEER_UNREACHABLE', 'ERR_BUSY']);

    const stop = new AbortController();
    const again = await serve(['drop', {}]);
    const stopped = { patienceMilliseconds: 1e6, signal: stop.signal, onRetry: () => stop.abort('stopped') };
    await expect(client(again.url, stopped).send(GET)).rejects.toBe('stopped');
    expect(again.requests).toHaveLength(1);

    const cut = new AbortController();
    const silent = await serve(['silence']);
    const outcome = expect(client(silent.url, { signal: cut.signal }).send(GET)).rejects.toBe('cut');
    await expect.poll(() => silent.requests.length).toBe(1);
    cut.abort('cut');
    await outcome;
  });

  test('gives up on a silent peer', async () => {
    const { url } = await serve(['silence']);
    await expect(client(url, { timeoutMilliseconds: 100 }).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_TIMEOUT',
    });
  });

  test('gives up on a peer that trickles, however busy it looks', async () => {
    const clock = new FakeClock();
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerResponse>();
    const { url } = await serve([
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
        begin(response);
      },
    ]);
    const outcome = expect(client(url, { clock }).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_TIMEOUT',
    });
    const response = await begun;
    const gone = once(response, 'close');
    clock.pass(59_999);
    response.write(' ');
    clock.pass(61); // a byte more is worth 61 µs
    await outcome;
    await gone;
    expect(clock.waiting).toBe(0);
  });

  test('takes an answer that is too large for a breach of the protocol', async () => {
    const { url, requests } = await serve([{ body: ' '.repeat(33 * 1024 * 1024) }, {}]);
    await expect(client(url, { patienceMilliseconds: 10_000 }).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_PROTOCOL',
      message: expect.stringContaining('at most 33554432 bytes'),
    });
    expect(requests).toHaveLength(1);
  });

  test('leaves no timer behind', async () => {
    const clock = new FakeClock();
    const { url } = await serve([{}, 'drop']);
    await client(url, { clock }).send(GET);
    await expect(client(url, { clock }).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_UNREACHABLE',
      message: expect.not.stringContaining('UND_ERR'),
    });
    expect(clock.waiting).toBe(0);
  });

  test('breaks off what is under way when it is closed', async () => {
    const { url, requests } = await serve(['silence']);
    const it = client(url, { patienceMilliseconds: 60_000 });
    const outcome = expect(it.send(GET)).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
    await expect.poll(() => requests.length).toBe(1);
    await it.close();
    await outcome;
  });

  test('gives up on a peer that falls silent in its answer', async () => {
    const { url } = await serve([
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).write(' '),
    ]);
    // No time passes for the deadline.
    const options = { clock: new FakeClock(), timeoutMilliseconds: 50 };
    await expect(client(url, options).send(GET)).rejects.toMatchObject({ code: 'ERR_PEER_TIMEOUT' });
  });

  test('sends what it is given', async () => {
    const { url, requests } = await serve([{}, {}]);
    const it = client(url);
    await it.send({ ...GET, method: 'POST', json: { ü: 1 } });
    await it.send({
      ...GET,
      method: 'PUT',
      bytes: Uint8Array.of(1, 2, 3),
      headers: { 'eigenveil-record': 'r' },
    });
    expect(requests).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': '8' } },
      {
        method: 'PUT',
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': '3',
          'eigenveil-record': 'r',
        },
      },
    ]);
  });
});

describe('a page', () => {
  test('sends nothing of its user that it was not given, and follows nobody', async () => {
    const { url } = await serve([{}]);
    await clientOf(url, {}, openFetch).send(GET);
    expect(fetched).toMatchObject([
      {
        credentials: 'omit',
        cache: 'no-store',
        mode: 'cors',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      },
    ]);
  });

  test('names no certificates', () => {
    const address = { url: 'https://127.0.0.1', ca: certificate.cert };
    expect(() => clientOf(address.url, address, openFetch)).toThrow(/"ca" expected nothing/);
  });
});

describe('the client of a service in Node.js', () => {
  const day = 86_400_000;
  test.each<[string, Parameters<typeof generate>[1], string, RegExp]>([
    [
      'that is not valid yet',
      { notBeforeDate: new Date(Date.now() + day), notAfterDate: new Date(Date.now() + 2 * day) },
      'CERT_NOT_YET_VALID',
      /set this machine's clock/,
    ],
    [
      'that has expired',
      { notBeforeDate: new Date(Date.now() - 2 * day), notAfterDate: new Date(Date.now() - day) },
      'CERT_HAS_EXPIRED',
      /must renew it/,
    ],
    [
      'of another name',
      { extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'example.org' }] }] },
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /use the name that the certificate holds/,
    ],
    [
      'for another purpose',
      { extensions: [{ name: 'extKeyUsage', clientAuth: true }] },
      'INVALID_PURPOSE',
      /its operator must replace it/,
    ],
  ])('does not ask again where it finds a certificate %s', async (_, options, reason, advice) => {
    const { cert, private: key } = await certificateWith(options);
    const { url } = await serve([], { cert, key });
    const attempt = clientOf(url, { ca: cert, patienceMilliseconds: 600_000 }).send(GET);
    await expect(attempt).rejects.toMatchObject({ code: 'ERR_PEER_CERTIFICATE' });
    await expect(attempt).rejects.toThrow(reason);
    await expect(attempt).rejects.toThrow(advice);
  });

  test('trusts nobody but the given authority, and nothing below TLS 1.3', async () => {
    const { url } = await serve([{}]);
    await expect(clientOf(url, { ca: undefined }).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_CERTIFICATE',
    });
    const old = await serve([{}], { maxVersion: 'TLSv1.2' });
    await expect(clientOf(old.url).send(GET)).rejects.toMatchObject({
      code: 'ERR_PEER_UNREACHABLE',
      message: `${old.url} cannot be reached (it does not speak TLS 1.3)`,
    });
  });

  test.each(['http://127.0.0.1', 'https://127.0.0.1/path', 'https://127.0.0.1?x', 'nonsense'])(
    'refuses the address %s',
    (url) => {
      expect(() => new ServiceClient({ url, credentials: { kind: 'none' } })).toThrow();
    },
  );
});

describe('the deadline of an exchange', () => {
  test('grows by what moves, and by nothing else', () => {
    const clock = new FakeClock();
    let expired = 0;
    const deadline = new Deadline(clock, 1000, 16 * 1024, () => {
      expired += 1;
    });
    clock.pass(1000); // the bytes to send take another second
    expect(expired).toBe(0);
    deadline.moved(32 * 1024);
    clock.pass(2999);
    expect(expired).toBe(0);
    clock.pass(1);
    expect([expired, clock.waiting]).toEqual([1, 0]);
  });

  test('can be taken back at any time', () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 1000, 0, () => {
      throw new Error('expired');
    });
    deadline.moved(16 * 1024);
    clock.pass(1500);
    deadline.clear();
    clock.pass(1500);
    expect(clock.waiting).toBe(0);
  });
});
