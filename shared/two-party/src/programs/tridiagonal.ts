/**
 * Householder's reduction of a symmetric matrix to a tridiagonal one (Golub and Van Loan, "Matrix
 * Computations", algorithm 8.3.1), with reflections I − u uᵀ, ‖u‖² = 2. Each column is scaled to full length
 * by a secret shift before its reflection is made, so that the reflection is orthogonal to the last bits
 * however small the column, and a zero column makes u = 0, which is no reflection at all: there is no case to
 * distinguish.
 */

import { ROOT_FRACTION } from '../circuits/index.ts';
import {
  type Fixed,
  gatesPerRounded,
  grid,
  onto,
  type Piece,
  pieceByPiece,
  sumsOfProducts,
  upperByRows,
} from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { FRACTION, WORD } from './precision.ts';
import { scaleTogether } from './scaling.ts';

const ENTRY = { fraction: FRACTION, bits: WORD };
const GATES_PER_PRODUCT = gatesPerRounded(WORD, WORD);

export interface Tridiagonal {
  /** One lane each, d and d − 1 of them. */
  readonly diagonal: readonly Fixed[];
  readonly offDiagonal: readonly Fixed[];
  /** Reflection j acts on rows j + 1 to d − 1. */
  readonly reflections: readonly Fixed[];
}

/** Lanes of `triangle`: the upper triangle of a matrix with eigenvalues in [0, 1). */
export async function tridiagonalise(session: Session, triangle: Fixed, d: number): Promise<Tridiagonal> {
  const diagonal: Fixed[] = [];
  const offDiagonal: Fixed[] = [];
  const reflections: Fixed[] = [];
  let rest = triangle;
  for (let size = d; size > 2; size -= 1) {
    const A = rest;
    const { entry, u, off } = await session.step((gates) => ({
      entry: A.lane(0),
      ...gates.scope(() => reflection(A.lanesFrom(1, size))),
    }));
    diagonal.push(entry);
    offDiagonal.push(off);
    reflections.push(u);
    rest = await reflect(session, A, u, size - 1);
  }
  const last = await session.step(() => Array.from({ length: d > 1 ? 3 : 1 }, (_, i) => rest.lane(i)));
  diagonal.push(last[0]!);
  if (d > 1) {
    offDiagonal.push(last[1]!);
    diagonal.push(last[2]!);
  }
  return { diagonal, offDiagonal, reflections };
}

/**
 * The u that reflects the column x onto its first entry, and that entry afterwards: with σ the sign of x₁, u =
 * (x + σ‖x‖e₁) / √(‖x‖² + |x₁|‖x‖), and the entry is −σ‖x‖.
 */
function reflection(column: Fixed): { u: Fixed; off: Fixed } {
  const { gates, lanes } = column;
  const room = Math.ceil(Math.log2(lanes + 1)) + 1;
  const { values, places } = scaleTogether([column], 1);
  // Now the largest entry is from 1/2 to 1.
  const x = values[0]!.at(FRACTION);
  const first = x.lane(0);
  const negative = first.sign;
  const squared = x.dot(x, { fraction: ROOT_FRACTION, bits: ROOT_FRACTION + room }).nonNegative();
  const norm = squared
    .times(squared.inverseRoot(), { fraction: FRACTION, bits: FRACTION + Math.ceil(room / 2) + 1 })
    .nonNegative();
  const denominator = norm
    .times(first.absolute(), { fraction: ROOT_FRACTION, bits: ROOT_FRACTION + room + 1 }, { plus: squared })
    .nonNegative();
  const v = first.plus(norm.negatedIf(negative)).followedBy(x.lanesFrom(1));
  const u = v.times(denominator.inverseRoot().spread(lanes), ENTRY);
  const off = norm.doubled().down(places).resized(WORD).negatedIf(gates.not(negative));
  return { u, off };
}

/** The matrix without its first row and column, between two reflections: A − u wᵀ − w uᵀ. */
async function reflect(session: Session, A: Fixed, u: Fixed, m: number): Promise<Fixed> {
  const [whole, entries] = [upperByRows(m + 1), upperByRows(m)];
  // Row l has the products of A's column l, so that sums over l are sums of groups.
  const products = grid(m, m);
  const terms = await pieceByPiece(session, products.lanes, GATES_PER_PRODUCT, (piece) =>
    A.as(products, (l, i) => whole.at(1 + i, 1 + l), piece).times(u.perRow(products, piece), ENTRY),
  );
  const { w, minus } = await session.step(() => {
    const p = terms.sums(m).resized(WORD);
    // w = p − u (uᵀp)/2
    const half = u.dot(p.over(1), ENTRY).negated();
    return { w: u.times(half.spread(m), ENTRY, { plus: p }), minus: u.negated() };
  });
  const first = whole.at(1, 1);
  return pieceByPiece(session, entries.lanes, 2 * GATES_PER_PRODUCT, (piece) => {
    const [ui, wi] = [minus.perRow(entries, piece), w.perRow(entries, piece)];
    const [uj, wj] = [minus.perColumn(entries, piece), w.perColumn(entries, piece)];
    const own = A.lanesFrom(first + piece.from, first + piece.to);
    return sumsOfProducts([onto(own, [ui, wj], [uj, wi])], ENTRY)[0]!;
  });
}

/** H y for every reflection, last first: rows of `vectors` are lanes i * count + j of vector j. */
export async function reflectVectors(
  session: Session,
  reflections: readonly Fixed[],
  vectors: Fixed,
  d: number,
  count: number,
): Promise<Fixed> {
  let current = vectors;
  for (const [j, u] of [...reflections.entries()].toReversed()) {
    const [first, below] = [(j + 1) * count, grid(d - 1 - j, count)];
    const before = current;
    const y = ({ from, to }: Piece): Fixed => before.lanesFrom(first + from, first + to);
    const terms = await pieceByPiece(session, below.lanes, GATES_PER_PRODUCT, (piece) =>
      u.perRow(below, piece).times(y(piece), ENTRY),
    );
    const minus = await session.step(() => terms.sums(count).resized(WORD).negated());
    const changed = await pieceByPiece(session, below.lanes, GATES_PER_PRODUCT, (piece) =>
      u.perRow(below, piece).times(minus.perColumn(below, piece), ENTRY, { plus: y(piece) }),
    );
    current = await session.step(() => before.lanesFrom(0, first).followedBy(changed));
  }
  return current;
}
