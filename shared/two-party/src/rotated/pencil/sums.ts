/**
 * Step 2 of a pencil of MDR, which has no R, and of any pencil with a floor: shares of V W Vᵀ, for a W that the data user knows, V = V_csp + V_user. The CSP's bits of V_csp meet W, which gives
 * shares of Z = V_csp W, and then Z_userᵀ + 2 W V_userᵀ. What that gives, E, and Z_csp make 2 V_csp W Vᵀ with E + Eᵀ: so both find
 * shares of 2 V W Vᵀ.
 *
 * Step 2 of a pencil of R with a floor: shares of T = Q·R − V·(Q D_M⁻¹)·Vᵀ + V'·HHᵀ·V'ᵀ, that is Q times S_W, with the noise on R, and Q times S_B of the noised
 * sums V'; and of the floor's ridge, times Q, on its diagonal. Both quadratic terms are one, of V and V' side by side.
 */
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import {
  addDiagonal,
  addMatrices,
  columnOf,
  inRing,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  symmetricMatrix,
  transpose,
  truncateCsp,
  truncateUser,
} from '../matrices.ts';
import type { PencilShares } from '../shares.ts';
import { shortChoices } from '../steps.ts';
import type { PencilParameters } from './parameters.ts';

/** The CSP's products, both with bits of V_csp, d × classes. */
export function summedChoices(V: Matrix, { shareBits, wide }: PencilParameters): ChosenProduct[] {
  const short = shortChoices(V, shareBits.sums, wide.ring);
  return [
    { ...short, columns: V[0]!.length },
    { ...short, columns: V.length },
  ];
}

/** The CSP's share of V W Vᵀ from its shares of those products. */
export function summedShareOfCsp(
  V: Matrix,
  [Z, mixed]: readonly Matrix[],
  { wide, ringBits }: PencilParameters,
): bigint[][] {
  const half = addMatrices(multiplySigned(V, transpose(Z!)), mixed!, wide.ring);
  const doubled = addMatrices(half, transpose(half), wide.ring);
  return inRing(truncateCsp(doubled, wide), ringBits);
}

/** The data user's ends of the same products, and its share of V W Vᵀ from theirs. */
export function summedCorrelations(V: Matrix, weights: Matrix, parameters: PencilParameters) {
  const { ringBits, shareBits, wide } = parameters;
  const W = inRing(weights, wide.ring);
  const mixed = multiplyMatrices(W, transpose(V), wide.ring);
  const twice = addMatrices(mixed, mixed, wide.ring);
  const own = multiplyMatrices(V, twice, wide.ring);
  const fromZ = ([Z]: readonly Matrix[]) => addMatrices(transpose(Z!), twice, wide.ring);
  const short = { rows: V.length, entryBits: shareBits.sums + 1, ringBits: wide.ring };
  const products: CorrelatedProduct[] = [
    { ...short, matrix: W },
    { ...short, matrix: { inner: W.length, columns: V.length, from: fromZ } },
  ];
  const share = ([, half]: readonly Matrix[]) => {
    const doubled = addMatrices(addMatrices(half!, transpose(half!), wide.ring), own, wide.ring);
    return inRing(truncateUser(doubled, wide), ringBits);
  };
  return { products, share };
}

type Sums = Pick<PencilShares, 'R' | 'V'>;

/** The CSP's products, the last of which is of bits of R with Q. */
export function flooredChoices({ R, V }: Sums, parameters: PencilParameters): ChosenProduct[] {
  const { shareBits, ringBits } = parameters;
  return [
    ...summedChoices(V, parameters),
    { ...shortChoices(columnOf(R), shareBits.R, ringBits), columns: 1 },
  ];
}

/** The CSP's share of T from its shares of those products. */
export function flooredShareOfCsp(
  { V }: Sums,
  [Z, mixed, scaled]: readonly Matrix[],
  parameters: PencilParameters,
): bigint[][] {
  const ofSums = summedShareOfCsp(V, [Z!, mixed!], parameters);
  return addMatrices(symmetricMatrix(scaled!.flat(), V.length), ofSums, parameters.ringBits);
}

/** The data user's ends of the same products, and its share of T from theirs. */
export function flooredCorrelations(
  { R, V }: Sums,
  Q: bigint,
  weights: Matrix,
  parameters: PencilParameters,
) {
  const { shareBits, ringBits, raises } = parameters;
  const summed = summedCorrelations(V, weights, parameters);
  const own = symmetricMatrix(
    R.map((entry) => Q * entry),
    V.length,
  );
  const share = ([Z, mixed, scaled]: readonly Matrix[]) => {
    const ofSums = addMatrices(own, summed.share([Z!, mixed!]), ringBits);
    const whole = addMatrices(symmetricMatrix(scaled!.flat(), V.length), ofSums, ringBits);
    return addDiagonal(
      whole,
      raises.map((raise) => Q * raise),
      ringBits,
    );
  };
  const scaling = { ringBits, matrix: inRing([[Q]], ringBits), rows: R.length, entryBits: shareBits.R + 1 };
  return { products: [...summed.products, scaling], share };
}
