/** Scaling by secret powers of two that keeps fixed-point numbers of unknown magnitude precise; undone later by the same shifts. */
import {
  add,
  addModulo,
  concatLanes,
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
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { allOfLanes, nonNegative, pick } from './numbers.ts';
import { inPieces } from './steps.ts';
import { triangleIndex } from './tridiagonal.ts';

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
  const { places, positive } = await session.step((gates) => {
    const diagonal = resize(
      pick(gates, triangle, d, (i) => triangleIndex(d, i, i)),
      digits + 1,
    );
    const { value, places } = normaliseEvenly(gates, nonNegative(gates, diagonal));
    if (!noisy) return { places, positive: undefined };
    const none = gates.and(gates.not(value.at(-2)!), gates.not(value.at(-3)!));
    return { places, positive: allOfLanes(gates, gates.and(gates.not(sign(diagonal)), gates.not(none))) };
  });
  const [rows, columns] = triangleRows(d);
  const within = (shifted: Num, gates: Gates): Num =>
    resize(toFraction(gates, shifted, digits, SOLVE_FRACTION), SOLVE_WORD);
  const entries = await inPieces(session, rows.length, (digits + 1) * places.length, (gates, from, to) => {
    const lane = (indices: Uint32Array) => pick(gates, places, to - from, (i) => indices[from + i]!);
    const both = nonNegative(gates, add(gates, lane(rows), lane(columns)));
    const own = pick(gates, resize(triangle, digits + 1), to - from, (i) => from + i);
    if (!noisy) return within(shiftLeftBy(gates, own, both), gates);
    const { value, fits } = shiftLeftChecked(gates, own, both);
    return [...within(value, gates), fits];
  });
  const held = entries[SOLVE_WORD];
  const fits =
    held && positive && (await session.step((gates) => gates.and(positive, allOfLanes(gates, held))));
  return { matrix: entries.slice(0, SOLVE_WORD), places, fits };
}

/** Row and column of every lane of an upper triangle. */
export function triangleRows(size: number): readonly [Uint32Array, Uint32Array] {
  const entries = (size * (size + 1)) / 2;
  const [rows, columns] = [new Uint32Array(entries), new Uint32Array(entries)];
  let lane = 0;
  for (let i = 0; i < size; i += 1) {
    for (let j = i; j < size; j += 1) {
      rows[lane] = i;
      columns[lane] = j;
      lane += 1;
    }
  }
  return [rows, columns];
}

/** The upper triangle (row by row) with a number added to every entry of its diagonal, modulo 2^bits. */
export function addToDiagonal(gates: Gates, triangle: Num, d: number, number: Num, bits: number): Num {
  const diagonal = pick(gates, triangle, d, (i) => triangleIndex(d, i, i));
  const sum = addModulo(
    gates,
    diagonal,
    pick(gates, number, d, () => 0),
    bits,
  );
  const [rows, columns] = triangleRows(d);
  return pick(gates, concatLanes(gates, [sum, resize(triangle, bits)]), rows.length, (lane) =>
    rows[lane] === columns[lane] ? rows[lane]! : d + lane,
  );
}
