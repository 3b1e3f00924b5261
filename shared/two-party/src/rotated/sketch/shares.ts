/** One server's additive shares of a sketch, over the integers: Z = TΩ centred, Z' of which low bits are dropped, and twice the core ΩᵀTΩ. */
import { unflatten } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { roundDivide } from '../integers.ts';
import { type Matrix, matrixOf, upperEntries } from '../matrices.ts';
import { checkShares } from '../shares.ts';
import type { SketchParameters } from './parameters.ts';

export interface SketchShares {
  /** d × l. */
  readonly Y: Matrix;
  readonly V: readonly bigint[];
  readonly Q: bigint;
  readonly owners: bigint;
}

/** Ω: entries in whole numbers, d × l, row by row: see sketchMatrix. */
export type TestMatrix = ArrayLike<number>;

/** @throws RangeError when a share is not in [0, 2^shareRing), when Ω has another size, and the errors of `unflatten` */
export function sketchShares(
  task: StatisticsTask,
  { shares, signs }: { readonly shares: readonly bigint[]; readonly signs?: TestMatrix | undefined },
  { features: d, columns: l, shareRing }: SketchParameters,
): SketchShares & { readonly signs: TestMatrix } {
  checkShares(shares, shareRing);
  if (signs?.length !== d * l) throw new RangeError(`"signs" expected ${d} × ${l} of them`);
  const { Y, labellings, owners } = unflatten(task, shares);
  const { V, M } = labellings[0]![0]!;
  return { Y: matrixOf(Y!, l), V, Q: M, owners, signs };
}

/**
 * V (VᵀΩ)/Q, rounded, d × l, row by row: what centres Y. Both are known to the data user alone, which takes it off its own share.
 * @param Q more than 0
 */
export function centring(
  V: readonly bigint[],
  Q: bigint,
  signs: TestMatrix,
  l: number,
): (row: number) => bigint[] {
  const sums = Array.from({ length: l }, (_, a) =>
    V.reduce((sum, value, i) => sum + value * BigInt(signs[i * l + a]!), 0n),
  );
  return (row) => sums.map((sum) => roundDivide(V[row]! * sum, Q));
}

/** ΩᵀZ + ZᵀΩ, l × l: of each server's own share alone. */
export function doubledCore(Z: Matrix, signs: TestMatrix): bigint[][] {
  const half = signedSums(Z, signs);
  return half.map((row, a) => row.map((entry, b) => entry + half[b]![a]!));
}

/** From a server's own Z'ᵀZ' and its share of the mixed product: its share of A, upper triangle, modulo 2^bits. */
export function gramShare(local: readonly bigint[], mixed: Matrix, bits: number): bigint[] {
  const both = upperEntries(mixed.length, (i, j) => mixed[i]![j]! + mixed[j]![i]!);
  return local.map((entry, e) => BigInt.asUintN(bits, entry + both[e]!));
}

/** So many bits of a share at a time, so that a sum of as many as there are features, times the entries of Ω, is exact in doubles. */
const LIMB_BITS = 24;

/** ΩᵀZ, in doubles limb by limb: shares have more bits than a double, and are too many for products of big integers. */
function signedSums(Z: Matrix, signs: TestMatrix): bigint[][] {
  const l = Z[0]!.length;
  const longest = Z.reduce(
    (bits, row) => row.reduce((most, entry) => Math.max(most, bitsOf(entry)), bits),
    0,
  );
  const sums = Array.from({ length: l }, () => new Array<bigint>(l).fill(0n));
  const limb = new Float64Array(l);
  for (let shift = 0; shift < longest; shift += LIMB_BITS) {
    const isLast = shift + LIMB_BITS >= longest;
    const part = new Float64Array(l * l);
    for (const [i, row] of Z.entries()) {
      for (let b = 0; b < l; b += 1) {
        const rest = row[b]! >> BigInt(shift);
        limb[b] = Number(isLast ? rest : BigInt.asUintN(LIMB_BITS, rest));
      }
      for (let a = 0; a < l; a += 1) {
        const factor = signs[i * l + a]!;
        for (let b = 0; b < l; b += 1) part[a * l + b]! += factor * limb[b]!;
      }
    }
    for (let a = 0; a < l; a += 1)
      for (let b = 0; b < l; b += 1) sums[a]![b]! += BigInt(part[a * l + b]!) << BigInt(shift);
  }
  return sums;
}

/** Of a share, whose length is public. */
function bitsOf(entry: bigint): number {
  return 4 * entry.toString(16).length;
}
