/**
 * The way back through both rotations, the last step of a pencil, and the last but one of a sketch: shares of C̃ᵀ P₂ᵀ A, which Pᵀ then
 * meets. P₂ᵀ A stays shared, and so does what C̃ = √λ_min·C₁, of norm 1, makes of it.
 */
import type { MatrixSession, Piece } from '../matrices/session.ts';
import { addMatrices, inRing, type Matrix, multiplySigned, transpose } from './matrices.ts';
import { factorOf, type Truncated, truncated, truncatedSizes } from './truncation.ts';

export interface ReturningSizes {
  /** Rows and columns of P, P₂ and C̃. */
  readonly side: number;
  readonly components: number;
  /** Fraction bits of P₂. */
  readonly rotationBits: number;
  /** P₂ᵀ A, and C̃ᵀ P₂ᵀ A. */
  readonly back: Truncated;
  readonly inner: Truncated;
}

/** @param turn is P₂; directions are A; normalised is C̃ */
export async function stretchedBack(
  session: MatrixSession,
  {
    turn,
    directions,
    normalised,
  }: { readonly turn: () => Matrix; readonly directions: Piece; readonly normalised: Piece },
  { side, components, rotationBits, back, inner }: ReturningSizes,
): Promise<Piece> {
  const [turned, product] = await session.together(
    {
      size: {
        ...{ rows: side, inner: side, columns: components, part: 'whole', ...truncatedSizes(back) },
        ...{ factorBits: rotationBits, rowBits: rotationBits },
      },
      csp: session.at('csp', () => transpose(turn())),
      user: session.at('user', () => inRing(directions.user!, back.ring)),
    },
    {
      size: {
        ...{ rows: components, inner: side, columns: side, part: 'whole', ...truncatedSizes(inner) },
        ...factorOf(back, side),
      },
      csp: ([own]) => session.each([truncated(session, own!, back)], transpose),
      user: session.at('user', () => inRing(normalised.user!, inner.ring)),
    },
  );
  const own = session.at('user', () =>
    multiplySigned(transpose(truncated(session, turned!, back).user!), normalised.user!),
  );
  const whole = {
    ...product!,
    ...session.at('user', () => addMatrices(own.user!, product!.user!, inner.ring)),
  };
  return session.each([truncated(session, whole, inner)], transpose);
}
