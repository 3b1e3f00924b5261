/**
 * Small circuits that the programs share; those without a comment on gates cost none.
 *
 * The operations on fixed-point numbers that need no gate: other lanes, and other bits.
 */
import {
  concatLanes,
  constantNumber,
  gatherLanes,
  lanesOf,
  type Num,
  resize,
  shiftLeft,
  shiftRight,
  sign,
  sliceLanes,
} from '../circuits/index.ts';
import type { Gates, Wires } from '../garbling/index.ts';
import type { Layout, Piece, Source } from './layouts.ts';

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

export abstract class FreeOperations<Self> {
  abstract readonly number: Num;
  /** The number of fraction bits, the lowest ones: the number is an integer in units of 2^−fraction. */
  abstract readonly fraction: number;
  abstract get gates(): Gates;

  /** Other bits, by default with the same fraction. */
  protected abstract with(number: Num, fraction?: number): Self;

  get lanes(): number {
    return lanesOf(this.number);
  }

  get bits(): number {
    return this.number.length;
  }

  /** 1 where it is negative. */
  get sign(): Wires {
    return sign(this.number);
  }

  /** Modulo 2^bits of its units. */
  resized(bits: number): Self {
    return this.with(resize(this.number, bits));
  }

  /** The same, known not to be negative. */
  nonNegative(): Self {
    return this.with(nonNegative(this.gates, this.number));
  }

  lane(i: number): Self {
    return this.lanesFrom(i, i + 1);
  }

  /** Lanes `from` up to but not including `to`. */
  lanesFrom(from: number, to = this.lanes): Self {
    return this.with(sliceLanes(this.gates, this.number, from, to));
  }

  /** Returns the lanes at these places, in that order. */
  lanesAt(lanes: readonly number[]): Self {
    return this.with(gatherLanes(this.gates, this.number, Uint32Array.from(lanes)));
  }

  part({ from, to }: Piece): Self {
    return this.lanesFrom(from, to);
  }

  /** Repeats its one lane this number of times. */
  spread(lanes: number): Self {
    return this.with(broadcast(this.gates, this.number, 0, lanes));
  }

  /** As `Layout.perRow`: entry (i, j) is lane i of this. */
  perRow(layout: Layout, piece?: Piece): Self {
    return this.with(layout.perRow(this.gates, this.number, piece?.from, piece?.to));
  }

  /** As `Layout.perColumn`: entry (i, j) is lane j of this. */
  perColumn(layout: Layout, piece?: Piece): Self {
    return this.with(layout.perColumn(this.gates, this.number, piece?.from, piece?.to));
  }

  /** As `Layout.gather`: entry (i, j) is the lane of this that `source` names. */
  as(layout: Layout, source: Source, piece?: Piece): Self {
    return this.with(layout.gather(this.gates, this.number, source, piece?.from, piece?.to));
  }

  /** Returns the diagonal of a square matrix or a triangle that lies like that. */
  diagonal(layout: Layout): Self {
    return this.with(layout.diagonal(this.gates, this.number));
  }

  /** 2^exponent where the wires are 1; the number is 0 there. */
  orPower(exponent: number, wires: Wires): Self {
    const set = (bit: Wires, i: number) =>
      i === this.fraction + exponent ? this.gates.xor(bit, wires) : bit;
    return this.with(this.number.map(set));
  }

  /** 2^times this, as many bits longer. */
  doubled(times = 1): Self {
    return this.with(shiftLeft(this.gates, this.number, times));
  }

  /** this / 2^places, all of it: as many more fraction bits. */
  over(places: number): Self {
    return this.with(this.number, this.fraction + places);
  }

  /** Returns the number with this number of fraction bits: zeros for more, rounded down to fewer. */
  at(fraction: number): Self {
    const more = fraction - this.fraction;
    const { number } = this;
    return this.with(more > 0 ? shiftLeft(this.gates, number, more) : shiftRight(number, -more), fraction);
  }

  /** The lanes of this and then those of the others. @throws RangeError where one has another fraction */
  followedBy(...others: readonly FreeOperations<Self>[]): Self {
    for (const other of others) expectFraction(other, this.fraction);
    return this.with(concatLanes(this.gates, [this.number, ...others.map(({ number }) => number)]));
  }

  /** The same matrix or triangle with another diagonal. @throws RangeError where it has another fraction */
  withDiagonal(layout: Layout, diagonal: FreeOperations<Self>): Self {
    expectFraction(diagonal, this.fraction);
    return this.with(layout.withDiagonal(this.gates, this.number, diagonal.number));
  }

  /**
   * The same bits, the point elsewhere: what a program knows of a number that was shifted by secret places.
   */
  readAt(fraction: number): Self {
    return this.with(this.number, fraction);
  }
}

/** @throws RangeError where the number has another fraction */
export function expectFraction({ fraction }: { readonly fraction: number }, expected: number): void {
  if (fraction !== expected)
    throw new RangeError(`"fraction" expected ${expected} fraction bits, got ${fraction}`);
}
