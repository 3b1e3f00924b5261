/**
 * Additive shares: value v of b bits is (x + r) mod 2^b at the CSP and −r mod 2^b at the data user, where x is a
 * signed integer in [−2^(b−1), 2^(b−1)). Unblinding gives them for free: see the blinding values of the packing.
 */
import {
  CodedError,
  type IntegerList,
  Integers,
  isOf,
  PLATFORM_CODES,
  type Widths,
} from '@eigenveil/platform';
import { drawNoise } from '@eigenveil/statistics/owner';
import { computedBitsOf, computedValues, type StatisticsTask } from '@eigenveil/task';
import { TWO_PARTY_CODES } from './codes.ts';

/** The values that servers hold shares of, and what each adds to its own before anything leaves it. */
export interface Shared {
  /** Returns the bits of the ring of each share; for tasks that pass `checkComputable`. */
  readonly shareBits: (task: StatisticsTask) => readonly number[];
  /** Returns the shared values of flat statistics, or this server's part of them of its own: it is linear. */
  readonly valuesOf: (task: StatisticsTask, integers: IntegerList) => IntegerList;
  /** Draws a server's noise on each value once, which is kept: the mean of several draws is closer to the rows. */
  readonly drawNoise: typeof drawNoise;
}

/** All statistics, in the units that servers compute with. */
export const STATISTICS: Shared = { shareBits: computedBitsOf, valuesOf: computedValues, drawNoise };

/** The signed integers that two lists of ring elements add up to. */
export function combine(bits: readonly number[], left: IntegerList, right: IntegerList): bigint[] {
  return bits.map((width, v) => BigInt.asIntN(width, left.at(v)! + right.at(v)!));
}

/**
 * Ring elements out of a message: a view of its bytes.
 * @throws ERR_CHANNEL_MESSAGE when the length or an element's range is wrong
 */
export function decodeShares(bits: Widths, message: Uint8Array): Integers {
  try {
    return Integers.read(message, bits);
  } catch (error) {
    if (!isOf(PLATFORM_CODES, error)) throw error;
    throw new CodedError(TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE, `"shares": ${error.message}`);
  }
}
