/** Small circuits that the programs share; those without a comment on gates cost none. */
import { constantNumber, gatherLanes, lanesOf, type Num } from '../circuits/index.ts';
import type { Gates, Wires } from '../garbling/index.ts';

/** A number that is known not to be negative, with a constant sign. */
export function nonNegative(gates: Gates, a: Num): Num {
  return [...a.slice(0, -1), gates.constant(lanesOf(a), 0)];
}

/** Lane `lane` of `a`, `lanes` times. */
export function broadcast(gates: Gates, a: Num, lane: number, lanes: number): Num {
  return gatherLanes(gates, a, new Uint32Array(lanes).fill(lane));
}

/** Repeats one wire this number of times. */
export function spread(gates: Gates, wire: Wires, lanes: number): Wires {
  return broadcast(gates, [wire], 0, lanes)[0]!;
}

/** A public number per lane. */
export function constantNumbers(gates: Gates, values: readonly bigint[], bits: number): Num {
  return Array.from({ length: bits }, (_, i) =>
    gates.constants(Uint8Array.from(values, (value) => Number((value >> BigInt(i)) & 1n))),
  );
}

/** Returns whether all lanes are 1, in one lane. */
export function allOfLanes(gates: Gates, wires: Wires): Wires {
  return gates.scope(() => allLanes(gates, [wires], 1)[0]!);
}

/** Per vector whether all lanes of a group are 1: a gate per lane. */
export function allLanes(gates: Gates, vectors: readonly Wires[], groups: number): Wires[] {
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

export function zeros(gates: Gates, bits: number, lanes: number): Num {
  return constantNumber(gates, 0n, bits, lanes);
}
