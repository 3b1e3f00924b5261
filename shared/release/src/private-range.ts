/**
 * A range from noisy counts, which a few rows may lie beyond: from the bin of a low quantile to that of a
 * high one.
 *
 * A cumulative count deviates by some rows, whatever is asked. A level below twice its deviation, as a share
 * of the rows, is decided by noise: the edge would be that of the outer domain, or anywhere. So the level is
 * raised to that, and above LARGEST_LEVEL there is no range: the rows are too few for this noise. All of it
 * follows from what is released, and costs no privacy.
 */
import { invalid } from '@eigenveil/privacy/parts';
import { averageError } from './averages.ts';
import { toNumber } from './fraction.ts';
import { noiseMoments } from './noise.ts';
import { type NoisyHistogram, quantileEdge } from './quantiles.ts';

/** The share of the rows that may lie beyond one end of a range, at most. */
export const LARGEST_LEVEL = 0.2;

/** Standard deviations between a level's count and nothing. */
const DEVIATIONS = 2;

/**
 * The deviation of a cumulative count in rows, from all servers' noise: of its mean square over all edges.
 */
export function prefixDeviation({ strategy, noise, servers }: Omit<NoisyHistogram, 'counts'>): number {
  return Math.sqrt(noiseMoments(noise, servers).variance * toNumber(averageError(strategy, 'prefixes')));
}

export interface AttainableLevel {
  /**
   * The share of the rows beyond this end: the asked one, or what the noise allows. Infinity without rows.
   */
  readonly level: number;
  /** The number of rows from which on what is asked is attained. */
  readonly rowsNeeded: number;
}

/**
 * max(asked, 2 · deviation/rows).
 * @param rows their private number, of either sign
 * @throws ERR_DP_PARAMETER unless 0 < asked < 1/2
 */
export function attainableLevel(of: {
  readonly asked: number;
  readonly deviation: number;
  readonly rows: number;
}): AttainableLevel {
  const { asked, deviation, rows } = of;
  if (!(asked > 0 && asked < 0.5)) throw invalid('asked', 'a number in (0, 1/2)', asked);
  const level = rows > 0 ? Math.max(asked, (DEVIATIONS * deviation) / rows) : Infinity;
  return { level, rowsNeeded: Math.ceil((DEVIATIONS * deviation) / asked) };
}

/** The shares of the rows at which a range is to begin and to end. */
export interface AskedRange {
  readonly lower: number;
  readonly upper: number;
}

/** Edges of bins, 0 <= from < to <= N, and the shares of the rows that are expected below and above them. */
export interface PrivateRange {
  readonly from: number;
  readonly to: number;
  readonly below: number;
  readonly above: number;
}

/**
 * Returns the range from the lower edge of the bin that has the quantile `lower` to the upper edge of that of
 * `upper`, both moved inwards as far as the noise asks for. It is undefined where that would leave more than
 * LARGEST_LEVEL of the rows beyond an end.
 * @param rows their private number, best from all histograms of the release
 * @throws ERR_DP_PARAMETER unless 0 < lower < 1/2 < upper < 1
 */
export function privateRange(
  histogram: NoisyHistogram,
  { lower, upper, rows }: AskedRange & { readonly rows: number },
): PrivateRange | undefined {
  const deviation = prefixDeviation(histogram);
  const [below, above] = [lower, 1 - upper].map((asked) => attainableLevel({ asked, deviation, rows }).level);
  if (Math.max(below!, above!) > LARGEST_LEVEL) return undefined;
  const [first, last] = [below!, 1 - above!].map((q) => quantileEdge(histogram.counts, q));
  if (first === undefined || last === undefined) return undefined;
  return { from: first - 1, to: last, below: below!, above: above! };
}
