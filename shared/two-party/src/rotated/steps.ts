/**
 * The steps of pencils and sketches that multiply shares by transfers, and the interface to these. Both ends call alike; the
 * products of one call take two round trips together.
 *
 * Step 1 of the `rotated` protocol: both servers' shares of T = Q R − V Vᵀ, from theirs of R and V, by two products. The data user knows Q by
 * now, so that its share of R is scaled without the other; noise may have made it negative.
 *
 * Step 2 of the `rotated` protocol: both servers' shares of M = P T Pᵀ + tr(T)·noise + mask, from their shares of T, by three products.
 *
 * The way back through both rotations, the last step of a pencil, and the last but one of a sketch: shares of W = Pᵀ C̃ᵀ P₂ᵀ A, by three products.
 * P₂ᵀ A stays shared, and so does what C̃ = √λ_min·C₁, of norm 1, makes of it.
 */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import {
  addMatrices,
  bitsLeft,
  columnOf,
  inRing,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  symmetricMatrix,
  type Truncated,
  traceOf,
  transpose,
  truncateCsp,
  truncateUser,
  upperOf,
  upperProduct,
} from './matrices.ts';
import type { RotatedParameters } from './parameters.ts';
import type { RotationSecrets } from './secrets.ts';

/** The CSP's end: its shares of each product. */
export interface Chooser {
  multiply(products: readonly ChosenProduct[]): Promise<bigint[][][]>;
}

/** The data user's end. */
export interface Correlator {
  multiply(products: readonly CorrelatedProduct[]): Promise<bigint[][][]>;
}

/** The CSP's ends of products of either direction. */
export interface CspProducts extends Chooser {
  /** The products in which the data user's bits are the choices. */
  readonly reversed: Correlator;
}

/** The data user's ends. */
export interface DataUserProducts extends Correlator {
  readonly reversed: Chooser;
}

/** A server's shares of R, upper triangle row by row, and of V. */
interface Sums {
  readonly R: readonly bigint[];
  readonly V: readonly bigint[];
}

interface ScatterSizes {
  readonly ringBits: number;
  /** Bits of the CSP's share of an entry as unblinding left it. */
  readonly shareBits: { readonly R: number; readonly V: number };
}

/** The CSP's products with bits of V and of R, taken as the short integers that they are. */
export function scatterChoices({ R, V }: Sums, { ringBits, shareBits }: ScatterSizes): ChosenProduct[] {
  return [
    { ...shortChoices(columnOf(V), shareBits.V, ringBits), columns: V.length },
    { ...shortChoices(columnOf(R), shareBits.R, ringBits), columns: 1 },
  ];
}

/** The data user's ends of the same products. */
export function scatterCorrelations(
  { R, V }: Sums,
  Q: bigint,
  { ringBits, shareBits }: ScatterSizes,
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
  { ringBits }: ScatterSizes,
): bigint[][] {
  return scatterShare(scaled!.flat(), mixed!, V, ringBits);
}

