/**
 * Sums of many bits, in carry-save form (Wallace, "A Suggestion for a Fast Multiplier", 1964). Every full
 * adder takes three bits of one weight and leaves one of it and one of the next, for one AND gate, and half
 * adders occur only in the last, carry-propagating sum, so no order of summing takes fewer gates. All adders
 * of one round are one batch.
 *
 * Products of numbers without an AND gate for products of bits. Read as a sign, 2b − 1, a bit multiplies
 * another by being equal to it, and exclusive ors are free. So only the adders cost gates: half of what
 * products of bits with the same adders take. It is twice the product that is a sum of such bits. With ā the
 * bits of a (n of them, two's complement), all except the highest inverted, as unsigned numbers, and b̄ (m
 * bits) alike:
 *
 *     2ab = Σ 2^(i+j) ¬(ā_i ⊕ b̄_j) + ā + b̄ + 1 − 2^(n+m−1)
 *     a²  = Σ_(i<j) 2^(i+j) ¬(ā_i ⊕ ā_j) + ā + ((4^n − 1)/3 + 1)/2 − 4^(n−1)
 *
 * For a = Σ w_i a_i with weights w_i = ±2^i, the highest negative, has Σ w_i (2a_i − 1) = 2a + 1, and (2a +
 * 1)(2b + 1) = Σ w_i v_j (2 (a_i = b_j) − 1), where the sum of all w_i v_j is 1. Of a square the products of
 * a sign with itself are 1, and all others come twice.
 *
 * Products and squares are exact to the last bit, as sums of exclusive ors of single bits in columns. Truncated
 * products go without the columns that only carry into what is wanted: two thirds of the gates, an error of one unit.
 */
import type { Gates, Triple } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { add, addModulo } from './add.ts';
import { concatLanes, lanesOf, type Num, resize, shiftRight, sliceLanes } from './number.ts';

/** A bit, or the exclusive or of two, times 2^column or -2^column. */
export interface Term {
  readonly a: Wires;
  readonly b?: Wires;
  readonly column: number;
  readonly negative?: boolean;
}

/**
 * Gates that make a batch efficient: rows of terms are taken together until they have as many. More only
 * takes memory.
 */
const ROUND_GATES = 2048;

/** The sum of all terms in all rows, and a public constant, modulo 2^bits. */
export function sumOfRows(
  gates: Gates,
  rows: readonly (readonly Term[])[],
  bits: number,
  lanes: number,
  constant = 0n,
): Num {
  // -x = (1 - x) - 1, so negative terms are inverted ones and a public constant.
  let offset = constant;
  const kept = rows.map((row) => row.filter(({ column }) => column < bits));
  for (const { column, negative } of kept.flat()) if (negative) offset -= 1n << BigInt(column);

  let columns: Wires[][] = Array.from({ length: bits }, () => []);
  for (let from = 0; from < kept.length; ) {
    let to = from + 1;
    let size = kept[from]!.length;
    while (to < kept.length && size * lanes < ROUND_GATES) {
      size += kept[to]!.length;
      to += 1;
    }
    const group = kept.slice(from, to).flat();
    const before = columns;
    columns = gates.scope(() => {
      const grown = before.map((column) => [...column]);
      for (const { column, bit } of bitsOfTerms(gates, group)) {
        // Constants gather outside of the columns.
        if (bit.constant === undefined) grown[column]!.push(bit);
        else if (bit.constant === 1) offset += 1n << BigInt(column);
      }
      return compress(gates, grown);
    });
    from = to;
  }
  const one = gates.constant(lanes, 1);
  for (const [i, column] of columns.entries()) if (((offset >> BigInt(i)) & 1n) === 1n) column.push(one);
  return gates.scope(() => {
    const zero = gates.constant(lanes, 0);
    const rest = compress(gates, columns);
    const left = rest.map((column) => column[0] ?? zero);
    const right = rest.map((column) => column[1] ?? zero);
    return addModulo(gates, left, right, bits);
  });
}

