/**
 * One exchange of an HTTPS client with a service: what `undici.ts` makes in Node.js and `fetch.ts` in
 * browsers, and the errors of exchanges that fail. Where a service's certificate is refused, the error explains why
 * and what to do: trying again does not help.
 */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '../codes.ts';

export interface TransportOptions {
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** The time in milliseconds for which the peer may be silent while it answers. */
  readonly silenceMilliseconds: number;
}

export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Breaks the exchange off, also while its answer is read. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  /** A header's value, by its name in lower case. */
  header(name: string): string | undefined;
  /** Breaks the exchange off when it is not read to its end. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  /**
   * Follows no redirection, and sends nothing that it is not given: no cookie, no referrer, nothing out of a
   * cache.
   */
  exchange(exchange: Exchange): Promise<Answer>;
  /**
   * Returns the error for `cause`, which an exchange with the service at `url`, or reading its answer, threw.
   */
  failure(url: string, cause: unknown): CodedError;
  /** Ends once the exchanges under way have; there are no others. */
  retire(): Promise<void>;
  /** Breaks off all exchanges. */
  close(): Promise<void>;
}

export function peerTimeout(url: string, cause: unknown): CodedError {
  return new CodedError(CODES.ERR_PEER_TIMEOUT, `${url} did not answer in time`, { cause });
}

export function peerUnreachable(url: string, reason: string, cause: unknown): CodedError {
  return new CodedError(CODES.ERR_PEER_UNREACHABLE, `${url} cannot be reached (${reason})`, { cause });
}

/**
 * Node.js's words for what its verification of a chain found (OpenSSL's X509_V_ERR_…), and its own for names;
 * UNSPECIFIED are all others.
 */
const REASONS: ReadonlySet<string> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'ERR_TLS_CERT_ALTNAME_FORMAT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNSPECIFIED',
]);

const NAME_TRUSTED = 'name the certificates to trust with a --…ca flag';
const BY_NAME = 'use the name that the certificate holds, or have its operator add this one';

const ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its operator must renew it, unless this machine's clock is wrong",
  CERT_NOT_YET_VALID: "set this machine's clock, unless its operator took the certificate of another time",
  DEPTH_ZERO_SELF_SIGNED_CERT: NAME_TRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: BY_NAME,
  HOSTNAME_MISMATCH: BY_NAME,
  SELF_SIGNED_CERT_IN_CHAIN: NAME_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NAME_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NAME_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NAME_TRUSTED,
};

/**
 * ERR_PEER_CERTIFICATE if that is why a connection to `url` failed, by the code of its error; otherwise
 * undefined.
 */
export function certificateError(url: string, reason: string, cause: unknown): CodedError | undefined {
  if (!REASONS.has(reason)) return undefined;
  const advice = ADVICE[reason] ?? 'its operator must replace it';
  const message = `the certificate of ${url} is not accepted (${reason}): ${advice}`;
  return new CodedError(CODES.ERR_PEER_CERTIFICATE, message, { cause });
}

/** Words for failures that have no code of Node.js's system calls (ECONNREFUSED, …), which documents name. */
const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  EPROTO: 'it does not speak TLS 1.3',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection broke off',
};

/**
 * Returns why a connection failed, by its error: the system's code, or words where a library has a code of
 * its own.
 */
export function connectionReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('ERR_SSL_')) return CONNECTION_WORDS.EPROTO!;
  return CONNECTION_WORDS[code] ?? (/^E[A-Z\d]+$/.test(code) ? code : 'connection failed');
}
