/** Verdicts over a whole run: p-values of every case, Holm's correction in each direction, confirmation on fresh seeds. */

import { mean } from '@eigenveil/testbed/goodness/mean';
import { holm } from '../../privacy/inference.ts';
import type { Effort, Experiment, Outcome } from '../experiment.ts';
import type { CaseResult, ExperimentResult, Verdict } from '../result.ts';
import { checkTrials, excessOf, meanInterval } from './excess.ts';

/** The excess that counts as nothing. Fixed before any experiment ran. */
export const MARGIN = 0.05;

/** The probability of a wrong verdict among all cases of a run, in either direction by itself. */
export const LEVELS: Readonly<Record<Effort, number>> = { quick: 0.001, full: 0.05 };

/** An experiment over a scene, with its outcome. */
interface Case {
  readonly experiment: Pick<Experiment, 'id' | 'expectation'>;
  readonly scene: string;
  readonly outcome: Outcome;
  readonly seconds: number;
}

/**
 * One verdict per case, in their order, without any confirmation. All cases of the run are one family, whatever is expected of them.
 * @throws RangeError naming the case whose outcome is none
 */
export function judgedCases(cases: readonly Case[], level: number): CaseResult[] {
  const numbers = cases.map((one) => named(one, () => numbersOf(one.outcome, level)));
  const broken = holm(numbers.map(({ pBroken }) => pBroken));
  const trials = numbers.flatMap(({ pHolds }, i) => (pHolds === undefined ? [] : [{ i, pHolds }]));
  const adjusted = holm(trials.map(({ pHolds }) => pHolds));
  const holds = new Map(trials.map(({ i }, rank) => [i, adjusted[rank]!]));
  return cases.map(({ scene, outcome, seconds }, i): CaseResult => {
    const pBroken = broken[i]!;
    const { facts = {}, blocks = [] } = outcome;
    const common = {
      scene,
      pBroken,
      confirmation: null,
      facts: { ...facts },
      blocks: [...blocks],
      seconds,
    };
    if (outcome.kind === 'test') {
      const { p, n, distance, detectable = null } = outcome;
      return {
        kind: 'test',
        ...common,
        verdict: verdictOf(pBroken <= level, detectable !== null),
        success: distance.value,
        interval: [distance.low, distance.high],
        n,
        p,
        detectable,
      };
    }
    const { attack, control, baseline, tooNoisy } = outcome;
    const pHolds = holds.get(i)!;
    const { excess, excessInterval, interval, controlInterval } = numbers[i]!;
    return {
      kind: 'trials',
      ...common,
      verdict: verdictOf(pBroken <= level, pHolds <= level),
      success: mean(attack),
      interval: interval!,
      n: attack.length,
      control: mean(control),
      controlInterval: controlInterval!,
      controlUnits: control.length,
      baseline,
      pHolds,
      excess: excess!,
      excessInterval: excessInterval!,
      ...(tooNoisy !== undefined && { tooNoisy }),
    };
  });
}

/** Returns the cases that must be run again on a fresh seed before they count: those that refute a claim. Controls and admitted leaks refute none. */
export const needsConfirmation = ({
  experiment,
  verdict,
}: {
  experiment: Pick<Experiment, 'expectation'>;
  verdict: Verdict;
}) => experiment.expectation === 'holds' && verdict === 'broken';

/** The case with what a fresh seed made of it: broken only if that is broken, too, at the same level and for itself. */
export function confirmedBy<C extends CaseResult>(
  first: C,
  again: { readonly seed: string; readonly outcome: Outcome },
  level: number,
): C {
  const { pBroken, success, n } = summaryOf(again.outcome, level);
  const verdict = pBroken <= level ? 'broken' : 'undecided';
  return { ...first, verdict, confirmation: { seed: again.seed, success, n, p: pBroken, verdict } };
}

/** The verdict of all cases of an experiment: broken if one is, holds if all do. */
export function verdictOfAll(verdicts: readonly Verdict[]): ExperimentResult['verdict'] {
  if (verdicts.length === 0) return null;
  if (verdicts.includes('broken')) return 'broken';
  return verdicts.every((verdict) => verdict === 'holds') ? 'holds' : 'undecided';
}

function verdictOf(isBroken: boolean, isShownToHold: boolean): Verdict {
  if (isBroken) return 'broken';
  return isShownToHold ? 'holds' : 'undecided';
}

/** @throws RangeError for what no experiment may return */
export function checkOutcome(outcome: Outcome): void {
  if (outcome.kind === 'trials') checkTrials(outcome);
  else if (!(outcome.p >= 0 && outcome.p <= 1)) throw new RangeError('"p" expected a probability');
  else if (!(outcome.n > 0)) throw new RangeError('"n" expected a number of runs');
}

function numbersOf(outcome: Outcome, level: number) {
  checkOutcome(outcome);
  if (outcome.kind === 'test') return { pBroken: outcome.p };
  const excess = excessOf(outcome);
  return {
    pBroken: excess.pAbove(MARGIN),
    pHolds: excess.pBelow(MARGIN),
    excess: excess.value,
    excessInterval: excess.interval(level),
    interval: meanInterval(outcome.attack, level),
    controlInterval: meanInterval(outcome.control, level),
  };
}

function summaryOf(outcome: Outcome, level: number) {
  const { pBroken } = numbersOf(outcome, level);
  return outcome.kind === 'test'
    ? { pBroken, success: outcome.distance.value, n: outcome.n }
    : { pBroken, success: mean(outcome.attack), n: outcome.attack.length };
}

function named<T>({ experiment, scene }: Case, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RangeError(`${experiment.id} over ${scene}: ${why}`, { cause });
  }
}
