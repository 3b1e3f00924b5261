/**
 * Lifts shares modulo 2^m of numbers in [0, 2^(m−1)) to a longer ring, exactly. u + c is the number, or 2^m more: more unless both highest bits are 0, since the number's
 * own is (Huang, Lu, Hong, Ding, "Cheetah", USENIX Security 2022, section 4). So one product of two bits for each number tells shares of the carry.
 *
 * A product of matrices has no entry-wise one: a row of the CSP's bits meets a diagonal matrix of the data user's.
 */
import type { ChosenProduct, CorrelatedProduct } from '../../products/index.ts';
import { type Matrix, symmetricMatrix } from '../matrices.ts';

/** Numbers that one product lifts: its diagonal matrix is as wide. */
export const LIFTED_AT_ONCE = 128;

/** The CSP's products, which follow from its shares of products before: a wave begins with them. */
export function liftingChoices(
  count: number,
  sharesOf: (before: readonly Matrix[]) => readonly bigint[],
  { bits, ringBits }: { readonly bits: number; readonly ringBits: number },
): ChosenProduct[] {
  return runsOf(count).map(({ from, size }) => ({
    matrix: {
      rows: 1,
      inner: size,
      from: (before) => [
        sharesOf(before)
          .slice(from, from + size)
          .map((share) => isLow(share, bits)),
      ],
      joins: from > 0,
    },
    entryBits: 2,
    columns: size,
    ringBits,
  }));
}

/** The data user's ends of the same products. */
export function liftingCorrelations(
  count: number,
  sharesOf: (before: readonly Matrix[]) => readonly bigint[],
  { bits, ringBits }: { readonly bits: number; readonly ringBits: number },
): CorrelatedProduct[] {
  return runsOf(count).map(({ from, size }) => ({
    matrix: {
      inner: size,
      columns: size,
      from: (before) =>
        diagonal(
          sharesOf(before)
            .slice(from, from + size)
            .map((share) => isLow(share, bits)),
        ),
    },
    rows: 1,
    entryBits: 2,
    ringBits,
    ...(from === 0 && { waits: true as const }),
  }));
}

/**
 * A server's lifted shares from those modulo 2^bits and from its shares of the products. What both add up to is 2^bits too much: the data user takes it off.
 */
export function lifted(
  shares: readonly bigint[],
  products: readonly Matrix[],
  { bits, ringBits }: { readonly bits: number; readonly ringBits: number },
): bigint[] {
  const both = products.flatMap(([row]) => row!);
  return shares.map((share, e) => BigInt.asUintN(ringBits, share + (both[e]! << BigInt(bits))));
}

/** How many products lift so many numbers. */
export function liftingSizes(count: number): number[] {
  return runsOf(count).map(({ size }) => size);
}

/** Numbers of both signs, below 2^(bits − 2) in magnitude, become such that are not negative. */
export function offsetOf(bits: number): bigint {
  return 1n << BigInt(bits - 2);
}

/** The symmetric matrix of lifted shares, less what was added to its entries. */
export function unliftedMatrix(
  upper: readonly bigint[],
  side: number,
  less: bigint,
  ringBits: number,
): bigint[][] {
  return symmetricMatrix(
    upper.map((entry) => BigInt.asUintN(ringBits, entry - less)),
    side,
  );
}

function runsOf(count: number): { from: number; size: number }[] {
  const runs = [];
  for (let from = 0; from < count; from += LIFTED_AT_ONCE)
    runs.push({ from, size: Math.min(LIFTED_AT_ONCE, count - from) });
  return runs;
}

/** 1 where the highest bit is 0. */
function isLow(share: bigint, bits: number): bigint {
  return 1n - (BigInt.asUintN(bits, share) >> BigInt(bits - 1));
}

function diagonal(entries: readonly bigint[]): bigint[][] {
  return entries.map((entry, i) => entries.map((_, j) => (i === j ? entry : 0n)));
}
