/**
 * Sums of products of fixed-point numbers, rounded, without the columns of single-bit products that hardly matter (Schulte and
 * Swartzlander, "Truncated Multiplication with Correction Constant", 1993). A third fewer gates than exact products of the same lengths.
 *
 * All bits of a row of products are one vector, so that a row of full adders is a handful of operations however few the
 * lanes: with few of them the price of an operation rules, not that of a gate. Rows are added one after the other in
 * carry-save form; each reaches one column higher than the last, so that half adders hardly occur.
 */
import type { Gates } from '../garbling/gates.ts';
import type { Wires } from '../garbling/wires.ts';
import { addModulo } from './add.ts';
import { concatLanes, lanesOf, type Num, sliceLanes } from './number.ts';

export interface RoundedPart {
  /** The result is in units of 2^shift; at least GUARD. */
  readonly shift: number;
  readonly bits: number;
  /** To be added: in units of the result. */
  readonly plus?: Num;
}

/** Columns below the result's lowest that are computed. */
export const GUARD = 6;
/** Lanes taken together: their tables and rows stay in the processor's cache. Measured: 16 are slower by 40 %, 128 by 10 %. */
const CHUNK_LANES = 64;

/** Bits of consecutive columns, lowest first, all lanes of one after all of the other. */
interface Row {
  readonly from: number;
  readonly wires: Wires;
}

/** A row before its bits are computed: the columns from `from`, products of bits i of a and j of b. */
interface Plan {
  readonly from: number;
  readonly terms: readonly (readonly [i: number, j: number])[];
  /** The row counts negatively: its complement is added, and the offset makes up for it. */
  readonly negative: boolean;
  /** Constant ones in the columns next to it. */
  below: boolean;
  above: boolean;
}

/**
 * plus + Σ a b / 2^shift over all pairs, modulo 2^bits, rounded: off by at most 1/2 + 3/4 · pairs · c / 2^GUARD units, where c = shift - GUARD
 * columns are left out, and by nothing where every product has a factor 0. All a have one length, and so have all b.
 */
export function sumOfProducts(
  gates: Gates,
  pairs: readonly (readonly [Num, Num])[],
  { shift, bits, plus }: RoundedPart,
): Num {
  const lanes = lanesOf(pairs[0]![0]);
  const parts: Num[] = [];
  for (let from = 0; from < lanes; from += CHUNK_LANES) {
    const cut = (a: Num): Num => sliceLanes(gates, a, from, Math.min(lanes, from + CHUNK_LANES));
    const few = pairs.map(([a, b]) => [cut(a), cut(b)] as const);
    parts.push(gates.scope(() => sumInChunk(gates, few, shift, bits, plus && cut(plus))));
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
  const { low, plans, loose } = planned(pairs.length, a.length, b.length, shift, bits, plus?.length);
  const end = shift + bits;
  const rows: Row[] = loose.map((from) => ({ from, wires: gates.constant(lanes, 1) }));
  for (const [k, pair] of pairs.entries()) rows.push(...productRows(gates, plans[k]!, pair, lanes));
  if (plus !== undefined) {
    const digits = plus.slice(0, bits);
    if (plus.length < bits) digits.push(gates.not(digits.pop()!));
    rows.push({ from: shift, wires: gates.concat(digits) });
  }
  const top = ({ from, wires }: Row): number => from + wires.lanes / lanes;
  rows.sort((x, y) => top(x) - top(y) || x.from - y.from);
  let [sum, carries]: readonly [Row, Row] = [rows[0]!, rows[1]!];
  for (const row of rows.slice(2)) {
    const [x, y] = [sum, carries];
    [sum, carries] = gates.scope(() => addRow(gates, x, y, row, lanes, end));
  }
  const zero = gates.constant(lanes, 0);
  const number = (row: Row): Num =>
    Array.from({ length: end - low }, (_, i) => bitAt(gates, row, low + i, lanes) ?? zero);
  return addModulo(gates, number(sum), number(carries), end - low).slice(shift - low);
}

interface Schedule {
  readonly low: number;
  /** The rows of each pair. */
  readonly plans: readonly (readonly Plan[])[];
  /** Columns of constant ones for which there was no place next to a row. */
  readonly loose: readonly number[];
}

/** One for every shape; a program has a dozen. */
const SCHEDULES = new Map<string, Schedule>();

function planned(
  pairs: number,
  n: number,
  m: number,
  shift: number,
  bits: number,
  plusBits: number | undefined,
): Schedule {
  const shape = [pairs, n, m, shift, bits, plusBits].join();
  const known = SCHEDULES.get(shape);
  if (known !== undefined) return known;
  const low = Math.max(0, shift - GUARD);
  const end = shift + bits;
  const plans = Array.from({ length: pairs }, () => planProduct(n, m, low, end));
  const all = plans.flat();
  // One half for rounding, and the mean of what is left out: a quarter of all its weights.
  let offset = (1n << BigInt(shift)) >> 1n;
  offset += (BigInt(pairs) * leftOut(n, m, low)) >> 2n;
  // -x = (1 - x) - 1, bit by bit.
  for (const { negative, from, terms } of all) {
    if (negative) offset -= ((1n << BigInt(terms.length)) - 1n) << BigInt(from);
  }
  if (plusBits !== undefined && plusBits < bits) offset -= 1n << BigInt(shift + plusBits - 1);
  const ones = Array.from({ length: end - low }, (_, i) => low + i).filter(
    (column) => ((offset >> BigInt(column)) & 1n) === 1n,
  );
  const schedule = { low, plans, loose: ones.filter((column) => !attach(all, column)) };
  SCHEDULES.set(shape, schedule);
  return schedule;
}

/** The rows of a product from column `low` on and below `end`: rising, then those of both signs (Baugh and Wooley, 1973). */
function planProduct(n: number, m: number, low: number, end: number): Plan[] {
  const plans: Plan[] = [];
  const add = (count: number, term: (k: number) => readonly [number, number], negative: boolean): void => {
    const kept = Array.from({ length: count }, (_, k) => term(k)).filter(
      ([i, j]) => i + j >= low && i + j < end,
    );
    const [first] = kept;
    if (first !== undefined) {
      plans.push({ from: first[0] + first[1], terms: kept, negative, below: false, above: false });
    }
  };
  for (let j = 0; j < m - 1; j += 1) add(n - 1, (i) => [i, j], false);
  add(m - 1, (j) => [n - 1, j], true);
  add(n - 1, (i) => [i, m - 1], true);
  add(1, () => [n - 1, m - 1], false);
  return plans;
}

/** The sum of the weights of all terms below a column. */
function leftOut(n: number, m: number, low: number): bigint {
  let sum = 0n;
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < m && i + j < low; j += 1) {
      const weight = 1n << BigInt(i + j);
      sum += (i === n - 1) === (j === m - 1) ? weight : -weight;
    }
  }
  return sum;
}

