/**
 * How many windows a minute and sessions an hour a user may have, and how often a template learns: whoever injects samples is told little by
 * them, and teaches little. In memory, by the monotonic clock.
 */
import { ServiceError } from '@eigenveil/wire';
import type { UserId } from './messages.ts';

/** A bucket that fills evenly, and from which a request takes what it needs: full at first. */
class Bucket {
  readonly #size: number;
  /** In which one more comes in: mostly a whole number, so that a wait is not rounded up to another second. */
  readonly #millisecondsEach: number;
  #level: number;
  #time: number;

  constructor(size: number, milliseconds: number, now: number) {
    this.#size = size;
    this.#millisecondsEach = milliseconds / size;
    this.#level = size;
    this.#time = now;
  }

  /** Takes so much; or nothing, and returns how many milliseconds it takes until there is enough. */
  take(amount: number, now: number): number {
    this.#fill(now);
    if (amount > this.#level) return (amount - this.#level) * this.#millisecondsEach;
    this.#level -= amount;
    return 0;
  }

  isFull(now: number): boolean {
    this.#fill(now);
    return this.#level >= this.#size;
  }

  #fill(now: number): void {
    this.#level = Math.min(this.#size, this.#level + (now - this.#time) / this.#millisecondsEach);
    this.#time = now;
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export class UserLimits {
  readonly #windowsPerMinute: number;
  readonly #sessionsPerHour: number;
  readonly #monotonic: () => number;
  readonly #windows = new Map<UserId, Bucket>();
  readonly #sessions = new Map<UserId, Bucket>();
  readonly #learning = new Map<UserId, Bucket>();

  constructor(
    limits: { readonly windowsPerMinute: number; readonly sessionsPerHour: number },
    monotonic: () => number,
  ) {
    this.#windowsPerMinute = limits.windowsPerMinute;
    this.#sessionsPerHour = limits.sessionsPerHour;
    this.#monotonic = monotonic;
  }

  /** @throws ERR_RATE_LIMITED */
  takeWindows(userId: UserId, count: number): void {
    const message = `expected at most ${this.#windowsPerMinute} windows a minute`;
    this.#take(this.#windows, userId, count, this.#windowsPerMinute, MINUTE, message);
  }

  /** @throws ERR_RATE_LIMITED */
  takeSession(userId: UserId): void {
    const message = `expected at most ${this.#sessionsPerHour} sessions an hour`;
    this.#take(this.#sessions, userId, 1, this.#sessionsPerHour, HOUR, message);
  }

  /** Forgets users who have their whole allowance again. */
  sweep(): void {
    const now = this.#monotonic();
    for (const buckets of [this.#windows, this.#sessions, this.#learning])
      for (const [userId, bucket] of buckets) if (bucket.isFull(now)) buckets.delete(userId);
  }

  /** Whether a template may learn now: once an hour, since whoever injects windows makes long runs in a minute. */
  takeLearning(userId: UserId): boolean {
    return this.#bucketOf(this.#learning, userId, 1, HOUR).take(1, this.#monotonic()) === 0;
  }

  #take(
    buckets: Map<UserId, Bucket>,
    userId: UserId,
    amount: number,
    size: number,
    milliseconds: number,
    message: string,
  ): void {
    const wait = this.#bucketOf(buckets, userId, size, milliseconds).take(amount, this.#monotonic());
    if (wait > 0) throw new ServiceError('ERR_RATE_LIMITED', message, { retryAfterSeconds: wait / 1000 });
  }

  #bucketOf(buckets: Map<UserId, Bucket>, userId: UserId, size: number, milliseconds: number): Bucket {
    let bucket = buckets.get(userId);
    if (bucket === undefined) {
      bucket = new Bucket(size, milliseconds, this.#monotonic());
      buckets.set(userId, bucket);
    }
    return bucket;
  }
}
