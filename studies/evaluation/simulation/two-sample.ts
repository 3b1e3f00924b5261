/**
 * A test of whether real views and simulated ones can be distinguished. A view is summed up, jointly with the output, by named values: one number each for a whole
 * run, since what is within a run depends on each other. Runs are exchangeable where the simulator is right, so that probabilities are shares of the ways
 * to deal runs to both sides; they are counted exactly, not sampled, and so reach any level.
 *
 * - Smirnov's test for each value by itself, Bonferroni's correction over them;
 * - a classifier of all values together, on runs that it has not seen;
 * - of both the smaller one, twice. The number of values does not make the classifier blind, nor the other way round.
 */

import { smirnov } from '@eigenveil/testbed/goodness/smirnov';
import { shareOf } from '../../recognition/intervals.ts';
import { placed } from './classifier.ts';
import type { Features } from './party.ts';

export interface Comparison {
  /** The probability of so good a distinction, or a better one, where there is nothing to tell. */
  readonly p: number;
  /** By name, in the order of the values; p is not corrected. */
  readonly statistics: readonly { readonly name: string; readonly distance: number; readonly p: number }[];
  readonly classifier: { readonly p: number; readonly right: number; readonly held: number };
  /** The classifier's advantage 2a − 1, a its accuracy on runs that it has not seen, with an interval of 95 % (Clopper and Pearson). */
  readonly advantage: { readonly value: number; readonly low: number; readonly high: number };
}

/** @throws RangeError unless both sides have as many runs, at least 4, all of finite values by the same names */
export function compareViews(ofReal: readonly Features[], ofSimulated: readonly Features[]): Comparison {
  if (ofReal.length < 4 || ofReal.length !== ofSimulated.length) {
    throw new RangeError(`"simulated" expected as many runs as "real", ${ofReal.length}, 4 at least`);
  }
  const names = Object.keys(ofReal[0]!);
  const valuesOf = (run: Features): number[] => {
    const odd = names.filter((name) => !Number.isFinite(run[name]));
    const count = Object.keys(run).length;
    if (odd.length > 0 || count !== names.length)
      throw new RangeError(
        `a run expected ${names.length} finite values, got ${count}; not finite: ${odd.join(', ') || 'none'}`,
      );
    return names.map((name) => run[name]!);
  };
  const [real, simulated] = [ofReal.map(valuesOf), ofSimulated.map(valuesOf)];
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
