/**
 * One exchange of an HTTPS client with a service: what `undici.ts` makes in Node.js and `fetch.ts` in
 * browsers.
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
