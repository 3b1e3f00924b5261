/** Numbers for the inputs of timed operations. */
import { randomBytes } from 'node:crypto';

/** Uniform below 2^bits. */
export function randomBigint(bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(`0x${randomBytes(Math.ceil(bits / 8)).toString('hex')}`));
}

/** The same number in new memory: a value that is used again and again would be in the cache, and its class the faster one. */
export function fresh(value: bigint): bigint {
  return BigInt(`0x${value.toString(16)}`);
}
