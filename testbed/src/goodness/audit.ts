/** An attack that tells neighbours apart, and the ε that its success proves to be exceeded at least. */

import jstat from './jstat.ts';

/** Each of the two rates is outside its bound with this probability. Seeds are fixed, so a test fails never or always. */
const ERROR = 1e-4;

/** Clopper and Pearson's bounds on a probability, after `hits` of `runs`; each is wrong with probability `error`. */
export function lowerRate(hits: number, runs: number, error = ERROR): number {
  return hits === 0 ? 0 : jstat.beta.inv(error, hits, runs - hits + 1);
}

export function upperRate(hits: number, runs: number, error = ERROR): number {
  return hits === runs ? 1 : jstat.beta.inv(1 - error, hits + 1, runs - hits);
}

/** In how many of so many runs on one data set an event happened. */
export type Hits = (runs: number) => number;

/** Runs one at a time. */
export const each =
  (event: () => boolean): Hits =>
  (runs) => {
    let hits = 0;
    for (let i = 0; i < runs; i++) if (event()) hits++;
    return hits;
  };

/** How often an event happened in so many runs on either of two neighbours, being likelier on the left. */
export interface Counts {
  readonly left: number;
  readonly right: number;
  readonly runs: number;
}

/**
 * An (ε, δ)-private mechanism has P(S) <= e^ε Q(S) + δ for every event S. No ε below the returned number is possible, but for a probability of twice
 * `error`; whatever runs on either side have to do with each other.
 */
export function epsilonBound({ left, right, runs }: Counts, dpDelta: number, error = ERROR): number {
  const surplus = lowerRate(left, runs, error) - dpDelta;
  return surplus <= 0 ? 0 : Math.max(0, Math.log(surplus / upperRate(right, runs, error)));
}

/** Errors between which beta quantiles are right. */
const LEAST_ERROR = 1e-9;
const LARGEST_ERROR = 0.5;
const BISECTIONS = 40;

/** A p-value of the promise: the least probability of an error at which the bound exceeds the promised ε; not below 2e-9. */
export function pOfPromise(
  counts: Counts,
  promise: { readonly epsilon: number; readonly dpDelta: number },
): number {
  const exceeds = (error: number) => epsilonBound(counts, promise.dpDelta, error) > promise.epsilon;
  if (!exceeds(LARGEST_ERROR)) return 1;
  let [low, high] = [Math.log(LEAST_ERROR), Math.log(LARGEST_ERROR)];
  if (exceeds(LEAST_ERROR)) return 2 * LEAST_ERROR;
  for (let i = 0; i < BISECTIONS; i += 1) {
    const middle = (low + high) / 2;
    if (exceeds(Math.exp(middle))) high = middle;
    else low = middle;
  }
  return 2 * Math.exp(high);
}

/** The bound of so many runs on either neighbour, but for an error of 2e-4. */
export function provenEpsilon(attack: {
  readonly left: Hits;
  readonly right: Hits;
  readonly runs: number;
  readonly dpDelta: number;
}): number {
  const { left, right, runs, dpDelta } = attack;
  return epsilonBound({ left: left(runs), right: right(runs), runs }, dpDelta);
}
