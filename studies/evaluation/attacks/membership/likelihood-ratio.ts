/**
 * The likelihood ratio attack: Carlini, Chien, Nasr, Song, Terzis and Tramèr, "Membership inference attacks from first principles" (IEEE S&P 2022). Shadow
 * tasks over rows of the public sample are computed without the candidate and with it; what they tell about the candidate is taken for Gaussian with one mean
 * for either and one covariance for both, so that the ratio is linear.
 */

import type { FlatResult } from '@eigenveil/methods';
import { addStatistics } from '@eigenveil/statistics';
import { quantile } from '@eigenveil/testbed/goodness/quantile';
import { inverse, Matrix } from 'ml-matrix';
import { dot, meanOfRows, minus } from '../../../recognition/alignment.ts';
import type { Draws } from '../../draws.ts';
import { releasedOf, scaledRows, statisticsOf } from '../../released.ts';
import type { Person, SceneRow } from '../../scene.ts';
import { type Attack, FALSE_POSITIVES, type Target } from './attack.ts';
import { statisticsOfResult } from './statistics.ts';

/** One in a hundred normal numbers is larger. */
const RARE = 2.326;

interface ShadowCounts {
  readonly without: number;
  /** Each beside one of those without: the same others, and the candidate in place of the last. */
  readonly with: number;
}

export const likelihoodRatio =
  (shadows: ShadowCounts): Attack =>
  (target, draws) => {
    // Shadow rows come more than once, so that their rank may be too small for a task of this form.
    const proposal = { ...target.proposal, allowFullRank: true };
    const publicRows = target.publicSample.flat();
    const populationMean = meanOfRows(scaledRows(proposal, publicRows));
    const reference = releasedOf(proposal, statisticsOf(proposal, publicRows), draws.of('reference'));
    const numbers = statisticsOfResult(proposal, populationMean, reference);
    const outside = Array.from({ length: shadows.without }, (_, i) => {
      const own = draws.of(`shadow ${i}`);
      const { others, last } = drawRows(target, own);
      const rest = statisticsOf(proposal, others);
      const withLast = addStatistics(rest, statisticsOf(proposal, last));
      return { rest, released: releasedOf(proposal, withLast, own), noise: `shadow ${i} with` };
    });
    return (candidate) => {
      const own = statisticsOf(proposal, candidate);
      const rows = scaledRows(proposal, candidate);
      const about = (released: FlatResult) => meanOfRows(rows.map((row) => numbers(released, row)));
      const without = outside.map(({ released }) => about(released));
      const within = outside
        .slice(0, shadows.with)
        .map(({ rest, noise }) => about(releasedOf(proposal, addStatistics(rest, own), draws.of(noise))));
      const ratio = standardisedRatio(without, within);
      return {
        score: (released) => ratio(about(released)),
        rare: Math.max(RARE, quantile(without.map(ratio), 1 - FALSE_POSITIVES)),
      };
    };
  };

/**
 * The rows of a shadow task. The sample is itself drawn with replacement first: what attackers do not know of the population for having a sample only, moves
 * results as well.
 */
function drawRows({ publicSample, rows }: Target, draws: Draws): { others: SceneRow[]; last: Person } {
  const draw = (people: readonly Person[]) => people[draws.below(people.length)]!;
  const sample = publicSample.map(() => draw(publicSample));
  const last = draw(sample);
  const others: SceneRow[] = [];
  while (others.length + last.length < rows) others.push(...draw(sample));
  return { others, last };
}

type Sample = readonly number[];

/** Relative to variances: so much noise of its own has every number, so that a covariance can be inverted. What never varies has a variance of 1. */
const LEAST_NOISE = 1e-6;

/** The linear discriminant of both kinds of shadows, in deviations of those without the candidate from their mean. */
export function standardisedRatio(
  without: readonly Sample[],
  withCandidate: readonly Sample[],
): (sample: Sample) => number {
  const [out, within] = [meanOfRows(without), meanOfRows(withCandidate)];
  const residuals = [
    ...without.map((sample) => minus(sample, out)),
    ...withCandidate.map((sample) => minus(sample, within)),
  ];
  const matrix = new Matrix(residuals);
  const covariance = matrix
    .transpose()
    .mmul(matrix)
    .div(residuals.length - 2);
  for (const i of out.keys()) covariance.set(i, i, covariance.get(i, i) * (1 + LEAST_NOISE) || 1);
  const weights = inverse(covariance).mmul(Matrix.columnVector(minus(within, out)));
  const deviation = Math.sqrt(weights.dot(covariance.mmul(weights)));
  const direction = weights.to1DArray();
  return (sample) => (deviation > 0 ? dot(direction, minus(sample, out)) / deviation : 0);
}
