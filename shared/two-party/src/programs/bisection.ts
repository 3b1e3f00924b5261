/**
 * The largest eigenvalues of a tridiagonal matrix by bisection with Sturm sequences (Golub and Van Loan,
 * "Matrix Computations", section 8.4.1), all at once, one lane each, without division. With P_i the leading
 * minors of T − x, times powers of two that keep the pair (P_i, R_i) in range, P_i = (a_i − x) P_{i−1} −
 * b_{i−1} R_{i−1}, R_i = b_i P_{i−1}. Squares of b, which need twice the bits, do not occur. Every change of
 * sign is an eigenvalue below x.
 */

import { type Num, sumLanes, unsigned } from '../circuits/index.ts';
import {
  Fixed,
  gatesPerRounded,
  grid,
  type ProductSum,
  piecesPerStep,
  sum,
  sumsOfProducts,
  zeros,
} from '../fixed-point/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { BISECTIONS, FRACTION, STURM_FRACTION, WORD } from './precision.ts';
import { scaleTogether } from './scaling.ts';
import type { Tridiagonal } from './tridiagonal.ts';

/** A sign and values below 2. */
export const TRIAL = { fraction: STURM_FRACTION, bits: STURM_FRACTION + 2 };
/** The numbers of a minor before it is scaled: a bit more. */
const MINOR = { fraction: STURM_FRACTION, bits: TRIAL.bits + 1 };
/** AND gates per lane and row, about. */
const GATES_PER_ROW = 3 * gatesPerRounded(TRIAL.bits, TRIAL.bits) + 500;

type Entries = Pick<Tridiagonal, 'diagonal' | 'offDiagonal'>;

interface State {
  readonly P: Fixed;
  readonly R: Fixed;
  readonly below: Fixed;
}

interface Bisected {
  /**
   * Eigenvalue i in lane i: the middle of an interval of 2^-BISECTIONS, in WORD bits, FRACTION of them
   * fraction.
   */
  readonly values: Fixed;
  /** The number of eigenvalues below the threshold: one lane. */
  readonly below: Fixed;
}

/**
 * The `count` largest eigenvalues, all of which lie in [0, 1), and a count of those below a threshold: a
 * TRIAL in one lane, or public units of it.
 */
export async function largestEigenvalues(
  session: Session,
  entries: Entries,
  count: number,
  threshold: Fixed | bigint,
): Promise<Bisected> {
  const d = entries.diagonal.length;
  // As many digits from the first pass as cost the least: a lane per multiple of 2^-first.
  const first = Math.min(BISECTIONS, Math.floor(Math.log2(2 * count + 1)));
  const points = 2 ** first - 1;
  const counts = await countBelow(session, entries, points + 1, (gates) => {
    const unit = 2 ** (STURM_FRACTION - first);
    const multiples = Array.from({ length: points }, (_, i) => BigInt((i + 1) * unit));
    return typeof threshold === 'bigint'
      ? Fixed.of(gates, [...multiples, threshold], TRIAL)
      : Fixed.of(gates, multiples, TRIAL).followedBy(threshold);
  });
  // Eigenvalue i is at least x where fewer than d - i are below x: a row for each x, a column for each i.
  const pairs = grid(points, count);
  const { highest, below } = await session.step((gates) => {
    const each = counts.perRow(pairs);
    const least = Array.from({ length: pairs.lanes }, (_, lane) => BigInt(d - pairs.column(lane)));
    const atLeast = each.isBelow(Fixed.of(gates, least, each));
    const number = sumLanes(gates, unsigned(gates, [atLeast]), count);
    return { highest: number.slice(0, first), below: counts.lane(points) };
  });
  let digits: Num = highest;
  while (digits.length < BISECTIONS) {
    const known = digits;
    const counts = await countBelow(session, entries, count, (gates) =>
      middle(gates, known, STURM_FRACTION).resized(TRIAL.bits),
    );
    digits = await session.step((gates) => {
      const limits = Array.from({ length: count }, (_, i) => BigInt(d - i));
      return [counts.isBelow(Fixed.of(gates, limits, counts)), ...known];
    });
  }
  const values = await session.step((gates) => middle(gates, digits, FRACTION).resized(WORD));
  return { values, below };
}

