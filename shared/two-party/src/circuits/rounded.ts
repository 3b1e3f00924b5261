/**
 * Sums of products of fixed-point numbers, rounded, without the columns of single-bit products that hardly
 * matter (Schulte and Swartzlander, "Truncated Multiplication with Correction Constant", 1993). A third fewer
 * gates than exact products of the same lengths.
 *
 * All bits of a row of products are one vector, so that a row of full adders is a handful of operations
 * however few the lanes: with few of them the price of an operation rules, not that of a gate. In many lanes
 * rows are added one after the other in carry-save form; each reaches one column higher than the last, so
 * that half adders hardly occur. In few lanes they form a tree.
 */
import type { Added, Gates, Triple } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { addModulo } from './add.ts';
import { barred } from './multiply.ts';
import { concatLanes, constantNumber, lanesOf, type Num, sliceLanes } from './number.ts';
import { type Plan, type Round, scheduleOf } from './schedule.ts';

export interface RoundedPart {
  /** The result is in units of 2^shift. */
  readonly shift: number;
  readonly bits: number;
  /** To be added: in units of the result. */
  readonly plus?: Num;
}

/**
 * Lanes taken together. Measured for 128 lanes against exact products: 8 at a time take 1.6 times as long, 16
 * 1.3 times, 64 two thirds.
 */
const CHUNK_LANES = 64;
/** Up to this number of lanes, rows are added as a tree: a few more gates in far fewer batches. */
const TREE_LANES = 16;

/**
 * plus + Σ a b / 2^shift over all pairs, modulo 2^bits, rounded: off by at most 1/2 + (pairs · (c + 1) + 1) /
 * 2^(ROUNDING_GUARD + 1) units, where c = shift + 1 - ROUNDING_GUARD columns are left out (1/2 where none),
 * and by nothing where every product has a factor 0 and that is less than 1. All a have one length, and so
 * have all b.
 */
export function sumOfProducts(
  gates: Gates,
  pairs: readonly (readonly [Num, Num])[],
  { shift, bits, plus }: RoundedPart,
): Num {
  const lanes = lanesOf(pairs[0]![0]);
  if (lanes === 0) return constantNumber(gates, 0n, bits, 0);
  const parts: Num[] = [];
  for (let from = 0; from < lanes; from += CHUNK_LANES) {
    const cut = (a: Num): Num => sliceLanes(gates, a, from, Math.min(lanes, from + CHUNK_LANES));
    const few = pairs.map(([a, b]) => [cut(a), cut(b)] as const);
    const last = plus === undefined ? [] : [cut(plus)];
    parts.push(
      template(
        gates,
        `rounded ${shift} ${bits} ${last.length}`,
        [...few.flat(), ...last],
        (inner, inputs) => {
          const pairsOf = few.map((_, k) => [inputs[2 * k]!, inputs[2 * k + 1]!] as const);
          return sumInChunk(inner, pairsOf, shift, bits, inputs[2 * few.length]);
        },
      ),
    );
  }
  return parts.length === 1 ? parts[0]! : concatLanes(gates, parts);
}

function sumInChunk(
  gates: Gates,
  pairs: readonly (readonly [Num, Num])[],
  shift: number,
  bits: number,
  plus: Num | undefined,
): Num {
  const [a, b] = pairs[0]!;
  const lanes = lanesOf(a);
  const shape = [pairs.length, a.length, b.length, shift, bits, plus?.length ?? 0] as const;
  const tree = lanes <= TREE_LANES;
  const { low, plans, loose, order, rounds, final } = scheduleOf(shape, tree);
  const rows = [
    ...Array.from({ length: loose }, () => gates.constant(lanes, 1)),
    ...pairs.flatMap((pair, k) => productRows(gates, plans[k]!, pair, lanes)),
  ];
  if (plus !== undefined) {
    const digits = plus.slice(0, bits);
    if (plus.length < bits) digits.push(gates.not(digits.pop()!));
    rows.push(gates.concat(digits));
  }
  const length = shift + 1 + bits - low;
  let current = order.map((k) => rows[k]!);
  // Row after row, sums and carries of a round take the place of those before the last.
  const spaces = tree ? [] : Array.from({ length: 4 }, () => gates.blank(length * lanes));
  for (const [k, round] of rounds.entries()) {
    let used = 2 * (k % 2);
    const roomFor = (columns: number): Wires => {
      const space = spaces[used];
      used += 1;
      return space ? gates.slice(space, 0, columns * lanes) : gates.blank(columns * lanes);
    };
    current = gates.scope(() => addRows(gates, current, round, lanes, roomFor));
  }
  const number = (k: number): Num => {
    const { from, to } = final[k]!;
    const zero = gates.constant(lanes, 0);
    return Array.from({ length }, (_, i) => {
      const at = (low + i - from) * lanes;
      return low + i >= from && low + i < to ? gates.slice(current[k]!, at, at + lanes) : zero;
    });
  };
  return addModulo(gates, number(0), number(1), length).slice(shift + 1 - low);
}

