/** An attack that tells neighbours apart, and the ε that its success proves to be exceeded at least. */

import jstat from './jstat.ts';

/** Each of the two rates is outside its bound with this probability. Seeds are fixed, so a test fails never or always. */
const ERROR = 1e-4;

/** Clopper and Pearson's bounds on a probability, after `hits` of `runs`. */
export function lowerRate(hits: number, runs: number): number {
  return hits === 0 ? 0 : jstat.beta.inv(ERROR, hits, runs - hits + 1);
}

export function upperRate(hits: number, runs: number): number {
  return hits === runs ? 1 : jstat.beta.inv(1 - ERROR, hits + 1, runs - hits);
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

/**
 * An (ε, δ)-private mechanism has P(S) <= e^ε Q(S) + δ for every event S. `left` and `right` count S on neighbours, S being
 * likelier on the left. No ε below the returned number is possible, but for an error of 2e-4.
 */
export function provenEpsilon(attack: {
  readonly left: Hits;
  readonly right: Hits;
  readonly runs: number;
  readonly dpDelta: number;
}): number {
  const { left, right, runs, dpDelta } = attack;
  const surplus = lowerRate(left(runs), runs) - dpDelta;
  return surplus <= 0 ? 0 : Math.log(surplus / upperRate(right(runs), runs));
}
