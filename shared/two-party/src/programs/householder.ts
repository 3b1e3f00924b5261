/**
 * The QR factorisation of a matrix with no more columns than rows by Householder reflections I − u uᵀ, ‖u‖² = 2 (Golub and Van Loan, "Matrix
 * Computations", section 5.2.2). Q is orthogonal also where the columns depend on each other or are 0.
 */
import { Fixed, grid, pieceByPiece, someColumns } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { multiplyMatrices } from './matrices.ts';
import { SOLVE_FRACTION, SOLVE_PRODUCT_GATES, SOLVE_WORD } from './precision.ts';
import { even, inverseRoot, scaleUp, timesInverse } from './scaling.ts';

interface Reflected {
  /** Reflection j acts on rows j to d − 1. */
  readonly reflections: readonly Fixed[];
  /** R, an upper triangle, row by row; SOLVE_WORD bits, SOLVE_FRACTION of them fraction. */
  readonly triangle: Fixed;
}

/** Lane i * n + j: entry (i, j) of a d × n matrix, n <= d, whose columns are shorter than 2; SOLVE_FRACTION fraction bits. */
export async function reflectColumns(
  session: Session,
  matrix: Fixed,
  d: number,
  n: number,
): Promise<Reflected> {
  const reflections: Fixed[] = [];
  const rows: Fixed[] = [];
  let rest = matrix;
  for (let j = 0; j < n; j += 1) {
    const [size, width] = [d - j, n - j - 1];
    const X = rest;
    if (size === 1) {
      rows.push(X);
      break;
    }
    const { u, length } = await reflection(session, X, size, width + 1);
    reflections.push(u);
    if (width === 0) {
      rows.push(length);
      break;
    }
    const others = await session.step(() => someColumns(X, size, width + 1, 1, width + 1));
    const changed = await reflect(session, u, others, size, width);
    const next = await session.step(() => ({
      row: length.followedBy(changed.lanesFrom(0, width)),
      rest: changed.lanesFrom(width),
    }));
    rows.push(next.row);
    rest = next.rest;
  }
  return { reflections, triangle: await session.step(() => Fixed.joined(rows)) };
}

/** Q times vectors of d entries (lane i * count + j). */
export async function applyReflections(
  session: Session,
  reflections: readonly Fixed[],
  vectors: Fixed,
  d: number,
  count: number,
): Promise<Fixed> {
  let current = vectors;
  for (const [j, u] of [...reflections.entries()].toReversed()) {
    const before = current;
    const below = await session.step(() => before.lanesFrom(j * count));
    const changed = await reflect(session, u, below, d - j, count);
    current = await session.step(() => before.lanesFrom(0, j * count).followedBy(changed));
  }
  return current;
}

/** X − u (uᵀ X). */
async function reflect(session: Session, u: Fixed, X: Fixed, size: number, width: number): Promise<Fixed> {
  const left = { entries: u, rows: 1, columns: size, at: (_: number, i: number) => i };
  const kept = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD + 1 };
  const along = await multiplyMatrices(session, left, X, width, kept);
  const entries = grid(size, width);
  return pieceByPiece(session, entries.lanes, SOLVE_PRODUCT_GATES, (piece) =>
    X.part(piece).minusProduct(u.perRow(entries, piece), along.perColumn(entries, piece)),
  );
}

/** The u that reflects the first column onto its first entry, and that entry afterwards, as in tridiagonal.ts; 0 for a column of zeros. */
async function reflection(session: Session, X: Fixed, size: number, width: number) {
  const { v, root, length } = await session.step((gates) => {
    // The largest entry of x is from 1/2 to 1.
    const { value, places } = scaleUp(someColumns(X, size, width, 0, 1), 1);
    const x = value.at(SOLVE_FRACTION);
    const first = x.lane(0);
    const negative = first.sign;
    const squared = x.dot(x).nonNegative();
    const norm = squared.root();
    const sum = squared.plus(norm.timesExactly(first.absolute())).nonNegative();
    const back = norm.doubled().down(places).resized(SOLVE_WORD);
    return {
      v: first.plus(norm.negatedIf(negative)).followedBy(x.lanesFrom(1)),
      root: inverseRoot(sum.resized(even(sum.bits - 1) + 1)),
      length: back.negatedIf(gates.not(negative)),
    };
  });
  const room = v.bits + 2 - (root.mantissa.fraction - SOLVE_FRACTION);
  const u = await pieceByPiece(session, size, SOLVE_PRODUCT_GATES, (piece) =>
    timesInverse(v.part(piece), root, SOLVE_WORD, room),
  );
  return { u, length };
}
