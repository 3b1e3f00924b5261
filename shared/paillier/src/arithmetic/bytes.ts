/** Non-negative integers to and from big-endian bytes and base64url text, in one canonical form each. */

import { bitLength, CodedError, fromBase64url, fromHex, toBase64url, toHex } from '@eigenveil/platform';
import { PAILLIER_CODES } from '../codes.ts';

/** The integer whose big-endian bytes these are; 0 for no bytes. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  // Parsing hexadecimal is linear in V8 and the fastest way into a BigInt that the language offers.
  return BigInt(`0x${toHex(bytes)}`);
}

/**
 * Returns exactly `length` big-endian bytes.
 * @throws RangeError when the value is negative or needs more bytes
 */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  writeBigint(bytes, value, 0, length);
  return bytes;
}

/** Does what `bigintToBytes` does, into `target` from `offset`. */
export function writeBigint(target: Uint8Array, value: bigint, offset: number, length: number): void {
  const hex = value === 0n ? '' : value.toString(16);
  if (value < 0n || hex.length > 2 * length) {
    throw new RangeError(`"value" expected a non-negative integer of at most ${length} bytes`);
  }
  target.set(fromHex(hex.padStart(2 * length, '0')), offset);
}

/**
 * base64url without padding of the shortest big-endian bytes, as JWK writes integers (RFC 7518 section 2,
 * Base64urlUInt); zero is "AA".
 * @throws RangeError when the value is negative
 */
export function encodeBigint(value: bigint): string {
  return toBase64url(bigintToBytes(value, Math.max(1, Math.ceil(bitLength(value) / 8))));
}

/**
 * Reads what `encodeBigint` wrote and nothing else: no padding, no leading zero byte, no stray bits, so that
 * an integer has one text and a digest over texts is a digest over integers.
 * @throws ERR_ENCODING_INVALID
 */
export function decodeBigint(text: string): bigint {
  if (typeof text !== 'string' || text === '') throw notBase64url();
  const value = bytesToBigint(bytesOfBase64url(text));
  if (encodeBigint(value) !== text) {
    throw new CodedError(
      PAILLIER_CODES.ERR_ENCODING_INVALID,
      'integer expected in its shortest base64url form',
    );
  }
  return value;
}

function bytesOfBase64url(text: string): Uint8Array {
  try {
    return fromBase64url(text);
  } catch {
    throw notBase64url();
  }
}

function notBase64url(): CodedError {
  return new CodedError(
    PAILLIER_CODES.ERR_ENCODING_INVALID,
    'integer expected as base64url text without padding',
  );
}
