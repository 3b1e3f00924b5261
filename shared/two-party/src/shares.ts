/**
 * Additive shares: value v of b bits is (x + r) mod 2^b at the CSP and −r mod 2^b at the data user, where x is a
 * signed integer in [−2^(b−1), 2^(b−1)). Unblinding gives them for free: see the blinding values of the packing.
 */
import { TwoPartyError } from './errors.ts';

/** Reduces integers to ring elements: result[v] = values[v] mod 2^bits[v], in [0, 2^bits[v]). */
export function toRing(bits: readonly number[], values: readonly bigint[]): bigint[] {
  return bits.map((width, v) => BigInt.asUintN(width, values[v]!));
}

/**
 * The signed integers that two lists of ring elements add up to.
 * @example
 * import { combine, toRing } from '@eigenveil/two-party';
 *
 * const bits = [8, 8];
 * combine(bits, toRing(bits, [-1n + 77n, 3n + 200n]), toRing(bits, [-77n, -200n])); // → [-1n, 3n]
 */
export function combine(
  bits: readonly number[],
  left: readonly bigint[],
  right: readonly bigint[],
): bigint[] {
  return bits.map((width, v) => BigInt.asIntN(width, left[v]! + right[v]!));
}

/**
 * Fixed-length encoding: each element big-endian in ⌈bits/8⌉ bytes.
 * @throws RangeError for an element out of range
 */
export function encodeShares(bits: readonly number[], shares: readonly bigint[]): Uint8Array {
  const bytes = Buffer.alloc(bits.reduce((sum, width) => sum + shareBytes(width), 0));
  let offset = 0;
  for (const [v, width] of bits.entries()) {
    const length = shareBytes(width);
    const share = shares[v]!;
    if (share >> BigInt(width)) throw new RangeError(`"shares" expected ${width} bits at ${v}`);
    bytes.write(share.toString(16).padStart(2 * length, '0'), offset, length, 'hex');
    offset += length;
  }
  return bytes;
}

/**
 * Reverses encodeShares.
 * @throws ERR_CHANNEL_MESSAGE when the length or an element's range is wrong
 */
export function decodeShares(bits: readonly number[], bytes: Uint8Array): bigint[] {
  const expected = bits.reduce((sum, width) => sum + shareBytes(width), 0);
  if (bytes.length !== expected) {
    throw new TwoPartyError(
      'ERR_CHANNEL_MESSAGE',
      `"shares" expected ${expected} bytes, got ${bytes.length}`,
    );
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  return bits.map((width, v) => {
    const end = offset + shareBytes(width);
    const share = BigInt(`0x${buffer.toString('hex', offset, end)}`);
    offset = end;
    if (share >> BigInt(width))
      throw new TwoPartyError('ERR_CHANNEL_MESSAGE', `"shares" expected ${width} bits at ${v}`);
    return share;
  });
}

function shareBytes(bits: number): number {
  return Math.ceil(bits / 8);
}
