/**
 * A matrix of as many columns as there are features is multiplied in pieces, since a product has 256 columns at most.
 *
 * The products of an exchange as they follow from each other, each found by what its plan returned.
 *
 * Drops fraction bits of shares modulo 2^ring of numbers below 2^(ring − 2) in magnitude, and lifts what is
 * left to a longer ring. An offset of the correlator's makes them numbers of ring − 1 bits. Then u + c is
 * the number, or 2^ring more: more unless both highest bits are 0, since the number's own is (Huang, Lu,
 * Hong, Ding, "Cheetah", USENIX Security 2022, section 4). So one product of two bits for each number tells
 * shares of the carry, exactly. What is left after the cut is right to less than a unit, and the error
 * follows from the number and either share alone.
 *
 * A product of matrices has no entry-wise one: a row of the chooser's bits meets a diagonal matrix of the
 * correlator's.
 */

import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import { MAXIMUM_COLUMNS } from '../../products/ring-bits.ts';
import type { Matrix } from '../matrices.ts';

export function piecesOf(features: number): { readonly from: number; readonly size: number }[] {
  const pieces = [];
  for (let from = 0; from < features; from += MAXIMUM_COLUMNS)
    pieces.push({ from, size: Math.min(MAXIMUM_COLUMNS, features - from) });
  return pieces;
}

/** Products of all pieces side by side. */
export function joined(products: readonly Matrix[]): bigint[][] {
  return products[0]!.map((_, row) => products.flatMap((product) => product[row]!));
}

/** The values that this server finds from its shares of the products before, of a plan. */
export type Known<Found> = (shares: readonly Matrix[]) => Found;

export class Plan<Product> {
  readonly products: Product[] = [];

  /** Adds a product; returns this server's share of it. */
  add(product: Product): Known<Matrix> {
    const place = this.products.push(product) - 1;
    return (shares) => shares[place]!;
  }
}

/** Found once: shares of a plan's products do not change. */
export function once<Found>(find: Known<Found>): Known<Found> {
  let found: { readonly value: Found } | undefined;
  return (shares) => {
    found ??= { value: find(shares) };
    return found.value;
  };
}

/**
 * A product that is computed modulo 2^ring, of which `cut` fraction bits are dropped, and what is left lifted
 * to shares modulo 2^lifted.
 */
export interface Cut {
  readonly ring: number;
  readonly cut: number;
  readonly lifted: number;
}

/**
 * Numbers that one product lifts: its diagonal matrix is as wide, and most of what both ends do for it grows
 * with the square, but a third of a millisecond.
 */
const LIFTED_AT_ONCE = 32;

/** Adds the chooser's products, which begin a wave; returns its lifted shares. */
export function liftChosen(
  plan: Plan<ChosenProduct>,
  count: number,
  sharesOf: Known<readonly bigint[]>,
  stage: Cut,
): Known<bigint[]> {
  const own = once((shares) => sharesOf(shares).map((share) => BigInt.asUintN(stage.ring, share)));
  const carries = runsOf(count).map(({ from, size }) =>
    plan.add({
      matrix: {
        rows: 1,
        inner: size,
        from: (shares) => [lowsOf(own(shares).slice(from, from + size), stage)],
        joins: from > 0,
      },
      entryBits: 2,
      columns: size,
      ringBits: carryRing(stage),
    }),
  );
  // Up, and the correlator down: so both are off by less than a unit together.
  const whole = 1n << BigInt(stage.ring);
  const up = (share: bigint) => -((whole - share) >> BigInt(stage.cut)) + (whole >> BigInt(stage.cut));
  return once((shares) => carried(own(shares).map(up), rowsOf(carries, shares), stage));
}

/** Adds the correlator's ends of the same products; returns its lifted shares. */
export function liftCorrelated(
  plan: Plan<CorrelatedProduct>,
  count: number,
  sharesOf: Known<readonly bigint[]>,
  stage: Cut,
): Known<bigint[]> {
  const offset = 1n << BigInt(stage.ring - 2);
  const own = once((shares) => sharesOf(shares).map((share) => BigInt.asUintN(stage.ring, share + offset)));
  const carries = runsOf(count).map(({ from, size }) =>
    plan.add({
      matrix: {
        inner: size,
        columns: size,
        from: (shares) => diagonal(lowsOf(own(shares).slice(from, from + size), stage)),
      },
      rows: 1,
      entryBits: 2,
      ringBits: carryRing(stage),
      ...(from === 0 && { waits: true as const }),
    }),
  );
  // The offset, and one carry, of which the products give back what there was none of.
  const tooMuch = ((1n << BigInt(stage.ring)) + offset) >> BigInt(stage.cut);
  const down = (share: bigint) => (share >> BigInt(stage.cut)) - tooMuch;
  return once((shares) => carried(own(shares).map(down), rowsOf(carries, shares), stage));
}

/** Returns the sizes of the products that lift this number of numbers: their rows, and their ring. */
export function liftingSizes(count: number, stage: Cut): { readonly size: number; readonly ring: number }[] {
  return runsOf(count).map(({ size }) => ({ size, ring: carryRing(stage) }));
}

function rowsOf(products: readonly Known<Matrix>[], shares: readonly Matrix[]): bigint[] {
  return products.flatMap((product) => product(shares)[0]!);
}

function carried(left: readonly bigint[], carries: readonly bigint[], stage: Cut): bigint[] {
  return left.map((share, e) =>
    BigInt.asUintN(stage.lifted, share + (carries[e]! << BigInt(bitsLeft(stage)))),
  );
}

function bitsLeft({ ring, cut }: Cut): number {
  return ring - cut;
}

/** A carry counts 2^bitsLeft in the longer ring. */
function carryRing(stage: Cut): number {
  return Math.max(2, stage.lifted - bitsLeft(stage));
}

function runsOf(count: number): { from: number; size: number }[] {
  const runs = [];
  for (let from = 0; from < count; from += LIFTED_AT_ONCE)
    runs.push({ from, size: Math.min(LIFTED_AT_ONCE, count - from) });
  return runs;
}

/** 1 where the highest bit is 0. */
function lowsOf(shares: readonly bigint[], { ring }: Cut): bigint[] {
  return shares.map((share) => 1n - (share >> BigInt(ring - 1)));
}

function diagonal(entries: readonly bigint[]): bigint[][] {
  return entries.map((entry, i) => entries.map((_, j) => (i === j ? entry : 0n)));
}
