/** The symmetric problem C g = λ g that a pencil is reduced to, from a fixed-point C of unknown magnitude. */
import { Fixed, grid, pieceByPiece, upperByColumns, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { leadingEigenpairs } from './eigen.ts';
import { FRACTION, INTEGER_BITS, REVEALED_FRACTION, WORD } from './precision.ts';
import { scaleTogether } from './scaling.ts';

/** Bits of an eigenvalue: REVEALED_FRACTION.pencil of them fraction. */
export const EIGENVALUE_WORD = REVEALED_FRACTION.pencil + INTEGER_BITS + 2;

interface ReducedPairs {
  /** One lane per component, EIGENVALUE_WORD bits, REVEALED_FRACTION.pencil of them fraction. */
  readonly values: Fixed;
  /** Lane i * count + j: entry i of vector j, of length 1; WORD bits, FRACTION of them fraction. */
  readonly vectors: Fixed;
}

/**
 * The largest eigenpairs of C (upper triangle column by column). C is divided by its largest sum of magnitudes in
 * a row, to the next power of two, which no eigenvalue exceeds; one that may have negative eigenvalues becomes (C + I) / 2.
 * `shifts` (unsigned, one lane) says by how many powers of 4 C is larger than it should be.
 */
export async function reducedPairs(
  session: Session,
  C: Fixed,
  n: number,
  count: number,
  indefinite: boolean,
  shifts?: Fixed,
): Promise<ReducedPairs> {
  const bits = C.bits + Math.ceil(Math.log2(n)) + 1;
  const given = upperByColumns(n);
  const sums = await pieceByPiece(session, n, n * (C.bits + bits), ({ from, to }) => {
    const rows = C.as(grid(n, to - from), (j, i) => given.at(from + i, j));
    return rows
      .absolute()
      .sums(to - from)
      .resized(bits)
      .nonNegative();
  });
  const { places } = await session.step(() => scaleTogether([sums], 1));
  const wanted = upperByRows(n);
  const matrix = await pieceByPiece(session, wanted.lanes, bits * places.bits, (piece) => {
    const entries = C.as(wanted, given.at, piece).resized(bits);
    // All of it is fraction now.
    const scaled = entries.up(places.spread(entries.lanes)).readAt(bits - 1);
    return scaled.at(FRACTION).resized(WORD);
  });
  const shifted = await session.step(() => (indefinite ? halfway(matrix, n) : matrix));
  const pairs = await leadingEigenpairs(session, shifted, n, count);
  const values = await session.step(() => {
    const own = indefinite ? aroundZero(pairs.values) : notNegative(pairs.values);
    // λ = value 2^(bits − 1 − fraction − places).
    const wide = own.over(C.fraction - (bits - 1)).at(REVEALED_FRACTION.pencil);
    const normal = wide.down(places.spread(count));
    const halved = shifts ? normal.down(shifts.doubled().spread(count)) : normal;
    return halved.resized(EIGENVALUE_WORD);
  });
  return { values, vectors: pairs.vectors };
}

/** (C + I) / 2. */
function halfway(C: Fixed, n: number): Fixed {
  const { gates } = C;
  const ones = gates.constants(upperByRows(n).diagonalMask());
  const half = Fixed.constant(gates, 0n, C.lanes, C).orPower(-1, ones);
  return C.over(1).at(FRACTION).resized(WORD).plus(half, WORD);
}

/** 2 value − 1. */
function aroundZero(values: Fixed): Fixed {
  const one = Fixed.constant(values.gates, 1n << BigInt(FRACTION), values.lanes, values);
  return values.doubled().minus(one);
}

/** Small negative eigenvalues of a matrix that has none are rounding errors. */
export function notNegative(values: Fixed): Fixed {
  return values.where(values.gates.not(values.sign)).nonNegative();
}
