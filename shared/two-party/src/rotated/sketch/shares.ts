/**
 * One server's additive shares of a sketch, over the integers: Z = TΩ centred, Z' of which low bits are
 * dropped, and twice the core ΩᵀTΩ.
 */
import type { IntegerList } from '@eigenveil/platform';
import { placesOf, type StatisticsTask } from '@eigenveil/task';
import { signedLimbsOf } from '../limbs.ts';
import { roundDivide } from '../matrices.ts';
import { asIntegers, checkShares } from '../shares.ts';
import type { SketchParameters } from './parameters.ts';
import { columnSums, type TestMatrix } from './test-matrix.ts';

export interface SketchShares {
  /**
   * d × l integers, row by row, each made when it is asked for: all of thousands of features would be tens of
   * megabytes.
   */
  readonly Y: Iterable<readonly bigint[]>;
  /** Integers. */
  readonly V: readonly bigint[];
  /**
   * The shares of the sums of rows that the mean is made of: with a floor, V with noise. Elements of the
   * ring.
   */
  readonly sums: readonly bigint[];
  readonly Q: bigint;
  readonly owners: bigint;
}

/**
 * @throws RangeError when a share is not in [0, 2^shareRing), when there are others than the task's, and when
 * Ω has another size
 */
export function sketchShares(
  task: StatisticsTask,
  { shares, signs }: { readonly shares: IntegerList; readonly signs?: TestMatrix | undefined },
  { features: d, columns: l, shareRing, hasFloor }: SketchParameters,
): SketchShares & { readonly signs: TestMatrix } {
  checkShares(shares, shareRing);
  if (signs?.length !== d * l) throw new RangeError(`"signs" expected ${d} × ${l} of them`);
  const { Y, labellings, owners, length: plain } = placesOf(task);
  const length = plain + (hasFloor ? d : 0);
  if (shares.length !== length) throw new RangeError(`"shares" expected ${length} of them`);
  const { V, M } = labellings[0]![0]!;
  const integers = (from: number, to: number) => asIntegers([...shares.slice(from, to)], shareRing);
  const rows = {
    *[Symbol.iterator]() {
      for (let from = Y.from; from < Y.to; from += l) yield integers(from, from + l);
    },
  };
  return {
    Y: rows,
    V: integers(V.from, V.to),
    sums: hasFloor ? [...shares.slice(plain, length)] : [...shares.slice(V.from, V.to)],
    ...{ Q: shares.at(M.from)!, owners: shares.at(owners.from)!, signs },
  };
}

/**
 * V (VᵀΩ)/Q, rounded, d × l, row by row: what centres Y. Both are known to the data user alone, which
 * subtracts it from its own share.
 * @param Q more than 0
 */
export function centring(
  V: readonly bigint[],
  Q: bigint,
  signs: TestMatrix,
  l: number,
): (row: number) => bigint[] {
  const sums = columnSums(V, signs, l);
  return (row) => sums.map((sum) => roundDivide(V[row]! * sum, Q));
}

/**
 * ΩᵀZ + ZᵀΩ, l × l: of each server's own share alone.
 * @param rows of Z, d of them with l entries each
 * @param bits of an entry of Z with its sign, at most
 */
export function doubledCore(
  rows: Iterable<readonly bigint[]>,
  l: number,
  signs: TestMatrix,
  bits: number,
): bigint[][] {
  const half = signedSums(rows, l, signs, bits);
  return half.map((row, a) => row.map((entry, b) => entry + half[b]![a]!));
}

/**
 * So many bits of a share at a time, so that a sum of as many as there are features, times the entries of Ω,
 * is exact in doubles.
 */
const LIMB_BITS = 24;

/**
 * ΩᵀZ, in doubles limb by limb: shares have more bits than a double, and are too many for products of big
 * integers.
 */
function signedSums(
  rows: Iterable<readonly bigint[]>,
  l: number,
  signs: TestMatrix,
  bits: number,
): bigint[][] {
  const parts = Array.from({ length: Math.ceil(bits / LIMB_BITS) }, () => new Float64Array(l * l));
  let i = 0;
  for (const row of rows) {
    for (const [k, limb] of signedLimbsOf(row, LIMB_BITS, parts.length).entries()) {
      const part = parts[k]!;
      for (let a = 0; a < l; a += 1) {
        const factor = signs[i * l + a]!;
        for (let b = 0; b < l; b += 1) part[a * l + b]! += factor * limb[b]!;
      }
    }
    i += 1;
  }
  const entryOf = (at: number) =>
    parts.reduce((sum, part, k) => sum + (BigInt(part[at]!) << BigInt(LIMB_BITS * k)), 0n);
  return Array.from({ length: l }, (_, a) => Array.from({ length: l }, (_, b) => entryOf(a * l + b)));
}
