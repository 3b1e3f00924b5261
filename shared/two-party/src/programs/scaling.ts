/** Scaling by secret powers of two that keeps fixed-point numbers of unknown magnitude precise; undone later by the same shifts. */
import {
  add,
  addModulo,
  lanesOf,
  type Num,
  reciprocalSquareRoot,
  resize,
  shiftedUp,
  shiftLeft,
  shiftLeftBy,
  shiftLeftChecked,
  shiftRight,
  sign,
  sliceLanes,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { upperByRows } from './layouts.ts';
import { allOfLanes, broadcast, nonNegative } from './numbers.ts';
import { inPieces } from './steps.ts';

export interface EvenlyScaled {
  /** The number times 4^places: of the two highest digits one is 1, unless the number is 0. */
  readonly value: Num;
  /** Unsigned, with a constant sign. */
  readonly places: Num;
}

/** Shifts an unsigned number with an even number of digits (and a constant sign) to the left by twice as many places. */
export function normaliseEvenly(gates: Gates, a: Num): EvenlyScaled {
  const zero = gates.constant(lanesOf(a), 0);
  return gates.scope(() => {
    const { digits, places } = shiftedUp(gates, a.slice(0, -1), zero, 2);
    return { value: [...digits, zero], places: [...places, zero] };
  });
}

/** 2^places / sqrt(x) for numbers from 0 to 1. */
export interface InverseRoot {
  /** From 1 to 2, with SOLVE_FRACTION fraction bits. */
  readonly mantissa: Num;
  /** Unsigned, with a constant sign. */
  readonly places: Num;
}

/** 1/sqrt of an unsigned number whose digits, an even number, are all fraction. Means nothing where it is 0. */
export function inverseRoot(gates: Gates, a: Num): InverseRoot {
  return gates.scope(() => {
    const { value, places } = normaliseEvenly(gates, a);
    const mantissa = inverseRootOf(gates, toFraction(gates, value, value.length - 1, SOLVE_FRACTION));
    return { mantissa, places };
  });
}

/** 1/sqrt of an unsigned number from 1/4 to 1: from 1 to 2; of both SOLVE_FRACTION bits are fraction. */
export function inverseRootOf(gates: Gates, a: Num): Num {
  return reciprocalSquareRoot(gates, a, {
    places: SOLVE_FRACTION / 2,
    numerator: 2 * SOLVE_FRACTION,
    bits: SOLVE_FRACTION + 3,
  });
}

/** Rounded down to fewer fraction bits, or with zeros for more. */
export function toFraction(gates: Gates, a: Num, from: number, to: number): Num {
  return from >= to ? shiftRight(a, from - to) : shiftLeft(gates, a, to - from);
}

/** The next even number. */
export function even(bits: number): number {
  return bits + (bits % 2);
}

export interface Equilibrated {
  /** Upper triangle of D T D / 2^digits, its diagonal from 1/4 to 1 unless an entry of it is 0; SOLVE_WORD bits. */
  readonly matrix: Num;
  /** D = diag(2^places), one lane per row: unsigned. */
  readonly places: Num;
  /** Under noise: whether the diagonal is positive and the matrix holds every entry, as it does of all positive definite ones. */
  readonly fits: Wires | undefined;
}

/**
 * Scales rows and columns of a symmetric matrix of integers without negative eigenvalues (upper triangle, `digits` bits and a
 * sign, an even number) so that its diagonal fills its bits: of all diagonal scalings one that nearly minimises the condition (van der
 * Sluis, "Condition Numbers and Equilibration of Matrices", 1969). With `noisy` there may be negative eigenvalues, and it is checked that
 * entries fit.
 */
export async function equilibrate(
  session: Session,
  triangle: Num,
  d: number,
  digits: number,
  noisy: boolean,
): Promise<Equilibrated> {
  const layout = upperByRows(d);
  const { places, positive } = await session.step((gates) => {
    const diagonal = resize(layout.diagonal(gates, triangle), digits + 1);
    const { value, places } = normaliseEvenly(gates, nonNegative(gates, diagonal));
    if (!noisy) return { places, positive: undefined };
    const none = gates.and(gates.not(value.at(-2)!), gates.not(value.at(-3)!));
    return { places, positive: allOfLanes(gates, gates.and(gates.not(sign(diagonal)), gates.not(none))) };
  });
  const scaled = await scaleEntries(session, resize(triangle, digits + 1), {
    places: (gates, from, to) => {
      const [row, column] = [
        layout.perRow(gates, places, from, to),
        layout.perColumn(gates, places, from, to),
      ];
      return nonNegative(gates, add(gates, row, column));
    },
    placeBits: places.length,
    kept: (gates, shifted) => resize(toFraction(gates, shifted, digits, SOLVE_FRACTION), SOLVE_WORD),
    positive,
  });
  return { matrix: scaled.entries, places, fits: scaled.fits };
}

interface Scaling {
  /** Of the lanes from `from` up to but not including `to`: unsigned. */
  readonly places: (gates: Gates, from: number, to: number) => Num;
  readonly placeBits: number;
  /** What is kept of entries that are scaled: free of gates. */
  readonly kept: (gates: Gates, scaled: Num) => Num;
  /** Under noise: whether what the places follow from is positive. */
  readonly positive: Wires | undefined;
}

/** Entries times 2^places, and under noise whether `positive` holds and every entry fits its bits then. */
export async function scaleEntries(
  session: Session,
  entries: Num,
  { places, placeBits, kept, positive }: Scaling,
): Promise<{ readonly entries: Num; readonly fits: Wires | undefined }> {
  const all = await inPieces(session, lanesOf(entries), entries.length * placeBits, (gates, from, to) => {
    const [own, by] = [sliceLanes(gates, entries, from, to), places(gates, from, to)];
    if (positive === undefined) return kept(gates, shiftLeftBy(gates, own, by));
    const { value, fits } = shiftLeftChecked(gates, own, by);
    return [...kept(gates, value), fits];
  });
  if (positive === undefined) return { entries: all, fits: undefined };
  const fits = await session.step((gates) => gates.and(positive, allOfLanes(gates, all.at(-1)!)));
  return { entries: all.slice(0, -1), fits };
}

/** The upper triangle (row by row) with a number added to every entry of its diagonal, modulo 2^bits. */
export function addToDiagonal(gates: Gates, triangle: Num, d: number, number: Num, bits: number): Num {
  const layout = upperByRows(d);
  const diagonal = layout.diagonal(gates, triangle);
  const sum = addModulo(gates, diagonal, broadcast(gates, number, 0, d), bits);
  return layout.withDiagonal(gates, resize(triangle, bits), sum);
}
