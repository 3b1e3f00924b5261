/**
 * Products and squares, exact to the last bit: sums of exclusive ors of single bits (signs.ts), in columns.
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import { sumOfRows, type Term } from './columns.ts';
import { lanesOf, type Num, resize, shiftRight } from './number.ts';
import { barred, doubledProduct, offsetOf, squareOffset } from './signs.ts';

/** The part of a full product that is wanted: the floor of a * b / 2^shift, modulo 2^bits. */
export interface Part {
  readonly shift?: number;
  readonly bits?: number;
}

/** a * b, truncated exactly as `part` says; by default the full product, as long as both factors together. */
export function multiply(gates: Gates, a: Num, b: Num, { shift = 0, bits }: Part = {}): Num {
  const length = bits ?? a.length + b.length - shift;
  const wanted = Math.min(a.length + b.length, shift + length);
  const whole = template(gates, `multiply ${wanted}`, [a, b], (inner, [x, y]) =>
    product(inner, x, y, wanted),
  );
  return resize(shiftRight(whole, shift), length);
}

/** a * a, for about half the gates. */
export function square(gates: Gates, a: Num, { shift = 0, bits }: Part = {}): Num {
  const length = bits ?? 2 * a.length - shift;
  const wanted = Math.min(2 * a.length, shift + length);
  const whole = template(gates, `square ${wanted}`, [a], (inner, [x]) => squared(inner, x, wanted));
  return resize(shiftRight(whole, shift), length);
}

/** a * b modulo 2^bits. */
function product(gates: Gates, a: Num, b: Num, bits: number): Num {
  const rows = doubledProduct(gates, a, b);
  return shiftRight(sumOfRows(gates, rows, bits + 1, lanesOf(a), offsetOf(a.length, b.length)), 1);
}

function squared(gates: Gates, a: Num, bits: number): Num {
  const own = barred(gates, a);
  const rows = own.map((x, i): Term[] => {
    const inverted = gates.not(x);
    const pairs = own.slice(i + 1).map((y, k): Term => ({ a: y, b: inverted, column: 2 * i + 1 + k }));
    return [{ a: x, column: i }, ...pairs];
  });
  return sumOfRows(gates, rows, bits, lanesOf(a), squareOffset(a.length));
}
