/** Fixed-point products without the columns that only carry into what is wanted: two thirds of the gates, an error of one unit. */

import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import { sumOfRows, type Term } from './columns.ts';
import { lanesOf, type Num, resize, shiftRight } from './number.ts';
import { doubledProduct, offsetOf } from './signs.ts';

/**
 * a b / 2^shift modulo 2^bits: the floor of the exact one or 1 more, and 0 where a factor is 0. What is left out of the sum is taken at
 * its largest, which is less than a unit of the result.
 */
export function multiplyTruncated(gates: Gates, a: Num, b: Num, shift: number, bits: number): Num {
  return template(gates, `truncated product ${shift} ${bits}`, [a, b], (inner, [x, y]) => {
    const { rows, offset, cut } = productRows(inner, x, y, shift, false);
    const wanted = Math.min(Math.max(x.length + y.length, shift + 1), shift + bits) + 1 - cut;
    return resize(shiftRight(sumOfRows(inner, rows, wanted, lanesOf(x), offset), shift + 1 - cut), bits);
  });
}

/** from - a b / 2^shift modulo 2^bits, in one sum: the floor of the exact one or 1 more, and `from` where a factor is 0. */
export function subtractProduct(gates: Gates, from: Num, a: Num, b: Num, shift: number, bits: number): Num {
  return template(
    gates,
    `less truncated product ${shift} ${bits}`,
    [from, a, b],
    (inner, [minuend, x, y]) => {
      const { rows, offset, cut } = productRows(inner, x, y, shift, true);
      const unit = shift + 1 - cut;
      const own = resize(minuend, bits).map((bit, i) => ({ a: bit, column: unit + i }));
      return shiftRight(sumOfRows(inner, [...rows, own], unit + bits, lanesOf(x), offset), unit);
    },
  );
}

/**
 * The terms of twice a product, or of its negative, in columns from `cut` on, and what they are short of, rounded up, with
 * what is left out at its largest. Of the rows, three more than the shorter factor has bits, each leaves out less than 2^cut.
 */
function productRows(
  gates: Gates,
  a: Num,
  b: Num,
  shift: number,
  negated: boolean,
): { rows: Term[][]; offset: bigint; cut: number } {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  const cut = Math.max(0, shift + 1 - Math.ceil(Math.log2(shorter.length + 3)));
  const all = doubledProduct(gates, longer, shorter);
  const whole = offsetOf(a.length, b.length);
  let offset = negated ? -whole : whole;
  for (const { column } of all.flat()) {
    if (column < cut && !negated) offset += 1n << BigInt(column);
  }
  const rows = all.map((row) =>
    row
      .filter(({ column }) => column >= cut)
      .map((term) => ({ ...term, column: term.column - cut, negative: negated })),
  );
  return { rows, offset: -(-offset >> BigInt(cut)), cut };
}

/** AND gates of such a product per lane, about. */
export function gatesPerProduct(a: number, b: number, shift: number): number {
  const cut = Math.max(0, shift - 6);
  return a * b - cut ** 2 / 2;
}
