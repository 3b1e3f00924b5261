/** A channel that counts trips: how many messages of a computation wait for each other, whatever else is on the way meanwhile. */
import type { Channel } from '@eigenveil/two-party';

const CLOCK_BYTES = 4;

/**
 * Both ends must be wrapped. Every message carries its sender's clock, which is one more than that of the latest message that the sender
 * had received (Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", CACM 1978).
 */
export class TripsCounted implements Channel {
  trips = 0;
  readonly #channel: Channel;
  #seen = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  get bytesSent(): number {
    return this.#channel.bytesSent;
  }

  get bytesReceived(): number {
    return this.#channel.bytesReceived;
  }

  async send(message: Uint8Array, released?: () => void): Promise<void> {
    const clock = this.#seen + 1;
    this.trips = Math.max(this.trips, clock);
    const stamped = Buffer.alloc(message.length + CLOCK_BYTES);
    stamped.set(message);
    stamped.writeUInt32LE(clock, message.length);
    released?.();
    await this.#channel.send(stamped);
  }

  async receive(): Promise<Uint8Array> {
    const stamped = Buffer.from(await this.#channel.receive());
    this.#seen = Math.max(this.#seen, stamped.readUInt32LE(stamped.length - CLOCK_BYTES));
    this.trips = Math.max(this.trips, this.#seen);
    return stamped.subarray(0, stamped.length - CLOCK_BYTES);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  abort(code: string): Promise<void> {
    return this.#channel.abort(code);
  }
}