/** The middle of the interval that the digits, lowest first, leave, with this many fraction bits. */
function middle(gates: Gates, digits: Num, fraction: number): Fixed {
  const { lanes } = digits[0]!;
  const after = zeros(gates, fraction - digits.length - 1, lanes);
  const number = unsigned(gates, [...after, gates.constant(lanes, 1), ...digits, gates.constant(lanes, 0)]);
  return new Fixed(gates, number, fraction);
}

/**
 * Counts the eigenvalues below the trial in each lane. The trials are made in every step and may only
 * rearrange wires.
 */
async function countBelow(
  session: Session,
  { diagonal, offDiagonal }: Entries,
  lanes: number,
  trials: (gates: Gates) => Fixed,
): Promise<Fixed> {
  const d = diagonal.length;
  const countBits = Math.ceil(Math.log2(d + 1)) + 1;
  const rowsPerStep = piecesPerStep(lanes * GATES_PER_ROW);
  let state: State | undefined;
  for (let from = 0; from < d; from += rowsPerStep) {
    const before = state;
    state = await session.step((gates) => {
      const to = Math.min(d, from + rowsPerStep);
      // All of a - x at once, for they depend on no row before.
      const a = Fixed.joined(diagonal.slice(from, to).map((entry) => spreadOf(entry, lanes)));
      const x = trials(gates).perColumn(grid(to - from, lanes));
      const shifted = a.minus(x, TRIAL.bits);
      let current = before ?? start(gates, lanes, countBits);
      for (let i = from; i < to; i += 1) {
        const own = shifted.lanesFrom((i - from) * lanes, (i - from + 1) * lanes);
        const [b, c] = [offDiagonal[i], offDiagonal[i - 1]].map((entry) => entry && spreadOf(entry, lanes));
        current = gates.scope(() => row(current, own, b, c));
      }
      return current;
    });
  }
  return state!.below;
}

/** Repeats an entry of T, at the fraction of Sturm sequences, this number of times. */
function spreadOf(entry: Fixed, lanes: number): Fixed {
  return entry.at(STURM_FRACTION).resized(TRIAL.bits).spread(lanes);
}

/** P_0 = 1/2, R_0 = 0 */
function start(gates: Gates, lanes: number, countBits: number): State {
  const kept = { fraction: STURM_FRACTION, bits: STURM_FRACTION + 1 };
  const nothing = Fixed.constant(gates, 0n, lanes, kept);
  return {
    P: nothing.orPower(-1, gates.constant(lanes, 1)),
    R: nothing,
    below: Fixed.constant(gates, 0n, lanes, { fraction: 0, bits: countBits }),
  };
}

/**
 * P_i = (a_i − x) P_{i−1} − b_{i−1} R_{i−1} and R_i = b_i P_{i−1}, scaled together; at the ends of T there is
 * no b.
 */
function row({ P, R, below }: State, shifted: Fixed, b: Fixed | undefined, before: Fixed | undefined): State {
  const { gates, lanes } = P;
  const nothing = Fixed.constant(gates, 0n, lanes, MINOR);
  const products: ProductSum[] = [sum([shifted, P])];
  if (before !== undefined) products.push(sum([before, R]));
  if (b !== undefined) products.push(sum([b, P]));
  const [first, ...others] = sumsOfProducts(products, MINOR);
  const next = first!.minus(before === undefined ? nothing : others[0]!);
  const third = b === undefined ? nothing : others.at(-1)!;
  const change = gates.xor(next.sign, P.sign);
  const { values, empty } = scaleTogether([next, third], lanes);
  const [scaled, other] = values.map((value) => value.at(STURM_FRACTION).resized(STURM_FRACTION + 1));
  return {
    // Both zero: whatever follows starts afresh.
    P: scaled!.orPower(-1, empty),
    R: other!,
    below: below.plusUnit(change),
  };
}
