/**
 * An HTTPS client for the services: TLS 1.3 with a pinned certificate authority, a fresh proof for every attempt,
 * answers bounded in bytes and time, and patience with peers that are down for a moment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, errors, request } from 'undici';
import type { z } from 'zod';
import { certificateError } from './certificates.ts';
import { type Clock, Deadline, systemClock } from './deadline.ts';
import { ServiceError } from './errors.ts';
import { createProof } from './identity.ts';
import type { SigningKey } from './keys.ts';
import { errorFromProblem, isTransient, parseJson } from './problem.ts';

/** How a client proves who it is. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'key'; readonly key: SigningKey; readonly token?: string | undefined };

/** Where a service is, and whom to trust about that. */
export interface ServiceAddress {
  /** Base URL, https only. */
  readonly url: string;
  /** PEM certificates to trust instead of the system's; undefined means the system's. */
  readonly ca?: string | undefined;
}

export interface ServiceClientOptions extends ServiceAddress {
  readonly credentials: Credentials;
  /** How long one attempt may take, and how long the peer may be silent in it, in milliseconds. Bytes that move add to the former, see Deadline. */
  readonly timeoutMilliseconds?: number;
  /** How long to go on trying while the peer cannot be reached or is busy, in milliseconds. */
  readonly patienceMilliseconds?: number;
  /** The longest answer that is read, in bytes; bytes that come give the peer more time. */
  readonly largestAnswerBytes?: number;
  /** Of an attempt's deadline. */
  readonly clock?: Clock;
}

export interface ServiceRequest<Schema extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the base URL, without a query. */
  readonly path: string;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response: Schema;
}

const LARGEST_ANSWER_BYTES = 32 * 1024 * 1024;
const FIRST_BACKOFF_MILLISECONDS = 100;
const LONGEST_BACKOFF_MILLISECONDS = 5000;

/**
 * @example
 * import { ServiceClient, TaskList } from '@eigenveil/wire';
 *
 * const client = new ServiceClient({ url: 'https://user.example.org:8444', credentials: { kind: 'key', key } });
 * const { tasks } = await client.send({ method: 'GET', path: '/tasks', response: TaskList });
 * await client.close();
 */
export class ServiceClient {
  /** Without a trailing slash, in the one way to write it: proofs name it, and the service compares. */
  readonly url: string;
  readonly #agent: Agent;
  readonly #credentials: Credentials;
  readonly #patience: number;
  readonly #timeout: number;
  readonly #largestAnswer: number;
  readonly #clock: Clock;
  #closed = false;

