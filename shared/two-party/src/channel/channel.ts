/**
 * A duplex, ordered, reliable stream of binary messages between the two servers, and the inbox that every
 * implementation of it shares.
 */
import { TwoPartyError } from '../errors.ts';

export interface Channel {
  /** Resolves once the message has been handed to the transport. Throws ERR_CHANNEL_CLOSED. */
  send(message: Uint8Array): Promise<void>;
  /** The next message in order. Throws ERR_CHANNEL_CLOSED, or ERR_CHANNEL_TIMEOUT when the peer stays silent. */
  receive(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** How long a peer may stay silent, in milliseconds, before the computation is given up. */
export const SILENCE_LIMIT_MILLISECONDS = 120_000;

interface Waiter {
  readonly resolve: (message: Uint8Array) => void;
  readonly reject: (error: TwoPartyError) => void;
}

/** Keeps messages that came before they were asked for, and askers that came before their messages. */
export class Inbox {
  readonly #messages: Uint8Array[] = [];
  readonly #waiters: Waiter[] = [];
  #closed = false;

  deliver(message: Uint8Array): void {
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve(message);
    else this.#messages.push(message);
  }

  /** No more messages will come; those already delivered can still be received. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closedError());
  }

  receive(silenceLimit: number): Promise<Uint8Array> {
    const message = this.#messages.shift();
    if (message) return Promise.resolve(message);
    if (this.#closed) return Promise.reject(closedError());
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const waiter: Waiter = { resolve, reject };
    this.#waiters.push(waiter);
    const timer = setTimeout(() => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      reject(new TwoPartyError('ERR_CHANNEL_TIMEOUT', `the peer sent nothing for ${silenceLimit} ms`));
    }, silenceLimit);
    return promise.finally(() => clearTimeout(timer));
  }
}

export function closedError(cause?: unknown): TwoPartyError {
  return new TwoPartyError(
    'ERR_CHANNEL_CLOSED',
    'the two-party connection was closed before the computation ended',
    {
      cause,
    },
  );
}
