/**
 * The QR factorisation of a matrix with no more columns than rows by Householder reflections I − u uᵀ, ‖u‖² = 2 (Golub and Van Loan, "Matrix
 * Computations", section 5.2.2). Q is orthogonal also where the columns depend on each other or are 0.
 */
import { concatLanes, type Num, shiftLeft, shiftRight, sliceLanes } from '../circuits/index.ts';
import type { Session } from '../garbling/index.ts';
import { timesInverse } from './cholesky.ts';
import { SOLVE_FRACTION, SOLVE_PRODUCT_GATES, SOLVE_WORD } from './discriminant-precision.ts';
import { Fixed } from './fixed.ts';
import { grid, someColumns } from './layouts.ts';
import { multiplyMatrices } from './matrices.ts';
import { scaleTogether } from './numbers.ts';
import { even, inverseRoot } from './scaling.ts';
import { inPieces } from './steps.ts';
import { subtractProduct } from './truncated.ts';

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

/** The u that reflects the first column onto its first entry, and that entry afterwards, as in tridiagonal.ts; 0 for a column of zeros. */
async function reflection(session: Session, matrix: Num, size: number, width: number) {
  const { v, root, length, digits } = await session.step((gates) => {
    const column = someColumns(gates, matrix, size, width, 0, 1);
    // A last bit of 0 makes room for -1, which `scaleTogether` takes for nothing. The largest entry of x is from 1/2 to 1.
    const { values, places } = scaleTogether(gates, [shiftLeft(gates, column, 1)], 1);
    const x = new Fixed(gates, shiftRight(values[0]!, 2), SOLVE_FRACTION);
    const first = x.lane(0);
    const negative = first.sign;
    const squared = x.dot(x).nonNegative();
    const norm = squared.root();
    const sum = squared.plus(norm.timesExactly(first.absolute())).nonNegative();
    const digits = even(sum.bits - 1);
    const back = norm.doubled().down(places).resized(SOLVE_WORD);
    return {
      v: first.plus(norm.negatedIf(negative)).followedBy(x.lanesFrom(1)).number,
      root: inverseRoot(gates, sum.resized(digits + 1).number),
      length: back.negatedIf(gates.not(negative)).number,
      digits,
    };
  });
  // The sum of squares has twice SOLVE_FRACTION fraction bits, the root that of one whose digits are all fraction.
  const [halves, room] = [digits / 2 - SOLVE_FRACTION, v.length + SOLVE_FRACTION + 2 - digits / 2];
  const u = await inPieces(session, size, SOLVE_PRODUCT_GATES, (gates, from, to) =>
    timesInverse(gates, sliceLanes(gates, v, from, to), root, SOLVE_WORD, { halves, room }),
  );
  return { u, length };
}