/** Puts a constant one next to a row that ends or begins there, where it makes no row of its own necessary. */
function attach(plans: readonly Plan[], column: number): boolean {
  const after = plans.find(({ from, terms, above }) => !above && from + terms.length === column);
  if (after !== undefined) {
    after.above = true;
    return true;
  }
  const before = plans.find(({ from, below }) => !below && from === column + 1);
  if (before === undefined) return false;
  before.below = true;
  return true;
}

function productRows(
  gates: Gates,
  plans: readonly Plan[],
  [a, b]: readonly [Num, Num],
  lanes: number,
): Row[] {
  const terms = plans.flatMap((plan) => plan.terms);
  const spread = (bit: (term: readonly [number, number]) => number): Uint32Array => {
    const indices = new Uint32Array(terms.length * lanes);
    let at = 0;
    for (const term of terms) {
      const first = bit(term) * lanes;
      for (let lane = 0; lane < lanes; lane += 1) {
        indices[at] = first + lane;
        at += 1;
      }
    }
    return indices;
  };
  const products = gates.scope(() =>
    gates.and(
      gates.gather(
        gates.concat(a),
        spread(([i]) => i),
      ),
      gates.gather(
        gates.concat(b),
        spread(([, j]) => j),
      ),
    ),
  );
  const one = gates.constant(lanes, 1);
  let offset = 0;
  return plans.map(({ from, terms: own, negative, below, above }) => {
    const bits = gates.slice(products, offset, offset + own.length * lanes);
    offset += bits.lanes;
    const signed = negative ? gates.not(bits) : bits;
    return {
      from: below ? from - 1 : from,
      wires: gates.concat([...(below ? [one] : []), signed, ...(above ? [one] : [])]),
    };
  });
}

/** Two rows with the sum of three, modulo 2^end. */
function addRow(gates: Gates, x: Row, y: Row, z: Row, lanes: number, end: number): [Row, Row] {
  const rows = [x, y, z];
  const ends = rows.flatMap(({ from, wires }) => [from, from + wires.lanes / lanes]);
  const borders = [...new Set(ends)].sort((p, q) => p - q);
  const sums: Wires[] = [];
  const carries: Row[] = [];
  // Whether the segment before carries into this one.
  let carried = false;
  for (const [k, from] of borders.slice(0, -1).entries()) {
    const to = borders[k + 1]!;
    const parts = rows
      .filter((row) => row.from <= from && to <= row.from + row.wires.lanes / lanes)
      .map((row) => gates.slice(row.wires, (from - row.from) * lanes, (to - row.from) * lanes));
    const [a, b, c] = parts;
    const carrying = (to < end ? to : to - 1) - from;
    const kept = (wires: Wires): Wires => gates.slice(wires, 0, carrying * lanes);
    if (a === undefined) {
      sums.push(gates.constant((to - from) * lanes, 0));
      carried = false;
    } else if (b === undefined) {
      sums.push(a);
      carried = false;
    } else if (c !== undefined) {
      const [left, right] = [gates.xor(a, c), gates.xor(b, c)];
      sums.push(gates.xor(left, b));
      carries.push({ from: from + 1, wires: gates.xor(gates.and(kept(left), kept(right)), kept(c)) });
      carried = true;
    } else if (carried) {
      sums.push(gates.xor(a, b));
      carries.push({ from: from + 1, wires: gates.and(kept(a), kept(b)) });
    } else {
      sums.push(a);
      carries.push({ from, wires: b });
    }
  }
  return [{ from: borders[0]!, wires: gates.concat(sums) }, joined(gates, carries, lanes)];
}

/** Rows without common columns as one, with zeros between them. */
function joined(gates: Gates, rows: readonly Row[], lanes: number): Row {
  const filled = rows.filter(({ wires }) => wires.lanes > 0);
  const from = filled[0]?.from ?? 0;
  const parts: Wires[] = [];
  let at = from;
  for (const row of filled) {
    parts.push(gates.constant((row.from - at) * lanes, 0), row.wires);
    at = row.from + row.wires.lanes / lanes;
  }
  return { from, wires: gates.concat(parts) };
}

function bitAt(gates: Gates, { from, wires }: Row, column: number, lanes: number): Wires | undefined {
  const at = (column - from) * lanes;
  return at >= 0 && at < wires.lanes ? gates.slice(wires, at, at + lanes) : undefined;
}
