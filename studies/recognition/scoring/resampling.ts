/**
 * Intervals over people. Users are drawn with replacement, as targets and as impostors jointly: a user who is drawn m times counts m times as a target and m
 * times as a source, and the pair (i, j) m_i · m_j times; the genuine scores of user i count m_i times. All arms see the same draws, so differences between arms
 * are paired. (Bolle, Ratha and Pankanti, "Error analysis of pattern recognition systems: the subsets bootstrap", 2004, for why not scores.)
 */

import { mean } from '@eigenveil/testbed/goodness/mean';
import { generator, seedOf } from '@eigenveil/testbed/random';
import {
  type Comparison,
  overWindows,
  type Weighted,
  weightedEqualErrorRate,
} from '@eigenveil/testbed/recognition/error-rates';
import { quantile } from '../../instrument/statistics.ts';

/** The number of times that each person was drawn, a list for each resample. */
export function drawsOf(people: number, resamples: number, seed: string): Float64Array[] {
  const next = generator(seedOf(seed));
  return Array.from({ length: resamples }, () => {
    const counts = new Float64Array(people);
    for (let i = 0; i < people; i += 1) counts[Math.floor(next() * people)]! += 1;
    return counts;
  });
}

/** Scores ascending, each with the place of its target and its source among the names. */
class Sorted {
  readonly #scores: Float64Array;
  readonly #targets: Uint16Array;
  readonly #sources: Uint16Array;
  readonly #genuine: boolean;

  constructor(comparisons: readonly Comparison[], names: readonly string[], genuine: boolean) {
    const place = new Map(names.map((name, i) => [name, i]));
    const entries = comparisons
      .filter(({ target, source }) => (target === source) === genuine)
      .flatMap(({ target, source, scores }) =>
        scores.map((score) => ({ score, target: place.get(target)!, source: place.get(source)! })),
      )
      .sort((a, b) => a.score - b.score);
    this.#scores = Float64Array.from(entries, ({ score }) => score);
    this.#targets = Uint16Array.from(entries, ({ target }) => target);
    this.#sources = Uint16Array.from(entries, ({ source }) => source);
    this.#genuine = genuine;
  }

  weighted(counts: Float64Array): Weighted {
    const weights = this.#scores.map((_, i) => {
      const target = counts[this.#targets[i]!]!;
      return this.#genuine ? target : target * counts[this.#sources[i]!]!;
    });
    return { scores: this.#scores, weights };
  }
}

/** The pooled EER of means of this number of rows in each resample; of several runs of an arm, the mean of theirs. */
export function resampledRates(
  runs: readonly (readonly Comparison[])[],
  windows: number,
  names: readonly string[],
  draws: readonly Float64Array[],
): number[] {
  const sorted = runs.map((run) => {
    const means = overWindows(run, windows);
    return { genuine: new Sorted(means, names, true), impostor: new Sorted(means, names, false) };
  });
  return draws.map((counts) => {
    const rates = sorted.map(({ genuine, impostor }) =>
      weightedEqualErrorRate(genuine.weighted(counts), impostor.weighted(counts)),
    );
    return mean(rates);
  });
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

const LEVEL = 0.05;

/** The interval of 95 %, by percentiles. */
export function intervalOf(values: readonly number[]): Interval {
  return { low: quantile(values, LEVEL / 2), high: quantile(values, 1 - LEVEL / 2) };
}

/** The interval of the difference of two arms that saw the same draws. */
export function pairedInterval(values: readonly number[], others: readonly number[]): Interval {
  return intervalOf(values.map((value, i) => value - others[i]!));
}
