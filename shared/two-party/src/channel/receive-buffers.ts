/**
 * Memory that a socket reads into. The end that connects uses it again; the one that accepts cannot choose
 * it, but has it collected before it is much. With fresh memory for every read, left alone, the runtime
 * collected all garbage for every 14 to 20 MB that came, which cost more time than TLS itself.
 */
import type { OnReadOpts, Socket } from 'node:net';

/** The most bytes that one TLS record holds; no read of TLS gives more. */
export const TLS_RECORD_BYTES = 16 * 1024;
/** Shorter reads are copied: a peer that sends little at a time must not make it occupy much. */
const SHORTEST_KEPT_BYTES = TLS_RECORD_BYTES / 2;
/** The most buffers that are kept for later reads, 4 MiB: about as much as an endpoint lets wait. */
const MOST_SPARES = 256;

export class ReceiveBuffers {
  /** For the option of this name of net.connect and tls.connect. */
  readonly onread: OnReadOpts;
  #socket: Pick<Socket, 'push'> | undefined;
  #current = chunk();
  readonly #spares: Buffer<ArrayBuffer>[] = [];
  /** The buffers behind memory that was handed on. A buffer that nobody gives back becomes garbage. */
  readonly #handedOn = new WeakMap<ArrayBufferLike, Buffer<ArrayBuffer>>();

  constructor() {
    this.onread = {
      buffer: () => this.#current,
      callback: (bytes) => this.#hand(bytes),
    };
  }

  /** The socket that reads: its stream goes on to give data, as if it had read into memory of its own. */
  attach(socket: Pick<Socket, 'push'>): void {
    this.#socket = socket;
  }

  /**
   * Takes memory back with the last of what was read into it. `message` is a view of data from the stream;
   * whatever came before it must not be used any more either.
   */
  release(message: Uint8Array): void {
    const data = this.#handedOn.get(message.buffer);
    if (data === undefined || message.byteOffset + message.length !== data.length) return;
    this.#handedOn.delete(data.buffer);
    if (this.#spares.length < MOST_SPARES) this.#spares.push(Buffer.from(data.buffer));
  }

  #hand(bytes: number): boolean {
    if (this.#socket === undefined) throw new TypeError('"attach" expected to be called before data came');
    const data = this.#current.subarray(0, bytes);
    if (bytes < SHORTEST_KEPT_BYTES) return this.#socket.push(Buffer.from(data));
    this.#handedOn.set(data.buffer, data);
    this.#current = this.#spares.pop() ?? chunk();
    return this.#socket.push(data);
  }
}

function chunk(): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(TLS_RECORD_BYTES);
}
