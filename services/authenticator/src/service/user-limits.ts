/**
 * Limits the windows a minute and sessions an hour of a user, and how often a template learns: an attacker
 * who injects samples learns little from them, and teaches little. The limits are kept in memory, by the
 * monotonic clock.
 */
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import type { AuthenticatorConfiguration } from '../cli/settings.ts';
import type { UserId } from '../messages.ts';

/** A bucket that fills evenly, and from which a request takes an amount. It is full at first. */
class Bucket {
  readonly #size: number;
  /**
   * The time in which the bucket gains one unit: mostly a whole number, so that a wait is not rounded up to
   * another second.
   */
  readonly #millisecondsEach: number;
  #level: number;
  #time: number;

  constructor(size: number, milliseconds: number, now: number) {
    this.#size = size;
    this.#millisecondsEach = milliseconds / size;
    this.#level = size;
    this.#time = now;
  }

  /**
   * Takes an amount and returns 0. If there is not enough, takes nothing and returns the milliseconds until
   * there is.
   */
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

/** A bucket for each user who has taken something, all of one size and speed. */
class Buckets {
  readonly #size: number;
  readonly #milliseconds: number;
  readonly #monotonic: () => number;
  readonly #buckets = new Map<UserId, Bucket>();

  constructor(size: number, milliseconds: number, monotonic: () => number) {
    this.#size = size;
    this.#milliseconds = milliseconds;
    this.#monotonic = monotonic;
  }

  /**
   * Takes an amount and returns 0. If there is not enough, takes nothing and returns the milliseconds until
   * there is.
   */
  take(userId: UserId, amount: number): number {
    const now = this.#monotonic();
    const bucket = this.#buckets.get(userId) ?? new Bucket(this.#size, this.#milliseconds, now);
    this.#buckets.set(userId, bucket);
    return bucket.take(amount, now);
  }

  /** @throws ERR_RATE_LIMITED with `message` */
  require(userId: UserId, amount: number, message: string): void {
    const wait = this.take(userId, amount);
    if (wait > 0) throw new CodedError(CODES.ERR_RATE_LIMITED, message, { retryAfterSeconds: wait / 1000 });
  }

  /** Forgets users who have their whole allowance again. */
  sweep(): void {
    const now = this.#monotonic();
    for (const [userId, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(userId);
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The settings that say how much a user may send. */
export type UserLimitSettings = Pick<AuthenticatorConfiguration, 'windowsPerMinute' | 'sessionsPerHour'>;

export class UserLimits {
  readonly #limits: UserLimitSettings;
  readonly #windows: Buckets;
  readonly #sessions: Buckets;
  /** Allows one update per hour, since somebody who injects windows can make long runs in a minute. */
  readonly #learning: Buckets;

  constructor(limits: UserLimitSettings, monotonic: () => number) {
    this.#limits = limits;
    this.#windows = new Buckets(limits.windowsPerMinute, MINUTE, monotonic);
    this.#sessions = new Buckets(limits.sessionsPerHour, HOUR, monotonic);
    this.#learning = new Buckets(1, HOUR, monotonic);
  }

  /** @throws ERR_RATE_LIMITED */
  takeWindows(userId: UserId, count: number): void {
    const message = `expected at most ${this.#limits.windowsPerMinute} windows a minute`;
    this.#windows.require(userId, count, message);
  }

  /** @throws ERR_RATE_LIMITED */
  takeSession(userId: UserId): void {
    const message = `expected at most ${this.#limits.sessionsPerHour} sessions an hour`;
    this.#sessions.require(userId, 1, message);
  }

  /** Returns whether a template may learn now. */
  takeLearning(userId: UserId): boolean {
    return this.#learning.take(userId, 1) === 0;
  }

  /** Forgets users who have their whole allowance again. */
  sweep(): void {
    for (const buckets of [this.#windows, this.#sessions, this.#learning]) buckets.sweep();
  }
}
