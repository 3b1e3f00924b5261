/**
 * Limits how often a peer may ask: one count for requests and for those to upgrade, which Express never sees.
 */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit';
import type { Logger } from '../observe/log.ts';

const MILLISECONDS = 60_000;

export class RateLimit {
  /**
   * The middleware for requests. /healthz and /readyz are not limited, since a busy service is not a dead
   * one.
   */
  readonly middleware: RequestHandler;
  #limit: number;
  readonly #store = new MemoryStore();

  /**
   * `requestsPerMinute` is the limit for each address (IPv4) or /56 network (IPv6). Behind a reverse proxy
   * that address is the proxy's: limit there instead.
   */
  constructor(requestsPerMinute: number, log: Logger) {
    this.#limit = requestsPerMinute;
    this.middleware = rateLimit({
      windowMs: MILLISECONDS,
      limit: () => this.#limit,
      store: this.#store,
      keyGenerator: keyOf,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      skip: ({ path }) => path === '/healthz' || path === '/readyz',
      // X-Forwarded-For is ignored on purpose, so no warning is needed when it is present.
      validate: { xForwardedForHeader: false, forwardedHeader: false },
      logger: {
        error: (error, message) => log.error({ err: error }, message),
        warn: (error, message) => log.warn({ err: error }, message),
      },
      handler: (_request, _response, next) => next(this.#exceeded()),
    });
  }

  /** Changes the limit from now on; requests that were counted before still count. */
  set requestsPerMinute(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts a request to upgrade.
   * @throws ERR_RATE_LIMITED
   */
  async admitUpgrade(request: IncomingMessage): Promise<void> {
    const { totalHits, resetTime } = await this.#store.increment(keyOf(request));
    if (totalHits > this.#limit) throw this.#exceeded(resetTime);
  }

  #exceeded(resetTime?: Date): CodedError {
    const message = `expected at most ${this.#limit} requests a minute`;
    // The middleware has set the header of a request already.
    if (resetTime === undefined) return new CodedError(CODES.ERR_RATE_LIMITED, message);
    const retryAfterSeconds = Math.max(1, (resetTime.getTime() - Date.now()) / 1000);
    return new CodedError(CODES.ERR_RATE_LIMITED, message, { retryAfterSeconds });
  }
}

/** The peer is that of the connection itself: headers that claim another address count for nothing. */
function keyOf({ socket }: IncomingMessage): string {
  return ipKeyGenerator(socket.remoteAddress ?? '');
}
