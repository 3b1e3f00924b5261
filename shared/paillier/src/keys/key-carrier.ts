/** Bytes on their way between threads, which move and are not copied; and a secret key as its primes, which are overwritten on arrival. */

import { move, transferableSymbol, valueSymbol } from 'piscina';
import { bitLength, bytesToBigint, writeBigint } from '../arithmetic/bytes.ts';
import { SecretKey } from './secret-key.ts';

export interface KeyCarrier {
  /** p, then q, big-endian and of the same length; the whole of a buffer. */
  readonly primes: Uint8Array<ArrayBuffer>;
  /** Public. */
  readonly h?: bigint | undefined;
}

export function carry({ p, q, publicKey: { h } }: SecretKey): KeyCarrier {
  const length = Math.ceil(Math.max(bitLength(p), bitLength(q)) / 8);
  const primes = new Uint8Array(2 * length);
  writeBigint(primes, p, 0, length);
  writeBigint(primes, q, length, length);
  return { primes, h };
}

/** The key that was carried; its bytes are overwritten, so that this can be done once. What BigInts hold only the garbage collector takes. */
export function arrive({ primes, h }: KeyCarrier): SecretKey {
  const length = primes.length / 2;
  const key = new SecretKey({
    p: bytesToBigint(primes.subarray(0, length)),
    q: bytesToBigint(primes.subarray(length)),
    h,
  });
  primes.fill(0);
  return key;
}

export type Moved = ReturnType<typeof move>;

/** Bytes with a buffer of their own, which may move to another thread: nobody else has them afterwards. */
export type Movable = Uint8Array<ArrayBuffer>;

/** `message` for another thread, to which these bytes in it move. */
export function moveWith(bytes: readonly Movable[], message: object): Moved {
  return move({ [transferableSymbol]: bytes.map(({ buffer }) => buffer), [valueSymbol]: message });
}
