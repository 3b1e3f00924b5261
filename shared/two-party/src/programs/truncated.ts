/** Fixed-point products without the columns that only carry into what is wanted: two thirds of the gates, an error of one unit. */
import { sumOfRows, type Term } from '../circuits/columns.ts';
import { concatLanes, lanesOf, type Num, resize, shiftRight } from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { piecesPerStep } from './steps.ts';

/**
 * a b / 2^shift modulo 2^bits. What is left out of each row is below 2^-guard of a unit of the result, and there are fewer than 2^(guard - 1) rows,
 * so the result is the floor of the exact one or 1 less, and 0 where a factor is 0.
 */
export function multiplyTruncated(gates: Gates, a: Num, b: Num, shift: number, bits: number): Num {
  const { rows, cut } = productRows(a, b, shift, false);
  const wanted = Math.min(a.length + b.length - cut, shift - cut + bits);
  return resize(shiftRight(sumOfRows(gates, rows, wanted, lanesOf(a)), shift - cut), bits);
}

/** from - a b / 2^shift modulo 2^bits, in one sum: the floor of the exact one or 1 more, and `from` where a factor is 0. */
export function subtractProduct(gates: Gates, from: Num, a: Num, b: Num, shift: number, bits: number): Num {
  const { rows, cut } = productRows(a, b, shift, true);
  const own = resize(from, bits).map((bit, i) => ({ a: bit, column: shift - cut + i }));
  const sum = sumOfRows(gates, [...rows, own], shift - cut + bits, lanesOf(a));
  return resize(shiftRight(sum, shift - cut), bits);
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

/** Does work on many lanes in steps of a fitting size and puts the results together. */
export async function inPieces(
  session: Session,
  lanes: number,
  gatesPerLane: number,
  work: (gates: Gates, from: number, to: number) => Num,
): Promise<Num> {
  const each = piecesPerStep(gatesPerLane);
  const parts: Num[] = [];
  for (let from = 0; from < lanes; from += each) {
    const to = Math.min(lanes, from + each);
    parts.push(await session.step((gates) => gates.scope(() => work(gates, from, to))));
  }
  return parts.length === 1 ? parts[0]! : session.step((gates) => concatLanes(gates, parts));
}
