/**
 * Cholesky's factor B = L Lᵀ (Golub and Van Loan, "Matrix Computations", section 4.2.5, the outer-product form, whose updates are
 * all lanes of one batch), the solution of L Y = U on the way, and that of Lᵀ Z = Y.
 */
import {
  concatLanes,
  type Num,
  resize,
  shiftRight,
  sign,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import {
  PIVOT_PLACES,
  SCALING_GUARD,
  SOLUTION_FRACTION,
  SOLUTION_WORD,
  SOLVE_FRACTION,
  SOLVE_PRODUCT_GATES,
  SOLVE_WORD,
} from './discriminant-precision.ts';
import { Fixed } from './fixed.ts';
import { belowDiagonal, grid, upperByRows } from './layouts.ts';
import { broadcast, constantNumbers, nonNegative, pickRange } from './numbers.ts';
import { type InverseRoot, inverseRoot } from './scaling.ts';
import { inPieces } from './steps.ts';
import { gatesPerProduct, subtractProduct } from './truncated.ts';

export interface Factor {
  /** As `belowDiagonal`. */
  readonly lower: Num;
  /** Of the pivots. */
  readonly inverses: readonly InverseRoot[];
  /** Whether every pivot is at least 2^-PIVOT_PLACES; all else means nothing where one is not. */
  readonly definite: Wires;
}

/**
 * Factors a matrix with a diagonal below 1 (upper triangle) and solves L Y = U for `count` columns (lane i * count + j), whose entries
 * and those of Y must be below 2 in magnitude. All numbers have SOLVE_FRACTION fraction bits in SOLVE_WORD.
 */
export async function factorAndSolve(
  session: Session,
  triangle: Num,
  d: number,
  right: Num,
  count: number,
): Promise<{ factor: Factor; solved: Num }> {
  const columns: Num[] = [];
  const inverses: InverseRoot[] = [];
  const solved: Num[] = [];
  const large: Wires[] = [];
  let [matrix, rest] = [triangle, right];
  for (let size = d; size > 0; size -= 1) {
    const m = size - 1;
    const { inverse, scaled, enough } = await session.step((gates) => {
      const pivot = sliceLanes(gates, matrix, 0, 1);
      const first = concatLanes(gates, [
        sliceLanes(gates, matrix, 1, size),
        sliceLanes(gates, rest, 0, count),
      ]);
      const root = inverseRoot(gates, nonNegative(gates, resize(pivot, SOLVE_FRACTION + 1)));
      const floor = constantNumbers(gates, [1n << BigInt(SOLVE_FRACTION - PIVOT_PLACES)], SOLVE_WORD);
      return {
        inverse: root,
        scaled: timesInverse(gates, first, root, SOLVE_WORD),
        enough: gates.not(sign(subtractModulo(gates, pivot, floor, SOLVE_WORD))),
      };
    });
    inverses.push(inverse);
    large.push(enough);
    const column = await session.step((gates) => ({
      l: sliceLanes(gates, scaled, 0, m),
      y: sliceLanes(gates, scaled, m, m + count),
    }));
    columns.push(column.l);
    solved.push(column.y);
    if (m === 0) break;
    const [triangle, columnsBelow] = [upperByRows(m), grid(m, count)];
    const entries = triangle.lanes;
    const before = { matrix, rest };
    const updated = await inPieces(session, entries + m * count, SOLVE_PRODUCT_GATES, (gates, from, to) => {
      const left = pickRange(gates, scaled, from, to, (lane) =>
        lane < entries ? triangle.row(lane) : columnsBelow.row(lane - entries),
      );
      const right = pickRange(gates, scaled, from, to, (lane) =>
        lane < entries ? triangle.column(lane) : m + columnsBelow.column(lane - entries),
      );
      const old = concatLanes(gates, [
        sliceLanes(gates, before.matrix, size + Math.min(from, entries), size + Math.min(to, entries)),
        sliceLanes(
          gates,
          before.rest,
          count + Math.max(0, from - entries),
          count + Math.max(0, to - entries),
        ),
      ]);
      return subtractProduct(gates, old, left, right, SOLVE_FRACTION, SOLVE_WORD);
    });
    [matrix, rest] = await session.step((gates) => [
      sliceLanes(gates, updated, 0, entries),
      sliceLanes(gates, updated, entries, entries + m * count),
    ]);
  }
  return session.step((gates) => {
    const lower = d === 1 ? [] : concatLanes(gates, columns.slice(0, -1));
    const definite = large.reduce((both, enough) => gates.and(both, enough));
    return { factor: { lower, inverses, definite }, solved: concatLanes(gates, solved) };
  });
}

/** The numbers over the square root of one 4^halves times as large as it was found of, in so many bits, and in `room` before the shift back. */
export function timesInverse(
  gates: Gates,
  a: Num,
  { mantissa, places }: InverseRoot,
  bits: number,
  { halves = 0, room = bits } = {},
): Num {
  // Whatever fraction a has: this counts those of its units.
  const own = new Fixed(gates, a, 0);
  const over = new Fixed(gates, mantissa, SOLVE_FRACTION + halves).spread(own.lanes);
  const product = own.timesTruncated(over, { fraction: SCALING_GUARD, bits: room + SCALING_GUARD });
  return product
    .up(broadcast(gates, places, 0, own.lanes))
    .at(0)
    .resized(bits).number;
}

/**
 * Z with Lᵀ Z = Y, for `count` columns of length 1 or so (lane i * count + j, SOLVE_FRACTION fraction bits): SOLUTION_FRACTION fraction bits in
 * SOLUTION_WORD, which entries up to 2^13 fit, as they are for a matrix whose smallest eigenvalue is at least 2^-26.
 */
export async function solveTransposed(
  session: Session,
  { lower, inverses }: Factor,
  solved: Num,
  d: number,
  count: number,
): Promise<Num> {
  const gatesEach = gatesPerProduct(SOLVE_WORD, SOLUTION_WORD, SOLVE_FRACTION) + SOLUTION_WORD;
  const below = belowDiagonal(d);
  const rows: Num[] = [];
  let rest = resize(shiftRight(solved, SOLVE_FRACTION - SOLUTION_FRACTION), SOLUTION_WORD);
  for (let i = d - 1; i >= 0; i -= 1) {
    const before = rest;
    const z = await session.step((gates) =>
      timesInverse(gates, sliceLanes(gates, before, i * count, (i + 1) * count), inverses[i]!, SOLUTION_WORD),
    );
    rows.push(z);
    if (i === 0) break;
    const above = grid(i, count);
    rest = await inPieces(session, above.lanes, gatesEach, (gates, from, to) => {
      const entries = above.gather(gates, lower, (k) => below.at(i, k), from, to);
      const known = above.perColumn(gates, z, from, to);
      const own = sliceLanes(gates, before, from, to);
      return subtractProduct(gates, own, entries, known, SOLVE_FRACTION, SOLUTION_WORD);
    });
  }
  return session.step((gates) => concatLanes(gates, rows.toReversed()));
}
