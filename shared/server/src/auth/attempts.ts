/**
 * Limits how often a secret may be tried without success, by each address and by all together, so that
 * guessing stays hopeless and nobody is locked out for long.
 */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import { ipKeyGenerator } from 'express-rate-limit';

/** The number of failures that are admitted at once; after each pause one more is admitted. */
interface Places {
  readonly most: number;
  readonly pauseMilliseconds: number;
}

/** The places of an address (IPv4) or a /56 network (IPv6): ten a minute. */
const OF_ADDRESS: Places = { most: 10, pauseMilliseconds: 6000 };
/** The places of all: twenty a second. */
const OF_ALL: Places = { most: 20, pauseMilliseconds: 50 };
/** The number of addresses that are remembered, among those that failed and among those that succeeded. */
const MOST_REMEMBERED = 10_000;

/**
 * Only failures take a place. An address that has succeeded before is limited only by its own failures, so
 * that somebody who has signed in once can do it again while others guess. Any other address competes with
 * the guessers for the places of all, and tries again after a second. The counts are those of this process.
 */
export class Attempts {
  readonly #now: () => number;
  readonly #ofAll = new Bucket(OF_ALL);
  readonly #ofAddress = new Map<string, Bucket>();
  readonly #succeeded = new Set<string>();

  /** @param now milliseconds that never go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Tries a secret for the sender of a request.
   * @throws ERR_RATE_LIMITED, without looking at the secret, or what `attempt` throws
   */
  async make<T>({ socket }: Pick<IncomingMessage, 'socket'>, attempt: () => T | Promise<T>): Promise<T> {
    // The address is that of the connection itself: headers that claim another address count for nothing.
    const address = ipKeyGenerator(socket.remoteAddress ?? '');
    const own = this.#ofAddress.get(address) ?? new Bucket(OF_ADDRESS);
    const buckets = this.#succeeded.has(address) ? [own] : [own, this.#ofAll];
    const now = this.#now();
    const wait = Math.max(...buckets.map((bucket) => bucket.wait(now)));
    if (wait > 0)
      throw new CodedError(CODES.ERR_RATE_LIMITED, 'expected fewer attempts', {
        retryAfterSeconds: Math.max(1, wait / 1000),
      });
    // Places are taken before the attempt: otherwise many attempts at once would all find the same place
    // free.
    for (const bucket of buckets) bucket.take();
    remember(this.#ofAddress, address, own);
    const result = await attempt();
    for (const bucket of buckets) bucket.giveBack();
    this.#succeeded.delete(address);
    this.#succeeded.add(address);
    if (this.#succeeded.size > MOST_REMEMBERED)
      this.#succeeded.delete(this.#succeeded.values().next().value!);
    return result;
  }
}

/**
 * Remembers an address, and forgets the one that has been remembered longest: somebody with that many
 * addresses is limited by the places of all.
 */
function remember(buckets: Map<string, Bucket>, address: string, bucket: Bucket): void {
  buckets.delete(address);
  buckets.set(address, bucket);
  if (buckets.size > MOST_REMEMBERED) buckets.delete(buckets.keys().next().value!);
}

class Bucket {
  readonly #places: Places;
  #taken = 0;
  #since = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Returns the milliseconds until a place is free; 0 if one is. */
  wait(now: number): number {
    const { most, pauseMilliseconds } = this.#places;
    const freed = Math.floor((now - this.#since) / pauseMilliseconds);
    this.#taken = Math.max(0, this.#taken - freed);
    this.#since = this.#taken === 0 ? now : this.#since + freed * pauseMilliseconds;
    return this.#taken < most ? 0 : this.#since + pauseMilliseconds - now;
  }

  take(): void {
    this.#taken += 1;
  }

  giveBack(): void {
    this.#taken = Math.max(0, this.#taken - 1);
  }
}
