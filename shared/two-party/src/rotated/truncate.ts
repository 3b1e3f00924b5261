/**
 * Local truncation of additive shares (Mohassel, Zhang, "SecureML", IEEE S&P 2017, section 4.1). x = u + c modulo 2^l, u uniform at the data
 * user. Unless u wraps another number of times than x does, of probability |x|/2^l, the integers ⌊u/2^t⌋ and −⌊(2^l − c)/2^t⌋ add up to
 * x/2^t to less than one unit, over the integers: so they are shares in every ring. The error follows from x and the data user's
 * share alone.
 */
import type { Matrix } from './matrices.ts';

/** The data user's integers, of l − t bits. */
export function truncateUser(shares: Matrix, bits: number): bigint[][] {
  return shares.map((row) => row.map((share) => share >> BigInt(bits)));
}

/** The CSP's integers, in [−2^(l − t), 0]: l − t + 2 bits with their sign. */
export function truncateCsp(shares: Matrix, ringBits: number, bits: number): bigint[][] {
  const whole = 1n << BigInt(ringBits);
  return shares.map((row) => row.map((share) => -((whole - share) >> BigInt(bits))));
}
