/**
 * The largest eigenvalues of a tridiagonal matrix by bisection with Sturm sequences (Golub and Van Loan, "Matrix
 * Computations", section 8.4.1), all at once, one lane each, without division. With P_i the leading minors of T − x, times powers of
 * two that keep the pair (P_i, R_i) in range, P_i = (a_i − x) P_{i−1} − b_{i−1} R_{i−1}, R_i = b_i P_{i−1}. Squares of b, which
 * need twice the bits, do not occur. Every change of sign is an eigenvalue below x.
 */
import {
  addModulo,
  concatLanes,
  lanesOf,
  lessThan,
  type Num,
  resize,
  sign,
  sliceLanes,
  subtractModulo,
  sumLanes,
  unsigned,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { grid } from './layouts.ts';
import { broadcast, coarser, constantNumbers, scaleTogether, sum, sumsOfProducts, zeros } from './numbers.ts';
import { BISECTIONS, FRACTION, STURM_FRACTION, WORD } from './precision.ts';
import { gatesPerRounded, piecesPerStep } from './steps.ts';
import type { Tridiagonal } from './tridiagonal.ts';

/** A sign and values below 2. */
const STURM_WORD = STURM_FRACTION + 2;
/** AND gates per lane and row, about. */
const GATES_PER_ROW = 3 * gatesPerRounded(STURM_WORD, STURM_WORD) + 500;

interface State {
  readonly P: Num;
  readonly R: Num;
  readonly below: Num;
}

export interface Bisected {
  /** Eigenvalue i in lane i: the middle of an interval of 2^-BISECTIONS, in WORD bits, FRACTION of them fraction. */
  readonly values: Num;
  /** How many eigenvalues are below the threshold: one lane. */
  readonly below: Num;
}

/** The `count` largest eigenvalues, all of which lie in [0, 1), and a count of those below 2^-thresholdPlaces. */
export async function largestEigenvalues(
  session: Session,
  { diagonal, offDiagonal }: Pick<Tridiagonal, 'diagonal' | 'offDiagonal'>,
  count: number,
  thresholdPlaces: number,
): Promise<Bisected> {
  const d = diagonal.length;
  // As many digits from the first pass as cost the least: a lane per multiple of 2^-first.
  const first = Math.min(BISECTIONS, Math.floor(Math.log2(2 * count + 1)));
  const points = 2 ** first - 1;
  const counts = await countBelow(session, { diagonal, offDiagonal }, points + 1, (gates) => {
    const unit = 2 ** (STURM_FRACTION - first);
    const multiples = Array.from({ length: points }, (_, i) => BigInt((i + 1) * unit));
    return constantNumbers(gates, [...multiples, 1n << BigInt(STURM_FRACTION - thresholdPlaces)], STURM_WORD);
  });
  // Eigenvalue i is at least x where fewer than d - i are below x: a row for each x, a column for each i.
  const pairs = grid(points, count);
  const { digits: highest, below } = await session.step((gates) => {
    const each = pairs.perRow(gates, counts);
    const least = constantNumbers(
      gates,
      Array.from({ length: pairs.lanes }, (_, lane) => BigInt(d - pairs.column(lane))),
      each.length,
    );
    const number = sumLanes(gates, unsigned(gates, [lessThan(gates, each, least)]), count);
    return { digits: number.slice(0, first), below: sliceLanes(gates, counts, points, points + 1) };
  });
  let digits: Num = highest;
  while (digits.length < BISECTIONS) {
    const known = digits;
    const counts = await countBelow(session, { diagonal, offDiagonal }, count, (gates) =>
      resize(middle(gates, known, STURM_FRACTION), STURM_WORD),
    );
    digits = await session.step((gates) => {
      const limits = Array.from({ length: count }, (_, i) => BigInt(d - i));
      return [lessThan(gates, counts, constantNumbers(gates, limits, counts.length)), ...known];
    });
  }
  const values = await session.step((gates) => resize(middle(gates, digits, FRACTION), WORD));
  return { values, below };
}

/** The middle of the interval that the digits, lowest first, leave, with this many fraction bits. */
function middle(gates: Gates, digits: Num, fraction: number): Num {
  const lanes = lanesOf(digits);
  const after = zeros(gates, fraction - digits.length - 1, lanes);
  return unsigned(gates, [...after, gates.constant(lanes, 1), ...digits, gates.constant(lanes, 0)]);
}

/** How many eigenvalues are below the trial in each lane. The trials are made in every step and may only rearrange wires. */
async function countBelow(
  session: Session,
  { diagonal, offDiagonal }: Pick<Tridiagonal, 'diagonal' | 'offDiagonal'>,
  lanes: number,
  trials: (gates: Gates) => Num,
): Promise<Num> {
  const d = diagonal.length;
  const countBits = Math.ceil(Math.log2(d + 1)) + 1;
  const rowsPerStep = piecesPerStep(lanes * GATES_PER_ROW);
  let state: State | undefined;
  for (let from = 0; from < d; from += rowsPerStep) {
    const before = state;
    state = await session.step((gates) => {
      const to = Math.min(d, from + rowsPerStep);
      // All of a - x at once, for they depend on no row before.
      const spread = concatLanes(
        gates,
        diagonal.slice(from, to).map((a) => broadcast(gates, sturm(a), 0, lanes)),
      );
      const x = trials(gates);
      const each = grid(to - from, lanes).perColumn(gates, x);
      const shifted = subtractModulo(gates, spread, each, STURM_WORD);
      let current = before ?? start(gates, lanes, countBits);
      for (let i = from; i < to; i += 1) {
        const own = sliceLanes(gates, shifted, (i - from) * lanes, (i - from + 1) * lanes);
        current = row(gates, current, own, offDiagonal[i], offDiagonal[i - 1], lanes);
      }
      return current;
    });
  }
  return state!.below;
}

/** An entry of T at the fraction of Sturm sequences. */
function sturm(a: Num): Num {
  return coarser(a, FRACTION - STURM_FRACTION, STURM_WORD);
}

function start(gates: Gates, count: number, countBits: number): State {
  return {
    P: [...zeros(gates, STURM_FRACTION - 1, count), gates.constant(count, 1), ...zeros(gates, 1, count)],
    R: zeros(gates, STURM_FRACTION + 1, count),
    below: zeros(gates, countBits, count),
  };
}

function row(
  gates: Gates,
  { P, R, below }: State,
  shifted: Num,
  b: Num | undefined,
  before: Num | undefined,
  count: number,
): State {
  const spread = (number: Num): Num => broadcast(gates, sturm(number), 0, count);
  return gates.scope(() => {
    const zero = zeros(gates, STURM_WORD + 1, count);
    const products = [sum([shifted, P])];
    if (before !== undefined) products.push(sum([spread(before), R]));
    if (b !== undefined) products.push(sum([spread(b), P]));
    const part = { shift: STURM_FRACTION, bits: STURM_WORD + 1 };
    const [first, ...others] = sumsOfProducts(gates, products, part);
    const second = before === undefined ? zero : others[0]!;
    const third = b === undefined ? zero : others.at(-1)!;
    const next = subtractModulo(gates, first!, second, STURM_WORD + 1);
    const change = gates.xor(sign(next), sign(P));
    const { values, empty } = scaleTogether(gates, [next, third], count);
    const [scaled, other] = values.map((value) => coarser(value, 2, STURM_FRACTION + 1)) as [Num, Num];
    // Both zero: whatever follows starts afresh.
    const top = STURM_FRACTION - 1;
    return {
      P: scaled.map((bit, i) => (i === top ? gates.xor(bit, empty) : bit)),
      R: other,
      below: addModulo(gates, below, zeros(gates, below.length, count), below.length, change),
    };
  });
}
