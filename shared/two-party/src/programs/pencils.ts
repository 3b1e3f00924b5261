/**
 * The symmetric-definite problem A w = λ B w in scaled fixed-point numbers, by B = L Lᵀ and C = L⁻¹ A L⁻ᵀ
 * (Golub and Van Loan, "Matrix Computations", algorithm 8.7.1): C g = λ g, w = L⁻ᵀ g. For A = U Uᵀ with few
 * columns, C = Y Yᵀ with Y = L⁻¹ U, and Y = Q R leaves R Rᵀ.
 */
import { Fixed, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { congruence, type Factor, factorAndSolve, solveTransposed } from './cholesky.ts';
import { scaleVectors } from './directions.ts';
import { applyReflections, reflectColumns } from './householder.ts';
import { outerProducts, triangleTimesTransposed } from './matrices.ts';
import { INTEGER_BITS, REVEALED_FRACTION, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { EIGENVALUE_WORD, reducedPairs } from './reduced.ts';
import { scaleUp } from './scaling.ts';

/** The form of everything that is scaled to be below 2. */
const ENTRY = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD };
/** Bits of a dense A and of C, whose entries nothing bounds by 1: SOLVE_FRACTION of them fraction. */
export const DENSE_WORD = SOLVE_WORD + INTEGER_BITS;

export interface Solution {
  /**
   * Largest first; one lane per component, EIGENVALUE_WORD bits, REVEALED_FRACTION.pencil of them fraction.
   */
  readonly values: Fixed;
  /**
   * Lane i * count + j: entry i of vector j, its largest from 1/2 to 1; SOLVE_WORD bits, SOLVE_FRACTION of
   * them fraction.
   */
  readonly vectors: Fixed;
  /** True if B is clearly positive definite; everything else means nothing where it is not. */
  readonly definite: Wires;
}

/** The noise that A has in all its forms. */
export interface Noise {
  /**
   * Upper triangle of B, row by row; its diagonal below 1; SOLVE_WORD bits, SOLVE_FRACTION of them fraction.
   */
  readonly B: Fixed;
  readonly d: number;
  readonly count: number;
}

/**
 * A = U Uᵀ for d × columns numbers (lane i * columns + j, like B), with eigenvalues below 4^headroom. Vectors
 * of eigenvalues that are 0 are orthogonal to the others with respect to B, like all; but a single column of
 * zeros gives any vector.
 */
export async function solveLowRank(
  session: Session,
  { B, d, count }: Noise,
  U: Fixed,
  columns: number,
  headroom: number,
): Promise<Solution> {
  // 2^−headroom U
  const right = await session.step(() => U.over(headroom).at(SOLVE_FRACTION).resized(SOLVE_WORD));
  const { factor, solved: Y } = await factorAndSolve(session, B, d, right, columns);
  if (columns === 1 && count === 1) return single(session, factor, Y, d, headroom);
  const own = { factor, indefinite: false, d, count };
  if (columns > d || count > columns) {
    const { numbers, places, halvings } = await filled(session, Y, columns);
    const C = await outerProducts(session, numbers, d, columns, ENTRY);
    return finish(session, { ...own, C: C.over(-2 * (halvings + headroom)), n: d, shifts: places });
  }
  const { reflections, triangle: R } = await reflectColumns(session, Y, d, columns);
  const { numbers, places, halvings } = await filled(session, R, columns);
  const C = await triangleTimesTransposed(session, numbers, columns, upperByRows(columns).at, ENTRY);
  const shifts = { shifts: places, reflections };
  return finish(session, { ...own, C: C.over(-2 * (halvings + headroom)), n: columns, ...shifts });
}

/** C = y yᵀ: λ = yᵀ y, and g is y. */
async function single(
  session: Session,
  factor: Factor,
  y: Fixed,
  d: number,
  headroom: number,
): Promise<Solution> {
  const { values, start } = await session.step(() => {
    const square = y
      .squared()
      .sums()
      .nonNegative()
      .over(-2 * headroom);
    const { value, empty } = scaleUp(y, 1);
    const g = value.at(SOLVE_FRACTION).resized(SOLVE_WORD);
    const first = g.lane(0).orPower(-1, empty);
    return {
      values: square.at(REVEALED_FRACTION.pencil).resized(EIGENVALUE_WORD),
      start: first.followedBy(g.lanesFrom(1)),
    };
  });
  const z = await solveTransposed(session, factor, start, d, 1);
  return { values, vectors: await scaleVectors(session, z, d, 1), definite: factor.definite };
}

/**
 * Numbers times 2^places / 2^halvings, as large as can be without rows of `rowLength` of them being longer
 * than 1. The products of small ones would otherwise lose half of their digits.
 */
async function filled(session: Session, a: Fixed, rowLength: number) {
  const room = Math.ceil(Math.log2(rowLength) / 2);
  const places = await session.step(() => scaleUp(a, 1).places);
  const numbers = await pieceByPiece(session, a.lanes, 8 * SOLVE_WORD, (piece) => {
    const wide = a.part(piece).doubled();
    const scaled = wide.up(places.spread(wide.lanes)).readAt(wide.bits - 1);
    return scaled.over(room).at(SOLVE_FRACTION).resized(SOLVE_WORD);
  });
  return { numbers, places, halvings: room + 1 };
}

/**
 * A dense symmetric A (upper triangle column by column, DENSE_WORD bits, SOLVE_FRACTION of them fraction);
 * `indefinite` says whether it may be.
 */
export async function solveDense(
  session: Session,
  { B, d, count }: Noise,
  A: Fixed,
  indefinite: boolean,
): Promise<Solution> {
  const nothing = await session.step(() => B.lanesFrom(0, 0));
  const { factor } = await factorAndSolve(session, B, d, nothing, 0);
  const C = await congruence(session, factor, A, d);
  return finish(session, { C, n: d, factor, indefinite, d, count });
}

interface Rest {
  readonly C: Fixed;
  readonly n: number;
  readonly factor: Factor;
  readonly shifts?: Fixed;
  readonly reflections?: readonly Fixed[];
  readonly indefinite: boolean;
  readonly d: number;
  readonly count: number;
}

/** C g = λ g, and w = L⁻ᵀ g. */
async function finish(
  session: Session,
  { C, n, factor, shifts, reflections, indefinite, d, count }: Rest,
): Promise<Solution> {
  const { values, vectors } = await reducedPairs(session, C, n, count, indefinite, shifts);
  const g = await session.step((gates) => {
    const nothing = Fixed.constant(gates, 0n, (d - n) * count, ENTRY);
    return vectors.at(SOLVE_FRACTION).followedBy(nothing);
  });
  const y = reflections ? await applyReflections(session, reflections, g, d, count) : g;
  const z = await solveTransposed(session, factor, y, d, count);
  return { values, vectors: await scaleVectors(session, z, d, count), definite: factor.definite };
}
