/** Whether theory and experiment agree, over all cases of a run: the one verdict that makes it fail. */

import { leastThatHolds, millsRatio, normalDensity } from '@eigenveil/privacy/parts';
import type { Measurement } from '../instrument/unit.ts';
import { type Case, casesOf, distanceOf } from './experiments.ts';
import { FALSE_ALARM } from './settings.ts';

export interface Agreement {
  readonly cases: readonly Case[];
  /** Standard errors that a single case may be off. */
  readonly bound: number;
  readonly farthest: Case | undefined;
  readonly disagreements: readonly Case[];
}

/** Bonferroni: each of m cases, to either side, with probability FALSE_ALARM/m. */
export const boundFor = (cases: number): number =>
  leastThatHolds((z) => normalDensity(z) * millsRatio(z) <= FALSE_ALARM / (2 * cases), 1);

export function agreementOf(measurements: readonly Measurement[]): Agreement {
  const cases = casesOf(measurements);
  const bound = cases.length === 0 ? 0 : boundFor(cases.length);
  const off = (it: Case) => Math.abs(distanceOf(it));
  return {
    cases,
    bound,
    farthest: cases.toSorted((a, b) => off(b) - off(a))[0],
    // What is no number agrees with nothing.
    disagreements: cases.filter((it) => !(off(it) <= bound)),
  };
}

/** A sentence for each disagreement. */
export function contradictionsOf(measurements: readonly Measurement[]): string[] {
  const { bound, disagreements } = agreementOf(measurements);
  return disagreements.map(
    (it) =>
      `${it.contestant}, ${it.what}: theory says ${it.theory}, ${it.repetitions} repetitions say ${it.experiment}, ${distanceOf(it).toFixed(1)} standard errors apart, more than ${bound.toFixed(1)}`,
  );
}
