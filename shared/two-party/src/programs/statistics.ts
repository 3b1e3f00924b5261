/** The pooled statistics of a task from additive shares, their checks, and Q times the total scatter. */
import { collectsR, placesOf, type Span, type StatisticsTask, valueBitsOf, widthsOf } from '@eigenveil/task';
import {
  addModulo,
  concatLanes,
  equal,
  isZero,
  lessThan,
  mask,
  multiply,
  type Num,
  numberFrom,
  resize,
  sign,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { upperByRows } from './layouts.ts';
import { broadcast, constantNumbers, nonNegative } from './numbers.ts';
import { inPieces } from './steps.ts';

/** Only the party that they belong to passes shares. */
export interface Shares {
  readonly garbler?: { readonly shares: readonly bigint[]; readonly verifiedOwners: number };
  readonly evaluator?: { readonly shares: readonly bigint[] };
}

/** The sum of a class's rows, one lane per feature, and their number, one lane and not negative. */
export interface PooledClass {
  readonly V: Num;
  readonly M: Num;
}

export interface PooledStatistics {
  /** Upper triangle; no lanes for MDR. */
  readonly R: Num;
  /** Per labelling and class. */
  readonly labellings: readonly (readonly PooledClass[])[];
  /** Over all rows. */
  readonly V: Num;
  /** One lane, not negative. */
  readonly Q: Num;
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
    const value = valuesIn(gates, groupsOf(valueBits), sums);
    const counted = places.labellings.map((classes) =>
      classes.map(({ V, M }): PooledClass => {
        const sums = { V: value(V), M: value(M) };
        return task.differentialPrivacy ? sums : { ...sums, M: nonNegative(gates, sums.M) };
      }),
    );
    const owners = resize(value(places.owners), ownerBits);
    return { R: collectsR(task) ? value(places.R) : [], counted, owners };
  });
  const labellings = task.differentialPrivacy ? await usableClasses(session, counted) : counted;
  return session.step((gates) => {
    const { V, M } = labellings[0]!.reduce((total, { V, M }) => ({
      V: addModulo(gates, total.V, V, V.length),
      M: nonNegative(gates, addModulo(gates, total.M, M, M.length)),
    }));
    const least = constantNumbers(gates, [BigInt(minimumOwners)], minimumOwners.toString(2).length + 1);
    return {
      R,
      labellings,
      V,
      Q: M,
      flags: [
        equal(gates, owners, numberFrom(gates, records, ownerBits)),
        gates.not(lessThan(gates, owners, least)),
        gates.not(isZero(gates, M)),
      ],
      classes: twoClasses(gates, labellings[0]!),
    };
  });
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
  const some = gates.and(gates.not(sign(M)), gates.not(isZero(gates, M)));
  const each = broadcast(gates, [some], 0, V[0]!.lanes)[0]!;
  return { V: mask(gates, each, V), M: nonNegative(gates, mask(gates, some, M)) };
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
    const empty = isZero(gates, M);
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

/**
 * The upper triangle of Q S̄ = Q R − V Vᵀ, times 4^fractionBits: integers, without the division by Q. No entry is larger than the
 * trace, which the given bits hold.
 */
export async function scaledScatter(
  session: Session,
  { R, V, Q }: Pick<PooledStatistics, 'R' | 'V' | 'Q'>,
  d: number,
  bits: number,
): Promise<Num> {
  const layout = upperByRows(d);
  const whole = { shift: 0, bits };
  const gatesPerLane = 2 * (R.length * Q.length + V.length ** 2);
  return inPieces(session, layout.lanes, gatesPerLane, (gates, from, to) => {
    const first = multiply(gates, sliceLanes(gates, R, from, to), broadcast(gates, Q, 0, to - from), whole);
    const [row, column] = [layout.perRow(gates, V, from, to), layout.perColumn(gates, V, from, to)];
    return subtractModulo(gates, first, multiply(gates, row, column, whole), bits);
  });
}
