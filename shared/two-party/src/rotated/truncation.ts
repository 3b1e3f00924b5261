/**
 * Local truncation of additive shares (Mohassel, Zhang, "SecureML", IEEE S&P 2017, section 4.1). x = u + c modulo 2^l, c uniform.
 * Unless the sum wraps another number of times than x does, of probability |x|/2^l, the integers ⌊u/2^t⌋ and −⌊(2^l − c)/2^t⌋ add up
 * to x/2^t to less than one unit, over the integers: so they are shares in every ring.
 */
import type { ProductSize } from '../lattice/sizes.ts';
import type { MatrixSession, Piece } from '../matrices/session.ts';
import type { Matrix } from './matrices.ts';

/** A truncation goes wrong with probability 2^−43 over all entries: rings are longer by a bit more. */
export const TRUNCATION_GUARD = 42;

/** The result is off by less than this number of units: one that truncation rounds away, and half of one that products are off by. */
export const TRUNCATION_UNITS = 1.5;

/** A product that is truncated afterwards: it is computed modulo 2^ring, and `cut` fraction bits of its shares are dropped. */
export interface Truncated {
  readonly ring: number;
  readonly cut: number;
}

/** The ring of a product that is truncated afterwards, and what it may be off by: a quarter of a unit, and as much by other rows. */
export function truncatedSizes({
  ring,
  cut,
}: Truncated): Pick<ProductSize, 'ringBits' | 'errorBits' | 'junkBits'> {
  return { ringBits: ring, errorBits: cut - 2, junkBits: cut - 2 };
}

/** Both servers' integers. */
export function truncated(session: MatrixSession, shares: Piece, stage: Truncated): Piece {
  return {
    ...session.at('csp', () => truncateCsp(shares.csp!, stage)),
    ...session.at('user', () => truncateUser(shares.user!, stage)),
  };
}

/** The data user's integers, of ring − cut bits. */
export function truncateUser(shares: Matrix, { cut }: Pick<Truncated, 'cut'>): bigint[][] {
  return shares.map((row) => row.map((share) => share >> BigInt(cut)));
}

/** The CSP's integers, in [−2^(ring − cut), 0]. */
export function truncateCsp(shares: Matrix, { ring, cut }: Truncated): bigint[][] {
  const whole = 1n << BigInt(ring);
  return shares.map((row) => row.map((share) => -((whole - share) >> BigInt(cut))));
}

/** The CSP's integers as the factor of a product with this inner side. */
export function factorOf(
  { ring, cut }: Truncated,
  inner: number,
): Pick<ProductSize, 'factorBits' | 'rowBits'> {
  const factorBits = ring - cut;
  return { factorBits, rowBits: factorBits + Math.ceil(Math.log2(inner) / 2) };
}
