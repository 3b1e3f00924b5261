/** Reads the URL of a PostgreSQL database strictly, and says how long a process waits for the database. */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { CodedError } from '@eigenveil/platform';
import { DATABASE_WAITS } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** False for no TLS. */
  readonly ssl: ConnectionOptions | false;
}

const DEFAULT_PORT = 5432;
/**
 * Parameters that libpq knows, with the meaning that they have there. Others are refused, since they could
 * change the meaning of the rest.
 */
const PARAMETERS: ReadonlySet<string> = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey']);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Reads postgres://USER:PASSWORD@HOST[:PORT]/DATABASE[?sslmode=…&sslrootcert=FILE&sslcert=FILE&sslkey=FILE].
 * `sslmode` is `verify-full` (TLS with a certificate that is trusted and names the host) or `disable`; the
 * modes between them encrypt, but to any server that answers. Left out, it is `verify-full`, and on this
 * machine's own address `disable`. `sslrootcert` names the authorities to trust in place of Node's.
 * @throws ERR_DATABASE
 */
export function parsePostgresUrl(text: string): PostgresAddress {
  const url = URL.parse(text);
  const [, database = ''] = /^\/([^/@]+)$/.exec(url?.pathname ?? '') ?? [];
  const isComplete = url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '';
  if (!isComplete || url.username === '' || url.hash !== '' || database === '') {
    throw new CodedError(
      SERVER_CODES.ERR_DATABASE,
      '"databaseUrl" expected postgres://USER:PASSWORD@HOST/DATABASE, with special characters percent-encoded',
    );
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database: decode(database),
    user: decode(url.username),
    password: url.password === '' ? undefined : decode(url.password),
    ssl: tlsOf(url),
  };
}

function tlsOf({ searchParams, hostname }: URL): ConnectionOptions | false {
  const unknown = [...searchParams.keys()].some((name) => !PARAMETERS.has(name));
  if (unknown || new Set(searchParams.keys()).size !== searchParams.size) {
    const known = [...PARAMETERS].join(', ');
    throw new CodedError(
      SERVER_CODES.ERR_DATABASE,
      `"databaseUrl" expected no parameters but ${known}, each once`,
    );
  }
  const mode = searchParams.get('sslmode') ?? (LOOPBACK.test(hostname) ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  if (mode !== 'verify-full')
    throw new CodedError(SERVER_CODES.ERR_DATABASE, '"sslmode" expected verify-full or disable');
  return {
    minVersion: 'TLSv1.2',
    ...fileOf(searchParams, 'sslrootcert', 'ca'),
    ...fileOf(searchParams, 'sslcert', 'cert'),
    ...fileOf(searchParams, 'sslkey', 'key'),
  };
}

function fileOf(parameters: URLSearchParams, name: string, option: 'ca' | 'cert' | 'key'): ConnectionOptions {
  const path = parameters.get(name);
  if (path === null) return {};
  try {
    return { [option]: readFileSync(path, 'utf8') };
  } catch {
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${name}" of "databaseUrl" expected a readable file`);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new CodedError(SERVER_CODES.ERR_DATABASE, '"databaseUrl" expected valid percent-encoding');
  }
}

/** The values of the settings of these names. */
export type PostgresWaits = { readonly [Name in keyof typeof DATABASE_WAITS]: number };

/** The waits of commands that have no settings of their own for them. */
export const STANDARD_WAITS: PostgresWaits = {
  databaseAnswerSeconds: DATABASE_WAITS.databaseAnswerSeconds.default,
  databaseLockSeconds: DATABASE_WAITS.databaseLockSeconds.default,
};

/**
 * The time within which a server that can be reached connects, says whether it is well, and lets a connection
 * go.
 */
const PROMPT_MILLISECONDS = 5000;

/** The times that follow from the settings, in milliseconds. */
export function timesOfWaits({ databaseAnswerSeconds, databaseLockSeconds }: PostgresWaits) {
  const answer = 1000 * databaseAnswerSeconds;
  return {
    /**
     * The client gives up on a server that does not answer at all. This time is longer than the server itself
     * allows for a statement.
     */
    answer,
    /**
     * No statement of ours takes long. The server ends one that does: it waits for something that is broken.
     */
    statement: Math.round((2 / 3) * answer),
    lock: 1000 * databaseLockSeconds,
    prompt: Math.min(PROMPT_MILLISECONDS, answer),
  };
}
