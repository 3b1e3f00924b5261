/**
 * Cholesky's factor B = L Lᵀ (Golub and Van Loan, "Matrix Computations", section 4.2.5, the outer-product
 * form, whose updates are all lanes of one batch), the solution of L Y = U on the way, and that of Lᵀ Z = Y.
 *
 * L⁻¹ A L⁻ᵀ for a dense symmetric A, by eliminating rows and columns alike: half the products of two triangular solutions. With a the row k
 * over the root of pivot k (its diagonal entry twice), l the column k of L below the diagonal and 0 above it, and c = a − l a_k / 2: A ← A − c lᵀ − l cᵀ.
 */
import { gatesPerProduct } from '../circuits/index.ts';
import {
  augmented,
  belowDiagonal,
  Fixed,
  grid,
  type Piece,
  pieceByPiece,
  upperByColumns,
} from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import {
  PIVOT_PLACES,
  SOLUTION_FRACTION,
  SOLUTION_WORD,
  SOLVE_FRACTION,
  SOLVE_PRODUCT_GATES,
  SOLVE_WORD,
} from './precision.ts';
import { type InverseRoot, inverseRoot, timesInverse } from './scaling.ts';

export interface Factor {
  /** The part below the diagonal, as `belowDiagonal` lists it. */
  readonly lower: Fixed;
  /** The inverse roots of the pivots. */
  readonly inverses: readonly InverseRoot[];
  /** True if every pivot is at least 2^-PIVOT_PLACES; everything else means nothing where one is not. */
  readonly definite: Wires;
}

/**
 * Factors a matrix with a diagonal below 1 (upper triangle) and solves L Y = U for `count` columns (lane i *
 * count + j), whose entries and those of Y must be below 2 in magnitude. All numbers have SOLVE_FRACTION
 * fraction bits in SOLVE_WORD.
 */
export async function factorAndSolve(
  session: Session,
  triangle: Fixed,
  d: number,
  right: Fixed,
  count: number,
): Promise<{ factor: Factor; solved: Fixed }> {
  const columns: Fixed[] = [];
  const inverses: InverseRoot[] = [];
  const solved: Fixed[] = [];
  const large: Wires[] = [];
  // [B U] without what is done.
  let rest = await session.step(() => triangle.followedBy(right));
  for (let size = d; size > 0; size -= 1) {
    const A = rest;
    const [whole, inner] = [augmented(size, count), augmented(size - 1, count)];
    // Its first row over the root of the pivot.
    const { inverse, row, l, y, enough } = await session.step((gates) => {
      const pivot = A.lane(0);
      const inverse = inverseRoot(pivot.resized(SOLVE_FRACTION + 1).nonNegative());
      const first = A.lanesAt(Array.from({ length: size - 1 + count }, (_, j) => whole.at(0, j + 1)));
      const row = timesInverse(first, inverse, SOLVE_WORD);
      const [l, y] = [row.lanesFrom(0, size - 1), row.lanesFrom(size - 1)];
      const floor = Fixed.of(gates, [1n << BigInt(SOLVE_FRACTION - PIVOT_PLACES)], pivot);
      return { inverse, row, l, y, enough: gates.not(pivot.minus(floor).sign) };
    });
    columns.push(l);
    inverses.push(inverse);
    solved.push(y);
    large.push(enough);
    // A_ij − l_i l_j, and beside it U_ij − l_i y_j
    if (size > 1)
      rest = await pieceByPiece(session, inner.lanes, SOLVE_PRODUCT_GATES, (piece) =>
        A.as(inner, (i, j) => whole.at(i + 1, j + 1), piece).minusProduct(
          row.perRow(inner, piece),
          row.perColumn(inner, piece),
        ),
      );
  }
  return session.step((gates) => {
    const definite = large.reduce((both, enough) => gates.and(both, enough));
    return { factor: { lower: Fixed.joined(columns), inverses, definite }, solved: Fixed.joined(solved) };
  });
}

/**
 * Z with Lᵀ Z = Y, for `count` columns of length 1 or so (lane i * count + j, SOLVE_FRACTION fraction bits):
 * SOLUTION_FRACTION fraction bits in SOLUTION_WORD, which entries up to 2^13 fit, as they are for a matrix
 * whose smallest eigenvalue is at least 2^-26.
 */
