/**
 * Several quantiles by a curator who is trusted with the rows: the exponential mechanism, recursively (Kaplan, Schnapp and Stemmer, "Differentially private
 * approximate quantiles", 2022). A reference for what histograms under two servers leave: no server here may see rows.
 *
 * Proof note. The middle one of the wanted quantiles is chosen first, then those below it from the rows below, and those above from the rows above. A row is in
 * one part of each level, so a level of the recursion costs what one of its choices does, and ⌊log₂ m⌋ + 1 levels share ε. A choice among edges t has as
 * its loss the rows between q n of its part and the bin that ends at t: max(0, q n − F(t), F(t − 1) − q n). One row more or less moves F by at most 1 and
 * q n by q, in the same direction: the loss by at most 1. So an edge is chosen with probability ∝ e^(−ε loss/2): (ε, 0) for a row added or removed.
 * Drawn by inversion in doubles: for experiments.
 */

/**
 * Upper edges of bins, ascending, for ascending quantiles of the rows that these exact counts have. A bin with many rows makes parts unlike what the recursion
 * takes them for: bins should be fine.
 * @param next numbers in (0, 1]
 */
export function approximateQuantiles(
  next: () => number,
  counts: readonly number[],
  quantiles: readonly number[],
  epsilon: number,
): number[] {
  const each = epsilon / (Math.floor(Math.log2(quantiles.length)) + 1);
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
    const own = counts.slice(from, to);
    const target = ((wanted[middle]! - low) / (high - low)) * own.reduce((sum, count) => sum + count, 0);
    let below = 0;
    const losses = own.map((count) => {
      const before = below;
      below += count;
      return Math.max(0, target - below, before - target);
    });
    const chosen = from + 1 + drawn(next, losses, each);
    return [
      ...choose(wanted.slice(0, middle), from, chosen, low, wanted[middle]!),
      chosen,
      ...choose(wanted.slice(middle + 1), chosen, to, wanted[middle]!, high),
    ];
  };
  return choose(quantiles, 0, counts.length, 0, 1);
}

/** An index with probability ∝ e^(−ε loss/2). */
function drawn(next: () => number, losses: readonly number[], epsilon: number): number {
  const least = losses.reduce((a, b) => Math.min(a, b));
  // Infinity times nothing is no number.
  const weights = losses.map((loss) => (loss === least ? 1 : Math.exp((-epsilon * (loss - least)) / 2)));
  let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    left -= weight;
    return left <= 0;
  });
  return found < 0 ? losses.indexOf(least) : found;
}
