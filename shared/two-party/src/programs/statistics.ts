/** The pooled statistics of a task from additive shares, their checks, and Q times the total scatter. */

import {
  collectsR,
  computedBitsOf,
  computedFractionBits,
  floorOf,
  placesOf,
  type Span,
  type StatisticsTask,
  widthsOf,
} from '@eigenveil/task';
import { equal, numberFrom } from '../circuits/index.ts';
import { Fixed, type Kept, pieceByPiece, piecesPerStep, upperByRows } from '../fixed-point/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { addShares, type Shares } from './inputs.ts';

/** The sum of a class's rows, one lane per feature, and their number, one lane and not negative. */
export interface PooledClass {
  readonly V: Fixed;
  readonly M: Fixed;
  /** Where the task has a floor: V with noise of its own, which is 0 of a class without rows. */
  readonly noised?: Fixed;
}

export interface PooledStatistics {
  /** Upper triangle; not collected for MDR. */
  readonly R: Fixed | undefined;
  /** The statistics per labelling and class. */
  readonly labellings: readonly (readonly PooledClass[])[];
  /** The sums over all rows. */
  readonly V: Fixed;
  /** The sum of those of the first labelling's classes. */
  readonly noised?: Fixed;
  /** One lane, not negative. */
  readonly Q: Fixed;
  /**
   * Three checks: the encrypted number of owners is the verified one, it is at least the minimum, and there
   * are rows.
   */
  readonly flags: readonly [Wires, Wires, Wires];
  /** True if at least two classes of the first labelling have rows; PCA has only one class. */
  readonly classes: Wires;
}

/** Sums of rows as they may be released: with noise where the task has a floor. */
export function releasedSums({ V, noised = V }: Pick<PooledClass, 'V' | 'noised'>): Fixed {
  return noised;
}

/** The classes by their exact sums alone. */
export function exactClasses(classes: readonly PooledClass[]): PooledClass[] {
  return classes.map(({ V, M }) => ({ V, M }));
}

/** The classes by their sums as these may be released. */
export function releasedClasses(classes: readonly PooledClass[]): PooledClass[] {
  return classes.map((own) => ({ V: releasedSums(own), M: own.M }));
}

/**
 * Returns whether a scatter matrix may have negative eigenvalues, which it may under noise of the owners or
 * of the servers.
 */
export function isNoisy(task: StatisticsTask): boolean {
  return Boolean(task.differentialPrivacy) || floorOf(task) !== undefined;
}

/**
 * A public length in products of features in [−1, 1] in whole units of a scatter that has this number of
 * fraction bits.
 */
export function scatterUnits(length: number, fraction: number): bigint {
  return BigInt(Math.round(length * 2 ** fraction));
}

/** A public number of units of 2^−fraction, one lane. */
export function publicNumber(gates: Gates, units: bigint, fraction: number): Fixed {
  return Fixed.of(gates, [units], { fraction, bits: units.toString(2).length + 1 });
}

/**
 * Q times public numbers, one lane each, in units of 2^−fraction and modulo 2^bits: what is added to Q S̄ for
 * that number added to S̄.
 */
export function timesRows(Q: Fixed, units: readonly bigint[], { fraction, bits }: Kept): Fixed {
  const length = Math.max(...units.map((own) => own.toString(2).length)) + 1;
  const numbers = Fixed.of(Q.gates, units, { fraction, bits: length });
  return Q.spread(units.length).timesExactly(numbers, { fraction, bits });
}

/** Adds the shares up and checks the number of owners, of rows and of classes. */
export async function poolStatistics(
  session: Session,
  task: StatisticsTask,
  minimumOwners: number,
  shares: Shares,
): Promise<PooledStatistics> {
  const places = placesOf(task);
  const floor = floorOf(task);
  const ownerBits = widthsOf(task).owners;
  const { R, counted, owners, records } = await addShares(session, task, shares, (gates, values, records) => {
    const value = (span: Span, fraction: number) => new Fixed(gates, values(span), fraction);
    const next = noisedSpans(task);
    const counted = places.labellings.map((classes) =>
      classes.map(({ V, M }): PooledClass => {
        const own = value(M, 0);
        return {
          V: value(V, task.fractionBits),
          M: task.differentialPrivacy ? own : own.nonNegative(),
          ...(floor && { noised: value(next(), floor.sumFractionBits) }),
        };
      }),
    );
    const R = collectsR(task) ? value(places.R, 2 * computedFractionBits(task)) : undefined;
    return { R, counted, owners: value(places.owners, 0).resized(ownerBits), records };
  });
  const labellings = isNoisy(task) ? await usableClasses(session, counted) : counted;
  const steps = classesByStep(labellings[0]!);
  const before: PooledClass[] = [];
  for (const some of steps.slice(0, -1))
    before.push(await session.step(() => [...before.splice(0), ...some].reduce(together)));
  return session.step((gates) => {
    const { V, M, noised } = [...before, ...steps.at(-1)!].reduce(together);
    const least = { fraction: 0, bits: minimumOwners.toString(2).length + 1 };
    return {
      R,
      labellings,
      V,
      ...(noised && { noised }),
      Q: M,
      flags: [
        equal(gates, owners.number, numberFrom(gates, records, ownerBits)),
        gates.not(owners.isBelow(Fixed.of(gates, [BigInt(minimumOwners)], least))),
        gates.not(M.isZero()),
      ],
      classes: twoClasses(gates, labellings[0]!),
    };
  });
}

