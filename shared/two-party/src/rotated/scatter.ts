/**
 * Step 1 of the `rotated` protocol: both servers' shares of T = Q R − V Vᵀ, from theirs of R and V, by two products. The data user knows Q by
 * now, so that its share of R is scaled without the other; noise may have made it negative.
 */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import { columnOf, inRing, type Matrix, symmetricMatrix, transpose } from './matrices.ts';

/** A server's shares of R, upper triangle row by row, and of V. */
interface Sums {
  readonly R: readonly bigint[];
  readonly V: readonly bigint[];
}

interface Sizes {
  readonly ringBits: number;
  /** Bits of the CSP's share of an entry as unblinding left it. */
  readonly shareBits: { readonly R: number; readonly V: number };
}

/** The CSP's products with bits of V and of R, taken as the short integers that they are. */
export function scatterChoices({ R, V }: Sums, { ringBits, shareBits }: Sizes): ChosenProduct[] {
  return [
    { ...shortChoices(columnOf(V), shareBits.V, ringBits), columns: V.length },
    { ...shortChoices(columnOf(R), shareBits.R, ringBits), columns: 1 },
  ];
}

/** The data user's ends of the same products. */
export function scatterCorrelations(
  { R, V }: Sums,
  Q: bigint,
  { ringBits, shareBits }: Sizes,
): CorrelatedProduct[] {
  return [
    { ringBits, matrix: inRing([V], ringBits), rows: V.length, entryBits: shareBits.V + 1 },
    { ringBits, matrix: inRing([[Q]], ringBits), rows: R.length, entryBits: shareBits.R + 1 },
  ];
}

/** The CSP's share of T from its shares of those products. */
export function scatterShareOfCsp(
  { V }: Pick<Sums, 'V'>,
  [mixed, scaled]: readonly Matrix[],
  { ringBits }: Sizes,
): bigint[][] {
  return scatterShare(scaled!.flat(), mixed!, V, ringBits);
}

/** The data user's. */
export function scatterShareOfUser(
  { R, V }: Sums,
  Q: bigint,
  [mixed, scaled]: readonly Matrix[],
  { ringBits }: Sizes,
): bigint[][] {
  return scatterShare(
    scaled!.map(([entry], e) => entry! + Q * R[e]!),
    mixed!,
    V,
    ringBits,
  );
}

/**
 * A share of T from one of Q R (upper triangle), one of V Vᵀ's mixed part V_csp V_userᵀ (d × d), and this server's own V: what both servers
 * find adds up to Q R − (V_csp + V_user)(V_csp + V_user)ᵀ. Entries are reduced to [0, 2^ringBits).
 */
function scatterShare(
  scaledR: readonly bigint[],
  mixed: Matrix,
  V: readonly bigint[],
  ringBits: number,
): bigint[][] {
  const mirrored = transpose(mixed);
  return symmetricMatrix(scaledR, V.length).map((row, i) =>
    row.map((entry, j) => BigInt.asUintN(ringBits, entry - V[i]! * V[j]! - mixed[i]![j]! - mirrored[i]![j]!)),
  );
}

/**
 * The choices of a product with values as unblinding and noise left them: integers of a short magnitude, and a bit for the sign.
 * @throws RangeError when a value has more bits
 */
export function shortChoices(matrix: Matrix, bits: number, ringBits: number) {
  if (matrix.some((row) => row.some((value) => BigInt.asIntN(bits + 1, value) !== value))) {
    throw new RangeError(`"shares" expected at most ${bits} bits of an unblinded value, got more`);
  }
  return { matrix, entryBits: bits + 1, ringBits };
}
