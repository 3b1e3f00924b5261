/**
 * Chooses the strategy that suits what will be asked, by its exact expected error and before anything is
 * contributed: the choice looks at no row, and costs no privacy.
 *
 * Trees are tried with every way to write N as a product of powers of two, in order: of fan-outs that are all
 * alike (Qardaji, Yang and Li, "Understanding hierarchical methods for differentially private histograms",
 * 2013) only some have a power that is N.
 */
import { invalid, type Neighbours } from '@eigenveil/privacy/parts';
import { averageError, type Workload } from './averages.ts';
import { toNumber } from './fraction.ts';
import { type CoefficientNoise, calibrateRelease, noiseMoments, type ReleaseBudget } from './noise.ts';
import { flat, privelet, type Strategy, tree } from './strategy.ts';

/** The height of 2^12 bins, with 2^11 trees over them. */
const LARGEST_HEIGHT = 12;

export interface Candidate {
  readonly strategy: Strategy;
  readonly noise: CoefficientNoise;
  /** The mean squared error of one answer of the workload, in squared rows, with all servers' noise. */
  readonly meanSquaredError: number;
}

export interface ChoiceOf {
  /** N = 2^height bins; 0 to 12. */
  readonly height: number;
  readonly features: number;
  readonly neighbours: Neighbours;
  readonly budget: ReleaseBudget;
  readonly workload: Workload;
  /** The number of servers, each of which adds the noise of the budget. */
  readonly servers: number;
}

/**
 * `flat`, the best tree and `privelet`, the least error first.
 * @throws ERR_DP_PARAMETER for a height beyond 12, and as `calibrateRelease`
 * @example
 * import { chooseStrategy } from '@eigenveil/release';
 *
 * const of = { height: 10, features: 1, neighbours: 'add-remove', servers: 2 } as const;
 * const [best] = chooseStrategy({ ...of, budget: { epsilon: 1 }, workload: 'prefixes' });
 * best!.strategy.fanouts; // → [8, 8, 16]
 */
export function chooseStrategy(of: ChoiceOf): Candidate[] {
  const { height } = of;
  if (!(Number.isInteger(height) && height >= 0 && height <= LARGEST_HEIGHT)) {
    throw invalid('height', `an integer from 0 to ${LARGEST_HEIGHT}`, height);
  }
  // Trees of one height take the same noise, so that of each height only the best need be calibrated.
  const byHeight = Map.groupBy(fanoutsOf(height).map(tree), ({ fanouts }) => fanouts.length);
  const trees = [...byHeight.values()].map((alike) => {
    const errors = alike.map((strategy) => toNumber(averageError(strategy, of.workload)));
    return candidate(alike[errors.indexOf(Math.min(...errors))]!, of);
  });
  const best = trees.reduce((least, it) => (it.meanSquaredError < least.meanSquaredError ? it : least));
  return [candidate(flat(2 ** height), of), best, candidate(privelet(height), of)].sort(
    (a, b) => a.meanSquaredError - b.meanSquaredError,
  );
}

function candidate(
  strategy: Strategy,
  { features, neighbours, budget, workload, servers }: ChoiceOf,
): Candidate {
  const noise = calibrateRelease(strategy, { features, neighbours, budget });
  const { variance } = noiseMoments(noise, servers);
  return { strategy, noise, meanSquaredError: variance * toNumber(averageError(strategy, workload)) };
}

/** Every list of powers of two, each at least 2, whose product is 2^height. */
export function fanoutsOf(height: number): number[][] {
  if (height === 0) return [[]];
  return Array.from({ length: height }, (_, i) => i + 1).flatMap((first) =>
    fanoutsOf(height - first).map((rest) => [2 ** first, ...rest]),
  );
}
