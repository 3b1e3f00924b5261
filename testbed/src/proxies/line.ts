/** One direction of a long or narrow line: bytes leave it one after the other at its rate, and arrive some time after. */

export interface LineOptions {
  /** Bytes take no time of their own without it. */
  readonly bitsPerSecond?: number;
  /** Of every byte, beside what those before it and its own take at that rate. */
  readonly delayMilliseconds?: number;
}

export interface Clock {
  /** Milliseconds. */
  now(): number;
  after(milliseconds: number, run: () => void): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (time, run) => setTimeout(run, time),
};

/** Bytes that leave and arrive together: about a millisecond of 100 Mbit/s. */
const PACKET_BYTES = 16 * 1024;

export class Line {
  /** Of bytes that have not left: what a sender would find in its own buffers and in those of the way. */
  waitingBytes = 0;
  readonly #clock: Clock;
  readonly #deliver: (packet: Uint8Array) => void;
  readonly #millisecondsPerByte: number;
  readonly #delay: number;
  readonly #leaving: Agenda;
  readonly #arriving: Agenda;
  /** When what was pushed will have left. */
  #free = 0;

  constructor(
    { bitsPerSecond, delayMilliseconds }: LineOptions,
    clock: Clock,
    deliver: (packet: Uint8Array) => void,
  ) {
    this.#clock = clock;
    this.#deliver = deliver;
    this.#millisecondsPerByte = bitsPerSecond === undefined ? 0 : 8000 / bitsPerSecond;
    this.#delay = delayMilliseconds ?? 0;
    this.#leaving = new Agenda(clock);
    this.#arriving = new Agenda(clock);
  }

  /** Puts bytes on the line, behind those that are on it. `left` is called whenever some of them have left, before they arrive. */
  push(bytes: Uint8Array, left?: () => void): void {
    for (let from = 0; from < bytes.length; from += PACKET_BYTES) {
      const packet = bytes.subarray(from, from + PACKET_BYTES);
      this.waitingBytes += packet.length;
      this.#free = Math.max(this.#free, this.#clock.now()) + packet.length * this.#millisecondsPerByte;
      this.#leaving.add(this.#free, () => {
        this.waitingBytes -= packet.length;
        left?.();
      });
      this.#arriving.add(this.#free + this.#delay, () => this.#deliver(packet));
    }
  }

  /** Calls `arrived` when all that was pushed has. */
  end(arrived: () => void): void {
    this.#arriving.add(Math.max(this.#free, this.#clock.now()) + this.#delay, arrived);
  }
}

/** What is to be done, in order of time. One timer at a time: the system's own do not keep the order of those that are near each other. */
class Agenda {
  readonly #clock: Clock;
  readonly #items: { readonly at: number; readonly run: () => void }[] = [];
  #armed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** No earlier than what was added before. */
  add(at: number, run: () => void): void {
    this.#items.push({ at, run });
    this.#arm();
  }

  #arm(): void {
    const [next] = this.#items;
    if (next === undefined || this.#armed) return;
    this.#armed = true;
    this.#clock.after(Math.max(0, next.at - this.#clock.now()), () => {
      this.#armed = false;
      while (this.#items.length > 0 && this.#items[0]!.at <= this.#clock.now()) this.#items.shift()!.run();
      this.#arm();
    });
  }
}
