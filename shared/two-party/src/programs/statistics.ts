/** The pooled statistics of a task from additive shares, their checks, and Q times the total scatter. */

import { collectsR, placesOf, type Span, type StatisticsTask, valueBitsOf, widthsOf } from '@eigenveil/task';
import { addModulo, concatLanes, equal, type Num, numberFrom, sliceLanes } from '../circuits/index.ts';
import { Fixed, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';

/** Only the party that they belong to passes shares. */
export interface Shares {
  readonly garbler?: { readonly shares: readonly bigint[]; readonly verifiedOwners: number };
  readonly evaluator?: { readonly shares: readonly bigint[] };
}

/** The sum of a class's rows, one lane per feature, and their number, one lane and not negative. */
export interface PooledClass {
  readonly V: Fixed;
  readonly M: Fixed;
}

export interface PooledStatistics {
  /** Upper triangle; not collected for MDR. */
  readonly R: Fixed | undefined;
  /** Per labelling and class. */
  readonly labellings: readonly (readonly PooledClass[])[];
  /** Over all rows. */
  readonly V: Fixed;
  /** One lane, not negative. */
  readonly Q: Fixed;
  /** Whether the encrypted number of owners is the verified one; whether it is at least the minimum; whether there are rows. */
  readonly flags: readonly [Wires, Wires, Wires];
  /** Whether at least two classes of the first labelling have rows; PCA has but one class. */
  readonly classes: Wires;
}

/** Bits of the values of a share, first value first, lowest bit first within a group of values of one length: see `groupsOf`. */
function shareBits(bits: readonly number[], shares: readonly bigint[]): Uint8Array {
  const out: number[] = [];
  for (const { from, to, width } of groupsOf(bits)) {
    for (let i = 0; i < width; i += 1) {
      for (const share of shares.slice(from, to)) out.push(Number((share >> BigInt(i)) & 1n));
    }
  }
  return Uint8Array.from(out);
}

/** Runs of values of one length. */
function groupsOf(bits: readonly number[]): (Span & { readonly width: number })[] {
  const groups: { from: number; to: number; width: number }[] = [];
  for (const [i, width] of bits.entries()) {
    const last = groups.at(-1);
    if (last?.width === width) last.to = i + 1;
    else groups.push({ from: i, to: i + 1, width });
  }
  return groups;
}

/** Adds the shares up and checks the number of owners, of rows and of classes. */
export async function poolStatistics(
  session: Session,
  task: StatisticsTask,
  minimumOwners: number,
  { garbler, evaluator }: Shares,
): Promise<PooledStatistics> {
  const valueBits = valueBitsOf(task);
  const places = placesOf(task);
  const count = valueBits.reduce((sum, bits) => sum + bits, 0);
  const ownerBits = widthsOf(task).owners;
  const verified =
    garbler &&
    Uint8Array.from({ length: ownerBits }, (_, i) =>
      (BigInt(garbler.verifiedOwners) >> BigInt(i)) & 1n ? 1 : 0,
    );
  const left = await session.garblerInput(count, garbler && shareBits(valueBits, garbler.shares));
  const records = await session.garblerInput(ownerBits, verified);
  const right = await session.evaluatorInput(count, evaluator && shareBits(valueBits, evaluator.shares));
  const { R, counted, owners } = await session.step((gates) => {
    let offset = 0;
    const sums: Num[] = [];
    for (const { from, to, width } of groupsOf(valueBits)) {
      const bits = (to - from) * width;
      const [a, b] = [left, right].map((wires) =>
        numberFrom(gates, gates.slice(wires, offset, offset + bits), width),
      ) as [Num, Num];
      offset += bits;
      sums.push(addModulo(gates, a, b, width));
    }
    // Groups may hold more than one kind of value, as the layout may give two kinds the same width.
    const numberOf = valuesIn(gates, groupsOf(valueBits), sums);
    const value = (span: Span, fraction: number) => new Fixed(gates, numberOf(span), fraction);
    const counted = places.labellings.map((classes) =>
      classes.map(({ V, M }): PooledClass => {
        const sums = { V: value(V, task.fractionBits), M: value(M, 0) };
        return task.differentialPrivacy ? sums : { ...sums, M: sums.M.nonNegative() };
      }),
    );
    const R = collectsR(task) ? value(places.R, 2 * task.fractionBits) : undefined;
    return { R, counted, owners: value(places.owners, 0).resized(ownerBits) };
  });
  const labellings = task.differentialPrivacy ? await usableClasses(session, counted) : counted;
  return session.step((gates) => {
    const { V, M } = labellings[0]!.reduce(together);
    const least = { fraction: 0, bits: minimumOwners.toString(2).length + 1 };
    return {
      R,
      labellings,
      V,
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
  const { V, M } = one;
  return { V: V.plus(other.V, V.bits), M: M.plus(other.M, M.bits).nonNegative() };
}

/** Every class as `usable` leaves it, a step per labelling. */
async function usableClasses(
  session: Session,
  labellings: readonly (readonly PooledClass[])[],
): Promise<PooledClass[][]> {
  const usableOnes: PooledClass[][] = [];
  for (const classes of labellings)
    usableOnes.push(await session.step((gates) => classes.map((sums) => usable(gates, sums))));
  return usableOnes;
}

/** Under noise a class may have a number of rows that is not positive: it counts as empty then, and its noisy sum as zero. */
function usable(gates: Gates, { V, M }: PooledClass): PooledClass {
  const some = gates.and(gates.not(M.sign), gates.not(M.isZero()));
  return { V: V.where(some), M: M.where(some).nonNegative() };
}

/** The lanes of the values of a span of the flat statistics. */
function valuesIn(gates: Gates, groups: readonly Span[], sums: readonly Num[]) {
  return ({ from, to }: Span): Num =>
    concatLanes(
      gates,
      groups.flatMap((group, i) =>
        group.from < to && group.to > from
          ? [
              sliceLanes(
                gates,
                sums[i]!,
                Math.max(from, group.from) - group.from,
                Math.min(to, group.to) - group.from,
              ),
            ]
          : [],
      ),
    );
}

/** Whether at least two classes have rows. */
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
  const { R, V, M } = widthsOf(task);
  return Math.max(M - 1 + (R - 1), 2 * (V - 1));
}

/** The upper triangle of Q S̄ = Q R − V Vᵀ, exact, without the division by Q. No entry is larger than the trace, which the given bits hold. */
export async function scaledScatter(
  session: Session,
  { R, V, Q }: Pick<PooledStatistics, 'R' | 'V' | 'Q'>,
  d: number,
  bits: number,
): Promise<Fixed> {
  if (R === undefined) throw new RangeError('"R" expected products of features, got none');
  const layout = upperByRows(d);
  const kept = { fraction: R.fraction, bits };
  const gatesPerLane = 2 * (R.bits * Q.bits + V.bits ** 2);
  return pieceByPiece(session, layout.lanes, gatesPerLane, (piece) => {
    const own = R.part(piece);
    const whole = own.timesExactly(Q.spread(own.lanes), kept);
    return whole.minus(V.perRow(layout, piece).timesExactly(V.perColumn(layout, piece), kept));
  });
}
