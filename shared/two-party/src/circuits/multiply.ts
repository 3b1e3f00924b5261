/**
 * Products and squares, exact to the last bit: products of single bits in columns (Baugh and Wooley, "A Two's Complement Parallel Array
 * Multiplication Algorithm", 1973, for the signs), and Karatsuba's method where its three half-sized products take fewer gates.
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import { KARATSUBA_LANES } from '../garbling/template.ts';
import { add } from './add.ts';
import { sumOfRows, type Term } from './columns.ts';
import { lanesOf, type Num, resize, shiftRight, unsigned } from './number.ts';

/** What of a full product is wanted: the floor of a * b / 2^shift, modulo 2^bits. */
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

/**
 * a * b modulo 2^bits, by the faster method: from so many lanes on fewer gates are worth Karatsuba's many small batches. Measured for 40
 * bits: in 16 lanes 1.4 times slower than the school method, in 50 lanes level with a fifth less to send, in 256 lanes 1.2 times faster.
 */
function product(gates: Gates, a: Num, b: Num, bits: number): Num {
  const splits = lanesOf(a) >= KARATSUBA_LANES && prefersKaratsuba(a.length, b.length, bits);
  return splits ? karatsuba(gates, a, b, bits) : school(gates, a, b, bits);
}

/**
 * Found by counting: from 19 bits on, for factors of like lengths, when most of the product is wanted. The school method
 * leaves out the columns that are not, Karatsuba's needs them.
 */
function prefersKaratsuba(a: number, b: number, bits: number): boolean {
  const shorter = Math.min(a, b);
  const unwanted = a + b - bits;
  return shorter >= 19 && Math.abs(a - b) <= shorter - 18 && unwanted <= 1.2 * (shorter - 16);
}

export function school(gates: Gates, a: Num, b: Num, bits: number): Num {
  const rows = b.map((y, j) =>
    a.map(
      (x, i): Term => ({
        a: x,
        b: y,
        column: i + j,
        negative: (i === a.length - 1) !== (j === b.length - 1),
      }),
    ),
  );
  return sumOfRows(gates, rows, bits, lanesOf(a));
}

/**
 * With a = a1 2^h + a0 and b alike: a b = z0 + ((a0 + a1)(b0 + b1) - z0 - z2) 2^h + z2 2^2h, where z0 = a0 b0, z2 = a1 b1.
 */
export function karatsuba(gates: Gates, a: Num, b: Num, bits: number): Num {
  const half = Math.max(a.length, b.length) >> 1;
  return gates.scope(() => {
    const [a0, b0] = [a, b].map((x) =>
      unsigned(gates, [...x.slice(0, half), gates.constant(lanesOf(x), 0)]),
    ) as [Num, Num];
    const [a1, b1] = [a.slice(half), b.slice(half)];
    const low = product(gates, a0, b0, 2 * half);
    const high = product(gates, a1, b1, Math.min(a1.length + b1.length, bits - half));
    const middle = gates.scope(() => {
      const [x, y] = [add(gates, a0, a1), add(gates, b0, b1)];
      return product(gates, x, y, Math.min(x.length + y.length, bits - half));
    });
    return sumOfRows(
      gates,
      [
        [...termsOf(low, 0, false, false), ...termsOf(high, 2 * half, false, true)],
        termsOf(middle, half, false, true),
        termsOf(low, half, true, false),
        termsOf(high, half, true, true),
      ],
      bits,
      lanesOf(a),
    );
  });
}

/** A number, or its negative, times 2^column. The highest bit counts negatively in a signed one. */
function termsOf(a: Num, column: number, negative: boolean, signed: boolean): Term[] {
  return a.map((bit, i) => ({
    a: bit,
    column: column + i,
    negative: negative !== (signed && i === a.length - 1),
  }));
}

function squared(gates: Gates, a: Num, bits: number): Num {
  const top = a.length - 1;
  const rows = a.map((x, i): Term[] => [
    { a: x, column: 2 * i },
    ...a.slice(i + 1).map((y, k): Term => {
      const j = i + 1 + k;
      return { a: x, b: y, column: i + j + 1, negative: j === top };
    }),
  ]);
  return sumOfRows(gates, rows, bits, lanesOf(a));
}
