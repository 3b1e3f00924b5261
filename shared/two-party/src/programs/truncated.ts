/** Fixed-point products without the columns that only carry into what is wanted: two thirds of the gates, an error of one unit. */
import { sumOfRows, type Term } from '../circuits/columns.ts';
import { lanesOf, type Num, resize, shiftRight } from '../circuits/index.ts';
import { type Gates, template } from '../garbling/index.ts';

/**
 * a b / 2^shift modulo 2^bits. What is left out of each row is below 2^-guard of a unit of the result, and there are fewer than 2^(guard - 1) rows,
 * so the result is the floor of the exact one or 1 less, and 0 where a factor is 0.
 */
export function multiplyTruncated(gates: Gates, a: Num, b: Num, shift: number, bits: number): Num {
  return template(gates, `truncated product ${shift} ${bits}`, [a, b], (inner, [x, y]) => {
    const { rows, cut } = productRows(x, y, shift, false);
    const wanted = Math.min(x.length + y.length - cut, shift - cut + bits);
    return resize(shiftRight(sumOfRows(inner, rows, wanted, lanesOf(x)), shift - cut), bits);
  });
}

/** from - a b / 2^shift modulo 2^bits, in one sum: the floor of the exact one or 1 more, and `from` where a factor is 0. */
export function subtractProduct(gates: Gates, from: Num, a: Num, b: Num, shift: number, bits: number): Num {
  return template(
    gates,
    `less truncated product ${shift} ${bits}`,
    [from, a, b],
    (inner, [minuend, x, y]) => {
      const { rows, cut } = productRows(x, y, shift, true);
      const own = resize(minuend, bits).map((bit, i) => ({ a: bit, column: shift - cut + i }));
      const sum = sumOfRows(inner, [...rows, own], shift - cut + bits, lanesOf(x));
      return resize(shiftRight(sum, shift - cut), bits);
    },
  );
}

/** The terms of a product, or of its negative, from some columns below the result's lowest on. */
function productRows(a: Num, b: Num, shift: number, negated: boolean): { rows: Term[][]; cut: number } {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  const guard = Math.ceil(Math.log2(shorter.length)) + 1;
  const cut = Math.max(0, shift - guard);
  const rows = shorter.map((y, j) =>
    longer
      .map((x, i) => ({
        a: x,
        b: y,
        column: i + j - cut,
        negative: ((i === longer.length - 1) !== (j === shorter.length - 1)) !== negated,
      }))
      .filter(({ column }) => column >= 0),
  );
  return { rows, cut };
}

/** AND gates of such a product per lane, about. */
export function gatesPerProduct(a: number, b: number, shift: number): number {
  const cut = Math.max(0, shift - 7);
  return 2 * a * b - cut * cut;
}
