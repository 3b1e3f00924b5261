/** An attack on membership is a score of how well a result fits a candidate, and what is known of scores of people who are not in. */
import type { FlatResult } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task';
import { quantile } from '@eigenveil/testbed/goodness/quantile';
import type { Draws } from '../../draws.ts';
import type { Person } from '../../scene.ts';

/** The higher, the likelier the candidate is in. */
type Score = (released: FlatResult) => number;

interface Suspicion {
  readonly score: Score;
  /** Beyond this the attack itself takes a score for so rare among people who are not in as FALSE_POSITIVES says; −Infinity where it has no idea. */
  readonly rare: number;
}

/** The attacker makes this of a task over this number of rows, and of the public sample, before it sees a result. */
type Prepared = (candidate: Person) => Suspicion;

export interface Target {
  readonly proposal: TaskProposal;
  /** Number of rows of all owners together: public, or declared. */
  readonly rows: number;
  readonly publicSample: readonly Person[];
}

export type Attack = (target: Target, draws: Draws) => Prepared;

/** Rate of false alarms: the attacker takes a candidate for a member beyond what one in a hundred others reaches. */
export const FALSE_POSITIVES = 0.01;

/**
 * Scores on a result are compared with this: 99 of a hundred people who are certainly not in have at most this score on it.
 * @param people of the public sample; without any every score is beyond it
 */
export function comparison(prepared: Prepared, people: readonly Person[]): Score {
  const scores = people.map((person) => prepared(person).score);
  if (scores.length === 0) return () => -Infinity;
  return (released) =>
    quantile(
      scores.map((score) => score(released)),
      1 - FALSE_POSITIVES,
    );
}
