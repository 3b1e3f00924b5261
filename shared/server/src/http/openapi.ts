import { CODES, type ErrorCode, ProblemSchema } from '@eigenveil/wire';
import { STREAM_MEDIA_TYPE } from '@eigenveil/wire/console';
import { type BodySpec, PARAMETER, type ResponseSpec } from '@eigenveil/wire/routes';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Route } from './routes.ts';

/** The description of the service as a whole in the document. */
export interface ServiceInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

const BYTES = { type: 'string', contentMediaType: 'application/octet-stream' } as const;

/**
 * Makes the document.
 * @throws Error for a schema that JSON Schema cannot express
 */
export function openApiDocument(info: ServiceInfo, routes: readonly Route[]): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  const securitySchemes: Record<string, oas31.SecuritySchemeObject> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(PARAMETER, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
    for (const [kind, { challenge, description }] of Object.entries(route.authenticators))
      securitySchemes[kind] = { type: 'http', scheme: challenge.toLowerCase(), description };
  }
  return createDocument({
    openapi: '3.1.1',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: { securitySchemes },
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { method, path, summary, authenticators, params, query, body, response, fromPages } = route;
  return {
    operationId:
      `${method}${path.replaceAll(/\W+(\w)/g, (_, first: string) => first.toUpperCase())}`.replaceAll(
        /\W/g,
        '',
      ),
    summary,
    ...(fromPages === undefined ? {} : { description: 'Open to pages of the allowed origins (CORS).' }),
    security: Object.keys(authenticators).map((kind) => ({ [kind]: [] })),
    ...((params ?? query) && { requestParams: { ...(params && { path: params }), ...(query && { query }) } }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: { [`${response.status}`]: responseOf(response), ...problemsOf(route) },
  };
}

function contentOf(body: BodySpec) {
  if ('json' in body) return { 'application/json': { schema: body.json } };
  return { 'application/octet-stream': { schema: { ...BYTES, description: body.binary } } };
}

function responseOf(response: ResponseSpec) {
  const { description } = response;
  if ('schema' in response)
    return { description, content: { 'application/json': { schema: response.schema } } };
  if ('lines' in response)
    return { description, content: { [STREAM_MEDIA_TYPE]: { schema: response.lines } } };
  if ('mediaType' in response) return { description, content: { [response.mediaType]: {} } };
  return { description };
}

/** Returns the problem responses by status, each naming the codes that it stands for. */
function problemsOf(route: Route): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...route.problems, ...impliedProblems(route)])) {
    const { status } = CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, codes] of byStatus) {
    responses[`${status}` as `${4 | 5}${string}`] = {
      description: codes.join(', '),
      content: { 'application/problem+json': { schema: Problem } },
    };
  }
  return responses;
}

const Problem = ProblemSchema.meta({
  id: 'Problem',
  description: 'Problem details (RFC 9457) with a stable code.',
});

function impliedProblems({ authenticators, params, query, body }: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['ERR_RATE_LIMITED', 'ERR_INTERNAL'];
  if (Object.keys(authenticators).length > 0) codes.push('ERR_AUTH_REQUIRED');
  if (params !== undefined) codes.push('ERR_BODY_MALFORMED', 'ERR_BODY_INVALID');
  if (query !== undefined) codes.push('ERR_BODY_INVALID');
  if (body === undefined) return codes;
  codes.push('ERR_CONTENT_TYPE', 'ERR_BODY_TOO_LARGE');
  return 'json' in body
    ? [...codes, 'ERR_BODY_MALFORMED', 'ERR_BODY_INVALID']
    : [...codes, 'ERR_BODY_LENGTH'];
}