export async function solveTransposed(
  session: Session,
  { lower, inverses }: Factor,
  Y: Fixed,
  d: number,
  count: number,
): Promise<Fixed> {
  const gatesEach = gatesPerProduct(SOLVE_WORD, SOLUTION_WORD, SOLVE_FRACTION) + SOLUTION_WORD;
  const L = belowDiagonal(d);
  const rows: Fixed[] = [];
  let rest = Y.at(SOLUTION_FRACTION).resized(SOLUTION_WORD);
  for (let i = d - 1; i >= 0; i -= 1) {
    const before = rest;
    const z = await session.step(() =>
      timesInverse(before.lanesFrom(i * count, (i + 1) * count), inverses[i]!, SOLUTION_WORD),
    );
    rows.push(z);
    if (i === 0) break;
    const above = grid(i, count);
    rest = await pieceByPiece(session, above.lanes, gatesEach, (piece) =>
      before.part(piece).minusProduct(
        lower.as(above, (k) => L.at(i, k), piece),
        z.perColumn(above, piece),
      ),
    );
  }
  return session.step(() => Fixed.joined(rows.toReversed()));
}

/** A: upper triangle column by column, SOLVE_FRACTION fraction bits; and so is the result. */
export async function congruence(
  session: Session,
  { lower, inverses }: Factor,
  A: Fixed,
  d: number,
): Promise<Fixed> {
  const [entries, below] = [upperByColumns(d), belowDiagonal(d)];
  const { bits } = A;
  const kept = { fraction: A.fraction, bits };
  const gatesEach = 2 * (gatesPerProduct(bits, SOLVE_WORD, SOLVE_FRACTION) + bits);
  let current = A;
  for (const [k, inverse] of inverses.entries()) {
    const before = current;
    const { a, c } = await session.step(() => {
      const row = before.lanesAt(Array.from({ length: d }, (_, i) => entries.at(i, k)));
      const once = timesInverse(row, inverse, bits);
      const corner = timesInverse(once.lane(k), inverse, bits);
      const a = once.lanesFrom(0, k).followedBy(corner, once.lanesFrom(k + 1));
      if (k === d - 1) return { a, c: a };
      const l = lower.lanesAt(Array.from({ length: d - k - 1 }, (_, i) => below.at(k + 1 + i, k)));
      const half = corner.over(1).at(A.fraction).resized(bits).spread(l.lanes);
      const after = a.lanesFrom(k + 1).minus(half.timesTruncated(l, kept));
      return { a, c: a.lanesFrom(0, k + 1).followedBy(after) };
    });
    // Columns up to k are done: row k stands in for column k, and in columns after it for what row k was.
    const withRow = (lane: number): number => {
      const [i, j] = [entries.row(lane), entries.column(lane)];
      return j === k ? entries.lanes + i : i === k ? entries.lanes + j : lane;
    };
    const first = k + 1 < d ? entries.at(0, k + 1) : entries.lanes;
    const update = ({ from, to }: Piece): Fixed => {
      const lanes = Array.from({ length: to - from }, (_, n) => first + from + n);
      // Only there neither factor is 0 in l cᵀ.
      const inside = lanes.filter((lane) => entries.row(lane) > k);
      const left = c.lanesAt([
        ...lanes.map((lane) => entries.row(lane)),
        ...inside.map((lane) => entries.column(lane)),
      ]);
      const right = [
        ...lanes.map((lane) => entries.column(lane)),
        ...inside.map((lane) => entries.row(lane)),
      ];
      const products = left.timesTruncated(lower.lanesAt(right.map((i) => below.at(i, k))), kept);
      const once = before
        .followedBy(a)
        .lanesAt(lanes.map(withRow))
        .minus(products.lanesFrom(0, lanes.length));
      if (inside.length === 0) return once;
      const nothing = Fixed.of(c.gates, [0n], kept);
      const place = new Map(inside.map((lane, n) => [lane, lanes.length + n]));
      const none = products.lanes;
      return once.minus(products.followedBy(nothing).lanesAt(lanes.map((lane) => place.get(lane) ?? none)));
    };
    const updated = k + 1 < d ? [await pieceByPiece(session, entries.lanes - first, gatesEach, update)] : [];
    current = await session.step(() => {
      const done = Array.from({ length: first }, (_, lane) => withRow(lane));
      return before
        .followedBy(a)
        .lanesAt(done)
        .followedBy(...updated);
    });
  }
  return current;
}
