/**
 * Products of long rows modulo a power of two, in doubles limb by limb: five to ten times faster than in big
 * integers, whose entries here are of 57 to 66 bits.
 */
import type { Matrix } from './matrices.ts';

/** The bits that a double holds exactly. */
const EXACT_BITS = 53;

/** left · rightᵀ (m × n and c × n), each entry reduced to [0, 2^ringBits). */
export function rowProducts(left: Matrix, right: Matrix, ringBits: number): bigint[][] {
  return products(left, right, ringBits, () => 0);
}

/** Its upper triangle, row by row. */
export function upperRowProducts(left: Matrix, right: Matrix, ringBits: number): bigint[] {
  return products(left, right, ringBits, (i) => i).flat();
}

/** Row i of the result from a column on. */
function products(left: Matrix, right: Matrix, ringBits: number, first: (row: number) => number): bigint[][] {
  const n = left[0]?.length ?? 0;
  const limbBits = limbBitsFor(n, ringBits);
  const count = Math.ceil(ringBits / limbBits);
  const ours = left.map((row) => limbsOf(row, limbBits, count));
  const theirs = left === right ? ours : right.map((row) => limbsOf(row, limbBits, count));
  return ours.map((row, i) =>
    theirs.slice(first(i)).map((other) => {
      let sum = 0n;
      for (let weight = 0; weight < count; weight += 1) {
        let part = 0;
        for (let limb = 0; limb <= weight; limb += 1) part += dot(row[limb]!, other[weight - limb]!);
        sum += BigInt(part) << BigInt(limbBits * weight);
      }
      return BigInt.asUintN(ringBits, sum);
    }),
  );
}

/** The most bits of a limb such that all products of one weight add up exactly. */
function limbBitsFor(n: number, ringBits: number): number {
  let bits = Math.floor(EXACT_BITS / 2);
  while (4 ** bits * n * Math.ceil(ringBits / bits) > 2 ** EXACT_BITS) bits -= 1;
  return bits;
}

/**
 * Bits k·limbBits to (k + 1)·limbBits of each entry in two's complement, lowest limbs first. Big integers are
 * read a word of 64 bits at a time, and cut up as numbers: a shift of a big integer makes a new one.
 * @param limbBits at most 31
 */
function limbsOf(row: readonly bigint[], limbBits: number, count: number): Float64Array[] {
  const { halves, across } = halvesOf(row, Math.ceil((limbBits * count) / HALF_BITS));
  const mask = 2 ** limbBits - 1;
  return Array.from({ length: count }, (_, limb) => {
    const shift = (limbBits * limb) % HALF_BITS;
    let at = Math.floor((limbBits * limb) / HALF_BITS);
    const cut = new Float64Array(row.length);
    for (let i = 0; i < row.length; i += 1, at += across) {
      // A shift by 32 would be one by 0.
      const high = shift > 0 ? halves[at + 1]! << (HALF_BITS - shift) : 0;
      cut[i] = ((halves[at]! >>> shift) | high) & mask;
    }
    return cut;
  });
}

/** The same, but the last limb has the sign: limbBits·count bits hold each entry with it. */
export function signedLimbsOf(row: readonly bigint[], limbBits: number, count: number): Float64Array[] {
  const limbs = limbsOf(row, limbBits, count);
  const last = limbs[count - 1]!;
  for (let i = 0; i < last.length; i += 1)
    if (last[i]! >= 2 ** (limbBits - 1)) last[i] = last[i]! - 2 ** limbBits;
  return limbs;
}

const HALF_BITS = 32;

/** The lowest `least` halves of words, or more, of each entry, one after the other. */
function halvesOf(row: readonly bigint[], least: number): { halves: Uint32Array; across: number } {
  const words = Math.ceil((least + 1) / 2); // a limb looks at one more half than it may need
  const of = new BigUint64Array(row.length * words);
  for (const [i, entry] of row.entries()) {
    of[i * words] = entry; // what exceeds 64 bits is not written
    for (let word = 1; word < words; word += 1) of[i * words + word] = entry >> BigInt(64 * word);
  }
  return { halves: new Uint32Array(of.buffer), across: 2 * words };
}

/** Four sums at a time: one alone would wait for each addition to end before the next. */
function dot(a: Float64Array, b: Float64Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 4 <= a.length; i += 4) {
    first += a[i]! * b[i]!;
    second += a[i + 1]! * b[i + 1]!;
    third += a[i + 2]! * b[i + 2]!;
    fourth += a[i + 3]! * b[i + 3]!;
  }
  for (; i < a.length; i += 1) first += a[i]! * b[i]!;
  return first + second + third + fourth;
}
