/**
 * Scaling by secret powers of two that keeps fixed-point numbers of unknown magnitude precise; undone later
 * by the same shifts.
 */

import { normalise, reciprocalSquareRoot, shiftedUp, shiftLeftChecked } from '../circuits/index.ts';
import {
  allLanes,
  allOfLanes,
  Fixed,
  grid,
  type Piece,
  piecesOf,
  upperByRows,
} from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { SCALING_GUARD, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';

/** The next even number. */
export function even(bits: number): number {
  return bits + (bits % 2);
}

export interface Scaled {
  /**
   * The numbers times 2^places, read as all fraction: below 1 in magnitude, and the largest of a group from
   * 1/2 on unless it is empty.
   */
  readonly values: readonly Fixed[];
  /** Unsigned; one lane per group. */
  readonly places: Fixed;
  /** 1 where all numbers of the group are 0 or a unit below. */
  readonly empty: Wires;
}

/**
 * Shifts numbers of one length together to the left, until one of them has a bit below its sign that differs
 * from the sign. Group g are the lanes g, g + groups, ... of all of `numbers`. Negative numbers count by
 * their complement, so -2^n counts as less.
 */
export function scaleTogether(numbers: readonly Fixed[], groups: number): Scaled {
  const { gates } = numbers[0]!;
  return gates.scope(() => {
    // Digit by digit whether all numbers are without a bit: 1 where they are.
    let clear = numbers.map((a) => a.number.slice(0, -1).map((bit) => gates.not(gates.xor(bit, a.sign))));
    while (clear.length > 1) {
      const half = clear.length >> 1;
      const both = gates.andEach(clear.slice(0, half).flat(), clear.slice(half, 2 * half).flat());
      const length = clear[0]!.length;
      const merged = Array.from({ length: half }, (_, k) => both.slice(k * length, (k + 1) * length));
      clear = [...merged, ...clear.slice(2 * half)];
    }
    const digits = allLanes(gates, clear[0]!, groups).map((wires) => gates.not(wires));
    const { value, places } = scaleAlone(new Fixed(gates, [...digits, gates.constant(groups, 0)], 0));
    const values = numbers.map((a) =>
      a.up(places.perColumn(grid(a.lanes / groups, groups))).readAt(a.bits - 1),
    );
    return { values, places, empty: gates.not(value.number.at(-2)!) };
  });
}

/**
 * Scales one number up, a group being empty where all of it is 0: a last bit of 0 makes room for a unit
 * below.
 */
export function scaleUp(a: Fixed, groups: number) {
  const { values, places, empty } = scaleTogether([a.doubled()], groups);
  return { value: values[0]!, places, empty };
}

/** An unsigned number times 2^places, read as all fraction: from 1/2 on, unless it is 0 (`normalise`). */
export function scaleAlone(a: Fixed): { readonly value: Fixed; readonly places: Fixed } {
  const { value, places } = normalise(a.gates, a.number);
  return { value: new Fixed(a.gates, value, a.bits - 1), places: new Fixed(a.gates, places, 0) };
}

interface EvenlyScaled {
  /** The number times 4^places, read as all fraction: from 1/4 on, unless it is 0. */
  readonly value: Fixed;
  /** Unsigned, with a constant sign. */
  readonly places: Fixed;
}

/**
 * Shifts an unsigned number with an even number of digits (and a constant sign) to the left by twice as many
 * places.
 */
export function scaleEvenly(a: Fixed): EvenlyScaled {
  const { gates, lanes } = a;
  const zero = gates.constant(lanes, 0);
  return gates.scope(() => {
    const { digits, places } = shiftedUp(gates, a.number.slice(0, -1), zero, 2);
    const value = new Fixed(gates, [...digits, zero], a.bits - 1);
    return { value, places: new Fixed(gates, [...places, zero], 0) };
  });
}

/** mantissa · 2^places */
export interface InverseRoot {
  /** The digits of a number from 1 to 2, as many as SOLVE_FRACTION after the first. */
  readonly mantissa: Fixed;
  /** Unsigned, with a constant sign. */
  readonly places: Fixed;
}

/**
 * 1/√a of an unsigned number with an even number of digits, of which an even number is fraction. Means
 * nothing where it is 0.
 */
export function inverseRoot(a: Fixed): InverseRoot {
  return a.gates.scope(() => {
    const { value, places } = scaleEvenly(a);
    // a = value 4^−places 2^(digits − fraction)
    const halves = (a.bits - 1 - a.fraction) / 2;
    return { mantissa: inverseRootOf(value.at(SOLVE_FRACTION)).over(halves), places };
  });
}

/** 1/√a of an unsigned number from 1/4 to 1: from 1 to 2; of both SOLVE_FRACTION bits are fraction. */
export function inverseRootOf({ gates, number }: Fixed): Fixed {
  const part = { places: SOLVE_FRACTION / 2, numerator: 2 * SOLVE_FRACTION, bits: SOLVE_FRACTION + 3 };
  return new Fixed(gates, reciprocalSquareRoot(gates, number, part), SOLVE_FRACTION);
}

/** The numbers times such an inverse, modulo 2^bits and, before the shift back, 2^room. */
export function timesInverse(a: Fixed, { mantissa, places }: InverseRoot, bits: number, room = bits): Fixed {
  const kept = { fraction: a.fraction + SCALING_GUARD, bits: room + SCALING_GUARD };
  const product = a.timesTruncated(mantissa.spread(a.lanes), kept);
  return product.up(places.spread(a.lanes)).at(a.fraction).resized(bits);
}

interface Equilibrated {
  /**
   * Upper triangle of D T D / 2^digits, its diagonal from 1/4 to 1 unless an entry of it is 0 or there is
   * room; SOLVE_WORD bits, and more for integers.
   */
  readonly matrix: Fixed;
  /** D = diag(2^places), one lane per row: unsigned. */
  readonly places: Fixed;
  /**
   * Under noise: whether the diagonal is positive and the matrix holds every entry, as it does of all
   * positive definite ones.
   */
  readonly fits: Wires | undefined;
}

/** A matrix to which something is added afterwards is this number of places further down. */
export const ROOM_PLACES = 2;

interface Expected {
  /** True if there may be negative eigenvalues: then it is checked that entries fit. */
  readonly noisy: boolean;
  /**
   * The numbers that may be added to the diagonal afterwards, a lane per row: the scaling is that of the sum,
   * and the matrix 2^ROOM_PLACES times smaller.
   */
  readonly room?: Fixed | undefined;
  /**
   * Bits for the integer part of entries, which noise may make larger than their diagonal. A diagonal entry
   * of 0 is none that does not fit then.
   */
  readonly integers?: number;
}

/**
 * Scales rows and columns of a symmetric matrix without negative eigenvalues (upper triangle, `digits` bits
 * and a sign, an even number) so that its diagonal fills its bits: of all diagonal scalings one that nearly
 * minimises the condition (van der Sluis, "Condition Numbers and Equilibration of Matrices", 1969).
 */
export async function equilibrate(
  session: Session,
  T: Fixed,
  d: number,
  digits: number,
  { noisy, room, integers = 0 }: Expected,
): Promise<Equilibrated> {
  const layout = upperByRows(d);
  const { places, positive } = await session.step((gates) => {
    const diagonal = T.diagonal(layout).resized(digits + 1);
    const size = room ? diagonal.plus(room, digits + 1) : diagonal;
    const { value, places } = scaleEvenly(size.nonNegative());
    if (!noisy) return { places, positive: undefined };
    if (integers > 0) return { places, positive: gates.constant(1, 1) };
    const none = gates.and(gates.not(value.number.at(-2)!), gates.not(value.number.at(-3)!));
    return { places, positive: allOfLanes(gates, gates.and(gates.not(diagonal.sign), gates.not(none))) };
  });
  const down = room ? ROOM_PLACES : 0;
  const word = SOLVE_WORD + Math.max(0, integers - 1);
  const { entries, fits } = await scaleEntries(session, T.resized(digits + 1 + integers), {
    places: (piece) => places.perRow(layout, piece).plus(places.perColumn(layout, piece)).nonNegative(),
    placeBits: places.bits,
    kept: (scaled) =>
      scaled
        .over(down - integers)
        .at(SOLVE_FRACTION)
        .resized(word),
    positive,
  });
  return { matrix: entries, places, fits };
}

interface Scaling {
  /** The places of some lanes: unsigned. */
  readonly places: (piece: Piece) => Fixed;
  readonly placeBits: number;
  /** Keeps a part of entries that are scaled, read as all fraction: it needs no gates. */
  readonly kept: (scaled: Fixed) => Fixed;
  /** Under noise: whether what the places follow from is positive. */
  readonly positive: Wires | undefined;
}

/** Entries times 2^places, and under noise whether `positive` holds and every entry fits its bits then. */
export async function scaleEntries(
  session: Session,
  entries: Fixed,
  { places, placeBits, kept, positive }: Scaling,
): Promise<{ readonly entries: Fixed; readonly fits: Wires | undefined }> {
  const { gates, lanes, bits } = entries;
  const [all, within] = await piecesOf(session, lanes, bits * placeBits, (piece) => {
    const [own, by] = [entries.part(piece), places(piece)];
    if (positive === undefined) return [kept(own.up(by).readAt(bits - 1))];
    const { value, fits } = shiftLeftChecked(gates, own.number, by.number);
    return [kept(new Fixed(gates, value, bits - 1)), new Fixed(gates, [fits], 0)];
  });
  const whole = { entries: all!, fits: undefined };
  if (positive === undefined) return whole;
  const fits = await session.step(() => gates.and(positive, allOfLanes(gates, within!.sign)));
  return { ...whole, fits };
}

/**
 * The upper triangle (row by row) with a number, or one for each row, added to its diagonal, modulo 2^bits.
 */
export function addToDiagonal(triangle: Fixed, d: number, number: Fixed, bits: number): Fixed {
  const layout = upperByRows(d);
  const sum = triangle.diagonal(layout).plus(number.lanes === d ? number : number.spread(d), bits);
  return triangle.resized(bits).withDiagonal(layout, sum);
}
