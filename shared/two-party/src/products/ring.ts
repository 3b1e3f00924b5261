/** Matrices of integers, as they come and as they lie in memory. */
import { digitsPerEntry, ELEMENT_BYTES, type ProductSize, SUM_BYTES } from './layout.ts';

const LIMB_BITS = 64;
const LIMBS = ELEMENT_BYTES / 8;
const ABOVE_LIMBS = 1n << BigInt(LIMB_BITS * LIMBS);

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

/** Ring elements row by row, ELEMENT_BYTES each, little endian. */
export function encodeElements(matrix: readonly (readonly bigint[])[], target: Uint8Array): void {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let at = 0;
  for (const row of matrix) {
    for (const entry of row) {
      // As long for every entry, so that zeros do not take less time.
      const element = entry + ABOVE_LIMBS;
      for (let limb = 0; limb < LIMBS; limb += 1) {
        view.setBigUint64(
          at + 8 * limb,
          BigInt.asUintN(LIMB_BITS, element >> BigInt(LIMB_BITS * limb)),
          true,
        );
      }
      at += ELEMENT_BYTES;
    }
  }
}

/** Reverses encodeElements() for one element, reduced modulo 2^ringBits. */
export function decodeElement(bytes: Uint8Array, element: number, ringBits: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + element * ELEMENT_BYTES, ELEMENT_BYTES);
  let value = 0n;
  for (let limb = LIMBS - 1; limb >= 0; limb -= 1)
    value = (value << BigInt(LIMB_BITS)) | view.getBigUint64(8 * limb, true);
  return BigInt.asUintN(ringBits, value);
}

/** The sum whose lanes hold 32 bits each, modulo 2^ringBits. */
export function decodeSum(lanes: Uint32Array, element: number, ringBits: number): bigint {
  const start = (element * SUM_BYTES) / 4;
  let value = 0n;
  for (let lane = 2 * LIMBS - 1; lane >= 0; lane -= 1)
    value = (value << 32n) | BigInt(lanes[start + 2 * lane]!);
  return BigInt.asUintN(ringBits, value);
}

/** What of the sums is the result: the columns, without masks, modulo 2^ringBits. */
export function sharesOf(
  sums: readonly (readonly bigint[])[],
  { columns, ringBits }: ProductSize,
): bigint[][] {
  return sums.map((row) => row.slice(0, columns).map((sum) => BigInt.asUintN(ringBits, sum)));
}

/**
 * The chooser's choices for a matrix of entries that are not negative, in the order of the digits: the complements of a digit's bits, the highest first, since a
 * party that shall miss one branch of a tree has to receive the other.
 */
export function choicesOf(matrix: readonly (readonly bigint[])[], size: ProductSize): Uint8Array {
  const digits = digitsPerEntry(size);
  const perPass = size.rows * size.inner;
  const { digitBits } = size;
  const choices = new Uint8Array(digitBits * digits * perPass);
  const bytes = new Uint8Array(ELEMENT_BYTES);
  for (const [i, row] of matrix.entries()) {
    for (const [k, entry] of row.entries()) {
      encodeElements([[entry]], bytes);
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