/** The rows of both. */
export function together(one: PooledClass, other: PooledClass): PooledClass {
  const { V, M, noised } = one;
  return {
    V: V.plus(other.V, V.bits),
    M: M.plus(other.M, M.bits).nonNegative(),
    ...(noised && { noised: noised.plus(other.noised!, noised.bits) }),
  };
}

/** Every class as `usable` leaves it. */
async function usableClasses(
  session: Session,
  labellings: readonly (readonly PooledClass[])[],
): Promise<PooledClass[][]> {
  const usableOnes: PooledClass[][] = [];
  for (const classes of labellings) {
    const own: PooledClass[] = [];
    for (const some of classesByStep(classes))
      own.push(...(await session.step((gates) => some.map((sums) => usable(gates, sums)))));
    usableOnes.push(own);
  }
  return usableOnes;
}

/** The classes in their order, as many as one step adds up or masks. */
function classesByStep(classes: readonly PooledClass[]): PooledClass[][] {
  const { V, M, noised } = classes[0]!;
  const each = piecesPerStep(V.lanes * (V.bits + (noised?.bits ?? 0)) + M.bits);
  const steps: PooledClass[][] = [];
  for (let from = 0; from < classes.length; from += each) steps.push(classes.slice(from, from + each));
  return steps;
}

/**
 * Under noise a class may have a number of rows that is not positive: it counts as empty then, and its noisy
 * sums as zero.
 */
function usable(gates: Gates, { V, M, noised }: PooledClass): PooledClass {
  const some = gates.and(gates.not(M.sign), gates.not(M.isZero()));
  return {
    V: V.where(some),
    M: M.where(some).nonNegative(),
    ...(noised && { noised: noised.where(some) }),
  };
}

/**
 * The spans of the noised sums, which follow the statistics in the order of the classes, one after the other.
 */
function noisedSpans(task: StatisticsTask): () => Span {
  let from = placesOf(task).length;
  return () => {
    const span = { from, to: from + task.features.length };
    from = span.to;
    return span;
  };
}

/** Returns whether at least two classes have rows. */
function twoClasses(gates: Gates, classes: readonly PooledClass[]): Wires {
  let [none, fewerThanTwo] = [gates.constant(1, 1), gates.constant(1, 1)];
  if (classes.length < 2) return gates.not(none);
  for (const { M } of classes) {
    const empty = M.isZero();
    // Two classes have rows once one has them that is not the first.
    const [noneNow, second] = gates.andEach([none, gates.not(none)], [empty, gates.not(empty)]);
    none = noneNow!;
    fewerThanTwo = gates.and(fewerThanTwo, gates.not(second!));
  }
  return gates.not(fewerThanTwo);
}

/** Bits of the magnitude of every entry of Q S̄: of Q R, or of V Vᵀ, which noise can make larger. */
export function scatterBits(task: StatisticsTask): number {
  const bits = computedBitsOf(task);
  const { R, labellings } = placesOf(task);
  const [ofR, ofV] = [R, labellings[0]![0]!.V].map(({ from }) => bits[from]! - 1) as [number, number];
  return Math.max(widthsOf(task).M - 1 + ofR, 2 * ofV);
}

/**
 * The upper triangle of Q S̄ = Q R − V Vᵀ, exact, without the division by Q. No entry is larger than the
 * trace, which the given bits hold.
 */
export async function scaledScatter(
  session: Session,
  { R, V, Q }: Pick<PooledStatistics, 'R' | 'V' | 'Q'>,
  d: number,
  bits: number,
): Promise<Fixed> {
  if (R === undefined) throw new RangeError('"R" expected products of features, got none');
  const layout = upperByRows(d);
  const kept = { fraction: R.fraction, bits };
  // Cells of V have no more bits than rows have, those of R may.
  const more = R.fraction - 2 * V.fraction;
  const ofV = { fraction: 2 * V.fraction, bits: bits - more };
  const gatesPerLane = 2 * (R.bits * Q.bits + V.bits ** 2);
  return pieceByPiece(session, layout.lanes, gatesPerLane, (piece) => {
    const own = R.part(piece);
    const whole = own.timesExactly(Q.spread(own.lanes), kept);
    const product = V.perRow(layout, piece).timesExactly(V.perColumn(layout, piece), ofV);
    return whole.minus(product.at(kept.fraction));
  });
}
