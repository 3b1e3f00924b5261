/**
 * The QR factorisation of a matrix with no more columns than rows by Householder reflections I − u uᵀ, ‖u‖² = 2 (Golub and Van Loan, "Matrix
 * Computations", section 5.2.2). Q is orthogonal also where the columns depend on each other or are 0.
 */
import {
  absolute,
  add,
  concatLanes,
  dot,
  multiply,
  type Num,
  negateIf,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  shiftRightBy,
  sign,
  sliceLanes,
  squareRoot,
} from '../circuits/index.ts';
import type { Session } from '../garbling/index.ts';
import { SCALING_GUARD, SOLVE_FRACTION, SOLVE_PRODUCT_GATES, SOLVE_WORD } from './discriminant-precision.ts';
import { grid, someColumns } from './layouts.ts';
import { multiplyMatrices } from './matrices.ts';
import { broadcast, nonNegative, scaleTogether } from './numbers.ts';
import { even, inverseRoot } from './scaling.ts';
import { inPieces } from './steps.ts';
import { multiplyTruncated, subtractProduct } from './truncated.ts';

export interface Reflected {
  /** Reflection j acts on rows j to d − 1. */
  readonly reflections: readonly Num[];
  /** R, an upper triangle, row by row; SOLVE_WORD bits, SOLVE_FRACTION of them fraction. */
  readonly triangle: Num;
}

/** Lane i * n + j: entry (i, j) of a d × n matrix, n <= d, whose columns are shorter than 2; SOLVE_FRACTION fraction bits. */
export async function reflectColumns(
  session: Session,
  matrix: Num,
  d: number,
  n: number,
): Promise<Reflected> {
  const reflections: Num[] = [];
  const rows: Num[] = [];
  let rest = matrix;
  for (let j = 0; j < n; j += 1) {
    const [size, width] = [d - j, n - j - 1];
    const before = rest;
    if (size === 1) {
      rows.push(before);
      break;
    }
    const { u, length } = await reflection(session, before, size, width + 1);
    reflections.push(u);
    if (width === 0) {
      rows.push(length);
      break;
    }
    const others = await session.step((gates) => someColumns(gates, before, size, width + 1, 1, width + 1));
    const changed = await reflect(session, u, others, size, width);
    const next = await session.step((gates) => ({
      row: concatLanes(gates, [length, sliceLanes(gates, changed, 0, width)]),
      rest: sliceLanes(gates, changed, width, size * width),
    }));
    rows.push(next.row);
    rest = next.rest;
  }
  return { reflections, triangle: await session.step((gates) => concatLanes(gates, rows)) };
}

/** Q times vectors of d entries (lane i * count + j). */
export async function applyReflections(
  session: Session,
  reflections: readonly Num[],
  vectors: Num,
  d: number,
  count: number,
): Promise<Num> {
  let current = vectors;
  for (const [j, u] of [...reflections.entries()].toReversed()) {
    const before = current;
    const below = await session.step((gates) => sliceLanes(gates, before, j * count, d * count));
    const changed = await reflect(session, u, below, d - j, count);
    current = await session.step((gates) =>
      concatLanes(gates, [sliceLanes(gates, before, 0, j * count), changed]),
    );
  }
  return current;
}

/** X − u (uᵀ X). */
async function reflect(session: Session, u: Num, matrix: Num, size: number, width: number): Promise<Num> {
  const left = { numbers: u, rows: 1, columns: size, at: (_: number, i: number) => i };
  const along = await multiplyMatrices(session, left, matrix, width, SOLVE_FRACTION, SOLVE_WORD + 1);
  const entries = grid(size, width);
  return inPieces(session, entries.lanes, SOLVE_PRODUCT_GATES, (gates, from, to) =>
    subtractProduct(
      gates,
      sliceLanes(gates, matrix, from, to),
      entries.perRow(gates, u, from, to),
      entries.perColumn(gates, along, from, to),
      SOLVE_FRACTION,
      SOLVE_WORD,
    ),
  );
}

/** The u that reflects the first column onto its first entry, and that entry afterwards; 0 for a column of zeros. */
async function reflection(session: Session, matrix: Num, size: number, width: number) {
  const { v, root, length, digits } = await session.step((gates) => {
    const column = someColumns(gates, matrix, size, width, 0, 1);
    // A last bit of 0 makes room for -1, which `scaleTogether` takes for nothing. The largest entry of x is from 1/2 to 1.
    const { values, places } = scaleTogether(gates, [shiftLeft(gates, column, 1)], 1);
    const x = shiftRight(values[0]!, 2);
    const first = sliceLanes(gates, x, 0, 1);
    const squares = nonNegative(gates, dot(gates, x, x));
    const norm = squareRoot(gates, squares);
    const sum = add(gates, squares, multiply(gates, norm, absolute(gates, first)));
    const digits = even(sum.length - 1);
    const root = inverseRoot(gates, resize(nonNegative(gates, sum), digits + 1));
    const negative = sign(first);
    const head = add(gates, first, negateIf(gates, negative, norm));
    const v = concatLanes(gates, [head, sliceLanes(gates, x, 1, size)]);
    const back = resize(shiftRightBy(gates, shiftLeft(gates, norm, 1), places), SOLVE_WORD);
    return { v, root, length: negateIf(gates, gates.not(negative), back), digits };
  });
  // sum / 2^digits = x / 4^places, and 1/sqrt(x) is the mantissa.
  const shift = digits / 2;
  const bits = v.length + SCALING_GUARD + SOLVE_FRACTION + 2 - shift;
  const u = await inPieces(session, size, SOLVE_PRODUCT_GATES, (gates, from, to) => {
    const spread = (a: Num): Num => broadcast(gates, a, 0, to - from);
    const own = sliceLanes(gates, v, from, to);
    const product = multiplyTruncated(gates, own, spread(root.mantissa), shift - SCALING_GUARD, bits);
    return resize(shiftRight(shiftLeftBy(gates, product, spread(root.places)), SCALING_GUARD), SOLVE_WORD);
  });
  return { u, length };
}
