/** Products of matrices across lanes, summed in steps of a fitting size. */
import { gatesPerProduct } from '../circuits/index.ts';
import {
  Fixed,
  grid,
  type Kept,
  pieceByPiece,
  piecesPerStep,
  type Source,
  upperByColumns,
} from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { SOLVE_FRACTION } from './precision.ts';

/** A matrix whose entry (i, j) is the lane `at` says. */
export interface Left {
  readonly entries: Fixed;
  readonly rows: number;
  readonly columns: number;
  readonly at: Source;
}

/** Estimates the gates of a truncated product and its addition. */
function gatesOf(a: Fixed, b: Fixed, { fraction, bits }: Kept): number {
  return gatesPerProduct(a.bits, b.bits, a.fraction + b.fraction - fraction) + bits;
}

/**
 * Left times right (lane i * width + j), every product truncated, sums modulo 2^bits; lanes as in `right`.
 */
export async function multiplyMatrices(
  session: Session,
  { entries, rows, columns, at }: Left,
  right: Fixed,
  width: number,
  kept: Kept,
): Promise<Fixed> {
  const perStep = piecesPerStep(gatesOf(entries, right, kept));
  const inner = Math.max(1, Math.min(columns, Math.floor(perStep / width)));
  const outer = inner < columns ? 1 : Math.max(1, Math.floor(perStep / (columns * width)));
  const whole = grid(columns, width);
  const parts: Fixed[] = [];
  for (let top = 0; top < rows; top += outer) {
    const block = grid(Math.min(outer, rows - top), width);
    const groups = block.lanes;
    let sum: Fixed | undefined;
    for (let from = 0; from < columns; from += inner) {
      const before = sum;
      // Row k of the products is of column from + k of the left matrix, so that sums over columns are sums of
      // groups.
      const products = grid(Math.min(columns, from + inner) - from, groups);
      sum = await session.step((gates) =>
        gates.scope(() => {
          const a = entries.as(products, (k, g) => at(top + block.row(g), from + k));
          const b = right.as(products, (k, g) => whole.at(from + k, block.column(g)));
          const added = a.timesTruncated(b, kept).sums(groups).resized(kept.bits);
          return before === undefined ? added : before.plus(added, kept.bits);
        }),
      );
    }
    parts.push(sum!);
  }
  return parts.length === 1 ? parts[0]! : session.step(() => Fixed.joined(parts));
}

/**
 * The sum of the outer products of columns (lane i * count + j) with themselves: an upper triangle column by
 * column.
 */
export async function outerProducts(
  session: Session,
  columns: Fixed,
  d: number,
  count: number,
  kept: Kept,
): Promise<Fixed> {
  const [own, entries] = [grid(d, count), upperByColumns(d)];
  return pieceByPiece(session, entries.lanes, count * gatesOf(columns, columns, kept), ({ from, to }) => {
    const products = grid(count, to - from);
    const a = columns.as(products, (s, k) => own.at(entries.row(from + k), s));
    const b = columns.as(products, (s, k) => own.at(entries.column(from + k), s));
    return a
      .timesTruncated(b, kept)
      .sums(to - from)
      .resized(kept.bits);
  });
}

/** R Rᵀ for an upper triangle R: an upper triangle column by column. */
export async function triangleTimesTransposed(
  session: Session,
  R: Fixed,
  n: number,
  at: Source,
  kept: Kept,
): Promise<Fixed> {
  const entries = upperByColumns(n);
  // Column c adds to the entries of its first c + 1 rows: the first lanes. The last column makes all of them.
  let sum: Fixed | undefined;
  for (let c = n - 1; c >= 0; c -= 1) {
    const lanes = entries.at(c, c) + 1;
    const before = sum;
    const changed = await pieceByPiece(session, lanes, gatesOf(R, R, kept), (piece) => {
      const [row, column] = [R.as(entries, (i) => at(i, c), piece), R.as(entries, (_, j) => at(j, c), piece)];
      const product = row.timesTruncated(column, kept);
      return before === undefined ? product : before.part(piece).plus(product, kept.bits);
    });
    sum =
      before === undefined ? changed : await session.step(() => changed.followedBy(before.lanesFrom(lanes)));
  }
  return sum!;
}

/** U Uᵀ z, for numbers with SOLVE_FRACTION fraction bits. */
export async function timesOuter(
  session: Session,
  U: Fixed,
  z: Fixed,
  d: number,
  columns: number,
  count: number,
): Promise<Fixed> {
  const bits = U.bits + Math.ceil(Math.log2(d)) + 1;
  const own = grid(d, columns);
  const transposed = { entries: U, rows: columns, columns: d, at: (j: number, i: number) => own.at(i, j) };
  const along = await multiplyMatrices(session, transposed, z, count, { fraction: SOLVE_FRACTION, bits });
  const left = { entries: U, rows: d, columns, at: own.at };
  const wide = bits + Math.ceil(Math.log2(columns)) + 1;
  return multiplyMatrices(session, left, along, count, { fraction: SOLVE_FRACTION, bits: wide });
}
