/**
 * Local truncation of additive shares (Mohassel, Zhang, "SecureML", IEEE S&P 2017, section 4.1). x = u + c modulo 2^l, u uniform at the data
 * user. Unless u wraps another number of times than x does, of probability |x|/2^l, the integers ⌊u/2^t⌋ and −⌊(2^l − c)/2^t⌋ add up to
 * x/2^t to less than one unit, over the integers: so they are shares in every ring. The error follows from x and the data user's
 * share alone.
 */
import type { Matrix } from './matrices.ts';

/** A product that is truncated afterwards: it is computed modulo 2^ring, and `cut` fraction bits of its shares are dropped. */
export interface Truncated {
  readonly ring: number;
  readonly cut: number;
}

/** The data user's integers, of ring − cut bits. */
export function truncateUser(shares: Matrix, { cut }: Pick<Truncated, 'cut'>): bigint[][] {
  return shares.map((row) => row.map((share) => share >> BigInt(cut)));
}

/** The CSP's integers, in [−2^(ring − cut), 0]. */
export function truncateCsp(shares: Matrix, { ring, cut }: Truncated): bigint[][] {
  const whole = 1n << BigInt(ring);
  return shares.map((row) => row.map((share) => -((whole - share) >> BigInt(cut))));
}

/** Bits of the CSP's integers with their sign, for a product in which they are choices. */
export function bitsLeft({ ring, cut }: Truncated): number {
  return ring - cut + 2;
}
