/** Normalisation: numbers of unknown magnitude, shifted so that they fill their bits. */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { all, select } from './compare.ts';
import { lanesOf, type Num } from './number.ts';

export interface Normalised {
  /** Unsigned, of the same length; the bit below the sign is 1 unless the number is 0. */
  readonly value: Num;
  /**
   * The number of places by which the number was shifted to the left: unsigned, lowest bit first, with a
   * constant 0 as sign.
   */
  readonly places: Num;
}

/**
 * Shifts an unsigned number (whose sign bit is the constant 0) to the left until the bit below the sign is 1.
 * A 0 stays 0 and is shifted as far as is possible, to the next power of two less 1.
 */
export function normalise(gates: Gates, a: Num): Normalised {
  const both = template(gates, 'normalise', [a], (inner, [x]) => normalised(inner, x));
  return { value: both.slice(0, a.length), places: both.slice(a.length) };
}

/** The value's bits, then those of the places. */
function normalised(gates: Gates, a: Num): Wires[] {
  const zero = gates.constant(lanesOf(a), 0);
  const { digits, places } = shiftedUp(gates, a.slice(0, -1), zero, 1);
  return [...digits, zero, ...places, zero];
}

/**
 * Shifts digits to the left by multiples of `step` places (a power of two) until one of the `step` highest is
 * 1, a 0 as far as is possible. `places` are in units of `step`, lowest bit first, without a sign.
 */
export function shiftedUp(
  gates: Gates,
  unshifted: Num,
  zero: Wires,
  step: number,
): { readonly digits: Num; readonly places: Wires[] } {
  let digits = unshifted;
  const places: Wires[] = [];
  const furthest = 2 ** Math.floor(Math.log2(Math.max(1, digits.length - 1)));
  for (let distance = furthest; distance >= step; distance /= 2) {
    const top = digits.slice(-distance);
    const empty = all(
      gates,
      top.map((bit) => gates.not(bit)),
    );
    const moved = digits.map((_, i) => digits[i - distance] ?? zero);
    digits = select(gates, empty, moved, digits);
    places.unshift(empty);
  }
  return { digits, places };
}

/**
 * Returns for each bit of an unsigned number whether it or a higher one is 1; a gate per bit. The OR of these
 * over many numbers says how far all of them can be shifted to the left.
 */
export function occupied(gates: Gates, a: Num): Num {
  return gates.scope(() => {
    const digits = a.slice(0, -1);
    let empty = gates.constant(lanesOf(a), 1);
    const marks: Wires[] = [];
    for (const bit of digits.toReversed()) {
      empty = gates.and(empty, gates.not(bit));
      marks.unshift(gates.not(empty));
    }
    return [...marks, gates.constant(lanesOf(a), 0)];
  });
}
