/**
 * L⁻¹ A L⁻ᵀ for a dense symmetric A, by eliminating rows and columns alike: half the products of two triangular solutions. With a the row k
 * over the root of pivot k (its diagonal entry twice), l the column k of L below the diagonal and 0 above it, and c = a − l a_k / 2: A ← A − c lᵀ − l cᵀ.
 */
import { gatesPerProduct } from '../circuits/index.ts';
import { belowDiagonal, Fixed, type Piece, pieceByPiece, upperByColumns } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import type { Factor } from './cholesky.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { timesInverse } from './scaling.ts';

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
