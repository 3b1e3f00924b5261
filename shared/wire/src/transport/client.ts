/**
 * An HTTPS client for the services: a fresh proof for every attempt, answers bounded in bytes and time, and
 * patience with peers that are down for a moment. How bytes get there is `undici.ts` in Node.js and
 * `fetch.ts` in browsers.
 *
 * The time that an exchange with a peer may take as a whole: a fixed part, and more only for bytes that do
 * move.
 */
import { CodedError, concatBytes, sleep, textOf, utf8 } from '@eigenveil/platform';
import type { z } from 'zod';
import { openTransport } from '#transport';
import { CODES } from '../codes.ts';
import { errorFromProblem, isTransient, parseJson } from '../errors.ts';
import { createProof } from '../identity/identity.ts';
import type { SigningKey } from '../identity/signatures.ts';
import { SPOKEN_VERSION, VERSION_HEADER, versionOf, versionRefused } from '../version.ts';
import { type Answer, peerTimeout, type Transport } from './transport.ts';

/** The proof of a client's identity. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'key'; readonly key: SigningKey; readonly token?: string | undefined };

/** The address of a service, and the certificates that are trusted for it. */
export interface ServiceAddress {
  /** Base URL, https only. */
  readonly url: string;
  /**
   * PEM certificates to trust instead of the system's; undefined means the system's, as it is in browsers.
   */
  readonly ca?: string | undefined;
}

export interface ServiceClientOptions extends ServiceAddress {
  readonly credentials: Credentials;
  /**
   * The time in milliseconds that one attempt may take, and that the peer may be silent in it. Bytes that
   * move add to the former, see Deadline.
   */
  readonly timeoutMilliseconds?: number;
  /** The time in milliseconds for which to go on trying while the peer cannot be reached or is busy. */
  readonly patienceMilliseconds?: number;
  /** Told of the failure of each attempt that is going to be repeated. */
  readonly onRetry?: ((error: CodedError) => void) | undefined;
  /** Aborting it ends what is under way, and the waiting between attempts, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The longest answer that is read, in bytes; bytes that come give the peer more time. */
  readonly largestAnswerBytes?: number;
  /** The oldest version of the protocol that the service may speak; any when left out. */
  readonly oldestPeer?: number;
  /** W3C Trace Context of what a request is part of, for the peer's operator. */
  readonly traceparent?: () => string | undefined;
  /** The clock of an attempt's deadline. */
  readonly clock?: Clock;
}

