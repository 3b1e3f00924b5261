/**
 * Whether real views and simulated ones can be told apart. A view is summed up, jointly with the output, by named values: one number each for a whole
 * run, since what is within a run depends on each other. Runs are exchangeable where the simulator is right, so that probabilities are shares of the ways
 * to deal runs to both sides; they are counted exactly, not sampled, and so reach any level.
 *
 * - Smirnov's test for each value by itself, Bonferroni's correction over them;
 * - a classifier of all values together, on runs that it has not seen;
 * - of both the smaller one, twice. So many values do not make the classifier blind, nor the other way round.
 */

import { smirnov } from '@eigenveil/testbed/goodness/smirnov';
import { shareOf } from '../../recognition/intervals.ts';
import { placed, type Values } from './classifier.ts';

export interface Comparison {
  /** Of so good a distinction, or a better one, where there is nothing to tell. */
  readonly p: number;
  /** By name, in the order of the values; p is not corrected. */
  readonly statistics: readonly { readonly name: string; readonly distance: number; readonly p: number }[];
  readonly classifier: { readonly p: number; readonly right: number; readonly held: number };
  /** The classifier's advantage 2a − 1, a its accuracy on runs that it has not seen, with an interval of 95 % (Clopper and Pearson). */
  readonly advantage: { readonly value: number; readonly low: number; readonly high: number };
}

/** @throws RangeError unless both sides have as many runs, at least 4, all of as many finite values as there are names */
export function compareViews(
  names: readonly string[],
  real: readonly Values[],
  simulated: readonly Values[],
): Comparison {
  if (real.length < 4 || real.length !== simulated.length) {
    throw new RangeError(`"simulated" expected as many runs as "real", ${real.length}, 4 at least`);
  }
  for (const run of [...real, ...simulated]) {
    if (run.length !== names.length || !run.every(Number.isFinite)) {
      const odd = names.filter((_, v) => !Number.isFinite(run[v])).join(', ') || 'none';
      throw new RangeError(
        `a run expected ${names.length} finite values, got ${run.length}; not finite: ${odd}`,
      );
    }
  }
  const statistics = names.map((name, v) => ({
    name,
    ...smirnov(
      real.map((run) => run[v]!),
      simulated.map((run) => run[v]!),
    ),
  }));
  const classifier = placed(real, simulated);
  const least = Math.min(...statistics.map(({ p }) => p));
  const { value, low, high } = shareOf(classifier.right, classifier.held);
  const advantage = (accuracy: number) => Math.max(0, 2 * accuracy - 1);
  return {
    p: Math.min(1, 2 * Math.min(classifier.p, names.length * least)),
    statistics,
    classifier,
    advantage: { value: advantage(value), low: advantage(low), high: advantage(high) },
  };
}
