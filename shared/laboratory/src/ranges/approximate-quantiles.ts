/**
 * Several quantiles by a curator who is trusted with the rows: the exponential mechanism, recursively (Kaplan, Schnapp and Stemmer, "Differentially private
 * approximate quantiles", 2022). A reference for what histograms under two servers leave: no server here may see rows.
 *
 * Proof note. The middle one of the wanted quantiles is chosen first, then those below it from the rows below, and those above from the rows above. A row is in
 * one part of each level, so a level of the recursion costs what one of its choices does, and ⌊log₂ m⌋ + 1 levels share ε. A choice among edges t has the
 * utility −|F(t) − q n| of its part; one row more or less moves F by at most 1 and q n by q, in the same direction: by at most 1 together.
 * (ε, 0) for a row added or removed.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { exponentialMechanism } from '../mechanisms/exponential.ts';

/** Utilities are integers over this. */
const UNIT = 1000;

/** Upper edges of bins, ascending, for ascending quantiles of the rows that these exact counts have. */
export function approximateQuantiles(
  source: RandomSource,
  counts: readonly number[],
  quantiles: readonly number[],
  epsilon: number,
): number[] {
  const levels = Math.floor(Math.log2(quantiles.length)) + 1;
  const each = epsilon / levels;
  /** Among edges from + 1 … to, for the rows of bins from … to − 1, which have the shares `low` to `high` of all. */
  const choose = (
    wanted: readonly number[],
    from: number,
    to: number,
    low: number,
    high: number,
  ): number[] => {
    if (wanted.length === 0) return [];
    // Nothing is left between two neighbouring edges.
    if (to - from <= 1) return wanted.map(() => Math.max(to, 1));
    const middle = Math.floor((wanted.length - 1) / 2);
    const q = (wanted[middle]! - low) / (high - low);
    const rows = counts.slice(from, to).reduce((sum, count) => sum + count, 0);
    let below = 0;
    const utilities = counts.slice(from, to).map((count) => {
      below += count;
      return -BigInt(Math.round(UNIT * Math.abs(below - q * rows)));
    });
    const chosen =
      from + 1 + exponentialMechanism(source, utilities, { sensitivity: BigInt(UNIT + 1), epsilon: each });
    return [
      ...choose(wanted.slice(0, middle), from, chosen, low, wanted[middle]!),
      chosen,
      ...choose(wanted.slice(middle + 1), chosen, to, wanted[middle]!, high),
    ];
  };
  return choose(quantiles, 0, counts.length, 0, 1);
}
