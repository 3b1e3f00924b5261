/**
 * The time that an exchange with a peer may take as a whole: a fixed part, and more only for bytes that do
 * move.
 */

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
