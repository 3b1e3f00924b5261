/**
 * Vectors of integers as vectors of wires: one per bit, lowest first, the highest carrying the sign (two's complement).
 * Fixed point is the caller's reading of an integer. Bits may be public constants, which cost no gates: an unsigned number is one
 * whose highest bit is the constant 0. Nothing in this file costs a gate.
 */
import type { Gates } from '../garbling/gates.ts';
import type { Wires } from '../garbling/wires.ts';

export type Num = readonly Wires[];

export function lanesOf(a: Num): number {
  return a[0]?.lanes ?? 0;
}

/** The sign bit: 1 where the number is negative. */
export function sign(a: Num): Wires {
  const top = a.at(-1);
  if (top === undefined) throw new RangeError('"a" expected at least one bit, got none');
  return top;
}

/** The same public number in every lane, modulo 2^bits. */
export function constantNumber(gates: Gates, value: bigint, bits: number, lanes: number): Num {
  return Array.from({ length: bits }, (_, i) =>
    gates.constant(lanes, ((value >> BigInt(i)) & 1n) === 1n ? 1 : 0),
  );
}

/** The number modulo 2^bits as a signed number: more bits repeat the sign, fewer drop the highest. */
export function resize(a: Num, bits: number): Num {
  const top = sign(a);
  return Array.from({ length: bits }, (_, i) => a[i] ?? top);
}

/** The bits of a number read as an unsigned one. */
export function unsigned(gates: Gates, a: Num): Num {
  return sign(a).constant === 0 ? a : [...a, gates.constant(lanesOf(a), 0)];
}

/** a * 2^places, as many bits longer. */
export function shiftLeft(gates: Gates, a: Num, places: number): Num {
  const zero = gates.constant(lanesOf(a), 0);
  return [...new Array<Wires>(places).fill(zero), ...a];
}

/** The floor of a / 2^places, as many bits shorter, but at least one bit. */
export function shiftRight(a: Num, places: number): Num {
  return places < a.length ? a.slice(places) : [sign(a)];
}

/** Applies a function of wires to every bit. */
export function eachBit(a: Num, change: (bit: Wires) => Wires): Num {
  return a.map(change);
}

export function sliceLanes(gates: Gates, a: Num, from: number, to: number): Num {
  return eachBit(a, (bit) => gates.slice(bit, from, to));
}

/** Lane i of the result is lane indices[i] of `a`. */
export function gatherLanes(gates: Gates, a: Num, indices: Uint32Array): Num {
  return eachBit(a, (bit) => gates.gather(bit, indices));
}

/** The lanes of all numbers one after another; shorter numbers get the bits of the longest. */
export function concatLanes(gates: Gates, numbers: readonly Num[]): Num {
  const bits = Math.max(...numbers.map((a) => a.length));
  const resized = numbers.map((a) => resize(a, bits));
  return Array.from({ length: bits }, (_, i) => gates.concat(resized.map((a) => a[i]!)));
}

/** Numbers from a vector that holds the lowest bits of all lanes first, then the next: the order of `bitsOf`. */
export function numberFrom(gates: Gates, wires: Wires, bits: number): Num {
  const lanes = wires.lanes / bits;
  return Array.from({ length: bits }, (_, i) => gates.slice(wires, i * lanes, (i + 1) * lanes));
}

/**
 * One input bit per wire of `numberFrom`.
 * @throws RangeError for a value outside [-2^(bits-1), 2^(bits-1))
 */
export function bitsOf(values: readonly bigint[], bits: number): Uint8Array {
  for (const [lane, value] of values.entries()) {
    if (BigInt.asIntN(bits, value) !== value) {
      throw new RangeError(
        `"values" expected signed integers of ${bits} bits, got a larger one in lane ${lane}`,
      );
    }
  }
  const out = new Uint8Array(values.length * bits);
  for (let i = 0; i < bits; i += 1) {
    for (const [lane, value] of values.entries()) {
      out[i * values.length + lane] = Number((value >> BigInt(i)) & 1n);
    }
  }
  return out;
}

/** The values of revealed bit vectors, one vector per bit. */
export function valuesOf(bits: readonly Uint8Array[]): bigint[] {
  const lanes = bits[0]?.length ?? 0;
  return Array.from({ length: lanes }, (_, lane) => {
    const raw = bits.reduce((sum, vector, i) => sum | (BigInt(vector[lane]!) << BigInt(i)), 0n);
    return BigInt.asIntN(bits.length, raw);
  });
}
