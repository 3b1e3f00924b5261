/** The routes that every service has. */
import { z } from 'zod';
import { JwkSet } from '../identity/signatures.ts';
import type { RouteTable } from './table.ts';

const Health = z.strictObject({ status: z.literal('ok') });
const Readiness = z.strictObject({ status: z.literal('ready') });
const OpenApiDocument = z
  .looseObject({ openapi: z.string() })
  .meta({ description: 'An OpenAPI 3.1 document.' });

/** The route by which peers learn the key to pin. */
export const IDENTITY_ROUTES = {
  identity: {
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: "The service's identity key, which others pin by its thumbprint",
    auth: 'none',
    fromPages: true,
    response: { status: 200, description: 'A JWK set', schema: JwkSet },
    problems: [],
  },
} as const satisfies RouteTable;

export const COMMON_ROUTES = {
  health: {
    method: 'get',
    path: '/healthz',
    summary: 'Whether the service runs',
    auth: 'none',
    response: { status: 200, description: 'It does', schema: Health },
    problems: [],
  },
  readiness: {
    method: 'get',
    // Says whether the service can work; /healthz does not. A service that waits for its database should not
    // be restarted, only get no requests.
    path: '/readyz',
    summary: 'Whether the service can do its work',
    auth: 'none',
    response: { status: 200, description: 'It can', schema: Readiness },
    problems: ['ERR_DATABASE_UNREACHABLE'],
  },
  metrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    auth: 'admin', // only the operator may know how many owners contribute, and when
    response: {
      status: 200,
      description: 'Text exposition format',
      mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    },
    problems: [],
  },
  document: {
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    auth: 'none',
    response: { status: 200, description: 'OpenAPI 3.1', schema: OpenApiDocument },
    problems: [],
  },
} as const satisfies RouteTable;
