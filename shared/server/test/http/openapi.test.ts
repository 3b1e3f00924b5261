/** The OpenAPI document: valid in structure, and of exactly the routes that are registered. */
import type { RouteEntry, RouteTable } from '@eigenveil/wire/routes';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Authenticators } from '../../src/http/routes.ts';
import { serve } from '../../src/index.ts';
import { authenticators, exampleRoutes, send, startService, TaskIdParam } from '../harness.ts';

const Media = z.strictObject({ schema: z.looseObject({}).optional() });
const Content = z.record(z.string(), Media);
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-zA-Z]+$/),
  summary: z.string().min(1),
  security: z.array(z.record(z.string(), z.tuple([]))),
  parameters: z
    .array(
      z.strictObject({
        in: z.enum(['path', 'query']),
        name: z.string(),
        required: z.literal(true).optional(),
        schema: z.looseObject({ type: z.string() }),
      }),
    )
    .optional(),
  requestBody: z.strictObject({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
});
/** The parts of the OpenAPI 3.1 meta-schema that this document uses, with nothing else allowed. */
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'put', 'post', 'delete']), Operation),
  ),
  components: z.strictObject({
    schemas: z.record(z.string(), z.looseObject({ type: z.string() })),
    securitySchemes: z.record(
      z.string(),
      z.strictObject({ type: z.literal('http'), scheme: z.string(), description: z.string() }),
    ),
  }),
});

async function fetchDocument() {
  const service = await startService();
  const answer = await send(`${service.url}/openapi.json`);
  await service.close();
  return { document: Document.parse(answer.json()), text: answer.bytes.toString() };
}

describe('the document', () => {
  test('lists exactly the registered routes', async () => {
    const { document } = await fetchDocument();
    const listed = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const registered = exampleRoutes().map(({ method, path }) => `${method} ${path}`);
    const common = ['get /healthz', 'get /readyz', 'get /metrics', 'get /openapi.json'];
    expect(listed.toSorted()).toStrictEqual([...registered, ...common].toSorted());
  });

  test('declares each parameter, and refers to nothing that is not there', async () => {
    const { document, text } = await fetchDocument();
    const ids: string[] = [];
    for (const [path, item] of Object.entries(document.paths)) {
      for (const operation of Object.values(item)) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const declared = (operation.parameters ?? []).filter((it) => it.in === 'path');
        expect(declared.map(({ name }) => name)).toStrictEqual(inPath);
        for (const requirement of operation.security) {
          expect(Object.keys(document.components.securitySchemes)).toEqual(
            expect.arrayContaining(Object.keys(requirement)),
          );
        }
        ids.push(operation.operationId);
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(0);
    for (const name of references) expect(document.components.schemas).toHaveProperty([name ?? '']);
  });

  test('says what a route takes, who may use it and how it can fail', async () => {
    const { document } = await fetchDocument();
    const put = document.paths['/tasks/{taskId}']?.put;
    expect(put?.security).toStrictEqual([]);
    expect(put?.parameters).toContainEqual(expect.objectContaining({ in: 'query', name: 'least' }));
    expect(document.paths['/who']?.get?.security).toStrictEqual([{ owner: [] }, { admin: [] }]);
    expect(put?.requestBody?.content['application/json']?.schema).toMatchObject({
      type: 'object',
      required: ['features'],
      additionalProperties: false,
    });
    expect(put?.responses['409']?.description).toBe('ERR_TASK_CONFLICT');
    expect(put?.responses['409']?.content).toStrictEqual({
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    });
    const post = document.paths['/tasks/{taskId}/contribution']?.post;
    expect(post?.security).toStrictEqual([{ owner: [] }]);
    expect(post?.requestBody?.content).toHaveProperty(['application/octet-stream']);
    expect(Object.keys(post?.responses ?? {})).toStrictEqual([
      '200',
      '400',
      '401',
      '404',
      '413',
      '415',
      '422',
      '429',
      '500',
    ]);
    expect(document.components.securitySchemes).toMatchObject({
      owner: { scheme: 'dpop' },
      admin: { scheme: 'bearer' },
    });
  });
});

describe('serving a table', () => {
  const common = {
    method: 'get',
    path: '/x',
    summary: 'Does',
    auth: 'none',
    response: { status: 204, description: 'Done' },
    problems: [],
  } as const;

  test('needs a schema for exactly the parameters of the path', () => {
    const served = (entry: Partial<RouteEntry>) => () =>
      serve<RouteTable, Authenticators>({ x: { ...common, ...entry } }, {}, { x: () => undefined as never });
    expect(served({ path: '/tasks/:taskId' })).toThrow(/exactly the parameters of \/tasks\/:taskId/);
    expect(served({ path: '/tasks', params: TaskIdParam })).toThrow(/exactly the parameters/);
    expect(served({ path: '/tasks/:id', params: TaskIdParam })).toThrow(/exactly the parameters/);
  });

  test('refuses the same route twice, whatever its parameters are called', async () => {
    const of = (params: string) => ({
      ...common,
      path: `/x/:${params}`,
      params: z.strictObject({ [params]: z.string() }),
    });
    const routes = serve({ a: of('a'), b: of('b') }, {}, { a: () => {}, b: () => {} });
    await expect(startService({ routes })).rejects.toThrow(/has get \/x\/:b twice/);
  });

  test('gives a handler the types of its identity, parameters, query and body', () => {
    const table = {
      json: {
        ...common,
        path: '/tasks/:taskId',
        auth: 'owner',
        params: TaskIdParam,
        query: z.strictObject({ after: z.string().transform(Number) }),
        body: { json: z.strictObject({ count: z.int() }), limitBytes: 10 },
        response: { status: 200, description: 'Done', schema: z.strictObject({ total: z.int() }) },
      },
      bytes: { ...common, path: '/bytes', auth: ['owner', 'admin'], body: { binary: 'bytes' } },
    } as const satisfies RouteTable;
    serve(table, authenticators, {
      json({ identity, params, query, body }) {
        expectTypeOf(identity).toEqualTypeOf<{ ownerId: string }>();
        expectTypeOf(params).toEqualTypeOf<{ taskId: string }>();
        expectTypeOf(query).toEqualTypeOf<{ after: number }>();
        expectTypeOf(body).toEqualTypeOf<{ count: number }>();
        return { total: body.count };
      },
      bytes({ identity, body }) {
        expectTypeOf(identity).toEqualTypeOf<'admin' | { ownerId: string }>();
        expectTypeOf(body).toEqualTypeOf<(expectedBytes: number) => Promise<Uint8Array>>();
      },
    });
    const text = { ...common, response: { status: 200, description: 'Text', schema: z.string() } } as const;
    // @ts-expect-error: the answer breaks the schema
    serve({ text }, {}, { text: () => 1 });
    // @ts-expect-error: a route has no handler
    serve({ text }, {}, {});
    // @ts-expect-error: there is no such route
    serve({ text }, {}, { text: () => '', other: () => '' });
    // @ts-expect-error: there is no such authenticator
    serve({ x: { ...common, auth: 'nobody' } }, authenticators, { x: () => {} });
  });
});
