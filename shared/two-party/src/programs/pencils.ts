/**
 * The symmetric-definite problem A w = λ B w in scaled fixed-point numbers, by B = L Lᵀ and C = L⁻¹ A L⁻ᵀ (Golub and Van Loan, "Matrix
 * Computations", algorithm 8.7.1): C g = λ g, w = L⁻ᵀ g. For A = U Uᵀ with few columns, C = Y Yᵀ with Y = L⁻¹ U, and Y = Q R leaves R Rᵀ.
 */
import {
  concatLanes,
  type Num,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  sliceLanes,
  square,
  sumLanes,
} from '../circuits/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { factorAndSolve, solveTransposed } from './cholesky.ts';
import { congruence } from './congruence.ts';
import { scaleVectors } from './directions.ts';
import { INTEGER_BITS, SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { applyReflections, reflectColumns } from './householder.ts';
import { upperByRows } from './layouts.ts';
import { outerProducts, triangleTimesTransposed } from './matrices.ts';
import { broadcast, nonNegative, scaleTogether, zeros } from './numbers.ts';
import { FRACTION, REVEALED_FRACTION } from './precision.ts';
import { EIGENVALUE_WORD, reducedPairs } from './reduced.ts';
import { inPieces } from './steps.ts';

/** Bits of a dense A and of C, whose entries nothing bounds by 1: SOLVE_FRACTION of them fraction. */
export const DENSE_WORD = SOLVE_WORD + INTEGER_BITS;

export interface Solution {
  /** Largest first; one lane per component, EIGENVALUE_WORD bits, REVEALED_FRACTION.pencil of them fraction. */
  readonly values: Num;
  /** Lane i * count + j: entry i of vector j, its largest from 1/2 to 1; SOLVE_WORD bits, SOLVE_FRACTION of them fraction. */
  readonly vectors: Num;
  /** Whether B is clearly positive definite; all else means nothing where it is not. */
  readonly definite: Wires;
}

/** What is common to A in all its forms. */
export interface Noise {
  /** Upper triangle of B, row by row; its diagonal below 1; SOLVE_WORD bits, SOLVE_FRACTION of them fraction. */
  readonly B: Num;
  readonly d: number;
  readonly count: number;
}

/**
 * A = U Uᵀ for d × columns numbers (lane i * columns + j, like B), with eigenvalues below 4^headroom. Vectors of eigenvalues that
 * are 0 are orthogonal to the others with respect to B, like all; but a single column of zeros gives any vector.
 */
export async function solveLowRank(
  session: Session,
  { B, d, count }: Noise,
  U: Num,
  columns: number,
  headroom: number,
): Promise<Solution> {
  const right = await session.step(() => resize(shiftRight(U, headroom), SOLVE_WORD));
  const { factor, solved } = await factorAndSolve(session, B, d, right, columns);
  if (columns === 1 && count === 1) {
    const { values, start } = await session.step((gates) => {
      const sum = nonNegative(gates, sumLanes(gates, square(gates, solved)));
      const { values: scaled, empty } = scaleTogether(gates, [shiftLeft(gates, solved, 1)], 1);
      const start = resize(shiftRight(scaled[0]!, 2), SOLVE_WORD);
      const first = sliceLanes(gates, start, 0, 1).map((bit, i) =>
        i === SOLVE_FRACTION - 1 ? gates.xor(bit, empty) : bit,
      );
      return {
        values: resize(
          shiftRight(sum, 2 * SOLVE_FRACTION - 2 * headroom - REVEALED_FRACTION.pencil),
          EIGENVALUE_WORD,
        ),
        start: concatLanes(gates, [first, sliceLanes(gates, start, 1, d)]),
      };
    });
    const z = await solveTransposed(session, factor, start, d, 1);
    return { values, vectors: await scaleVectors(session, z, d, 1), definite: factor.definite };
  }
  const own = { factor, indefinite: false, d, count };
  if (columns > d || count > columns) {
    const { numbers, places, halvings } = await filled(session, solved, columns);
    const C = await outerProducts(session, numbers, d, columns, SOLVE_FRACTION, SOLVE_WORD);
    const fraction = SOLVE_FRACTION - 2 * (halvings + headroom);
    return finish(session, { ...own, C, n: d, fraction, shifts: places });
  }
  const { reflections, triangle } = await reflectColumns(session, solved, d, columns);
  const { numbers, places, halvings } = await filled(session, triangle, columns);
  const C = await triangleTimesTransposed(
    session,
    numbers,
    columns,
    upperByRows(columns).at,
    SOLVE_FRACTION,
    SOLVE_WORD,
  );
  const fraction = SOLVE_FRACTION - 2 * (halvings + headroom);
  return finish(session, { ...own, C, n: columns, fraction, shifts: places, reflections });
}

/**
 * Numbers times 2^places / 2^halvings, as large as can be without rows of so many of them being longer than 1. The products of
 * small ones would else lose half of their digits.
 */
async function filled(session: Session, a: Num, rowLength: number) {
  const room = Math.ceil(Math.log2(rowLength) / 2);
  const places = await session.step((gates) => scaleTogether(gates, [shiftLeft(gates, a, 1)], 1).places);
  const numbers = await inPieces(session, a[0]!.lanes, 8 * SOLVE_WORD, (gates, from, to) => {
    const wide = shiftLeftBy(
      gates,
      shiftLeft(gates, sliceLanes(gates, a, from, to), 1),
      broadcast(gates, places, 0, to - from),
    );
    return resize(shiftRight(wide, 2 + room), SOLVE_WORD);
  });
  return { numbers, places, halvings: room + 1 };
}

/** A dense symmetric A (upper triangle column by column, DENSE_WORD bits, SOLVE_FRACTION of them fraction); `indefinite` says whether it may be. */
export async function solveDense(
  session: Session,
  { B, d, count }: Noise,
  A: Num,
  indefinite: boolean,
): Promise<Solution> {
  const nothing = await session.step((gates) => zeros(gates, SOLVE_WORD, 0));
  const { factor } = await factorAndSolve(session, B, d, nothing, 0);
  const C = await congruence(session, factor, A, d, DENSE_WORD);
  return finish(session, { C, n: d, fraction: SOLVE_FRACTION, factor, indefinite, d, count });
}

interface Rest {
  readonly C: Num;
  readonly n: number;
  readonly fraction: number;
  readonly factor: Parameters<typeof solveTransposed>[1];
  readonly shifts?: Num;
  readonly reflections?: readonly Num[];
  readonly indefinite: boolean;
  readonly d: number;
  readonly count: number;
}

async function finish(
  session: Session,
  { C, n, fraction, factor, shifts, reflections, indefinite, d, count }: Rest,
): Promise<Solution> {
  const { values, vectors } = await reducedPairs(session, C, n, count, fraction, indefinite, shifts);
  const unit = await session.step((gates) => {
    const top = shiftLeft(gates, vectors, SOLVE_FRACTION - FRACTION);
    return concatLanes(gates, [top, zeros(gates, SOLVE_WORD, (d - n) * count)]);
  });
  const y = reflections ? await applyReflections(session, reflections, unit, d, count) : unit;
  const z = await solveTransposed(session, factor, y, d, count);
  return { values, vectors: await scaleVectors(session, z, d, count), definite: factor.definite };
}
