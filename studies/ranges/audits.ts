/**
 * Attacks on the release of histograms: neighbours, the noisy coefficients of both, and the event that one server's noise makes likeliest on one of them.
 * Each has a broken twin, wrong in a way that is easily written, whose claim the same event refutes.
 *
 * An attacker who has the other server's noise subtracts it, so that one server's is all that protects. With Laplace noise no event tells more than
 * "every coefficient is at least what the first neighbour's would be": its rates differ by e^(L1/τ). With Gaussian noise it is a sum that exceeds a bound.
 */
import type { RandomSource } from '@eigenveil/privacy';
import type { Neighbours } from '@eigenveil/privacy/parts';
import {
  type CoefficientNoise,
  calibrateRelease,
  coefficientsOf,
  noiseMoments,
  noiseSampler,
  privelet,
  type ReleaseBudget,
  type Strategy,
  tree,
} from '@eigenveil/release';
import { each } from '@eigenveil/testbed/goodness/audit';
import { AUDITED_EPSILON, type Events, type LearnerAudit } from '../learners/audits.ts';

/** Claims without δ, and how often they are attacked. */
const PURELY = { dpDelta: 0, runs: 20_000 };
const DELTA = 1e-3;
/** Deviations of the sum above what it is expected to be on the first neighbour: beyond it the second one hardly comes. */
const FAR = 0.9;

/** The counts of every feature, on both neighbours. */
interface Neighbourhood {
  readonly strategy: Strategy;
  readonly left: readonly (readonly bigint[])[];
  readonly right: readonly (readonly bigint[])[];
}

/** A row in the first bin of every feature, or none. */
const added = (strategy: Strategy, features: number): Neighbourhood => {
  const none = new Array<bigint>(strategy.bins).fill(0n);
  return {
    strategy,
    left: new Array(features).fill(none.with(0, 1n)),
    right: new Array(features).fill(none),
  };
};

/** A row in the first bin, or in the last. */
const replaced = (strategy: Strategy): Neighbourhood => {
  const none = new Array<bigint>(strategy.bins).fill(0n);
  return { strategy, left: [none.with(0, 1n)], right: [none.with(strategy.bins - 1, 1n)] };
};

function events(
  source: RandomSource,
  { strategy, left, right }: Neighbourhood,
  noise: CoefficientNoise,
  releases = 1,
): Events {
  const draw = noiseSampler(source, noise);
  const coefficients = (counts: Neighbourhood['left']) =>
    Array.from({ length: releases }, () => counts.flatMap((own) => coefficientsOf(strategy, own))).flat();
  const [mine, other] = [coefficients(left), coefficients(right)];
  const change = mine.map((value, i) => Number(value - other[i]!));
  const bound = FAR * Math.sqrt(noiseMoments(noise, 1).variance) * Math.hypot(...change);
  const happens = (counts: readonly bigint[]) => {
    const beyond = counts.map((value, i) => change[i]! * Number(value + draw() - mine[i]!));
    if (noise.kind === 'gaussian') return beyond.reduce((sum, value) => sum + value, 0) >= bound;
    return beyond.every((value) => value >= 0);
  };
  return { left: each(() => happens(mine)), right: each(() => happens(other)) };
}

const noiseFor = (
  strategy: Strategy,
  features: number,
  neighbours: Neighbours,
  budget: ReleaseBudget = { epsilon: AUDITED_EPSILON },
): CoefficientNoise => calibrateRelease(strategy, { features, neighbours, budget });

const [WAVELET, SMALL, TREE] = [privelet(2), privelet(1), tree([2])];
const SMOOTH: ReleaseBudget = { epsilon: AUDITED_EPSILON, dpDelta: DELTA };

export const RELEASE_AUDITS: readonly LearnerAudit[] = [
  {
    name: 'Privelet, a row more',
    ...PURELY,
    honest: (source) => events(source, added(WAVELET, 1), noiseFor(WAVELET, 1, 'add-remove')),
    twin: 'noise as if a row changed one coefficient',
    broken: (source) => events(source, added(WAVELET, 1), noiseFor(privelet(0), 1, 'add-remove')),
  },
  {
    name: 'Privelet, a row in place of another',
    ...PURELY,
    honest: (source) => events(source, replaced(WAVELET), noiseFor(WAVELET, 1, 'replace')),
    twin: 'noise for a row more',
    broken: (source) => events(source, replaced(WAVELET), noiseFor(WAVELET, 1, 'add-remove')),
  },
  {
    name: 'tree, two features',
    ...PURELY,
    honest: (source) => events(source, added(TREE, 2), noiseFor(TREE, 2, 'add-remove')),
    twin: 'the whole ε for each feature',
    broken: (source) => events(source, added(TREE, 2), noiseFor(TREE, 1, 'add-remove')),
  },
  {
    name: 'Privelet, one answer',
    ...PURELY,
    honest: (source) => events(source, added(SMALL, 1), noiseFor(SMALL, 1, 'add-remove')),
    twin: 'noise drawn again for a second answer',
    broken: (source) => events(source, added(SMALL, 1), noiseFor(SMALL, 1, 'add-remove'), 2),
  },
  {
    name: 'Privelet, Gaussian noise, three features',
    ...{ ...PURELY, dpDelta: DELTA },
    honest: (source) => events(source, added(WAVELET, 3), noiseFor(WAVELET, 3, 'add-remove', SMOOTH)),
    twin: 'noise as if a row changed one coefficient',
    broken: (source) => events(source, added(WAVELET, 3), noiseFor(privelet(0), 1, 'add-remove', SMOOTH)),
  },
];
