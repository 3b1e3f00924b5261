/**
 * The between-class scatter as U Uᵀ with one column less than there are classes and no loss of rank: sequential (Helmert) contrasts. With
 * V̄, M̄ the sums over the classes before class j, u_j = (M_j V̄ − M̄ V_j) / sqrt(M̄ M_j (M̄ + M_j)). Numerators are exact; one with an
 * empty class, or with empty ones before it, is 0.
 */
import {
  add,
  addModulo,
  concatLanes,
  lanesOf,
  multiply,
  type Num,
  normalise,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRightBy,
  sign,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { grid } from './layouts.ts';
import { allOfLanes, broadcast, constantNumbers, nonNegative, scaleTogether } from './numbers.ts';
import { even, inverseRoot, toFraction } from './scaling.ts';
import type { PooledClass } from './statistics.ts';
import { inPieces, piecesPerStep, vectorByVector } from './steps.ts';
import { multiplyTruncated } from './truncated.ts';

/** Bits of exponents, which are far from 2^8 in magnitude. */
export const EXPONENT_BITS = 10;

/** Entry (i, j) is entries[i * count + j] times 2^exponents[j], in units of 2^-fractionBits. */
export interface FloatColumns {
  /** Below 1 in magnitude; SOLVE_FRACTION fraction bits, SOLVE_WORD bits. A column's largest is at least 1/4, or 0. */
  readonly entries: Num;
  /** Signed, EXPONENT_BITS long. */
  readonly exponents: Num;
  /** Per column whether it is 0. */
  readonly empty: Wires;
}

/** What multiplies a column besides: 2^places[i] each row, the square root of Q all. */
export interface Weights {
  readonly rows: Num;
  /** A bound of the places. */
  readonly most: number;
  readonly Q: Num;
}

/** d × (classes − 1), the contrasts of the classes in their order. */
export async function contrasts(
  session: Session,
  classes: readonly PooledClass[],
  d: number,
  weights?: Weights,
): Promise<FloatColumns> {
  const count = classes.length - 1;
  const { before, counts } = await sumsBefore(session, classes, d);
  const factor = await factorsInPieces(session, counts, weights?.Q);
  const own = await session.step((gates) =>
    concatLanes(
      gates,
      classes.slice(1).map(({ V }) => V),
    ),
  );
  const valueBits = own.length + classes[0]!.M.length;
  const length = valueBits + (weights?.most ?? 0) + 1;
  const [layout, byClass] = [grid(d, count), grid(count, d)];
  const numerators = await inPieces(
    session,
    layout.lanes,
    4 * own.length * classes[0]!.M.length,
    (gates, from, to) => {
      const sum = (a: Num): Num => layout.gather(gates, a, (i, j) => byClass.at(j, i), from, to);
      const left = multiply(gates, sum(before), layout.perColumn(gates, counts.own, from, to));
      const right = multiply(gates, sum(own), layout.perColumn(gates, counts.before, from, to));
      return subtractModulo(gates, left, right, valueBits);
    },
  );
  // All entries of a column are scaled together, so pieces are made of whole columns.
  const perLane = length * 8;
  const [tops, exponents, [empty] = []] = await vectorByVector(
    session,
    numerators,
    d,
    count,
    perLane,
    (gates, some, width, first) => {
      // A last bit of 0 makes room for -1, which `scaleTogether` takes for nothing.
      const wide = shiftLeft(gates, resize(some, length - 1), 1);
      const weighted = weights ? shiftLeftBy(gates, wide, grid(d, width).perRow(gates, weights.rows)) : wide;
      const { values, places, empty } = scaleTogether(gates, [weighted], width);
      const top = resize(toFraction(gates, values[0]!, length - 1, SOLVE_FRACTION), SOLVE_WORD);
      const bound = new Array<bigint>(width).fill(BigInt(length - 2));
      const own = subtractModulo(gates, constantNumbers(gates, bound, EXPONENT_BITS), places, EXPONENT_BITS);
      const besides = sliceLanes(gates, factor.exponent, first, first + width);
      return [top, addModulo(gates, own, besides, EXPONENT_BITS), [empty]];
    },
  );
  const entries = await inPieces(session, layout.lanes, 2 * SOLVE_WORD ** 2, (gates, from, to) => {
    const mantissas = layout.perColumn(gates, factor.mantissa, from, to);
    const own = sliceLanes(gates, tops!, from, to);
    return multiplyTruncated(gates, own, mantissas, SOLVE_FRACTION, SOLVE_WORD);
  });
  return { entries, exponents: exponents!, empty: empty! };
}

interface Counts {
  /** Rows of class j + 1 and of all classes before it: lane j. */
  readonly own: Num;
  readonly before: Num;
}

/** Lane j * d + i of `before`: feature i, summed over classes 0 to j. */
async function sumsBefore(session: Session, classes: readonly PooledClass[], d: number) {
  const sums: PooledClass[] = [classes[0]!];
  const perStep = piecesPerStep(d * classes[0]!.V.length);
  for (let from = 1; from < classes.length - 1; from += perStep) {
    const to = Math.min(classes.length - 1, from + perStep);
    const last = sums.at(-1)!;
    sums.push(
      ...(await session.step((gates) => {
        let total = last;
        return classes.slice(from, to).map(({ V, M }) => {
          total = {
            V: addModulo(gates, total.V, V, V.length),
            M: nonNegative(gates, addModulo(gates, total.M, M, M.length)),
          };
          return total;
        });
      })),
    );
  }
  return session.step((gates) => {
    const lanes = (numbers: readonly Num[]): Num => concatLanes(gates, numbers);
    const counts: Counts = {
      own: lanes(classes.slice(1).map(({ M }) => M)),
      before: lanes(sums.map(({ M }) => M)),
    };
    return { before: lanes(sums.map(({ V }) => V)), counts };
  });
}

/** As `factors`, for as many classes at a time as make a step. */
async function factorsInPieces(session: Session, { own, before }: Counts, Q?: Num) {
  const perClass = 10 * (4 * own.length) ** 2;
  const both = await inPieces(session, lanesOf(own), perClass, (gates, from, to) => {
    const cut = (counts: Num): Num => sliceLanes(gates, counts, from, to);
    const { mantissa, exponent } = factors(gates, { own: cut(own), before: cut(before) }, Q);
    return [...mantissa, ...exponent];
  });
  return { mantissa: both.slice(0, -EXPONENT_BITS), exponent: both.slice(-EXPONENT_BITS) };
}

/** 1/sqrt(N), or sqrt(Q/N) = Q/sqrt(Q N), with N = M̄ M (M̄ + M): a mantissa from 1/2 to 1 times 2^exponent. */
function factors(gates: Gates, { own, before }: Counts, Q?: Num): { mantissa: Num; exponent: Num } {
  return gates.scope(() => {
    const count = own[0]!.lanes;
    const both = nonNegative(gates, multiply(gates, own, before));
    let product = nonNegative(gates, multiply(gates, both, nonNegative(gates, add(gates, own, before))));
    const scale = Q && broadcast(gates, Q, 0, count);
    if (scale) product = nonNegative(gates, multiply(gates, product, scale));
    const digits = even(product.length - 1);
    const root = inverseRoot(gates, resize(product, digits + 1));
    const constant = (value: number): Num =>
      constantNumbers(gates, new Array<bigint>(count).fill(BigInt(value)), EXPONENT_BITS);
    const exponent = addModulo(gates, root.places, constant(-digits / 2), EXPONENT_BITS);
    if (!scale) {
      return {
        mantissa: root.mantissa.slice(1),
        exponent: addModulo(gates, exponent, constant(1), EXPONENT_BITS),
      };
    }
    const whole = nonNegative(gates, multiply(gates, root.mantissa, scale));
    const { value, places } = normalise(gates, whole);
    const length = value.length - 1;
    return {
      mantissa: resize(toFraction(gates, value, length, SOLVE_FRACTION), SOLVE_WORD),
      exponent: subtractModulo(
        gates,
        addModulo(gates, exponent, constant(length - SOLVE_FRACTION), EXPONENT_BITS),
        places,
        EXPONENT_BITS,
      ),
    };
  });
}

/**
 * Whether `alignColumns` can hold all columns. It always can where they are those of rows; noise may make them longer than what they are measured by.
 */
export async function columnsFit(
  session: Session,
  { entries, exponents, empty }: FloatColumns,
  exponent: Num,
): Promise<Wires> {
  const count = lanesOf(exponents);
  // Entries are below 1, so columns with exponents of at most 1 more are below 2; with 2 more, their entries must be below 1/2.
  const { small, edge } = await session.step((gates) => {
    const scale = broadcast(gates, exponent, 0, count);
    const away = (places: bigint): Num => {
      const more = constantNumbers(gates, new Array<bigint>(count).fill(places), EXPONENT_BITS);
      const most = addModulo(gates, scale, more, EXPONENT_BITS);
      return subtractModulo(gates, most, exponents, EXPONENT_BITS);
    };
    const small = gates.xor(empty, gates.and(gates.not(empty), gates.not(sign(away(1n)))));
    return { small, edge: gates.not(sign(away(2n))) };
  });
  const halves = await inPieces(session, lanesOf(entries), 2, (gates, from, to) => {
    const own = sliceLanes(gates, entries, from, to);
    // Below 1/2 in magnitude: the three highest bits, sign and all, are equal.
    const [a, b, c] = own.slice(SOLVE_FRACTION - 1) as [Wires, Wires, Wires];
    return [gates.and(gates.not(gates.xor(a, b)), gates.not(gates.xor(b, c)))];
  });
  return session.step((gates) => {
    const layout = grid(lanesOf(entries) / count, count);
    const whole = layout.perColumn(gates, [edge]);
    const either = layout.perColumn(gates, [small]);
    const held = gates.and(halves[0]!, whole[0]!);
    return allOfLanes(gates, gates.not(gates.and(gates.not(held), gates.not(either[0]!))));
  });
}

/** The columns as fixed-point numbers times 2^-exponent (SOLVE_FRACTION fraction bits). All must then be below 2 in magnitude. */
export async function alignColumns(
  session: Session,
  { entries, exponents }: Pick<FloatColumns, 'entries' | 'exponents'>,
  exponent: Num,
): Promise<Num> {
  const count = lanesOf(exponents);
  const away = await session.step((gates) => {
    // Entries are from 1/4 to 1, so what is below 2 is shifted to the left by 2 places at most.
    const least = constantNumbers(gates, new Array<bigint>(count).fill(2n), EXPONENT_BITS);
    const all = addModulo(gates, broadcast(gates, exponent, 0, count), least, EXPONENT_BITS);
    return subtractModulo(gates, all, exponents, EXPONENT_BITS).slice(0, -1);
  });
  const layout = grid(lanesOf(entries) / count, count);
  return inPieces(session, layout.lanes, entries.length * EXPONENT_BITS, (gates, from, to) => {
    const places = layout.perColumn(gates, away, from, to);
    const wide = shiftLeft(gates, sliceLanes(gates, entries, from, to), 2);
    return resize(shiftRightBy(gates, wide, places), SOLVE_WORD);
  });
}