/** The data user's. */
export function scatterShareOfUser(
  { R, V }: Sums,
  Q: bigint,
  [mixed, scaled]: readonly Matrix[],
  { ringBits }: ScatterSizes,
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

type RotatingSizes = Pick<RotatedParameters, 'features' | 'ringBits' | 'rotationBits' | 'noiseEntryBits'>;
type RotatingSecrets = Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>;

/** The CSP's products with bits of P, of noise, and of P again. */
export function rotatingChoices(
  { rotation, noise }: Pick<RotatingSecrets, 'rotation' | 'noise'>,
  { features: d, ringBits, rotationBits, noiseEntryBits }: RotatingSizes,
): ChosenProduct[] {
  const rotating = { matrix: rotation, entryBits: rotationBits + 1, columns: d, ringBits };
  const scaling = { matrix: columnOf(noise), entryBits: noiseEntryBits, columns: 1, ringBits };
  return [rotating, scaling, { ...rotating, part: 'upper' }];
}

/** The CSP's share of M, upper triangle, from its shares of T and of those products. */
export function matrixShareOfCsp(
  scatter: Matrix,
  products: readonly Matrix[],
  { rotation, noise, mask }: RotatingSecrets,
  { ringBits }: Pick<RotatingSizes, 'ringBits'>,
): bigint[] {
  const half = addMatrices(multiplyMatrices(rotation, scatter, ringBits), products[0]!, ringBits);
  const local = upperProduct(rotation, half, ringBits);
  const scale = traceOf(scatter);
  return matrixShareOfUser(products).map((entry, e) =>
    BigInt.asUintN(ringBits, entry + local[e]! + noise[e]! * scale + mask[e]!),
  );
}

/** The data user's ends of the same products, the first of which is number `place` of its exchange; its share of T follows from products before. */
export function rotatingCorrelations(
  scatterOf: (shares: readonly Matrix[]) => Matrix,
  place: number,
  { features: d, ringBits, rotationBits, noiseEntryBits }: RotatingSizes,
): CorrelatedProduct[] {
  const traceFrom = (shares: readonly Matrix[]) => [[BigInt.asUintN(ringBits, traceOf(scatterOf(shares)))]];
  const rotating = { rows: d, entryBits: rotationBits + 1, ringBits };
  const square = { inner: d, columns: d };
  const scaling = {
    ringBits,
    matrix: { inner: 1, columns: 1, from: traceFrom },
    rows: (d * (d + 1)) / 2,
    entryBits: noiseEntryBits,
  };
  return [
    { ...rotating, matrix: { ...square, from: scatterOf } },
    scaling,
    { ...rotating, matrix: { ...square, from: (shares) => transpose(shares[place]!) }, part: 'upper' },
  ];
}

/** The data user's share of M, upper triangle, from its shares of the same products: what these products alone give. */
export function matrixShareOfUser(products: readonly Matrix[]): bigint[] {
  const scaled = products[1]!.flat();
  return upperOf(products.at(-1)!).map((entry, e) => entry + scaled[e]!);
}

interface ReturningSizes {
  /** Rows and columns of P, P₂ and C̃. */
  readonly side: number;
  readonly components: number;
  readonly rotationBits: number;
  /** P₂ᵀ A, and C̃ᵀ P₂ᵀ A. */
  readonly back: Truncated;
  readonly inner: Truncated;
  /** W's. */
  readonly ringBits: number;
}

interface ReturningSecrets {
  readonly rotation: Matrix;
  readonly turn: Matrix;
}

/** The CSP's products with bits of P₂ᵀ, of its share of P₂ᵀ A, and of Pᵀ. */
export function returningChoices(
  { rotation, turn }: ReturningSecrets,
  { side, components, rotationBits, back, inner, ringBits }: ReturningSizes,
): ChosenProduct[] {
  const turning = { entryBits: rotationBits + 1, columns: components };
  return [
    { ...turning, matrix: transpose(turn), ringBits: back.ring },
    {
      matrix: {
        rows: components,
        inner: side,
        from: ([turned]) => transpose(truncateCsp(turned!, back)),
      },
      entryBits: bitsLeft(back),
      columns: side,
      ringBits: inner.ring,
    },
    { ...turning, matrix: transpose(rotation), ringBits },
  ];
}

/** The CSP's share of W, side × components, from its shares of those products. */
export function returnedShareOfCsp(
  { rotation }: Pick<ReturningSecrets, 'rotation'>,
  [, stretched, last]: readonly Matrix[],
  { inner, ringBits }: ReturningSizes,
): bigint[][] {
  const z = transpose(truncateCsp(stretched!, inner));
  const own = multiplyMatrices(transpose(rotation), z, ringBits);
  return addMatrices(own, last!, ringBits);
}

/** The data user's ends of the same products, the last of which is its share of W. `normalised` is C̃. */
export function returningCorrelations(
  directions: Matrix,
  normalised: Matrix,
  { side, components, rotationBits, back, inner, ringBits }: ReturningSizes,
): CorrelatedProduct[] {
  const stretchedOf = ([turned, product]: readonly Matrix[]) => {
    const own = multiplySigned(transpose(truncateUser(turned!, back)), normalised);
    return inRing(transpose(truncateUser(addMatrices(own, product!, inner.ring), inner)), ringBits);
  };
  const turning = { rows: side, entryBits: rotationBits + 1 };
  return [
    { ...turning, matrix: inRing(directions, back.ring), ringBits: back.ring },
    {
      matrix: inRing(normalised, inner.ring),
      rows: components,
      entryBits: bitsLeft(back),
      ringBits: inner.ring,
      waits: true,
    },
    { ...turning, matrix: { inner: side, columns: components, from: stretchedOf }, ringBits },
  ];
}
