/**
 * Plans the computation of a rounded sum of products from its lengths alone: which bits make which rows,
 * where the constant ones go, and which rows are added to which. See rounded.ts.
 */

import { offsetOf } from './multiply.ts';

/** Columns of twice the sum, below the result's lowest, that are computed. */
export const ROUNDING_GUARD = 6;

/** Columns from `from` up to but not including `to`. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/** A row of bits of a pair's factors, one column after the other: see multiply.ts. */
export interface Plan extends Extent {
  /** The factor that the bits are of, and which of them is the lowest. */
  readonly factor: 0 | 1;
  readonly first: number;
  /** The bit of the other factor that they are crossed with, if they are. */
  readonly crossed: number | undefined;
  /** Constant ones in the columns next to it. */
  below: boolean;
  above: boolean;
}

/** Consecutive columns in which the same of three rows are present. */
interface Segment extends Extent {
  /** The rows, of the three, that are present. */
  readonly present: readonly (0 | 1 | 2)[];
  /** True if columns add up; otherwise one or two bits stay as they are. */
  readonly adds: boolean;
  /** Columns that carry: not the highest of all. */
  readonly carrying: number;
}

/** Two rows with the sum of three. */
interface Adder {
  readonly rows: readonly [number, number, number];
  readonly froms: readonly [number, number, number];
  readonly segments: readonly Segment[];
  /** Sums and carries. */
  readonly results: readonly [Extent, Extent];
}

/**
 * Adders that work at once. Afterwards the rows are their sums and carries in turn and the others, in this
 * order.
 */
export interface Round {
  readonly adders: readonly Adder[];
  readonly others: readonly number[];
  readonly order: readonly number[];
}

interface Schedule {
  /** The lowest column. */
  readonly low: number;
  /** The rows of each pair. */
  readonly plans: readonly (readonly Plan[])[];
  /**
   * The number of rows that are a single constant one: they come first, then the pairs' rows and the addend.
   */
  readonly loose: number;
  readonly order: readonly number[];
  readonly rounds: readonly Round[];
  /** The last two rows. */
  readonly final: readonly [Extent, Extent];
}

/** pairs, bits of a, bits of b, shift, bits of the result, bits of the addend or 0. */
export type Shape = readonly [number, number, number, number, number, number];

/** One for every shape; a program has a dozen. */
const SCHEDULES = new Map<string, Schedule>();

/**
 * As a tree it has few rounds; row after row it has the fewest gates, for each row reaches one column higher
 * than the last.
 */
export function scheduleOf(shape: Shape, tree: boolean): Schedule {
  const key = `${shape.join()},${tree}`;
  const known = SCHEDULES.get(key);
  if (known !== undefined) return known;
  const made = makeSchedule(shape, tree);
  SCHEDULES.set(key, made);
  return made;
}

function makeSchedule([pairs, n, m, shift, bits, plusBits]: Shape, tree: boolean): Schedule {
  const unit = shift + 1; // it is twice the products that are added up
  const low = Math.max(0, unit - ROUNDING_GUARD);
  const end = unit + bits;
  const plans = Array.from({ length: pairs }, () => planProduct(n, m, low, end));
  const all = plans.flat();
  // One half for rounding, also of the offset itself, and the mean of what is left out: half of all its
  // weights.
  let offset = (1n << BigInt(unit - 1)) + ((1n << BigInt(low)) >> 1n);
  offset += BigInt(pairs) * (offsetOf(n, m) + (leftOut(n, m, low) >> 1n));
  if (plusBits > 0 && plusBits < bits) offset -= 1n << BigInt(unit + plusBits - 1);
  const ones = Array.from({ length: end - low }, (_, i) => low + i).filter(
    (column) => ((offset >> BigInt(column)) & 1n) === 1n,
  );
  const loose = ones.filter((column) => !attach(all, column));
  const extents: Extent[] = [
    ...loose.map((from) => ({ from, to: from + 1 })),
    ...all.map(({ from, to, below, above }) => ({
      from: below ? from - 1 : from,
      to: above ? to + 1 : to,
    })),
  ];
  if (plusBits > 0) extents.push({ from: unit, to: Math.min(end, unit + plusBits) });
  const order = rising(extents);
  return {
    low,
    plans,
    loose: loose.length,
    order,
    ...planRounds(
      order.map((k) => extents[k]!),
      end,
      tree,
    ),
  };
}

