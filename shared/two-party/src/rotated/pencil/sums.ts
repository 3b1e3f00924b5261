/**
 * Step 2 of a pencil, its first part: shares of G and of T. C's sums of rows by class, V, meet a matrix H of the data user, which knows
 * the numbers of rows, and what that gives is truncated: G and, where there are more columns, other roots beside it. Where T is Q·R −
 * V·Vᵀ of all rows, it is that of a PCA. For MDR, which has no R, it is the sum of the squares of the roots of both labellings. With R
 * and a floor, T = Q·R − K Kᵀ + G Gᵀ, with K = V·√(Q D_M⁻¹) of the sums without noise, that is Q times S_W, with the noise on R, and Q
 * times S_B of the noised sums; and the floor's ridge, times Q, on its diagonal.
 */
import type { MatrixSession, Piece, Product } from '../../matrices/session.ts';
import {
  addDiagonal,
  addMatrices,
  inRing,
  type Matrix,
  multiplyMatrices,
  multiplySigned,
  transpose,
} from '../matrices.ts';
import { factorOf, truncated, truncatedSizes } from '../truncation.ts';
import { scaledProduct, scatterProducts } from '../turning.ts';
import { blocksOf } from './contrasts.ts';
import { type PencilParameters, totalSizes } from './parameters.ts';

/** Shares of the statistics: R as a column of its upper triangle, none for MDR; V as PencilShares has it. */
export interface PencilPieces {
  readonly R: Piece;
  readonly V: Piece;
}

/** Numbers that the data user knows by now. */
export interface Known {
  readonly Q: () => bigint;
  /** The blocks of H, columns of V × roots, in units of 2^−contrastBits: all else of it is 0. */
  readonly contrasts: () => readonly Matrix[];
}

/** Shares of T modulo 2^ringBits, and integer shares of G. */
export interface TotalAndGroups {
  readonly T: Piece;
  readonly G: Piece;
}

export async function totalAndGroups(
  session: MatrixSession,
  shares: PencilPieces,
  known: Known,
  parameters: PencilParameters,
): Promise<TotalAndGroups> {
  const { groups, truncates, summed, raises, ringBits, firstGroup } = parameters;
  const rooted = rootProduct(session, shares.V, known, parameters);
  const groupsOf = (roots: Piece) =>
    session.each([roots], (own) => own.map((row) => row.slice(firstGroup, firstGroup + groups)));
  if (!truncates) {
    const V = session.each([shares.V], totals);
    const { products, shareOf } = scatterProducts(
      session,
      { R: shares.R, V },
      known.Q,
      totalSizes(parameters),
    );
    const [root, ...made] = await session.together(rooted.product, ...products);
    return { T: shareOf(made), G: groupsOf(rooted.rootsOf(root!)) };
  }
  const scaled = summed ? undefined : scaledProduct(session, shares.R, known.Q, parameters, ROUNDED);
  const [root, ...parts] = await session.together(rooted.product, ...(scaled?.products ?? []));
  const roots = rooted.rootsOf(root!);
  const squares = await squaresOf(session, roots, parameters);
  const G = groupsOf(roots);
  if (!scaled) return { T: squares, G };
  const sum = session.each([scaled.shareOf(parts), squares], (left, right) =>
    addMatrices(left, right, ringBits),
  );
  const raised = session.at('user', () =>
    addDiagonal(
      sum.user!,
      raises.map((raise) => known.Q() * raise),
      ringBits,
    ),
  );
  return { T: { ...sum, ...raised }, G };
}

/** Q·R may be off by a quarter of a unit where the rest of T is rounded to units. */
const ROUNDED = -2;

/** The product of C's V with H, and the truncated shares that follow from it. */
function rootProduct(
  session: MatrixSession,
  V: Piece,
  { contrasts }: Known,
  { features: d, columnsOfV, roots, shareBits, group }: PencilParameters,
): { readonly product: Product; readonly rootsOf: (share: Piece) => Piece } {
  const product: Product = {
    size: {
      ...{ rows: d, inner: columnsOfV, columns: roots, part: 'whole', ...truncatedSizes(group) },
      ...{ factorBits: shareBits.sums, rowBits: shareBits.sums + Math.ceil(Math.log2(columnsOfV) / 2) },
    },
    csp: session.at('csp', () => V.csp!),
    user: session.at('user', () => inRing(blocksOf(contrasts()), group.ring)),
  };
  const own = session.at('user', () => timesBlocks(V.user!, contrasts()));
  const rootsOf = (share: Piece) => {
    const whole = session.at('user', () => addMatrices(own.user!, share.user!, group.ring));
    return truncated(session, { ...share, ...whole }, group);
  };
  return { product, rootsOf };
}

/** Shares of the sum of the roots' squares, those before G of a pencil with R subtracted. */
async function squaresOf(
  session: MatrixSession,
  roots: Piece,
  { features: d, roots: count, summed, firstGroup, group, wide, ringBits }: PencilParameters,
): Promise<Piece> {
  const signed = session.each([roots], (own) =>
    transpose(own).map((row, i) => row.map((entry) => (!summed && i < firstGroup ? -entry : entry))),
  );
  const twice = session.at('user', () => signed.user!.map((row) => row.map((entry) => 2n * entry)));
  const [cross] = await session.together({
    size: {
      ...{ rows: d, inner: count, columns: d, part: 'whole' },
      ...truncatedSizes({ ring: wide.ring, cut: wide.cut - 1 }), // it is doubled
      ...factorOf(group, count),
    },
    csp: session.at('csp', () => roots.csp!),
    user: session.at('user', () => inRing(twice.user!, wide.ring)),
    plus: session.each([signed], (own) => inRing(own, wide.ring)),
  });
  // With its mirror image it is twice the sum, without the data user's own squares.
  const doubled = session.each([cross!], (half) => addMatrices(half, transpose(half), wide.ring));
  const own = session.at('user', () =>
    addMatrices(doubled.user!, multiplyMatrices(roots.user!, twice.user!, wide.ring), wide.ring),
  );
  return session.each([truncated(session, { ...doubled, ...own }, wide)], (integers) =>
    inRing(integers, ringBits),
  );
}

/** V times the matrix of these blocks. */
function timesBlocks(V: Matrix, blocks: readonly Matrix[]): Matrix {
  let from = 0;
  const parts = blocks.map((block) => {
    const start = from;
    from += block.length;
    return multiplySigned(
      V.map((row) => row.slice(start, start + block.length)),
      block,
    );
  });
  return V.map((_, i) => parts.flatMap((part) => part[i]!));
}

/** Sums of all rows, as a column. */
function totals(V: Matrix): Matrix {
  return V.map((row) => [row.reduce((sum, entry) => sum + entry, 0n)]);
}
