/**
 * The between-class scatter as U Uᵀ with one column less than there are classes and no loss of rank:
 * sequential (Helmert) contrasts. With V̄, M̄ the sums over the classes before class j, u_j = (M_j V̄ − M̄
 * V_j) / sqrt(M̄ M_j (M̄ + M_j)). Numerators are exact; one with an empty class, or with empty ones before
 * it, is 0.
 */
import {
  allOfLanes,
  Fixed,
  grid,
  pieceByPiece,
  piecesOf,
  piecesPerStep,
  vectorByVector,
} from '../fixed-point/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { even, inverseRoot, scaleAlone, scaleUp } from './scaling.ts';
import { type PooledClass, together } from './statistics.ts';

/** Bits of exponents, which are far from 2^8 in magnitude. */
export const EXPONENT_BITS = 10;

/** Entry (i, j) is entries[i * count + j] times 2^exponents[j]. */
export interface FloatColumns {
  /**
   * Below 1 in magnitude; SOLVE_FRACTION fraction bits, SOLVE_WORD bits. A column's largest is at least 1/4,
   * or 0.
   */
  readonly entries: Fixed;
  /** Signed, EXPONENT_BITS long. In units of 2^-unit, as was asked for. */
  readonly exponents: Fixed;
  /** True for each column that is 0. */
  readonly empty: Wires;
}

/** The factors of a column besides: 2^places[i] for each row, the square root of Q for all. */
export interface Weights {
  readonly rows: Fixed;
  /** A bound of the places. */
  readonly most: number;
  readonly Q: Fixed;
}

/** The sums of a class, or over several. */
type Sums = Pick<PooledClass, 'V' | 'M'>;

const ENTRY = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD };

/** Makes lanes of a public exponent. */
export function publicExponent(gates: Gates, value: number, lanes: number): Fixed {
  return Fixed.constant(gates, BigInt(value), lanes, { fraction: 0, bits: EXPONENT_BITS });
}

/**
 * d × (classes − 1), the contrasts of the classes in their order, in units of 2^-unit whatever fraction their
 * sums have.
 */
export async function contrasts(
  session: Session,
  classes: readonly Sums[],
  d: number,
  unit: number,
  weights?: Weights,
): Promise<FloatColumns> {
  const count = classes.length - 1;
  const { before, own } = await sumsBefore(session, classes, d);
  const perClass = 10 * (4 * own.M.bits) ** 2;
  const [mantissas, exponents] = await piecesOf(session, count, perClass, (piece) =>
    factors(own.M.part(piece), before.M.part(piece), weights?.Q),
  );
  const bits = own.V.bits + own.M.bits;
  const [layout, byClass] = [grid(d, count), grid(count, d)];
  const numerators = await pieceByPiece(session, layout.lanes, 4 * own.V.bits * own.M.bits, (piece) => {
    const sums = (V: Fixed): Fixed => V.as(layout, (i, j) => byClass.at(j, i), piece);
    const left = sums(before.V).timesExactly(own.M.perColumn(layout, piece));
    return left.minus(sums(own.V).timesExactly(before.M.perColumn(layout, piece)), bits);
  });
  // All entries of a column are scaled together, so pieces are made of whole columns.
  const wide = bits + (weights?.most ?? 0);
  const [tops, scales, empty] = await vectorByVector(
    session,
    numerators,
    d,
    count,
    8 * (wide + 1),
    (some, width, first, gates) => {
      const own = some.resized(wide);
      const weighted = weights ? own.up(weights.rows.perRow(grid(d, width))) : own;
      const { value, places, empty } = scaleUp(weighted, width);
      const exponent = publicExponent(gates, wide - 1 + unit - own.fraction, width).minus(places);
      const besides = exponents!.lanesFrom(first, first + width);
      return [
        value.at(SOLVE_FRACTION).resized(SOLVE_WORD),
        exponent.plus(besides, EXPONENT_BITS),
        new Fixed(gates, [empty], 0),
      ];
    },
  );
  const entries = await pieceByPiece(session, layout.lanes, 2 * SOLVE_WORD ** 2, (piece) =>
    tops!.part(piece).timesTruncated(mantissas!.perColumn(layout, piece), ENTRY),
  );
  return { entries, exponents: scales!, empty: empty!.sign };
}

/**
 * Class j + 1 and all classes before it: lane j * d + i of V is feature i, lane j of M their numbers of rows.
 */