  constructor(options: ServiceClientOptions) {
    const { protocol, pathname, search, origin } = new URL(options.url);
    if (protocol !== 'https:') throw new TypeError(`"url" expected an https address, got ${protocol}`);
    if (pathname !== '/' || search !== '')
      throw new TypeError('"url" expected an address without path and query');
    this.url = origin;
    this.#credentials = options.credentials;
    this.#patience = options.patienceMilliseconds ?? 0;
    this.#timeout = options.timeoutMilliseconds ?? 60_000;
    this.#largestAnswer = options.largestAnswerBytes ?? LARGEST_ANSWER_BYTES;
    this.#clock = options.clock ?? systemClock;
    this.#agent = new Agent({
      connect: {
        minVersion: 'TLSv1.3',
        timeout: 10_000,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      },
      headersTimeout: this.#timeout,
      bodyTimeout: this.#timeout,
      maxResponseSize: this.#largestAnswer,
    });
  }

  /**
   * Sends a request and returns the validated answer. A peer's problem details become a ServiceError with their code;
   * otherwise ERR_PEER_UNREACHABLE, ERR_PEER_TIMEOUT or ERR_PEER_PROTOCOL. While patience lasts, attempts that found
   * nobody or a busy peer are repeated, which is safe because every request of this protocol is idempotent.
   */
  async send<Schema extends z.ZodType>(message: ServiceRequest<Schema>): Promise<z.output<Schema>> {
    const giveUpAt = Date.now() + this.#patience;
    for (
      let backoff = FIRST_BACKOFF_MILLISECONDS;
      ;
      backoff = Math.min(2 * backoff, LONGEST_BACKOFF_MILLISECONDS)
    ) {
      try {
        return await this.#attempt(message);
      } catch (error) {
        if (this.#closed || !isTransient(error) || Date.now() + backoff > giveUpAt) throw error;
        await sleep(backoff * (0.5 + Math.random() / 2)); // jitter, so that many clients do not return at once
      }
    }
  }

  /** The headers that prove who sends the request; also used for a WebSocket's opening request. */
  async authenticate(method: string, path: string): Promise<Record<string, string>> {
    const credentials = this.#credentials;
    if (credentials.kind === 'none') return {};
    if (credentials.kind === 'bearer') return { authorization: `Bearer ${credentials.token}` };
    const { key, token } = credentials;
    const proof = await createProof(key, { method, url: `${this.url}${path}`, token });
    return { dpop: proof, ...(token === undefined ? {} : { authorization: `DPoP ${token}` }) };
  }

  /** Breaks off what is under way, so that nobody waits for a silent peer. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }

  async #attempt<Schema extends z.ZodType>(message: ServiceRequest<Schema>): Promise<z.output<Schema>> {
    const { status, contentType, retryAfter, text } = await this.#exchange(message);
    const body = parseJson(text);
    if (status >= 200 && status < 300) {
      const answer = message.response.safeParse(body); // of a 204, undefined
      if (answer.success && (status === 204 || contentType.startsWith('application/json')))
        return answer.data;
    } else if (contentType.startsWith('application/problem+json')) {
      const error = errorFromProblem(text, retryAfter);
      if (error !== undefined) throw error;
    }
    throw new ServiceError(
      'ERR_PEER_PROTOCOL',
      `${message.method} ${this.url}${message.path} gave an unexpected answer with status ${status}`,
    );
  }

  async #exchange(message: ServiceRequest<z.ZodType>) {
    const { method, path, json, bytes } = message;
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json));
    const headers: Record<string, string> = {
      ...message.headers,
      ...(await this.authenticate(method, path)),
    };
    if (body !== undefined)
      headers['content-type'] = json === undefined ? 'application/octet-stream' : 'application/json';
    const overdue = new AbortController();
    // The limits of the agent are for silence; a peer that sends a byte now and then would hold us for ever.
    const deadline = new Deadline(this.#clock, this.#timeout, body?.length ?? 0, () => overdue.abort());
    try {
      const response = await request(`${this.url}${path}`, {
        method,
        headers,
        dispatcher: this.#agent,
        signal: overdue.signal,
        ...(body === undefined ? {} : { body }),
      });
      const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN);
      const chunks: Buffer[] = [];
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        deadline.moved(chunk.length);
        chunks.push(chunk);
      }
      return {
        status: response.statusCode,
        contentType: String(response.headers['content-type'] ?? ''),
        retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
        text: Buffer.concat(chunks).toString(),
      };
    } catch (cause) {
      const timedOut =
        overdue.signal.aborted ||
        cause instanceof errors.HeadersTimeoutError ||
        cause instanceof errors.BodyTimeoutError;
      if (timedOut)
        throw new ServiceError('ERR_PEER_TIMEOUT', `${this.url} did not answer in time`, { cause });
      if (cause instanceof errors.ResponseExceededMaxSizeError) {
        const most = `an answer of at most ${this.#largestAnswer} bytes`;
        throw new ServiceError('ERR_PEER_PROTOCOL', `${method} ${this.url}${path} expected ${most}`, {
          cause,
        });
      }
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'connection failed';
      throw (
        certificateError(this.url, reason, cause) ??
        new ServiceError('ERR_PEER_UNREACHABLE', `${this.url} cannot be reached (${reason})`, { cause })
      );
    } finally {
      deadline.clear();
    }
  }
}
