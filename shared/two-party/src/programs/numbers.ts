/** Small circuits that the programs share; those without a comment on gates cost none. */
import {
  concatLanes,
  constantNumber,
  gatherLanes,
  lanesOf,
  type Num,
  normalise,
  type RoundedPart,
  resize,
  shiftLeftBy,
  shiftRight,
  sign,
  sliceLanes,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Wires } from '../garbling/index.ts';
import { grid } from './layouts.ts';

/** A number that is known not to be negative, with a constant sign. */
export function nonNegative(gates: Gates, a: Num): Num {
  return [...a.slice(0, -1), gates.constant(lanesOf(a), 0)];
}

/** Lane `lane` of `a`, `lanes` times. */
export function broadcast(gates: Gates, a: Num, lane: number, lanes: number): Num {
  return gatherLanes(gates, a, new Uint32Array(lanes).fill(lane));
}

/** `count` lanes, lane i being lane index(i) of `a`. */
export function pick(gates: Gates, a: Num, count: number, index: (lane: number) => number): Num {
  return gatherLanes(
    gates,
    a,
    Uint32Array.from({ length: count }, (_, lane) => index(lane)),
  );
}

/** Lanes `from` up to but not including `to` of such a vector. */
export function pickRange(
  gates: Gates,
  a: Num,
  from: number,
  to: number,
  index: (lane: number) => number,
): Num {
  return pick(gates, a, to - from, (lane) => index(from + lane));
}

/** A public number per lane. */
export function constantNumbers(gates: Gates, values: readonly bigint[], bits: number): Num {
  return Array.from({ length: bits }, (_, i) =>
    gates.constants(Uint8Array.from(values, (value) => Number((value >> BigInt(i)) & 1n))),
  );
}

export interface Scaled {
  /** The numbers times 2^places, with the same number of places in all lanes of a group. */
  readonly values: readonly Num[];
  /** Unsigned; one lane per group. */
  readonly places: Num;
  /** 1 where all numbers of the group are 0 or -1. */
  readonly empty: Wires;
}

/**
 * Shifts numbers of one length together to the left, until one of them has a bit below its sign that differs from the
 * sign. Group g are the lanes g, g + groups, ... of all of `numbers`. Negative numbers count by their complement, so -2^n counts as less.
 */
export function scaleTogether(gates: Gates, numbers: readonly Num[], groups: number): Scaled {
  return gates.scope(() => {
    // Digit by digit whether all numbers are without a bit: 1 where they are.
    let clear = numbers.map((a) => a.slice(0, -1).map((bit) => gates.not(gates.xor(bit, sign(a)))));
    while (clear.length > 1) {
      const half = clear.length >> 1;
      const both = gates.andEach(clear.slice(0, half).flat(), clear.slice(half, 2 * half).flat());
      const length = clear[0]!.length;
      const merged = Array.from({ length: half }, (_, k) => both.slice(k * length, (k + 1) * length));
      clear = [...merged, ...clear.slice(2 * half)];
    }
    const digits = allLanes(gates, clear[0]!, groups).map((wires) => gates.not(wires));
    const { value, places } = normalise(gates, [...digits, gates.constant(groups, 0)]);
    const values = numbers.map((a) => {
      const spread = grid(lanesOf(a) / groups, groups).perColumn(gates, places);
      return shiftLeftBy(gates, a, spread);
    });
    return { values, places, empty: gates.not(value.at(-2)!) };
  });
}

/** Whether all lanes are 1: one lane. */
export function allOfLanes(gates: Gates, wires: Wires): Wires {
  return gates.scope(() => allLanes(gates, [wires], 1)[0]!);
}

/** Per vector whether all lanes of a group are 1: a gate per lane. */
function allLanes(gates: Gates, vectors: readonly Wires[], groups: number): Wires[] {
  let level = [...vectors];
  for (let items = vectors[0]!.lanes / groups; items > 1; items = Math.ceil(items / 2)) {
    const half = Math.floor(items / 2) * groups;
    const both = gates.andEach(
      level.map((wires) => gates.slice(wires, 0, half)),
      level.map((wires) => gates.slice(wires, half, 2 * half)),
    );
    level = level.map((wires, i) => gates.concat([both[i]!, gates.slice(wires, 2 * half, wires.lanes)]));
  }
  return level;
}

/** A sum over the pairs, in lanes of its own. */
export interface ProductSum {
  readonly of: readonly (readonly [Num, Num])[];
  readonly plus?: Num;
}

type Pair = readonly [Num, Num];

/** Σ a b */
export const sum = (...of: readonly Pair[]): ProductSum => ({ of });

/** plus + Σ a b */
export const onto = (plus: Num, ...of: readonly Pair[]): ProductSum => ({ of, plus });

/** Several rounded sums of products at once (`sumOfProducts`, whose batches they share), each in as many lanes as its factors have. */
export function sumsOfProducts(
  gates: Gates,
  sums: readonly ProductSum[],
  part: Pick<RoundedPart, 'shift' | 'bits'>,
): Num[] {
  const lanes = sums.map(({ of }) => lanesOf(of[0]![0]));
  const nothing = lanes.map((count) => zeros(gates, 1, count));
  const longest = Math.max(...sums.map(({ of }) => of.length));
  const pairs = Array.from({ length: longest }, (_, k) => {
    const factor = (side: 0 | 1): Num =>
      concatLanes(
        gates,
        sums.map(({ of }, i) => of[k]?.[side] ?? nothing[i]!),
      );
    return [factor(0), factor(1)] as const;
  });
  const plus = sums.some((sum) => sum.plus !== undefined)
    ? concatLanes(
        gates,
        sums.map((sum, i) => sum.plus ?? nothing[i]!),
      )
    : undefined;
  const all = sumOfProducts(gates, pairs, plus === undefined ? part : { ...part, plus });
  let from = 0;
  return lanes.map((count) => {
    from += count;
    return sliceLanes(gates, all, from - count, from);
  });
}

/** The number at fewer fraction bits, rounded down. */
export function coarser(a: Num, places: number, bits: number): Num {
  return resize(shiftRight(a, places), bits);
}

export function zeros(gates: Gates, bits: number, lanes: number): Num {
  return constantNumber(gates, 0n, bits, lanes);
}
