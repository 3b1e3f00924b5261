/** Products of matrices across lanes, summed in steps of a fitting size. */
import { addModulo, concatLanes, type Num, resize, sliceLanes, sumLanes } from '../circuits/index.ts';
import type { Session } from '../garbling/index.ts';
import { SOLVE_FRACTION } from './discriminant-precision.ts';
import { pick } from './numbers.ts';
import { inPieces, piecesPerStep } from './steps.ts';
import { triangleIndex } from './tridiagonal.ts';
import { gatesPerProduct, multiplyTruncated } from './truncated.ts';

/** Where entry (i, j), i <= j, of a symmetric matrix lies when its upper triangle is kept column by column. */
export function packedIndex(i: number, j: number): number {
  return i <= j ? (j * (j + 1)) / 2 + i : (i * (i + 1)) / 2 + j;
}

export interface Left {
  readonly numbers: Num;
  readonly rows: number;
  readonly columns: number;
  /** The lane of an entry. */
  readonly index: (row: number, column: number) => number;
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
  const { numbers, rows, columns, index } = left;
  const gatesEach = gatesPerProduct(numbers.length, right.length, shift) + bits;
  const perStep = piecesPerStep(gatesEach);
  const inner = Math.max(1, Math.min(columns, Math.floor(perStep / width)));
  const outer = inner < columns ? 1 : Math.max(1, Math.floor(perStep / (columns * width)));
  const parts: Num[] = [];
  for (let top = 0; top < rows; top += outer) {
    const groups = Math.min(outer, rows - top) * width;
    let sum: Num | undefined;
    for (let from = 0; from < columns; from += inner) {
      const before = sum;
      const terms = (Math.min(columns, from + inner) - from) * groups;
      sum = await session.step((gates) =>
        gates.scope(() => {
          const column = (lane: number): number => from + Math.floor(lane / groups);
          const row = (lane: number): number => top + Math.floor((lane % groups) / width);
          const a = pick(gates, numbers, terms, (lane) => index(row(lane), column(lane)));
          const b = pick(gates, right, terms, (lane) => column(lane) * width + (lane % width));
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
  const [first, second] = packedRows(d);
  const perLane = count * (gatesPerProduct(columns.length, columns.length, shift) + bits);
  return inPieces(session, first.length, perLane, (gates, from, to) => {
    const lanes = to - from;
    const lane = (indices: Uint32Array) => (k: number) =>
      indices[from + (k % lanes)]! * count + Math.floor(k / lanes);
    const product = multiplyTruncated(
      gates,
      pick(gates, columns, lanes * count, lane(first)),
      pick(gates, columns, lanes * count, lane(second)),
      shift,
      bits,
    );
    return resize(sumLanes(gates, product, lanes), bits);
  });
}

/** R Rᵀ for an upper triangle R (row by row): an upper triangle column by column. */
export async function triangleTimesTransposed(
  session: Session,
  triangle: Num,
  n: number,
  index: (i: number, j: number) => number,
  shift: number,
  bits: number,
): Promise<Num> {
  const [first, second] = packedRows(n);
  const gatesEach = gatesPerProduct(triangle.length, triangle.length, shift) + bits;
  // Column c adds to the entries of its first c + 1 rows: the first lanes. The last column makes all of them.
  let sum: Num | undefined;
  for (let c = n - 1; c >= 0; c -= 1) {
    const lanes = ((c + 1) * (c + 2)) / 2;
    const before = sum;
    const changed = await inPieces(session, lanes, gatesEach, (gates, from, to) => {
      const product = multiplyTruncated(
        gates,
        pick(gates, triangle, to - from, (k) => index(first[from + k]!, c)),
        pick(gates, triangle, to - from, (k) => index(second[from + k]!, c)),
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
            concatLanes(gates, [changed, sliceLanes(gates, before, lanes, first.length)]),
          );
  }
  return sum!;
}

/** Row and column of every lane of an upper triangle kept column by column. */
export function packedRows(size: number): readonly [Uint32Array, Uint32Array] {
  const entries = (size * (size + 1)) / 2;
  const [rows, columns] = [new Uint32Array(entries), new Uint32Array(entries)];
  for (let j = 0; j < size; j += 1) {
    for (let i = 0; i <= j; i += 1) {
      rows[packedIndex(i, j)] = i;
      columns[packedIndex(i, j)] = j;
    }
  }
  return [rows, columns];
}

/** For lane i of a triangle kept column by column its lane in one kept row by row. */
export function columnsFirst(d: number): (lane: number) => number {
  const [rows, columns] = packedRows(d);
  return (lane) => triangleIndex(d, rows[lane]!, columns[lane]!);
}

/** The other way round. */
export function rowsFirst(d: number): (lane: number) => number {
  const order = new Map<number, number>();
  const [rows, columns] = packedRows(d);
  for (const [lane, row] of rows.entries()) order.set(triangleIndex(d, row, columns[lane]!), lane);
  return (lane) => order.get(lane)!;
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
  const transposed = {
    numbers: U,
    rows: columns,
    columns: d,
    index: (j: number, i: number) => i * columns + j,
  };
  const along = await multiplyMatrices(session, transposed, z, count, SOLVE_FRACTION, bits);
  const left = { numbers: U, rows: d, columns, index: (i: number, j: number) => i * columns + j };
  const wide = bits + Math.ceil(Math.log2(columns)) + 1;
  return multiplyMatrices(session, left, along, count, SOLVE_FRACTION, wide);
}
