/** Matrices of integers, as they come and as they lie in memory. */
import { cellsOf, digitsPerEntry, NARROW_BYTES, type ProductSize } from './layout.ts';

const LIMB_BITS = 64;
const LIMB_BYTES = 8;

/**
 * Checks a matrix, and tells no entry of it.
 * @throws RangeError unless the matrix has this shape and every entry is in [least, limit)
 */
export function checkMatrix(
  matrix: readonly (readonly bigint[])[],
  [rows, columns]: readonly [number, number],
  [least, limit]: readonly [bigint, bigint],
): void {
  if (matrix.length !== rows || matrix.some((row) => row.length !== columns)) {
    throw new RangeError(`"matrix" expected ${rows} × ${columns} entries`);
  }
  if (matrix.some((row) => row.some((entry) => entry < least || entry >= limit))) {
    throw new RangeError('"matrix" expected entries in range');
  }
}

/** Ring elements row by row, little endian, of `bytes` each; a row takes what `across` of them take. */
export function encodeElements(
  matrix: readonly (readonly bigint[])[],
  target: Uint8Array,
  bytes: number,
  across: number,
): void {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  const limbs = bytes / LIMB_BYTES;
  // As long for every entry, so that zeros do not take less time.
  const above = 1n << BigInt(LIMB_BITS * limbs);
  for (const [i, row] of matrix.entries()) {
    for (const [j, entry] of row.entries()) {
      const at = (i * across + j) * bytes;
      const element = entry + above;
      // Bits beyond 64 are not written.
      for (let limb = 0; limb < limbs; limb += 1)
        view.setBigUint64(at + LIMB_BYTES * limb, element >> BigInt(LIMB_BITS * limb), true);
    }
  }
}

/** Reverses encodeElements() for the element of `bytes` at this place, reduced modulo 2^ringBits. */
export function decodeElement(view: DataView, at: number, bytes: number, ringBits: number): bigint {
  let value = 0n;
  for (let limb = bytes - LIMB_BYTES; limb >= 0; limb -= LIMB_BYTES)
    value = (value << BigInt(LIMB_BITS)) | view.getBigUint64(at + limb, true);
  return BigInt.asUintN(ringBits, value);
}

/** A sum, modulo 2^ringBits: of 64 bits, or of lanes of 64 bits that hold 32 each. */
export function decodeSum(view: DataView, at: number, bytes: number, ringBits: number): bigint {
  if (bytes === NARROW_BYTES) return decodeElement(view, at, bytes, ringBits);
  let value = 0n;
  for (let lane = bytes - LIMB_BYTES; lane >= 0; lane -= LIMB_BYTES)
    value = (value << 32n) | BigInt(view.getUint32(at + lane, true));
  return BigInt.asUintN(ringBits, value);
}

/** Returns the part of the sums that is the result: the columns, without masks, modulo 2^ringBits. */
export function sharesOf(
  sums: readonly (readonly bigint[])[],
  { columns, ringBits }: ProductSize,
): bigint[][] {
  return sums.map((row) => row.slice(0, columns).map((sum) => BigInt.asUintN(ringBits, sum)));
}

/**
 * The chooser's choices for a matrix of entries that are not negative, in the order of the digits: the
 * complements of a digit's bits, the highest first, since a party that shall miss one branch of a tree has to
 * receive the other.
 */
export function choicesOf(matrix: readonly (readonly bigint[])[], size: ProductSize): Uint8Array {
  const digits = digitsPerEntry(size);
  const perPass = size.rows * size.inner;
  const { digitBits } = size;
  const choices = new Uint8Array(digitBits * digits * perPass);
  const { elementBytes } = cellsOf(size);
  const bytes = new Uint8Array(elementBytes);
  for (const [i, row] of matrix.entries()) {
    for (const [k, entry] of row.entries()) {
      encodeElements([[entry]], bytes, elementBytes, 1);
      for (let t = 0; t < digits; t += 1) {
        const at = digitBits * ((digits - 1 - t) * perPass + i * size.inner + k);
        for (let bit = 0; bit < digitBits; bit += 1) {
          const place = digitBits * t + (digitBits - 1 - bit);
          choices[at + bit] = 1 - ((bytes[place >> 3]! >> (place & 7)) & 1);
        }
      }
    }
  }
  return choices;
}