function productRows(
  gates: Gates,
  plans: readonly Plan[],
  pair: readonly [Num, Num],
  lanes: number,
): Wires[] {
  const factors = pair.map((a) => barred(gates, a));
  const whole = factors.map((bits) => gates.concat(bits));
  const inverted = factors[1]!.map((bit) => gates.not(bit));
  const one = gates.constant(lanes, 1);
  return plans.map(({ from, to, factor, first, crossed, below, above }) => {
    const bits = gates.slice(whole[factor]!, first * lanes, (first + to - from) * lanes);
    const row = crossed === undefined ? bits : gates.xorEach(bits, inverted[crossed]!);
    return gates.concat([...(below ? [one] : []), row, ...(above ? [one] : [])]);
  });
}

/** The rows after a round, each in a room of its own; all of its gates are one batch. */
function addRows(
  gates: Gates,
  rows: readonly Wires[],
  { adders, others, order }: Round,
  lanes: number,
  roomFor: (columns: number) => Wires,
): Wires[] {
  const triples: Triple[] = [];
  const targets: Added[] = [];
  const results = adders.flatMap((adder) => {
    const rooms = adder.results.map(({ from, to }) => roomFor(to - from));
    const [sumAt, carryAt] = adder.results.map(
      ({ from: first }, k) =>
        (from: number, to: number) =>
          gates.slice(rooms[k]!, (from - first) * lanes, (to - first) * lanes),
    ) as [Place, Place];
    let carried = adder.results[1].from; // the columns of carries before it are written
    const carry = (from: number, to: number): Wires => {
      // No carry comes out of columns with one bit or none.
      if (from > carried) gates.place(carryAt(carried, from), gates.constant((from - carried) * lanes, 0));
      carried = to;
      return carryAt(from, to);
    };
    for (const { from, to, present, adds, carrying } of adder.segments) {
      const part = (k: number, start: number, stop: number): Wires => {
        const first = adder.froms[k]!;
        return gates.slice(rows[adder.rows[k]!]!, (start - first) * lanes, (stop - first) * lanes);
      };
      const middle = from + carrying;
      if (!adds) {
        const [a, b] = present.map((k) => part(k, from, to));
        gates.place(sumAt(from, to), a ?? gates.constant((to - from) * lanes, 0));
        if (b !== undefined) gates.place(carry(from, to), b);
        continue;
      }
      if (carrying > 0) {
        const [a, b, c] = present.map((k) => part(k, from, middle));
        triples.push([a!, b!, c ?? gates.constant(carrying * lanes, 0)]);
        targets.push({ sum: sumAt(from, middle), carry: carry(from + 1, middle + 1) });
      }
      if (middle < to) {
        const bits = present.map((k) => part(k, middle, to));
        gates.place(
          sumAt(middle, to),
          bits.reduce((sum, bit) => gates.xor(sum, bit)),
        );
      }
    }
    return rooms;
  });
  gates.addEach(triples, targets);
  const after = [...results, ...others.map((k) => rows[k]!)];
  return order.map((k) => after[k]!);
}

type Place = (from: number, to: number) => Wires;
