/**
 * One end of a channel, whatever carries its messages: queues, back-pressure, deadlines, counters and the
 * end.
 */
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import { abortedError, type Channel, type ChannelLimits, closedError, isErrorCode } from './channel.ts';

/** The carrier of an endpoint's messages, which in return tells the endpoint of messages and of the end. */
export interface Transport {
  /** Calls `done` when the bytes have been copied or written out. */
  write(message: Uint8Array, done: () => void): void;
  /** Delivers nothing more, after at most a few messages, until resumed. */
  pause(): void;
  resume(): void;
  /** Ends after what was written, with a reason when the computation is given up. */
  close(reason?: string): void;
  /** Ends at once. */
  terminate(): void;
  /** Told, in order, of messages that nobody reads any more. */
  release?(message: Uint8Array): void;
  /** See Channel. */
  readonly frameBytes?: number;
}

interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: CodedError) => void;
}

/** The time in milliseconds that a peer may take for the closing handshake. */
const CLOSING_LIMIT_MILLISECONDS = 30_000;

export class Endpoint implements Channel {
  bytesSent = 0;
  bytesReceived = 0;
  readonly frameBytes: number | undefined;
  readonly #transport: Transport;
  readonly #limits: ChannelLimits;
  readonly #deadline: NodeJS.Timeout;
  readonly #gone = Promise.withResolvers<void>();
  /** Messages that came before they were asked for, and askers that came before their messages. */
  readonly #inbox: Uint8Array[] = [];
  readonly #askers = new Set<Waiter<Uint8Array>>();
  /** Senders that wait for room. */
  readonly #senders = new Set<Waiter<void>>();
  /** Received and perhaps still being read. */
  readonly #lent: Uint8Array[] = [];
  #inboxBytes = 0;
  #unsentBytes = 0;
  #paused = false;
  /** The reason why nothing more can be sent or received. */
  #end: CodedError | undefined;

  constructor(transport: Transport, limits: ChannelLimits) {
    this.#transport = transport;
    this.frameBytes = transport.frameBytes;
    this.#limits = limits;
    const { totalMilliseconds } = limits;
    this.#deadline = setTimeout(() => {
      const message = `the computation was not over after ${totalMilliseconds} ms`;
      this.#leave(new CodedError(TWO_PARTY_CODES.ERR_CHANNEL_TIMEOUT, message), 'ERR_CHANNEL_TIMEOUT');
    }, totalMilliseconds);
    this.#deadline.unref();
  }

  async send(message: Uint8Array, released?: () => void): Promise<void> {
    if (this.#end) throw this.#end;
    const { highWaterBytes, largestMessageBytes } = this.#limits;
    if (message.length > largestMessageBytes) {
      throw new RangeError(`"message" expected at most ${largestMessageBytes} bytes, got ${message.length}`);
    }
    this.bytesSent += message.length;
    this.#unsentBytes += message.length;
    this.#transport.write(message, () => {
      released?.();
      this.#unsentBytes -= message.length;
      if (this.#unsentBytes <= highWaterBytes) settle(this.#senders, ({ resolve }) => resolve());
    });
    if (this.#unsentBytes > highWaterBytes) await this.#wait(this.#senders, 'took');
  }

  receive(): Promise<Uint8Array> {
    for (const message of this.#lent.splice(0)) this.#transport.release?.(message);
    const message = this.#inbox.shift();
    if (message === undefined) {
      return this.#end ? Promise.reject(this.#end) : this.#wait(this.#askers, 'sent');
    }
    this.#lent.push(message);
    this.#inboxBytes -= message.length;
    if (this.#paused && this.#inboxBytes <= this.#limits.highWaterBytes / 2) this.#resume();
    return Promise.resolve(message);
  }

  close(): Promise<void> {
    return this.#leave(closedError());
  }

  async abort(code: string): Promise<void> {
    if (!isErrorCode(code)) throw new TypeError('"code" expected an error code ERR_…');
    await this.#leave(abortedError('self', code), code);
  }

  /** For the transport: a message came. */
  deliver(message: Uint8Array): void {
    if (this.#end) return;
    this.bytesReceived += message.length;
    const [asker] = this.#askers;
    if (asker) {
      this.#askers.delete(asker);
      this.#lent.push(message);
      asker.resolve(message);
      return;
    }
    this.#inbox.push(message);
    this.#inboxBytes += message.length;
    if (!this.#paused && this.#inboxBytes > this.#limits.highWaterBytes) {
      this.#paused = true;
      this.#transport.pause();
    }
  }

  /** For the transport: nothing can be sent or will come any more; `reason` if the peer aborted. */
  ended(reason: string | undefined, cause?: unknown): void {
    if (reason !== undefined) this.#dropInbox();
    this.#finish(reason === undefined ? closedError(cause) : abortedError('peer', reason));
    this.#gone.resolve();
  }

  async #leave(error: CodedError, reason?: string): Promise<void> {
    if (this.#end === undefined) {
      this.#finish(error);
      this.#transport.close(reason);
    }
    this.#dropInbox();
    // The peer's answer to the closing handshake may be behind messages that nobody here will read.
    this.#resume();
    const timer = setTimeout(() => this.#transport.terminate(), CLOSING_LIMIT_MILLISECONDS);
    await this.#gone.promise;
    clearTimeout(timer);
  }

  #finish(error: CodedError): void {
    if (this.#end) return;
    this.#end = error;
    clearTimeout(this.#deadline);
    settle(this.#askers, ({ reject }) => reject(error));
    settle(this.#senders, ({ reject }) => reject(error));
  }

  #dropInbox(): void {
    this.#inbox.length = 0;
    this.#inboxBytes = 0;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#transport.resume();
  }

  /** Waits among the waiters, but no longer than the peer may be silent. */
  #wait<T>(waiters: Set<Waiter<T>>, verb: 'sent' | 'took'): Promise<T> {
    const { silenceMilliseconds } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(() => {
      waiters.delete(waiter); // so that it does not swallow a message that comes later
      const message = `the peer ${verb} nothing for ${silenceMilliseconds} ms`;
      reject(new CodedError(TWO_PARTY_CODES.ERR_CHANNEL_TIMEOUT, message));
    }, silenceMilliseconds);
    const waiter: Waiter<T> = {
      resolve(value) {
        clearTimeout(timer);
        resolve(value);
      },
      reject(error) {
        clearTimeout(timer);
        reject(error);
      },
    };
    waiters.add(waiter);
    return promise;
  }
}

function settle<T>(waiters: Set<Waiter<T>>, how: (waiter: Waiter<T>) => void): void {
  const settled = [...waiters];
  waiters.clear();
  for (const waiter of settled) how(waiter);
}
