/**
 * Step 2 of the `rotated` protocol: both servers' shares of M = P T Pᵀ + tr(T)·noise + mask, from their shares of T, by three products. Where a public
 * bound on the trace takes its place, the noise needs none: so the data user cannot take it away either.
 */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import {
  addMatrices,
  columnOf,
  type Matrix,
  multiplyMatrices,
  traceOf,
  transpose,
  upperOf,
  upperProduct,
} from './matrices.ts';
import type { RotatedParameters } from './parameters.ts';
import type { RotationSecrets } from './secrets.ts';

type Sizes = Pick<RotatedParameters, 'features' | 'ringBits' | 'rotationBits' | 'noiseEntryBits'> &
  Partial<Pick<RotatedParameters, 'noiseScale'>>;
type Secrets = Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>;

/** The CSP's products with bits of P, of noise where its scale is secret, and of P again. */
export function rotatingChoices(
  { rotation, noise }: Pick<Secrets, 'rotation' | 'noise'>,
  { features: d, ringBits, rotationBits, noiseEntryBits, noiseScale }: Sizes,
): ChosenProduct[] {
  const rotating = { matrix: rotation, entryBits: rotationBits + 1, columns: d, ringBits };
  const scaling = { matrix: columnOf(noise), entryBits: noiseEntryBits, columns: 1, ringBits };
  return [rotating, ...(noiseScale === undefined ? [scaling] : []), { ...rotating, part: 'upper' }];
}

/** The CSP's share of M, upper triangle, from its shares of T and of those products. */
export function matrixShareOfCsp(
  scatter: Matrix,
  products: readonly Matrix[],
  { rotation, noise, mask }: Secrets,
  { ringBits, noiseScale }: Sizes,
): bigint[] {
  const half = addMatrices(multiplyMatrices(rotation, scatter, ringBits), products[0]!, ringBits);
  const local = upperProduct(rotation, half, ringBits);
  const scale = noiseScale ?? traceOf(scatter);
  return matrixShareOfUser(products).map((entry, e) =>
    BigInt.asUintN(ringBits, entry + local[e]! + noise[e]! * scale + mask[e]!),
  );
}

/** The data user's ends of the same products, the first of which is number `place` of its exchange; its share of T follows from products before. */
export function rotatingCorrelations(
  scatterOf: (shares: readonly Matrix[]) => Matrix,
  place: number,
  { features: d, ringBits, rotationBits, noiseEntryBits, noiseScale }: Sizes,
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
    ...(noiseScale === undefined ? [scaling] : []),
    { ...rotating, matrix: { ...square, from: (shares) => transpose(shares[place]!) }, part: 'upper' },
  ];
}

/** The data user's share of M, upper triangle, from its shares of the same products: what these products alone give. */
export function matrixShareOfUser(products: readonly Matrix[]): bigint[] {
  const scaled = products.length > 2 ? products[1]!.flat() : [];
  return upperOf(products.at(-1)!).map((entry, e) => entry + (scaled[e] ?? 0n));
}
