/**
 * The data user's view of M and what it gets for its directions, computed in the clear from what the CSP
 * drew: for tests and experiments.
 */
import {
  type Matrix,
  multiplyMatrices,
  symmetricMatrix,
  traceOf,
  transpose,
  upperProduct,
} from '../rotated/matrices.ts';
import type { RotatedParameters } from '../rotated/parameters.ts';
import type { RotationSecrets } from '../rotated/secrets.ts';

/** More bits than anything here has, so that nothing is reduced. */
const WIDE = 1024;

/** 2^f P T (2^f P)ᵀ, upper triangle, as signed integers. */
export function rotatedScatter(T: Matrix, rotation: Matrix): bigint[] {
  return upperProduct(multiplyMatrices(rotation, T, WIDE), rotation, WIDE).map((entry) =>
    BigInt.asIntN(WIDE, entry),
  );
}

/** M with noise and mask, upper triangle, of T as it is rotated: raised, where there is a floor. */
export function view(T: Matrix, { rotation, noise, mask }: RotationSecrets): bigint[] {
  const trace = traceOf(T);
  return rotatedScatter(T, rotation).map((entry, e) => entry + noise[e]! * trace + mask[e]!);
}

export const doubles = (matrix: Matrix, scale: number): number[][] =>
  matrix.map((row) => row.map((entry) => Number(entry) / scale));

/** The data user's M in units of T, without the mean of the mask. */
export function opened(
  T: Matrix,
  secrets: RotationSecrets,
  { rotationBits, maskBits }: RotatedParameters,
): number[][] {
  const upper = view(T, secrets).map((entry) => entry - (1n << BigInt(maskBits - 1)));
  return doubles(symmetricMatrix(upper, T.length), 2 ** (2 * rotationBits));
}

/** Pᵀ A for directions in doubles, one in a row, the flood included: what the data user obtains. */
export function answered(
  directions: readonly (readonly number[])[],
  secrets: RotationSecrets,
  { rotationBits, directionBits }: RotatedParameters,
): number[][] {
  const A = transpose(
    directions.map((vector) =>
      vector.map((x) => BigInt(Math.round(x * 2 ** 50)) << BigInt(directionBits - 50)),
    ),
  );
  const product = multiplyMatrices(transpose(secrets.rotation), A, WIDE);
  const flooded = product.map((row, i) => row.map((x, j) => BigInt.asIntN(WIDE, x) + secrets.flood[i]![j]!));
  return doubles(transpose(flooded), 2 ** (rotationBits + directionBits));
}
