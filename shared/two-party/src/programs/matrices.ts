/** Products of matrices across lanes, summed in steps of a fitting size. */
import { addModulo, concatLanes, type Num, resize, sliceLanes, sumLanes } from '../circuits/index.ts';
import type { Session } from '../garbling/index.ts';
import { SOLVE_FRACTION } from './discriminant-precision.ts';
import { grid, type Source, upperByColumns } from './layouts.ts';
import { inPieces, piecesPerStep } from './steps.ts';
import { gatesPerProduct, multiplyTruncated } from './truncated.ts';

export interface Left {
  readonly numbers: Num;
  readonly rows: number;
  readonly columns: number;
  /** The lane of an entry. */
  readonly at: Source;
}

/** Left times right (lane i * width + j), every product shifted and truncated, sums modulo 2^bits; lanes as in `right`. */
export async function multiplyMatrices(
  session: Session,
  left: Left,
  right: Num,
  width: number,
  shift: number,
  bits: number,
): Promise<Num> {
  const { numbers, rows, columns, at } = left;
  const gatesEach = gatesPerProduct(numbers.length, right.length, shift) + bits;
  const perStep = piecesPerStep(gatesEach);
  const inner = Math.max(1, Math.min(columns, Math.floor(perStep / width)));
  const outer = inner < columns ? 1 : Math.max(1, Math.floor(perStep / (columns * width)));
  const whole = grid(columns, width);
  const parts: Num[] = [];
  for (let top = 0; top < rows; top += outer) {
    const block = grid(Math.min(outer, rows - top), width);
    const groups = block.lanes;
    let sum: Num | undefined;
    for (let from = 0; from < columns; from += inner) {
      const before = sum;
      const terms = (Math.min(columns, from + inner) - from) * groups;
      sum = await session.step((gates) =>
        gates.scope(() => {
          // Row k of the products is of column from + k of the left matrix, so that sums over columns are sums of groups.
          const products = grid(terms / groups, groups);
          const a = products.gather(gates, numbers, (k, g) => at(top + block.row(g), from + k));
          const b = products.gather(gates, right, (k, g) => whole.at(from + k, block.column(g)));
          const product = multiplyTruncated(gates, a, b, shift, bits);
          const added = resize(sumLanes(gates, product, groups), bits);
          return before === undefined ? added : addModulo(gates, before, added, bits);
        }),
      );
    }
    parts.push(sum!);
  }
  return parts.length === 1 ? parts[0]! : session.step((gates) => concatLanes(gates, parts));
}

/** The sum of the outer products of columns (lane i * count + j) with themselves: an upper triangle column by column. */
export async function outerProducts(
  session: Session,
  columns: Num,
  d: number,
  count: number,
  shift: number,
  bits: number,
): Promise<Num> {
  const [own, entries] = [grid(d, count), upperByColumns(d)];
  const perLane = count * (gatesPerProduct(columns.length, columns.length, shift) + bits);
  return inPieces(session, entries.lanes, perLane, (gates, from, to) => {
    const products = grid(count, to - from);
    const product = multiplyTruncated(
      gates,
      products.gather(gates, columns, (s, k) => own.at(entries.row(from + k), s)),
      products.gather(gates, columns, (s, k) => own.at(entries.column(from + k), s)),
      shift,
      bits,
    );
    return resize(sumLanes(gates, product, to - from), bits);
  });
}

/** R Rᵀ for an upper triangle R (row by row): an upper triangle column by column. */
export async function triangleTimesTransposed(
  session: Session,
  triangle: Num,
  n: number,
  at: Source,
  shift: number,
  bits: number,
): Promise<Num> {
  const entries = upperByColumns(n);
  const gatesEach = gatesPerProduct(triangle.length, triangle.length, shift) + bits;
  // Column c adds to the entries of its first c + 1 rows: the first lanes. The last column makes all of them.
  let sum: Num | undefined;
  for (let c = n - 1; c >= 0; c -= 1) {
    const lanes = entries.at(c, c) + 1;
    const before = sum;
    const changed = await inPieces(session, lanes, gatesEach, (gates, from, to) => {
      const product = multiplyTruncated(
        gates,
        entries.gather(gates, triangle, (i) => at(i, c), from, to),
        entries.gather(gates, triangle, (_, j) => at(j, c), from, to),
        shift,
        bits,
      );
      return before === undefined
        ? product
        : addModulo(gates, sliceLanes(gates, before, from, to), product, bits);
    });
    sum =
      before === undefined
        ? changed
        : await session.step((gates) =>
            concatLanes(gates, [changed, sliceLanes(gates, before, lanes, entries.lanes)]),
          );
  }
  return sum!;
}

/** U Uᵀ z. */
export async function timesOuter(
  session: Session,
  U: Num,
  z: Num,
  d: number,
  columns: number,
  count: number,
): Promise<Num> {
  const bits = U.length + Math.ceil(Math.log2(d)) + 1;
  const own = grid(d, columns);
  const transposed = { numbers: U, rows: columns, columns: d, at: (j: number, i: number) => own.at(i, j) };
  const along = await multiplyMatrices(session, transposed, z, count, SOLVE_FRACTION, bits);
  const left = { numbers: U, rows: d, columns, at: own.at };
  const wide = bits + Math.ceil(Math.log2(columns)) + 1;
  return multiplyMatrices(session, left, along, count, SOLVE_FRACTION, wide);
}
