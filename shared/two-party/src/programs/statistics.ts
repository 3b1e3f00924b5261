/** The pooled statistics of a PCA task from additive shares, their checks, and Q times the total scatter. */
import type { StatisticsTask } from '@eigenveil/statistics';
import { layout } from '@eigenveil/statistics';
import {
  addModulo,
  concatLanes,
  equal,
  isZero,
  lessThan,
  type Num,
  numberFrom,
  resize,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { broadcast, constantNumbers, nonNegative, pick } from './numbers.ts';
import { products } from './steps.ts';

/** Only the party that they belong to passes shares. */
export interface Shares {
  readonly garbler?: { readonly shares: readonly bigint[]; readonly verifiedOwners: number };
  readonly evaluator?: { readonly shares: readonly bigint[] };
}

export interface PooledStatistics {
  /** Upper triangle. */
  readonly R: Num;
  readonly V: Num;
  /** One lane, not negative. */
  readonly Q: Num;
  /** Whether the encrypted number of owners is the verified one; whether it is at least the minimum; whether there are rows. */
  readonly flags: readonly [Wires, Wires, Wires];
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
function groupsOf(bits: readonly number[]): { from: number; to: number; width: number }[] {
  const groups: { from: number; to: number; width: number }[] = [];
  for (const [i, width] of bits.entries()) {
    const last = groups.at(-1);
    if (last?.width === width) last.to = i + 1;
    else groups.push({ from: i, to: i + 1, width });
  }
  return groups;
}

/** Adds the shares up and checks the number of owners. */
export async function poolStatistics(
  session: Session,
  task: StatisticsTask,
  minimumOwners: number,
  { garbler, evaluator }: Shares,
): Promise<PooledStatistics> {
  const { valueBits } = layout(task);
  const d = task.features.length;
  const entries = (d * (d + 1)) / 2;
  const count = valueBits.reduce((sum, bits) => sum + bits, 0);
  const ownerBits = valueBits.at(-1)!;
  const verified =
    garbler &&
    Uint8Array.from({ length: ownerBits }, (_, i) =>
      (BigInt(garbler.verifiedOwners) >> BigInt(i)) & 1n ? 1 : 0,
    );
  const left = await session.garblerInput(count, garbler && shareBits(valueBits, garbler.shares));
  const records = await session.garblerInput(ownerBits, verified);
  const right = await session.evaluatorInput(count, evaluator && shareBits(valueBits, evaluator.shares));
  return session.step((gates) => {
    let offset = 0;
    const values = groupsOf(valueBits).map(({ from, to, width }) => {
      const bits = (to - from) * width;
      const [a, b] = [left, right].map((wires) =>
        numberFrom(gates, gates.slice(wires, offset, offset + bits), width),
      ) as [Num, Num];
      offset += bits;
      return { from, to, sum: addModulo(gates, a, b, width) };
    });
    const value = (from: number, to: number): Num => {
      const parts = values
        .filter((group) => group.from < to && group.to > from)
        .map((group) =>
          sliceLanes(
            gates,
            group.sum,
            Math.max(from, group.from) - group.from,
            Math.min(to, group.to) - group.from,
          ),
        );
      return concatLanes(gates, parts);
    };
    const Q = value(entries + d, entries + d + 1);
    const owners = resize(value(entries + d + 1, entries + d + 2), ownerBits);
    const least = constantNumbers(gates, [BigInt(minimumOwners)], minimumOwners.toString(2).length + 1);
    return {
      R: value(0, entries),
      V: value(entries, entries + d),
      Q: nonNegative(gates, Q),
      flags: [
        equal(gates, owners, numberFrom(gates, records, ownerBits)),
        gates.not(lessThan(gates, owners, least)),
        gates.not(isZero(gates, Q)),
      ],
    };
  });
}

/**
 * The upper triangle of Q S̄ = Q R − V Vᵀ, times 4^fractionBits: integers, without the division by Q. No entry is larger than the
 * trace, which the given bits hold.
 */
export async function scaledScatter(
  session: Session,
  { R, V, Q }: PooledStatistics,
  d: number,
  bits: number,
): Promise<Num> {
  const entries = (d * (d + 1)) / 2;
  const [rows, columns] = [new Uint32Array(entries), new Uint32Array(entries)];
  let lane = 0;
  for (let i = 0; i < d; i += 1) {
    for (let j = i; j < d; j += 1) {
      rows[lane] = i;
      columns[lane] = j;
      lane += 1;
    }
  }
  const whole = { shift: 0, bits };
  const first = await products(session, entries, (gates) => [R, broadcast(gates, Q, 0, entries)], whole);
  const second = await products(
    session,
    entries,
    (gates) => [pick(gates, V, entries, (i) => rows[i]!), pick(gates, V, entries, (i) => columns[i]!)],
    whole,
  );
  return session.step((gates) => subtractModulo(gates, first, second, bits));
}
