/** What both services keep in their data directory and how they listen: identity key, sealing key, operator's token. */
import { join } from 'node:path';
import { makeFolder } from '@eigenveil/command';
import {
  generatePrivateJwk,
  importSigningKey,
  PrivateJwk,
  ServiceUrl,
  type SigningKey,
} from '@eigenveil/wire';
import { z } from 'zod';
import { loadOrCreateAdminToken } from './admin.ts';
import { MAX_CONNECTIONS } from './connections.ts';
import { loadOrCreateKeyRing } from './key-ring.ts';
import { LOG_LEVELS } from './log.ts';
import { Sealer } from './sealing.ts';
import { loadOrCreateSecretFile } from './secret-file.ts';

/** Settings of `serve` that both services have. */
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
  allowBigintFallback: {
    schema: z.boolean(),
    description: 'run without OpenSSL, NOT in constant time',
    default: false,
  },
} as const;

/** What a service finds in its data directory, or puts there on its first start. */
export interface Foundation {
  /** Path of the database file. */
  readonly database: string;
  readonly key: SigningKey;
  readonly sealer: Sealer;
  readonly adminToken: string;
}

/** Opens a service's data directory. Throws ERR_KEY_FILE, ERR_CONFIGURATION. */
export async function openFoundation(config: {
  readonly dataDirectory: string;
  readonly keyEncryptionKey?: string | undefined;
}): Promise<Foundation> {
  const { dataDirectory } = config;
  const key = await openSigningKey(dataDirectory);
  return {
    database: databaseFile(dataDirectory),
    key,
    sealer: new Sealer(...(await loadOrCreateKeyRing(keyFile(config)))),
    adminToken: await loadOrCreateAdminToken(adminTokenFile(dataDirectory)),
  };
}

/** The service's identity, made when missing. Throws ERR_KEY_FILE, ERR_CONFIGURATION. */
export async function openSigningKey(dataDirectory: string): Promise<SigningKey> {
  await makeFolder(dataDirectory);
  const fresh = JSON.stringify(await generatePrivateJwk());
  const text = await loadOrCreateSecretFile(signingKeyFile(dataDirectory), () => fresh);
  return importSigningKey(PrivateJwk.parse(JSON.parse(text)));
}

export function signingKeyFile(dataDirectory: string): string {
  return join(dataDirectory, 'signing-key.json');
}

export function databaseFile(dataDirectory: string): string {
  return join(dataDirectory, 'eigenveil.sqlite');
}

/** Where the key-encryption keys lie. */
export function keyFile(config: {
  readonly dataDirectory: string;
  readonly keyEncryptionKey?: string | undefined;
}): string {
  return config.keyEncryptionKey ?? join(config.dataDirectory, 'key-encryption-key');
}

/** Where the operator's token lies. */
export function adminTokenFile(dataDirectory: string): string {
  return join(dataDirectory, 'admin-token');
}