/** Rows by where they end, and then by where they begin. */
function rising(extents: readonly Extent[]): number[] {
  return [...extents.keys()].sort((x, y) => {
    const [p, q] = [extents[x]!, extents[y]!];
    return p.to - q.to || p.from - q.from;
  });
}

function planRounds(rows: readonly Extent[], end: number, tree: boolean): Pick<Schedule, 'rounds' | 'final'> {
  const rounds: Round[] = [];
  let extents = [...rows];
  while (extents.length > 2) {
    const count = tree ? Math.floor(extents.length / 3) : 1;
    const adders = Array.from({ length: count }, (_, k) => planAdder(extents, 3 * k, end));
    const others = Array.from({ length: extents.length - 3 * count }, (_, k) => 3 * count + k);
    const after = [...adders.flatMap(({ results }) => results), ...others.map((k) => extents[k]!)];
    const order = tree ? rising(after) : [...after.keys()];
    rounds.push({ adders, others, order });
    extents = order.map((k) => after[k]!);
  }
  const nothing = { from: end, to: end };
  return { rounds, final: [extents[0] ?? nothing, extents[1] ?? nothing] };
}

function planAdder(extents: readonly Extent[], first: number, end: number): Adder {
  const rows = [first, first + 1, first + 2] as const;
  const three = rows.map((k) => extents[k]!);
  const borders = [...new Set(three.flatMap(({ from, to }) => [from, to]))].sort((p, q) => p - q);
  const segments: Segment[] = [];
  // `carried` is true if the segment before carries into this one, and `carries` has the columns of the row
  // of carries.
  let carried = false;
  const carries = { from: end, to: end };
  for (const [k, from] of borders.slice(0, -1).entries()) {
    const to = borders[k + 1]!;
    const present = ([0, 1, 2] as const).filter((row) => three[row]!.from <= from && to <= three[row]!.to);
    const adds: boolean = present.length === 3 || (present.length === 2 && carried);
    const carrying = (to < end ? to : to - 1) - from;
    segments.push({ from, to, present, adds, carrying });
    if (present.length >= 2) {
      const start = adds ? from + 1 : from;
      const stop = adds ? from + 1 + carrying : to;
      if (stop > start) {
        carries.from = Math.min(carries.from, start);
        carries.to = stop;
      }
    }
    carried = adds;
  }
  return {
    rows,
    froms: three.map(({ from }) => from) as [number, number, number],
    segments,
    results: [{ from: borders[0]!, to: borders.at(-1)! }, carries],
  };
}

/** The rows of twice a product from column `low` on and below `end`. */
function planProduct(n: number, m: number, low: number, end: number): Plan[] {
  const plans: Plan[] = [];
  const add = (factor: 0 | 1, length: number, crossed?: number): void => {
    const column = crossed ?? 0;
    const first = Math.max(0, low - column);
    const last = Math.min(length, end - column);
    if (first >= last) return;
    plans.push({
      from: column + first,
      to: column + last,
      factor,
      first,
      crossed,
      below: false,
      above: false,
    });
  };
  for (let j = 0; j < m; j += 1) add(0, n, j);
  add(0, n);
  add(1, m);
  return plans;
}

/** The sum of the weights of all bits below a column. */
function leftOut(n: number, m: number, low: number): bigint {
  const below = (from: number, length: number): bigint =>
    from >= low ? 0n : (1n << BigInt(Math.min(low, from + length))) - (1n << BigInt(from));
  let sum = below(0, n) + below(0, m);
  for (let j = 0; j < m; j += 1) sum += below(j, n);
  return sum;
}

/**
 * Puts a constant one next to a row that ends or begins there, where it makes no row of its own necessary.
 */
function attach(plans: readonly Plan[], column: number): boolean {
  const after = plans.find(({ to, above }) => !above && to === column);
  if (after !== undefined) {
    after.above = true;
    return true;
  }
  const before = plans.find(({ from, below }) => !below && from === column + 1);
  if (before === undefined) return false;
  before.below = true;
  return true;
}