async function sumsBefore(session: Session, classes: readonly Sums[], d: number) {
  const sums: Sums[] = [classes[0]!];
  const perStep = piecesPerStep(d * classes[0]!.V.bits);
  for (let from = 1; from < classes.length - 1; from += perStep) {
    const to = Math.min(classes.length - 1, from + perStep);
    const last = sums.at(-1)!;
    sums.push(
      ...(await session.step(() => {
        let total = last;
        return classes.slice(from, to).map((own) => {
          total = together(total, own);
          return total;
        });
      })),
    );
  }
  const joined = (all: readonly Sums[]): Sums => ({
    V: Fixed.joined(all.map(({ V }) => V)),
    M: Fixed.joined(all.map(({ M }) => M)),
  });
  return session.step(() => ({ before: joined(sums), own: joined(classes.slice(1)) }));
}

/**
 * 1/√N, or √(Q/N) = Q/√(Q N), with N = M̄ M (M̄ + M): a mantissa from 1/2 to 1, and the exponent of its power
 * of two.
 */
function factors(M: Fixed, before: Fixed, Q?: Fixed): [Fixed, Fixed] {
  const { gates, lanes } = M;
  const both = M.timesExactly(before).nonNegative();
  const N = both.timesExactly(M.plus(before).nonNegative()).nonNegative();
  const scale = Q?.spread(lanes);
  const product = scale ? N.timesExactly(scale).nonNegative() : N;
  const { mantissa, places } = inverseRoot(product.resized(even(product.bits - 1) + 1));
  const root = mantissa.readAt(SOLVE_FRACTION);
  const exponent = places.plus(
    publicExponent(gates, SOLVE_FRACTION - mantissa.fraction, lanes),
    EXPONENT_BITS,
  );
  if (!scale)
    return [root.over(1).at(SOLVE_FRACTION), exponent.plus(publicExponent(gates, 1, lanes), EXPONENT_BITS)];
  const { value, places: shifted } = scaleAlone(root.timesExactly(scale).nonNegative());
  const more = publicExponent(gates, value.fraction - SOLVE_FRACTION, lanes);
  return [
    value.at(SOLVE_FRACTION).resized(SOLVE_WORD),
    exponent.plus(more, EXPONENT_BITS).minus(shifted, EXPONENT_BITS),
  ];
}

/** Returns the number of places by which columns are smaller than 2^(exponent + more). */
function distances({ exponents }: Pick<FloatColumns, 'exponents'>, exponent: Fixed, more: number): Fixed {
  const { gates, lanes } = exponents;
  const most = exponent.spread(lanes).plus(publicExponent(gates, more, lanes), EXPONENT_BITS);
  return most.minus(exponents);
}

/**
 * Returns whether `alignColumns` can hold all columns. It always can where they are those of rows; noise may
 * make them longer than what they are measured by.
 */
export async function columnsFit(session: Session, columns: FloatColumns, exponent: Fixed): Promise<Wires> {
  const { entries, empty } = columns;
  // Entries are below 1, so columns with exponents of at most 1 more are below 2; with 2 more, their entries
  // must be below 1/2.
  const { small, edge } = await session.step((gates) => {
    const near = gates.not(distances(columns, exponent, 1).sign);
    const small = gates.xor(empty, gates.and(gates.not(empty), near));
    return { small, edge: gates.not(distances(columns, exponent, 2).sign) };
  });
  const halves = await pieceByPiece(
    session,
    entries.lanes,
    2,
    (piece, gates) => new Fixed(gates, [entries.part(piece).isWithin(-1)], 0),
  );
  return session.step((gates) => {
    const layout = grid(entries.lanes / small.lanes, small.lanes);
    const [whole, either] = layout.perColumn(gates, [edge, small]) as [Wires, Wires];
    const held = gates.and(halves.sign, whole);
    return allOfLanes(gates, gates.not(gates.and(gates.not(held), gates.not(either))));
  });
}

/**
 * The columns as fixed-point numbers times 2^-exponent (SOLVE_FRACTION fraction bits). All must then be below
 * 2 in magnitude.
 */
export async function alignColumns(
  session: Session,
  columns: Pick<FloatColumns, 'entries' | 'exponents'>,
  exponent: Fixed,
): Promise<Fixed> {
  const { entries } = columns;
  // Entries are from 1/4 to 1, so what is below 2 is shifted to the left by 2 places at most.
  const away = await session.step(() => distances(columns, exponent, 2).resized(EXPONENT_BITS - 1));
  const layout = grid(entries.lanes / away.lanes, away.lanes);
  return pieceByPiece(session, layout.lanes, entries.bits * EXPONENT_BITS, (piece) =>
    entries.part(piece).doubled(2).down(away.perColumn(layout, piece)).resized(SOLVE_WORD),
  );
}
