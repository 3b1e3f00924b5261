/**
 * Reciprocal square roots to about 2^-25, for where an exact last bit does not matter: a table with straight
 * lines between its points, and one step of third order (Ercegovac and Lang, "Digital Arithmetic", 2004,
 * chapter 7). In one lane a third of the gates of the digit-by-digit circuit in divide-and-root.ts, and a sixth of its
 * batches.
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { addModulo } from './add.ts';
import { all, select } from './compare.ts';
import { lanesOf, type Num, resize, shiftLeft, shiftRight } from './number.ts';
import { sumOfProducts } from './rounded.ts';

/** Fraction bits of argument and result. */
export const ROOT_FRACTION = 26;
/** Bits of the argument that choose a line: intervals of 2^-5 from 1/4 to 1. */
const CHOICE = 5;
/** Bits after those that say where on the line. */
const ALONG = 8;
/** Fraction bits of a line's value. */
const SEED_FRACTION = 13;
/** Fraction bits of a line's slope. */
const SLOPE_FRACTION = 11;
/** Bits below the binary point that 1 - t y² leaves empty. */
const SMALL = 8;

/**
 * 1/sqrt(a) for an unsigned number (whose sign bit is the constant 0) from 1/4 on; of argument and result
 * ROOT_FRACTION bits are fraction. The relative error is below 2^-24; the result has ROOT_FRACTION + 3 bits.
 * Below 1/4 the result means nothing.
 *
 * For t in [1/4, 1): a line misses the root by at most h²/16 · 3/4 t^-2 <= 2^-10.4 of it, h = 2^-5, and with
 * rounding by 2^-9.9. So e = 1 - t y² is below 2^-8.8, and the first terms of (1 - e)^-1/2 = 1 + e/2 + 3/8 e² +
 * ... leave 5/16 e³ < 2^-28. What remains is the rounding of t, e, e² and the result, a unit of 2^-26 or less
 * each.
 */
export function inverseSquareRoot(gates: Gates, a: Num): Num {
  return template(gates, 'inverse square root', [a], (inner, [x]) => inverseRootOf(inner, x));
}

function inverseRootOf(gates: Gates, a: Num): Num {
  const lanes = lanesOf(a);
  const { t, quarterings } = toQuarter(gates, a);
  const y = seed(gates, t);
  // t y² is next to 1, so its bits from 2^-SMALL up say only the sign of e.
  const square = sumOfProducts(gates, [[y, y]], { shift: 0, bits: 2 * y.length });
  const minus = square.map((bit) => gates.not(bit));
  const unsignedT = [...t, gates.constant(lanes, 0)];
  // 1 - t y² = t (-y² - unit) + t unit + 1, the latter modulo 1; t units of 2^-26 are nothing.
  const e = sumOfProducts(gates, [[unsignedT, minus]], {
    shift: 2 * SEED_FRACTION,
    bits: ROOT_FRACTION - SMALL + 1,
  });
  const coarse = shiftRight(e, SMALL);
  const squared = sumOfProducts(gates, [[coarse, coarse]], {
    shift: ROOT_FRACTION - 2 * SMALL,
    bits: coarse.length,
  });
  // e/2 + 3/8 e², in units of 2^-(ROOT_FRACTION + 1) and e² in units of 2^-ROOT_FRACTION: e + 3/4 e².
  const three = addModulo(gates, squared, shiftLeft(gates, squared, 1), squared.length + 2);
  const change = addModulo(gates, e, shiftRight(three, 2), e.length + 1);
  const root = sumOfProducts(gates, [[change, y]], {
    shift: SEED_FRACTION + 1,
    bits: ROOT_FRACTION + 3,
    plus: shiftLeft(gates, y, ROOT_FRACTION - SEED_FRACTION),
  });
  return halved(gates, root, quarterings);
}

/** a / 4^k in [1/4, 1), without integer part, and the bits of k, each with its weight. */
function toQuarter(gates: Gates, a: Num) {
  let t = a;
  const quarterings: { readonly places: number; readonly bit: Wires }[] = [];
  const most = Math.ceil((a.length - 1 - ROOT_FRACTION) / 2);
  for (let places = 2 ** Math.floor(Math.log2(Math.max(1, most))); places >= 1; places /= 2) {
    const high = t.slice(ROOT_FRACTION + 2 * (places - 1));
    const bit = gates.not(
      all(
        gates,
        high.map((digit) => gates.not(digit)),
      ),
    );
    t = select(gates, bit, shiftRight(t, 2 * places), t);
    quarterings.push({ places, bit });
  }
  return { t: t.slice(0, ROOT_FRACTION), quarterings };
}

function halved(gates: Gates, root: Num, quarterings: ReturnType<typeof toQuarter>['quarterings']): Num {
  let result = root;
  for (const { places, bit } of quarterings)
    result = select(gates, bit, resize(shiftRight(result, places), result.length), result);
  return result;
}

/** The line's value at t, signed, SEED_FRACTION bits of it fraction. */
function seed(gates: Gates, t: Num): Num {
  const lanes = lanesOf(t);
  // One wire per interval: 1 where t is in it. t is at least 1/4, so the two highest bits are not both 0.
  const [first, second] = [t.at(-1)!, t.at(-2)!];
  const both = gates.and(first, second);
  let intervals = [gates.xor(second, both), gates.xor(first, both), both];
  for (let k = 3; k <= CHOICE; k += 1) {
    const bit = t.at(-k)!;
    const ones = gates.andEach(intervals, new Array<Wires>(intervals.length).fill(bit));
    intervals = intervals.flatMap((wire, i) => [gates.xor(wire, ones[i]!), ones[i]!]);
  }
  const chosen = (bits: number, constant: (line: Line) => number): Num =>
    Array.from({ length: bits }, (_, i) => {
      let sum = gates.constant(lanes, 0);
      for (const [k, line] of LINES.entries()) {
        if ((constant(line) >> i) & 1) sum = gates.xor(sum, intervals[k]!);
      }
      return sum;
    });
  const zero = gates.constant(lanes, 0);
  const value = [...chosen(SEED_FRACTION + 1, (line) => line.value), zero];
  const slope = [...chosen(SLOPE_FRACTION - 2, (line) => line.slope), zero];
  const along = [...t.slice(-CHOICE - ALONG, -CHOICE), zero].map((bit) => gates.not(bit));
  // -z = (1 - z) - 1: the complement of z, without the unit that it is short of.
  return sumOfProducts(gates, [[slope, along]], {
    shift: ALONG + SLOPE_FRACTION - SEED_FRACTION,
    bits: SEED_FRACTION + 2,
    plus: value,
  });
}

interface Line {
  /** At the interval's lower end, in units of 2^-SEED_FRACTION. */
  readonly value: number;
  /** The amount by which it falls over the interval, in units of 2^-SLOPE_FRACTION. */
  readonly slope: number;
}

const LINES: readonly Line[] = Array.from({ length: 24 }, (_, k) => {
  const step = 2 ** -CHOICE;
  const [low, high] = [step * (k + 8), step * (k + 9)].map((t) => 1 / Math.sqrt(t)) as [number, number];
  // The root lies below the chord; half of how far at the middle evens the error out.
  const middle = 1 / Math.sqrt(step * (k + 8.5));
  const raised = ((low + high) / 2 - middle) / 2;
  return {
    value: Math.round((low - raised) * 2 ** SEED_FRACTION),
    slope: Math.round((low - high) * 2 ** SLOPE_FRACTION),
  };
});
