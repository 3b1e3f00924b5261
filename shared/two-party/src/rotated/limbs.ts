/** Products of long rows modulo a power of two, in doubles limb by limb: five to ten times faster than in big integers, whose entries here are of 57 to 66 bits. */
import type { Matrix } from './matrices.ts';

/** What a double holds exactly. */
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

/** What counts of each entry in the ring, lowest limbs first. */
function limbsOf(row: readonly bigint[], limbBits: number, count: number): Float64Array[] {
  const limbs = Array.from({ length: count }, () => new Float64Array(row.length));
  for (const [i, entry] of row.entries()) {
    for (let limb = 0; limb < count; limb += 1)
      limbs[limb]![i] = Number(BigInt.asUintN(limbBits, entry >> BigInt(limbBits * limb)));
  }
  return limbs;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}
