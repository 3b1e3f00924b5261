/** The bins of histogram tasks: which histograms there are, and the edges of each. */
import type { Feature } from '../features.ts';
import type { HistogramParameters } from './parameters.ts';

/**
 * Shares of sums of counts are in the integers modulo 2^54: sums of fewer than 2^53 cells, and noise, of
 * which a double holds every value. A sum with noise that leaves the ring comes in again at the other end:
 * that is post-processing, and refusing it would tell something about the rows.
 */
export const LINEAR_RING_BITS = 54;

/** The number of servers that add noise to the sums: each adds that of the whole budget. */
export const SERVERS = 2;

/** One or more features that are counted together. */
export interface Histogram {
  /** The feature's, or what features that share it name. */
  readonly name: string;
  /** Indices of its features, ascending. */
  readonly features: readonly number[];
  readonly min: number;
  readonly max: number;
  /** Bins are logarithmic on both sides of 0 down to this magnitude; undefined: equally wide. */
  readonly logarithmic: number | undefined;
}

/** The histograms of a task in the order of their first features. */
export function histogramsOf({ features }: { readonly features: readonly Feature[] }): Histogram[] {
  const found = new Map<string, Histogram & { readonly features: number[] }>();
  for (const [i, { name: own, histogram, min, max, logarithmic }] of features.entries()) {
    const name = histogram ?? own;
    const known = found.get(name);
    if (known === undefined) found.set(name, { name, features: [i], min, max, logarithmic });
    else known.features.push(i);
  }
  return [...found.values()];
}

/**
 * The 2^h + 1 edges of a histogram's bins, ascending: bin i has the values from edge i up to and without edge
 * i + 1, the last one its upper edge, too. Logarithmic ones are 2^(h−1) on each side of 0, the innermost of
 * which end at `logarithmic`.
 */
export function edgesOf(
  { height }: Pick<HistogramParameters, 'height'>,
  { min, max, logarithmic }: Histogram,
): number[] {
  const bins = 2 ** height;
  if (logarithmic === undefined)
    return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? max : min + ((max - min) / bins) * i));
  const side = bins / 2;
  const magnitudes = Array.from({ length: side }, (_, i) =>
    i === side - 1 ? max : logarithmic * Math.exp((Math.log(max / logarithmic) * i) / (side - 1)),
  );
  return [...magnitudes.toReversed().map((value) => -value), 0, ...magnitudes];
}