function bitsOfTerms(gates: Gates, terms: readonly Term[]): { column: number; bit: Wires }[] {
  return terms.map(({ a, b, column, negative }) => {
    const bit = b === undefined ? a : gates.xor(a, b);
    return { column, bit: negative ? gates.not(bit) : bit };
  });
}

/** At most two bits per column, with the same sum modulo 2^columns. */
function compress(gates: Gates, columns: readonly (readonly Wires[])[]): Wires[][] {
  let current = columns.map((column) => [...column]);
  while (current.some((column) => column.length > 2)) {
    const next: Wires[][] = current.map(() => []);
    const adders: { readonly column: number; readonly triple: Triple }[] = [];
    for (const [i, column] of current.entries()) {
      if (i === current.length - 1) {
        // The carry of the highest column is lost anyway.
        if (column.length > 0) next[i]!.push(column.reduce((sum, bit) => gates.xor(sum, bit)));
        continue;
      }
      const whole = column.length - (column.length % 3);
      for (let k = 0; k < whole; k += 3) {
        adders.push({ column: i, triple: [column[k]!, column[k + 1]!, column[k + 2]!] });
      }
      next[i]!.push(...column.slice(whole));
    }
    const added = gates.addEach(adders.map(({ triple }) => triple));
    for (const [k, { column }] of adders.entries()) {
      next[column]!.push(added[k]!.sum);
      next[column + 1]!.push(added[k]!.carry);
    }
    current = next;
  }
  return current;
}

/** ā: all bits but the highest inverted. */
export function barred(gates: Gates, a: Num): Wires[] {
  return a.map((bit, i) => (i + 1 === a.length ? bit : gates.not(bit)));
}

/** The terms of 2ab, except for the offset; a row for each bit of b, and one more. */
export function doubledProduct(gates: Gates, a: Num, b: Num): Term[][] {
  const [first, second] = [barred(gates, a), barred(gates, b)];
  const rows = second.map((y, j) => {
    const inverted = gates.not(y);
    return first.map((x, i): Term => ({ a: x, b: inverted, column: i + j }));
  });
  return [...rows, [first, second].flatMap((bits) => bits.map((bit, i): Term => ({ a: bit, column: i })))];
}

/** Returns the number that twice a product of n and m bits lacks. */
export function offsetOf(n: number, m: number): bigint {
  return 1n - (1n << BigInt(n + m - 1));
}

/** Returns the number that a square of n bits lacks. */
export function squareOffset(n: number): bigint {
  const fourth = 1n << BigInt(2 * n);
  return ((fourth - 1n) / 3n + 1n) / 2n - fourth / 4n;
}

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

/**
 * Adds up lanes: with `groups` results, result g is the sum of the lanes g, g + groups, g + 2 groups and so
 * on. Exact, a bit longer per doubling of the lanes.
 */
export function sumLanes(gates: Gates, a: Num, groups = 1): Num {
  const lanes = lanesOf(a);
  if (lanes === 0 || lanes % groups !== 0) {
    throw new RangeError(`"a" expected a positive multiple of ${groups} lanes, got ${lanes}`);
  }
  return gates.scope(() => {
    let sum = a;
    for (let items = lanes / groups; items > 1; items = Math.ceil(items / 2)) {
      const half = Math.floor(items / 2) * groups;
      const added = add(gates, sliceLanes(gates, sum, 0, half), sliceLanes(gates, sum, half, 2 * half));
      // With an odd number of items, one is left over.
      sum =
        items % 2 === 0 ? added : concatLanes(gates, [added, sliceLanes(gates, sum, 2 * half, lanesOf(sum))]);
    }
    return sum;
  });
}

/** Dot products of vectors that lie across lanes as in `sumLanes`. Only the sum is truncated. */
export function dot(
  gates: Gates,
  a: Num,
  b: Num,
  { groups = 1, shift = 0, bits }: Part & { readonly groups?: number } = {},
): Num {
  return gates.scope(() => {
    const products = a === b ? square(gates, a) : multiply(gates, a, b);
    const sum = shiftRight(sumLanes(gates, products, groups), shift);
    return resize(sum, bits ?? sum.length);
  });
}
