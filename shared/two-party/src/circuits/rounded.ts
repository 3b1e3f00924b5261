/**
 * Sums of products of fixed-point numbers, rounded, without the columns of single-bit products that hardly matter (Schulte and
 * Swartzlander, "Truncated Multiplication with Correction Constant", 1993). A third fewer gates than exact products of the same lengths.
 *
 * All bits of a row of products are one vector, so that a row of full adders is a handful of operations however few the
 * lanes: with few of them the price of an operation rules, not that of a gate. In many lanes rows are added one after the other in
 * carry-save form; each reaches one column higher than the last, so that half adders hardly occur. In few lanes they form a tree.
 */
import type { Gates } from '../garbling/gates.ts';
import { template } from '../garbling/recorder.ts';
import type { Wires } from '../garbling/wires.ts';
import { addModulo } from './add.ts';
import { concatLanes, constantNumber, lanesOf, type Num, sliceLanes } from './number.ts';
import { type Plan, type Round, scheduleOf } from './schedule.ts';
import { barred } from './signs.ts';

export interface RoundedPart {
  /** The result is in units of 2^shift. */
  readonly shift: number;
  readonly bits: number;
  /** To be added: in units of the result. */
  readonly plus?: Num;
}

/** Lanes taken together. Measured for 128 lanes against exact products: 8 at a time take 1.6 times as long, 16 1.3 times, 64 two thirds. */
const CHUNK_LANES = 64;
/** Up to so many lanes rows are added as a tree: a few more gates in far fewer batches. */
const TREE_LANES = 16;

/**
 * plus + Σ a b / 2^shift over all pairs, modulo 2^bits, rounded: off by at most 1/2 + (pairs · (c + 1) + 1) / 2^(ROUNDING_GUARD + 1) units, where c = shift + 1 - ROUNDING_GUARD
 * columns are left out (1/2 where none), and by nothing where every product has a factor 0 and that is less than 1. All a have one length, and so have all b.
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
  const { low, plans, loose, order, rounds, final } = scheduleOf(shape, lanes <= TREE_LANES);
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
  for (const round of rounds) current = gates.scope(() => addRows(gates, current, round, lanes));
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

/** The rows after a round; all of its gates are one batch. */
function addRows(
  gates: Gates,
  rows: readonly Wires[],
  { adders, others, order }: Round,
  lanes: number,
): Wires[] {
  const left: Wires[] = [];
  const right: Wires[] = [];
  const prepared = adders.map(({ rows: three, froms, segments }) =>
    segments.map(({ from, to, present, adds, carrying }) => {
      const parts = present.map((k) =>
        gates.slice(rows[three[k]!]!, (from - froms[k]!) * lanes, (to - froms[k]!) * lanes),
      );
      const [a, b, c] = parts;
      if (!adds) return { sum: a ?? gates.constant((to - from) * lanes, 0), carry: b, from };
      const [x, y] = c === undefined ? [a!, b!] : [gates.xor(a!, c), gates.xor(b!, c)];
      left.push(gates.slice(x, 0, carrying * lanes));
      right.push(gates.slice(y, 0, carrying * lanes));
      // The carry of a full adder is the product of x and y, and c; that of a half adder the product.
      const rest = c && gates.slice(c, 0, carrying * lanes);
      return { sum: gates.xor(x, b!), index: left.length - 1, rest, from: from + 1 };
    }),
  );
  const products = gates.andEach(left, right);
  const results = prepared.flatMap((segments) => {
    const carries: Wires[] = [];
    let at: number | undefined;
    for (const { carry, index, rest, from } of segments) {
      const product = index === undefined ? carry : products[index]!;
      const wires = rest === undefined ? product : gates.xor(product!, rest);
      if (wires === undefined || wires.lanes === 0) continue;
      // No carry comes out of columns with one bit or none.
      if (at !== undefined) carries.push(gates.constant((from - at) * lanes, 0));
      carries.push(wires);
      at = from + wires.lanes / lanes;
    }
    return [gates.concat(segments.map(({ sum }) => sum)), gates.concat(carries)];
  });
  const after = [...results, ...others.map((k) => rows[k]!)];
  return order.map((k) => after[k]!);
}
