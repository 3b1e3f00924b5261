/**
 * Step 2 of a pencil of MDR, which has no R, and of any pencil with a floor: shares of V W Vᵀ, for a W that the data user knows, V = V_csp + V_user. The CSP's bits of V_csp meet W, which gives
 * shares of Z = V_csp W, and then Z_userᵀ + 2 W V_userᵀ. What that gives, E, and Z_csp make 2 V_csp W Vᵀ with E + Eᵀ: so both find
 * shares of 2 V W Vᵀ.
 */
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import {
  addMatrices,
  inRing,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  transpose,
} from '../matrices.ts';
import { shortChoices } from '../scatter.ts';
import { truncateCsp, truncateUser } from '../truncate.ts';
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
