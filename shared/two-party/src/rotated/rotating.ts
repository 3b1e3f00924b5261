/** Step 2 of the `rotated` protocol: both servers' shares of M = P T Pᵀ + tr(T)·noise + mask, from their shares of T, by three products. */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import {
  addMatrices,
  columnOf,
  type Matrix,
  multiplyMatrices,
  traceOf,
  transpose,
  upperProduct,
} from './matrices.ts';
import type { RotatedParameters } from './parameters.ts';
import { type RotationSecrets, upperEntries } from './secrets.ts';

type Sizes = Pick<RotatedParameters, 'features' | 'ringBits' | 'rotationBits' | 'noiseEntryBits'>;
type Secrets = Pick<RotationSecrets, 'rotation' | 'noise' | 'mask'>;

/** The CSP's products with bits of P, of noise, and of P again. */
export function rotatingChoices(
  { rotation, noise }: Pick<Secrets, 'rotation' | 'noise'>,
  { features: d, ringBits, rotationBits, noiseEntryBits }: Sizes,
): ChosenProduct[] {
  const rotating = { matrix: rotation, entryBits: rotationBits + 1, columns: d, ringBits };
  return [
    rotating,
    { matrix: columnOf(noise), entryBits: noiseEntryBits, columns: 1, ringBits },
    { ...rotating, part: 'upper' },
  ];
}

/** The CSP's share of M, upper triangle, from its shares of T and of those products. */
export function matrixShareOfCsp(
  scatter: Matrix,
  [once, scaled, twice]: readonly Matrix[],
  { rotation, noise, mask }: Secrets,
  { features: d, ringBits }: Sizes,
): bigint[] {
  const half = addMatrices(multiplyMatrices(rotation, scatter, ringBits), once!, ringBits);
  const local = upperProduct(rotation, half, ringBits);
  const trace = traceOf(scatter);
  return upperEntries(d, (i, j) => twice![i]![j]!).map((entry, e) =>
    BigInt.asUintN(ringBits, entry + local[e]! + scaled![e]![0]! + noise[e]! * trace + mask[e]!),
  );
}

/** The data user's ends of the same products, the first of which is number `place` of its exchange; its share of T follows from products before. */
export function rotatingCorrelations(
  scatterOf: (shares: readonly Matrix[]) => Matrix,
  place: number,
  { features: d, ringBits, rotationBits, noiseEntryBits }: Sizes,
): CorrelatedProduct[] {
  const traceFrom = (shares: readonly Matrix[]) => [[BigInt.asUintN(ringBits, traceOf(scatterOf(shares)))]];
  const rotating = { rows: d, entryBits: rotationBits + 1, ringBits };
  const square = { inner: d, columns: d };
  return [
    { ...rotating, matrix: { ...square, from: scatterOf } },
    {
      ringBits,
      matrix: { inner: 1, columns: 1, from: traceFrom },
      rows: (d * (d + 1)) / 2,
      entryBits: noiseEntryBits,
    },
    { ...rotating, matrix: { ...square, from: (shares) => transpose(shares[place]!) }, part: 'upper' },
  ];
}

/** The data user's share of M, upper triangle, from its shares of the same products. */
export function matrixShareOfUser([, scaled, twice]: readonly Matrix[]): bigint[] {
  return upperEntries(twice!.length, (i, j) => twice![i]![j]!).map((entry, e) => entry + scaled![e]![0]!);
}
