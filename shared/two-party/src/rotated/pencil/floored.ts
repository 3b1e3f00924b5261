/**
 * Step 2 of a pencil of R with a floor: shares of T = Q·R − V·(Q D_M⁻¹)·Vᵀ + V'·HHᵀ·V'ᵀ, that is Q times S_W, with the noise on R, and Q times S_B of the noised
 * sums V'; and of the floor's ridge, times Q, on its diagonal. Both quadratic terms are one, of V and V' side by side.
 */
import type { ChosenProduct } from '../../products/index.ts';
import { addDiagonal, addMatrices, columnOf, inRing, type Matrix, symmetricMatrix } from '../matrices.ts';
import { shortChoices } from '../scatter.ts';
import type { PencilParameters } from './parameters.ts';
import type { PencilShares } from './shares.ts';
import { summedChoices, summedCorrelations, summedShareOfCsp } from './summed.ts';

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
