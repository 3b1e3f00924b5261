/** Clients that follow from a table of routes, over a real connection. */
import { afterEach, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { generatePrivateJwk, importSigningKey, ServiceClient, verifyProof } from '../../src/index.ts';
import { clientOf, type RouteTable } from '../../src/routes/index.ts';
import { type Certificate, certificateWith, type Scripted, serveScripted } from '../scripted-service.ts';

const Count = z.strictObject({ count: z.int() });
const response = { status: 200, description: 'How many', schema: Count } as const;
const ITEM = { path: '/boxes/:box/items/:number', auth: 'owner', summary: 'Does', problems: [] } as const;
const Params = z.strictObject({ box: z.string(), number: z.string().transform(Number) });
const ROUTES = {
  look: {
    ...ITEM,
    method: 'get',
    params: Params,
    query: z.strictObject({ after: z.string().optional(), before: z.string().optional() }),
    response,
  },
  open: {
    ...ITEM,
    method: 'post',
    path: '/boxes',
    body: { json: z.strictObject({}), limitBytes: 64 },
    response,
  },
  fill: { ...ITEM, method: 'put', params: Params, body: { binary: 'bytes' }, response },
  remove: { ...ITEM, method: 'delete', params: Params, response: { status: 204, description: 'Gone' } },
} as const satisfies RouteTable;
const FOLLOWED = {
  follow: {
    ...ITEM,
    method: 'get',
    params: Params,
    response: { status: 200, description: 'Each', lines: Count },
  },
} as const satisfies RouteTable;

let certificate: Certificate;
beforeAll(async () => {
  certificate = await certificateWith({});
});
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function asked(...answers: Scripted[]) {
  const service = await serveScripted(certificate, answers);
  const key = await importSigningKey(await generatePrivateJwk());
  const sender = new ServiceClient({
    url: service.url,
    ca: certificate.cert,
    credentials: { kind: 'key', key },
  });
  closers.push(service.close, () => sender.close());
  return { ...service, key, boxes: clientOf(ROUTES, sender) };
}

const counted = { body: '{"count":3}' };
const gone = { status: 204, body: '' };

describe('a call', () => {
  test('has its parameters in path and query, and a proof for both', async () => {
    const { boxes, requests, url, key } = await asked(counted);
    const answer = await boxes.look({ box: 'a/b ?', number: 7, before: 'x&y', after: undefined });
    expectTypeOf(answer).toEqualTypeOf<{ count: number }>();
    expect(answer).toEqual({ count: 3 });
    const [request] = requests;
    expect([request!.method, request!.url]).toEqual(['GET', '/boxes/a%2Fb%20%3F/items/7?before=x%26y']);
    const proven = { method: 'GET', url: `${url}${request!.url}`, token: undefined };
    const proof = await verifyProof(String(request!.headers.dpop), proven, { leg: '' });
    expect(proof.thumbprint).toBe(key.thumbprint);
  });

  test('has the body that the route takes, and headers', async () => {
    const { boxes, requests } = await asked(counted, counted, gone);
    await boxes.open();
    await boxes.fill({ box: 'a', number: 0, body: new Uint8Array(5), headers: { 'eigenveil-record': 'r' } });
    expect(await boxes.remove({ box: 'a', number: 0 })).toBeUndefined();
    const told = requests.map(({ method, headers }) => [
      method,
      headers['content-type'],
      headers['content-length'],
      headers['eigenveil-record'],
    ]);
    expect(told).toEqual([
      ['POST', 'application/json', '2', undefined],
      ['PUT', 'application/octet-stream', '5', 'r'],
      ['DELETE', undefined, undefined, undefined],
    ]);
  });

  test('whose answer breaks the schema fails, and a problem has its code, also one that the route does not name', async () => {
    const problem = { type: 'about:blank', title: 'Full', status: 409, code: 'ERR_TASK_FULL' };
    const { boxes } = await asked(
      { body: '{"count":0.5}' },
      { status: 409, type: 'application/problem+json', body: JSON.stringify(problem) },
    );
    const look = () => boxes.look({ box: 'a', number: 1 });
    await expect(look()).rejects.toMatchObject({ code: 'ERR_PEER_PROTOCOL' });
    await expect(look()).rejects.toMatchObject({ code: 'ERR_TASK_FULL' });
  });
});

test('a sender is told what it wants to know, and gives lines', async () => {
  const told: unknown[] = [];
  const { follow } = clientOf(FOLLOWED, {
    send: async ({ response }, _word: string) => response.parse(undefined),
    async *lines(request, word: string) {
      told.push(request.method, request.path, word);
      yield request.response.parse({ count: 1 });
    },
  });
  for await (const line of follow({ box: 'b', number: 2 }, 'now')) told.push(line);
  expect(told).toEqual(['GET', '/boxes/b/items/2', 'now', { count: 1 }]);
  // @ts-expect-error: it wants to know a word
  void (() => follow({ box: 'b', number: 2 }));
});

test('a call without what the route needs does not type-check', () => {
  const call = (boxes: Awaited<ReturnType<typeof asked>>['boxes']) => [
    // @ts-expect-error: a parameter is missing
    () => boxes.look({ box: 'a' }),
    // @ts-expect-error: it is a number
    () => boxes.look({ box: 'a', number: '1' }),
    // @ts-expect-error: bytes are missing
    () => boxes.fill({ box: 'a', number: 1 }),
  ];
  expect(call).toBeTypeOf('function');
});
