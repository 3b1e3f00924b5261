/**
 * Step 2 of a pencil, its first part: shares of T. Where T is Q·R − V·Vᵀ of all rows, it is that of a PCA. For MDR, which has no R, and
 * for any pencil with a floor, it has V W Vᵀ for a W that the data user knows, V = V_csp + V_user: C's short integers V_csp meet W, which
 * gives shares of Z = V_csp W, and then Zᵀ + 2 W V_userᵀ. What that gives, E, makes 2 V W Vᵀ with Eᵀ and the data user's own 2 V_user W
 * V_userᵀ.
 *
 * With R and a floor, T = Q·R − V·(Q D_M⁻¹)·Vᵀ + V'·HHᵀ·V'ᵀ, that is Q times S_W, with the noise on R, and Q times S_B of the noised sums
 * V'; and the floor's ridge, times Q, on its diagonal. Both quadratic terms are one, of V and V' side by side.
 */
import type { MatrixSession, Piece, Product } from '../../matrices/session.ts';
import { addDiagonal, addMatrices, inRing, type Matrix, multiplyMatrices, transpose } from '../matrices.ts';
import { truncated, truncatedSizes } from '../truncation.ts';
import { exactProduct, scaledProduct, scatterProducts } from '../turning.ts';
import { type PencilParameters, totalSizes } from './parameters.ts';

/** Shares of the statistics: R as a column of its upper triangle, none for MDR; V and groups as PencilShares has them. */
export interface PencilPieces {
  readonly R: Piece;
  readonly V: Piece;
  readonly groups: Piece;
}

/** Matrices of the data user, which knows the numbers of rows by now. */
export interface Weights {
  readonly Q: () => bigint;
  /** H of the first labelling, classes × (classes − 1), in units of 2^−contrastBits. */
  readonly contrasts: () => Matrix;
  /** W of all columns of V, in units of 2^(−2 contrastBits). */
  readonly weights: () => Matrix;
}

/** Shares of T, and of a product that goes along with the first of it. */
export async function scatterOf(
  session: MatrixSession,
  shares: PencilPieces,
  weights: Weights,
  parameters: PencilParameters,
  along: Product,
): Promise<{ readonly T: Piece; readonly beside: Piece }> {
  const { ringBits, truncates, summed, raises } = parameters;
  if (!truncates) {
    const V = session.each([shares.groups], totals);
    const sizes = totalSizes(parameters);
    const { products, shareOf } = scatterProducts(session, { R: shares.R, V }, weights.Q, sizes);
    const [beside, ...made] = await session.together(along, ...products);
    return { T: shareOf(made), beside: beside! };
  }
  const scaled = summed ? undefined : scaledProduct(session, shares.R, weights.Q, parameters);
  const first = weightedProduct(session, shares.V, weights, parameters);
  const more = scaled ? [scaled.product] : [];
  const [beside, Z, part] = await session.together(along, first.product, ...more);
  const ofSums = await summedShares(session, shares.V, first.whole(Z!), weights, parameters);
  if (!scaled) return { T: ofSums, beside: beside! };
  const sum = session.each([scaled.shareOf(part!), ofSums], (left, right) =>
    addMatrices(left, right, ringBits),
  );
  const raised = session.at('user', () =>
    addDiagonal(
      sum.user!,
      raises.map((raise) => weights.Q() * raise),
      ringBits,
    ),
  );
  return { T: { ...sum, ...raised }, beside: beside! };
}

/** The product Z = V_csp W, which is exact: V_csp, which is long, meets it once more. */
function weightedProduct(
  session: MatrixSession,
  V: Piece,
  { weights }: Weights,
  { features: d, sums, shareBits, wide }: PencilParameters,
) {
  const W = session.at('user', () => inRing(weights(), wide.ring));
  const sides = { rows: d, inner: sums, columns: sums };
  return exactProduct(session, V, W, { ...sides, bits: shareBits.sums, ringBits: wide.ring });
}

/** Shares of V W Vᵀ from those of Z. */
async function summedShares(
  session: MatrixSession,
  V: Piece,
  Z: Piece,
  { weights }: Weights,
  { features: d, sums, shareBits, wide, ringBits }: PencilParameters,
): Promise<Piece> {
  const twice = session.at('user', () => {
    const mixed = multiplyMatrices(weights(), transpose(V.user!), wide.ring);
    return addMatrices(mixed, mixed, wide.ring);
  });
  const columns = session.each([Z], transpose);
  const [E] = await session.together({
    size: {
      ...{ rows: d, inner: sums, columns: d, part: 'whole', ...truncatedSizes(wide) },
      ...{ factorBits: shareBits.sums, rowBits: shareBits.sums + Math.ceil(Math.log2(sums) / 2) },
    },
    csp: session.at('csp', () => V.csp!),
    user: session.at('user', () => addMatrices(columns.user!, twice.user!, wide.ring)),
    plus: columns,
  });
  const doubled = session.each([E!], (half) => addMatrices(half, transpose(half), wide.ring));
  const own = session.at('user', () =>
    addMatrices(doubled.user!, multiplyMatrices(V.user!, twice.user!, wide.ring), wide.ring),
  );
  return session.each([truncated(session, { ...doubled, ...own }, wide)], (integers) =>
    inRing(integers, ringBits),
  );
}

/** Sums of all rows, as a column. */
function totals(groups: Matrix): Matrix {
  return groups.map((row) => [row.reduce((sum, entry) => sum + entry, 0n)]);
}
