/** The symmetric problem C g = λ g that a pencil is reduced to, from a fixed-point C of unknown magnitude. */
import {
  absolute,
  addModulo,
  mask,
  type Num,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  shiftRightBy,
  sign,
  subtractModulo,
  sumLanes,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { INTEGER_BITS } from './discriminant-precision.ts';
import { leadingEigenpairs } from './eigen.ts';
import { grid, upperByColumns, upperByRows } from './layouts.ts';
import { broadcast, nonNegative, scaleTogether } from './numbers.ts';
import { FRACTION, REVEALED_FRACTION, WORD } from './precision.ts';
import { inPieces } from './steps.ts';

/** Bits of an eigenvalue: REVEALED_FRACTION.pencil of them fraction. */
export const EIGENVALUE_WORD = REVEALED_FRACTION.pencil + INTEGER_BITS + 2;

export interface ReducedPairs {
  /** One lane per component, EIGENVALUE_WORD bits. */
  readonly values: Num;
  /** Lane i * count + j: entry i of vector j, of length 1; WORD bits, FRACTION of them fraction. */
  readonly vectors: Num;
}

/**
 * The largest eigenpairs of C (upper triangle column by column, `fraction` fraction bits). C is divided by its largest sum of magnitudes in
 * a row, to the next power of two, which no eigenvalue exceeds; one that may have negative eigenvalues becomes (C + I) / 2.
 * `shifts` (unsigned, one lane) says by how many powers of 4 C is larger than it should be.
 */
export async function reducedPairs(
  session: Session,
  C: Num,
  n: number,
  count: number,
  fraction: number,
  indefinite: boolean,
  shifts: Num = [],
): Promise<ReducedPairs> {
  const length = C.length + Math.ceil(Math.log2(n)) + 1;
  const given = upperByColumns(n);
  const sums = await inPieces(session, n, n * (C.length + length), (gates, from, to) => {
    const rows = to - from;
    const lanes = grid(n, rows).gather(gates, C, (j, i) => given.at(from + i, j));
    return nonNegative(gates, resize(sumLanes(gates, absolute(gates, lanes), rows), length));
  });
  const { places } = await session.step((gates) => scaleTogether(gates, [sums], 1));
  const wanted = upperByRows(n);
  const matrix = await inPieces(session, wanted.lanes, length * places.length, (gates, from, to) => {
    const entries = wanted.gather(gates, C, given.at, from, to);
    const wide = shiftLeftBy(gates, resize(entries, length), broadcast(gates, places, 0, to - from));
    return fractionOf(gates, wide, length - 1);
  });
  const shifted = await session.step((gates) => (indefinite ? halfway(gates, matrix, n) : matrix));
  const pairs = await leadingEigenpairs(session, shifted, n, count);
  const values = await session.step((gates) => {
    const own = indefinite ? aroundZero(gates, pairs.values) : notNegative(gates, pairs.values);
    // λ = value 2^(length - 1 - fraction - places).
    const wide = shiftLeft(gates, own, REVEALED_FRACTION.pencil - FRACTION + length - 1 - fraction);
    const normal = shiftRightBy(gates, wide, broadcast(gates, places, 0, count));
    const twice = shifts.length === 0 ? [] : shiftLeft(gates, broadcast(gates, shifts, 0, count), 1);
    return resize(shiftRightBy(gates, normal, twice), EIGENVALUE_WORD);
  });
  return { values, vectors: pairs.vectors };
}

function fractionOf(gates: Gates, a: Num, fraction: number): Num {
  const exact =
    fraction >= FRACTION ? shiftRight(a, fraction - FRACTION) : shiftLeft(gates, a, FRACTION - fraction);
  return resize(exact, WORD);
}

/** (C + I) / 2. */
function halfway(gates: Gates, matrix: Num, n: number): Num {
  const half = resize(shiftRight(matrix, 1), WORD);
  const lanes = half[0]!.lanes;
  const zero = gates.constant(lanes, 0);
  const on = gates.constants(upperByRows(n).diagonalMask());
  const term = Array.from({ length: WORD }, (_, i) => (i === FRACTION - 1 ? on : zero));
  return addModulo(gates, half, term, WORD);
}

/** 2 value − 1. */
function aroundZero(gates: Gates, values: Num): Num {
  const lanes = values[0]!.lanes;
  const zero = gates.constant(lanes, 0);
  const one = Array.from({ length: WORD + 1 }, (_, i) => (i === FRACTION ? gates.constant(lanes, 1) : zero));
  return subtractModulo(gates, shiftLeft(gates, values, 1), one, WORD + 1);
}

/** Small negative eigenvalues of a matrix that has none are rounding errors. */
function notNegative(gates: Gates, values: Num): Num {
  return nonNegative(gates, mask(gates, gates.not(sign(values)), values));
}
