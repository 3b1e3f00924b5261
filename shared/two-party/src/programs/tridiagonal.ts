/**
 * Householder's reduction of a symmetric matrix to a tridiagonal one (Golub and Van Loan, "Matrix Computations", algorithm
 * 8.3.1), with reflections I − u uᵀ, ‖u‖² = 2. Each column is scaled to full length by a secret shift before its
 * reflection is made, so that the reflection is orthogonal to the last bits however small the column, and a zero column
 * makes u = 0, which is no reflection at all: there is no case to tell apart.
 */
import {
  concatLanes,
  lanesOf,
  type Num,
  negate,
  ROOT_FRACTION,
  resize,
  shiftRight,
  sliceLanes,
  sumLanes,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { Fixed } from './fixed.ts';
import { grid, upperByRows } from './layouts.ts';
import { scaleTogether } from './numbers.ts';
import { FRACTION, WORD } from './precision.ts';
import { gatesPerRounded, roundedSums } from './steps.ts';

const ROUNDED = { shift: FRACTION, bits: WORD };
const ENTRY = { fraction: FRACTION, bits: WORD };
const GATES_PER_PRODUCT = gatesPerRounded(WORD, WORD);

export interface Tridiagonal {
  /** One lane each, d and d − 1 of them. */
  readonly diagonal: readonly Num[];
  readonly offDiagonal: readonly Num[];
  /** Reflection j acts on rows j + 1 to d − 1. */
  readonly reflections: readonly Num[];
}

/** Lanes of `triangle`: the upper triangle of a matrix with eigenvalues in [0, 1). */
export async function tridiagonalise(session: Session, triangle: Num, d: number): Promise<Tridiagonal> {
  const diagonal: Num[] = [];
  const offDiagonal: Num[] = [];
  const reflections: Num[] = [];
  let rest = triangle;
  for (let size = d; size > 2; size -= 1) {
    const m = size - 1;
    const { entry, u, off } = await session.step((gates) => ({
      entry: sliceLanes(gates, rest, 0, 1),
      ...reflection(gates, sliceLanes(gates, rest, 1, size)),
    }));
    diagonal.push(entry);
    offDiagonal.push(off);
    reflections.push(u);
    rest = await reflect(session, rest, u, m);
  }
  const last = await session.step((gates) =>
    Array.from({ length: d > 1 ? 3 : 1 }, (_, i) => sliceLanes(gates, rest, i, i + 1)),
  );
  diagonal.push(last[0]!);
  if (d > 1) {
    offDiagonal.push(last[1]!);
    diagonal.push(last[2]!);
  }
  return { diagonal, offDiagonal, reflections };
}

/**
 * The u that reflects the column x onto its first entry, and that entry afterwards: with σ the sign of x₁, u = (x + σ‖x‖e₁) / √(‖x‖² + |x₁|‖x‖), and
 * the entry is −σ‖x‖.
 */
function reflection(gates: Gates, column: Num): { u: Num; off: Num } {
  const lanes = lanesOf(column);
  const room = Math.ceil(Math.log2(lanes + 1)) + 1;
  return gates.scope(() => {
    const { values, places } = scaleTogether(gates, [column], 1);
    // Now the largest entry is from 1 to 2; half of it makes room for the norm.
    const x = new Fixed(gates, shiftRight(values[0]!, 1), FRACTION);
    const first = x.lane(0);
    const negative = first.sign;
    const squared = x.dot(x, { fraction: ROOT_FRACTION, bits: ROOT_FRACTION + room }).nonNegative();
    const norm = squared
      .times(squared.inverseRoot(), { fraction: FRACTION, bits: FRACTION + Math.ceil(room / 2) + 1 })
      .nonNegative();
    const denominator = norm
      .times(first.absolute(), { fraction: ROOT_FRACTION, bits: ROOT_FRACTION + room + 1 }, { plus: squared })
      .nonNegative();
    const v = first.plus(norm.negatedIf(negative)).followedBy(x.lanesFrom(1));
    const u = v.times(denominator.inverseRoot().spread(lanes), ENTRY);
    const off = norm.doubled().down(places).resized(WORD).negatedIf(gates.not(negative));
    return { u: u.number, off: off.number };
  });
}

/** The matrix without its first row and column, between two reflections: A − u wᵀ − w uᵀ. */
async function reflect(session: Session, rest: Num, u: Num, m: number): Promise<Num> {
  const [whole, entries] = [upperByRows(m + 1), upperByRows(m)];
  // Row l has the products of A's column l, so that sums over l are sums of groups.
  const products = grid(m, m);
  const terms = await roundedSums(
    session,
    products.lanes,
    GATES_PER_PRODUCT,
    (gates, from, to) => ({
      pairs: [
        [
          products.gather(gates, rest, (l, i) => whole.at(1 + i, 1 + l), from, to),
          products.perRow(gates, u, from, to),
        ],
      ],
    }),
    ROUNDED,
  );
  const { w, minus } = await session.step((gates) => {
    const [own, p] = [u, resize(sumLanes(gates, terms, m), WORD)].map((a) => new Fixed(gates, a, FRACTION));
    // w = p − u (uᵀp)/2
    const half = own!.dot(p!.over(1), ENTRY).negated();
    return { w: own!.times(half.spread(m), ENTRY, { plus: p! }).number, minus: own!.negated().number };
  });
  const first = whole.at(1, 1);
  return roundedSums(
    session,
    entries.lanes,
    2 * GATES_PER_PRODUCT,
    (gates, from, to) => ({
      pairs: [
        [entries.perRow(gates, minus, from, to), entries.perColumn(gates, w, from, to)],
        [entries.perColumn(gates, minus, from, to), entries.perRow(gates, w, from, to)],
      ],
      plus: sliceLanes(gates, rest, first + from, first + to),
    }),
    ROUNDED,
  );
}

/** H y for every reflection, last first: rows of `vectors` are lanes i * count + j of vector j. */
export async function reflectVectors(
  session: Session,
  reflections: readonly Num[],
  vectors: Num,
  d: number,
  count: number,
): Promise<Num> {
  let current = vectors;
  for (const [j, u] of [...reflections.entries()].toReversed()) {
    const m = d - 1 - j;
    const [start, below] = [(j + 1) * count, grid(m, count)];
    const before = current;
    const terms = await roundedSums(
      session,
      below.lanes,
      GATES_PER_PRODUCT,
      (gates, from, to) => ({
        pairs: [[below.perRow(gates, u, from, to), sliceLanes(gates, before, start + from, start + to)]],
      }),
      ROUNDED,
    );
    const minus = await session.step((gates) => negate(gates, resize(sumLanes(gates, terms, count), WORD)));
    const changed = await roundedSums(
      session,
      below.lanes,
      GATES_PER_PRODUCT,
      (gates, from, to) => ({
        pairs: [[below.perRow(gates, u, from, to), below.perColumn(gates, minus, from, to)]],
        plus: sliceLanes(gates, before, start + from, start + to),
      }),
      ROUNDED,
    );
    current = await session.step((gates) =>
      concatLanes(gates, [sliceLanes(gates, before, 0, start), changed]),
    );
  }
  return current;
}
