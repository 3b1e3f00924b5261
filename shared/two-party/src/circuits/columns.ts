/**
 * Sums of many bits, in carry-save form (Wallace, "A Suggestion for a Fast Multiplier", 1964). Every full
 * adder takes three bits of one weight and leaves one of it and one of the next, for one AND gate, and half
 * adders occur only in the last, carry-propagating sum, so no order of summing takes fewer gates. All adders
 * of one round are one batch.
 */
import type { Gates, Triple } from '../garbling/gates.ts';
import type { Wires } from '../garbling/wires.ts';
import { addModulo } from './add.ts';
import type { Num } from './number.ts';

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
