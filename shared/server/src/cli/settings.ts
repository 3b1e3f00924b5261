/**
 * Settings of `serve` that all services have, and the paths of files that follow from them. Nothing heavy is
 * loaded: `--help` needs this file.
 */
import { join } from 'node:path';
import { TRACE_ENDPOINT } from '@eigenveil/command';
import { PageOrigin, ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** The ways in which logs name peers. */
const PEER_NAMINGS = ['address', 'hash', 'none'] as const;
export type PeerNaming = (typeof PEER_NAMINGS)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Each connection costs some 50 kB with its TLS state; if more owners than this come at once, the rest wait
 * or come again.
 */
export const MAX_CONNECTIONS = 1000;
export const SERVICE_SETTINGS = {
  dataDirectory: {
    schema: z.string().min(1),
    description: 'folder of the database and the keys, made when missing',
    placeholder: 'DIR',
  },
  host: {
    schema: z.string().min(1),
    description: 'address to listen on',
    default: '127.0.0.1',
    placeholder: 'ADDRESS',
  },
  port: {
    schema: z.int().min(0).max(65_535),
    description: 'port to listen on; 0 for any',
    default: 8443,
    placeholder: 'PORT',
  },
  publicUrl: {
    schema: ServiceUrl.optional(),
    description: 'address under which peers reach the service, when it is not the one it listens on',
    placeholder: 'URL',
  },
  tlsCertificate: { schema: z.string().min(1), description: 'certificate chain, PEM', placeholder: 'FILE' },
  tlsKey: {
    schema: z.string().min(1),
    description: "the certificate's private key, PEM",
    placeholder: 'FILE',
  },
  keyEncryptionKey: {
    schema: z.string().optional(),
    description:
      'file of the keys that seal secrets at rest (default: in the data directory; better on another volume)',
    placeholder: 'FILE',
  },
  threads: {
    schema: z.int().min(0).max(256),
    description: 'worker threads for encryption; 0 for none',
    default: 2,
    placeholder: 'NUMBER',
  },
  requestsPerMinute: {
    schema: z.int().min(1),
    description: 'limit per address',
    default: 1200,
    placeholder: 'NUMBER',
  },
  connectionsPerAddress: {
    schema: z.int().min(1).max(MAX_CONNECTIONS),
    description: `connections of one address at a time, of ${MAX_CONNECTIONS} in all`,
    default: 100,
    placeholder: 'NUMBER',
  },
  logLevel: {
    schema: z.enum(LOG_LEVELS),
    description: `one of ${LOG_LEVELS.join(', ')}`,
    default: 'info',
    placeholder: 'LEVEL',
  },
  logPeers: {
    schema: z.enum(PEER_NAMINGS),
    description:
      'how logs name peers: address (owners and services by id or key), hash (of the same, keyed), none',
    default: 'address',
    placeholder: 'HOW',
  },
  traceEndpoint: TRACE_ENDPOINT,
  allowBigintFallback: {
    schema: z.boolean(),
    description: 'run without OpenSSL, NOT in constant time',
    default: false,
  },
} as const;

/** Times that a service waits if its database is PostgreSQL. */
export const DATABASE_WAITS = {
  databaseAnswerSeconds: {
    schema: z.int().min(1).max(3600),
    description: 'how long PostgreSQL has for an answer; a statement may take two thirds of that',
    default: 45,
    placeholder: 'NUMBER',
  },
  databaseLockSeconds: {
    schema: z.int().min(1).max(3600),
    description: 'how long a statement waits for a lock of PostgreSQL that somebody else has',
    default: 10,
    placeholder: 'NUMBER',
  },
} as const;

/** Settings of services that owners' pages talk to. */
export const PAGE_SETTINGS = {
  allowedOrigins: {
    schema: z.array(PageOrigin).max(32),
    description: "origin (https://host) whose pages may send owners' requests, or a JSON list of them",
    default: [],
    placeholder: 'LIST',
  },
} as const;

export function signingKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'signing-key.json');
}

export function databaseFile(dataDirectory: string): string {
  return join(dataDirectory, 'eigenveil.sqlite');
}

/** Returns the path of the key-encryption keys. */
export function keyFile(config: {
  readonly dataDirectory: string;
  readonly keyEncryptionKey?: string | undefined;
}): string {
  return config.keyEncryptionKey ?? join(config.dataDirectory, 'key-encryption-key');
}

/** Returns the path of the operator's token. */
export function adminTokenFile(dataDirectory: string): string {
  return join(dataDirectory, 'admin-token');
}
