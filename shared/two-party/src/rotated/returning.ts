/**
 * The way back through both rotations, the last step of a pencil, and the last but one of a sketch: shares of W = Pᵀ C̃ᵀ P₂ᵀ A, by three products.
 * P₂ᵀ A stays shared, and so does what C̃ = √λ_min·C₁, of norm 1, makes of it.
 */
import type { ChosenProduct, CorrelatedProduct } from '../products/index.ts';
import { addMatrices, inRing, type Matrix, multiplyMatrices, multiplySigned, transpose } from './matrices.ts';
import { bitsLeft, type Truncated, truncateCsp, truncateUser } from './truncate.ts';

interface Sizes {
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

interface Secrets {
  readonly rotation: Matrix;
  readonly turn: Matrix;
}

/** The CSP's products with bits of P₂ᵀ, of its share of P₂ᵀ A, and of Pᵀ. */
export function returningChoices(
  { rotation, turn }: Secrets,
  { side, components, rotationBits, back, inner, ringBits }: Sizes,
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
  { rotation }: Pick<Secrets, 'rotation'>,
  [, stretched, last]: readonly Matrix[],
  { inner, ringBits }: Sizes,
): bigint[][] {
  const z = transpose(truncateCsp(stretched!, inner));
  const own = multiplyMatrices(transpose(rotation), z, ringBits);
  return addMatrices(own, last!, ringBits);
}

/** The data user's ends of the same products, the last of which is its share of W. `normalised` is C̃. */
export function returningCorrelations(
  directions: Matrix,
  normalised: Matrix,
  { side, components, rotationBits, back, inner, ringBits }: Sizes,
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