export interface ServiceRequest<Schema extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below the base URL, with its query. */
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
  #transport: Transport;
  readonly #retiring = new Set<Transport>();
  readonly #open: (ca: string | undefined) => Transport;
  readonly #credentials: Credentials;
  readonly #patience: number;
  readonly #timeout: number;
  readonly #largestAnswer: number;
  readonly #oldestPeer: number;
  readonly #onRetry: ServiceClientOptions['onRetry'];
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #traceparent: () => string | undefined;
  #closed = false;

  /** @param open another way for its bytes than that of the system */
  constructor(options: ServiceClientOptions, open = openTransport) {
    const { protocol, pathname, search, origin } = new URL(options.url);
    if (protocol !== 'https:') throw new TypeError(`"url" expected an https address, got ${protocol}`);
    if (pathname !== '/' || search !== '')
      throw new TypeError('"url" expected an address without path and query');
    this.url = origin;
    this.#credentials = options.credentials;
    this.#patience = options.patienceMilliseconds ?? 0;
    this.#timeout = options.timeoutMilliseconds ?? 60_000;
    this.#largestAnswer = options.largestAnswerBytes ?? LARGEST_ANSWER_BYTES;
    this.#oldestPeer = options.oldestPeer ?? 0;
    this.#onRetry = options.onRetry;
    this.#signal = options.signal;
    this.#clock = options.clock ?? systemClock;
    this.#traceparent = options.traceparent ?? (() => undefined);
    this.#open = (ca) => open({ ca, silenceMilliseconds: this.#timeout });
    this.#transport = this.#open(options.ca);
  }

  /**
   * Trusts other certificates (PEM; undefined: the system's) from the next attempt on. One that is under way
   * ends as it began.
   */
  trust(ca: string | undefined): void {
    if (this.#closed) return;
    const before = this.#transport;
    this.#transport = this.#open(ca);
    this.#retiring.add(before);
    before.retire().then(
      () => this.#retiring.delete(before),
      () => this.#retiring.delete(before),
    );
  }

  /**
   * Sends a request and returns the validated answer. A peer's problem details become an error with their
   * code; otherwise ERR_PEER_UNREACHABLE, ERR_PEER_TIMEOUT or ERR_PEER_PROTOCOL. While patience lasts,
   * attempts that found nobody or a busy peer are repeated, which is safe because every request of this
   * protocol is idempotent.
   * @throws the signal's reason as well, once it is aborted
   */
  async send<Schema extends z.ZodType>(message: ServiceRequest<Schema>): Promise<z.output<Schema>> {
    const giveUpAt = Date.now() + this.#patience;
    for (
      let backoff = FIRST_BACKOFF_MILLISECONDS;
      ;
      backoff = Math.min(2 * backoff, LONGEST_BACKOFF_MILLISECONDS)
    ) {
      this.#signal?.throwIfAborted();
      try {
        return await this.#attempt(message);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (this.#closed || !isTransient(error) || Date.now() + backoff > giveUpAt) throw error;
        this.#onRetry?.(error);
        // Jitter, so that many clients do not return at once.
        await sleep(backoff * (0.5 + Math.random() / 2), this.#signal);
      }
    }
  }

  /**
   * The headers that say who sends the request, prove it, and tell the sender's version; also used for a
   * WebSocket's opening request.
   */
  async introduce(method: string, path: string): Promise<Record<string, string>> {
    return { [VERSION_HEADER]: `${SPOKEN_VERSION}`, ...(await this.#authenticate(method, path)) };
  }

  /** Breaks off what is under way, so that nobody waits for a silent peer. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#transport, ...this.#retiring].map((it) => it.close()));
  }

  async #authenticate(method: string, path: string): Promise<Record<string, string>> {
    const credentials = this.#credentials;
    if (credentials.kind === 'none') return {};
    if (credentials.kind === 'bearer') return { authorization: `Bearer ${credentials.token}` };
    const { key, token } = credentials;
    const proof = await createProof(key, { method, url: `${this.url}${path}`, token });
    return { dpop: proof, ...(token === undefined ? {} : { authorization: `DPoP ${token}` }) };
  }

  async #attempt<Schema extends z.ZodType>(message: ServiceRequest<Schema>): Promise<z.output<Schema>> {
    const { status, contentType, retryAfter, version, text } = await this.#exchange(message);
    const body = parseJson(text);
    if (status >= 200 && status < 300) {
      if (version < this.#oldestPeer) throw versionRefused(this.url, version);
      const answer = message.response.safeParse(body); // of a 204, undefined
      if (answer.success && (status === 204 || contentType.startsWith('application/json')))
        return answer.data;
    } else if (contentType.startsWith('application/problem+json')) {
      const error = errorFromProblem(text, retryAfter);
      // A route that an older service refuses as unknown may be one that it does not have yet; other refusals
      // say themselves what is wrong.
      if (error?.code === 'ERR_ROUTE_UNKNOWN' && version < this.#oldestPeer)
        throw versionRefused(this.url, version);
      if (error !== undefined) throw error;
    }
    if (version > SPOKEN_VERSION) throw versionRefused(this.url, version);
    throw new CodedError(
      CODES.ERR_PEER_PROTOCOL,
      `${message.method} ${this.url}${message.path} gave an unexpected answer with status ${status}`,
    );
  }

  async #exchange(message: ServiceRequest<z.ZodType>) {
    const { method, path, json, bytes } = message;
    const body = json === undefined ? bytes : utf8(JSON.stringify(json));
    const headers: Record<string, string> = {
      ...message.headers,
      ...(await this.introduce(method, path)),
    };
    const traceparent = this.#traceparent();
    if (traceparent !== undefined) headers.traceparent = traceparent;
    if (body !== undefined)
      headers['content-type'] = json === undefined ? 'application/octet-stream' : 'application/json';
    const overdue = new AbortController();
    // The transport's limit is for silence; a peer that sends a byte now and then would hold us for ever.
    const deadline = new Deadline(this.#clock, this.#timeout, body?.length ?? 0, () => overdue.abort());
    try {
      const url = `${this.url}${path}`;
      const signal = this.#signal ? AbortSignal.any([overdue.signal, this.#signal]) : overdue.signal;
      const answer = await this.#transport.exchange({ method, url, headers, body, signal });
      const retryAfter = Number(answer.header('retry-after') ?? Number.NaN);
      return {
        status: answer.status,
        contentType: answer.header('content-type') ?? '',
        version: versionOfAnswer(answer),
        retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
        text: textOf(await this.#read(answer.body, deadline, message)),
      };
    } catch (cause) {
      if (cause instanceof CodedError) throw cause;
      throw overdue.signal.aborted ? peerTimeout(this.url, cause) : this.#transport.failure(this.url, cause);
    } finally {
      deadline.clear();
    }
  }

  async #read(
    body: AsyncIterable<Uint8Array>,
    deadline: Deadline,
    { method, path }: ServiceRequest<z.ZodType>,
  ): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      deadline.moved(chunk.length);
      bytes += chunk.length;
      if (bytes > this.#largestAnswer) {
        const most = `an answer of at most ${this.#largestAnswer} bytes`;
        throw new CodedError(CODES.ERR_PEER_PROTOCOL, `${method} ${this.url}${path} expected ${most}`);
      }
      chunks.push(chunk);
    }
    return concatBytes(...chunks);
  }
}

/**
 * Returns the version in an answer. A header that is not a version comes from a service that is not ours, and
 * the error says that.
 */
function versionOfAnswer(answer: Answer): number {
  try {
    return versionOf(answer.header(VERSION_HEADER));
  } catch (cause) {
    throw new CodedError(CODES.ERR_PEER_PROTOCOL, `"${VERSION_HEADER}" of an answer is no version`, {
      cause,
    });
  }
}

/** The clock of the system, or of a test that lets no time pass. */
export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number;
  /** Calls back once after so many milliseconds, and returns what takes that back. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A peer that is slower than this on the average, after the fixed part, does not want to be done. */
const SLOWEST_BYTES_PER_SECOND = 16 * 1024;

export class Deadline {
  readonly #clock: Clock;
  readonly #expire: () => void;
  /** The time at which it ends for the bytes that have moved so far; it only ever grows. */
  #end: number;
  #cancel: () => void;

  /**
   * Calls `expire` once when `milliseconds` are over and the time that `bytes`, and those of `moved`, take at
   * the slowest rate.
   * @param bytes what is known to be sent
   */
  constructor(clock: Clock, milliseconds: number, bytes: number, expire: () => void) {
    this.#clock = clock;
    this.#expire = expire;
    this.#end = clock.now() + milliseconds + timeFor(bytes);
    this.#cancel = this.#wait();
  }

  /** Tells of bytes that have come. The timer is not touched: it looks again when it runs out. */
  moved(bytes: number): void {
    this.#end += timeFor(bytes);
  }

  /** Takes the deadline back. */
  clear(): void {
    this.#cancel();
  }

  #wait(): () => void {
    return this.#clock.after(Math.ceil(this.#end - this.#clock.now()), () => {
      if (this.#clock.now() < this.#end) this.#cancel = this.#wait();
      else this.#expire();
    });
  }
}

function timeFor(bytes: number): number {
  return (1000 * bytes) / SLOWEST_BYTES_PER_SECOND;
}
