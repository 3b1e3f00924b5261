/**
 * Strategies: which integer sums of a histogram take noise, and how the counts of its bins are restored from
 * them.
 *
 * A strategy is a matrix A of entries 0, 1 and −1 over the nodes of a tree whose leaves are the N bins.
 * `flat` has the leaves, `tree` every node (Hay, Rastogi, Miklau and Suciu, "Boosting the accuracy of
 * differentially private histograms through consistency", 2010), `privelet` the root and, per inner node of a
 * binary tree, the sum of its left half less that of its right (Xiao, Wang and Gehrke, "Differential privacy
 * via wavelet transforms", 2010; the Haar wavelet). Being linear over the integers, A can be applied to
 * additive shares in any ring Z_m.
 *
 * Counts are restored by least squares (restoration.ts).
 */
import { checkCount, invalid } from '@eigenveil/privacy/parts';

export interface Strategy {
  readonly kind: 'flat' | 'tree' | 'privelet';
  /** N, the number of bins: the product of all fan-outs. */
  readonly bins: number;
  /**
   * The number of children of a node of height 1, 2, …; leaves have height 0. There is none for a single bin.
   */
  readonly fanouts: readonly number[];
}

/**
 * Every bin by itself.
 * @throws ERR_DP_PARAMETER unless N is an integer >= 1
 */
export function flat(bins: number): Strategy {
  checkCount('bins', bins, 1);
  return { kind: 'flat', bins, fanouts: bins === 1 ? [] : [bins] };
}

/**
 * Every node of a tree, from the root to the bins. Fan-outs may differ between heights, so that any N has
 * trees: 1,024 = 16 · 16 · 4.
 * @throws ERR_DP_PARAMETER unless fan-outs are integers >= 2 whose product is below 2^53
 * @example
 * import { tree } from '@eigenveil/release';
 *
 * tree([16, 16, 4]).bins; // → 1024
 */
export function tree(fanouts: readonly number[]): Strategy {
  for (const fanout of fanouts) checkCount('fanouts', fanout, 2);
  const bins = fanouts.reduce((product, fanout) => product * fanout, 1);
  checkCount('bins', bins, 1);
  return { kind: 'tree', bins, fanouts };
}

/**
 * Every node of the binary tree over 2^h bins: with its consistent restoration this is Boost.
 * @throws ERR_DP_PARAMETER unless h is an integer from 0 to 52
 */
export function binaryTree(height: number): Strategy {
  return tree(twos(height));
}

/**
 * The Haar wavelet over 2^h bins.
 * @throws ERR_DP_PARAMETER unless h is an integer from 0 to 52
 */
export function privelet(height: number): Strategy {
  return { ...tree(twos(height)), kind: 'privelet' };
}

function twos(height: number): number[] {
  if (!(Number.isInteger(height) && height >= 0 && height <= 52)) {
    throw invalid('height', 'an integer from 0 to 52', height);
  }
  return new Array<number>(height).fill(2);
}

/** Counts the sums that take noise: the rows of A. */
export function coefficientCount({ kind, bins, fanouts }: Strategy): number {
  if (kind !== 'tree') return bins;
  let nodes = bins;
  let width = bins;
  for (const fanout of fanouts) {
    width /= fanout;
    nodes += width;
  }
  return nodes;
}

/**
 * Ax: from the root down, nodes of one height from left to right; with `privelet` the total comes first.
 * @throws ERR_DP_PARAMETER unless there is a count for each bin
 * @example
 * import { coefficientsOf, privelet } from '@eigenveil/release';
 *
 * coefficientsOf(privelet(2), [5n, 1n, 2n, 2n]); // → [10n, 2n, 4n, 0n]
 */
export function coefficientsOf(strategy: Strategy, counts: readonly bigint[]): bigint[] {
  const { kind, fanouts } = strategy;
  checkLength('counts', counts, strategy.bins);
  if (kind === 'flat') return [...counts];
  const sums: (readonly bigint[])[] = [counts];
  for (const fanout of fanouts) sums.push(blockSums(sums.at(-1)!, fanout, 0n, (a, b) => a + b));
  if (kind === 'tree') return sums.toReversed().flat();
  const differences = sums
    .slice(0, -1)
    .map((halves) => evens(halves).map((left, i) => left - halves[2 * i + 1]!));
  return [sums.at(-1)![0]!, ...differences.toReversed().flat()];
}

const evens = <T>(values: readonly T[]): T[] => values.filter((_, i) => i % 2 === 0);

/** Sums of `size` neighbours each. */
export function blockSums<T>(values: readonly T[], size: number, zero: T, plus: (a: T, b: T) => T): T[] {
  return Array.from({ length: values.length / size }, (_, block) => {
    let sum = zero;
    for (let i = block * size; i < (block + 1) * size; i += 1) sum = plus(sum, values[i]!);
    return sum;
  });
}

/** @throws ERR_DP_PARAMETER */
export function checkLength(name: string, values: readonly unknown[], expected: number): void {
  if (values.length !== expected) throw invalid(name, `${expected} values`, values.length);
}
