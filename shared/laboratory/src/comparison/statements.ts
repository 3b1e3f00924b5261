/**
 * What the laboratory states of Eigenveil beside each other method, decided by the samples as inference.ts has it.
 *
 * A case is a data set at one ε. Where a method depends on how rows are spread, a case has a difference for each number of sites, and Eigenveil is ahead
 * or not behind only where it is so at every one of them: these differences share a data set and Eigenveil's samples, and count once. Methods
 * that are measured in one unit had the same rows, dealt alike, and are compared seed by seed. What is said in the mean takes data sets as samples.
 */
import type { Measurement } from '@eigenveil/bench/unit';
import { PCA_METHODS, type PcaMethod } from '../methods/index.ts';
import {
  type Difference,
  differenceOf,
  meanOf,
  pairedDifference,
  type Verdict,
  verdictsOf,
} from './inference.ts';
import { EPSILONS, energySeries, findUtility, POOLED, SITES } from './utility.ts';

/** What the other method promises beside Eigenveil, and so how a difference is to be read. */
export type Group = 'distributed' | 'stronger' | 'curator' | 'chance' | 'calibration';

export const GROUPS: Readonly<Record<Group, string>> = {
  distributed: '(ε, δ) without a curator',
  stronger: 'more than that: δ = 0, or every row protects itself',
  curator: 'a curator is trusted with all rows',
  chance: 'nothing is looked at',
  calibration: 'the same noise from a curator',
};

/** One data set at one ε: in points of captured energy, subject less opponent. */
export interface StatementCase {
  readonly dataset: string;
  readonly epsilon: number;
  /** One, or one for each number of sites. */
  readonly settings: readonly Difference[];
  readonly verdict: Verdict;
}

/** Over data sets, each of which is one sample: the mean over these ε. */
export interface StatementMean {
  readonly epsilons: readonly number[];
  readonly difference: Difference;
  readonly sets: number;
  /** Of these, the ones on which the subject's mean is larger. */
  readonly setsAhead: number;
  readonly verdict: Verdict;
}

export interface Statement {
  readonly subject: PcaMethod;
  readonly opponent: PcaMethod;
  readonly group: Group;
  readonly cases: readonly StatementCase[];
  /** At each ε. */
  readonly means: readonly StatementMean[];
  /** Over all ε from LEAST_EPSILON on. */
  readonly overall: StatementMean | undefined;
}

/** What Eigenveil aims at is said of ε from here on: below, hardly anything finds more than chance. */
export const LEAST_EPSILON = 0.5;

/** Subject and opponent of comparisons that take the stage's noise apart. */
const CALIBRATIONS = [
  ['eigenveil-one', 'central'],
  ['eigenveil-one', 'central-triangle'],
  ['eigenveil', 'central-twice'],
] as const;

/** Of two methods by name, for this number of components; undefined where nothing of it was measured. */
function statementOf(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  k: number,
  { subject, opponent, group }: Pick<Statement, 'subject' | 'opponent' | 'group'>,
): Statement | undefined {
  const found = datasets.flatMap((dataset) =>
    EPSILONS.flatMap((epsilon) => {
      const settings = differencesOf(measurements, { dataset, epsilon, k }, subject, opponent);
      return settings.length === 0 ? [] : [{ dataset, epsilon, settings }];
    }),
  );
  if (found.length === 0) return undefined;
  const verdicts = verdictsOf(found.map(({ settings }) => settings));
  const cases = found.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
  const overall = meansOf(cases, [EPSILONS.filter((epsilon) => epsilon >= LEAST_EPSILON)])[0];
  const means = meansOf(
    cases,
    EPSILONS.map((epsilon) => [epsilon]),
  );
  return { subject, opponent, group, cases, means, overall };
}

/** At every number of sites that either method depends on. */
function differencesOf(
  measurements: readonly Measurement[],
  { dataset, epsilon, k }: { readonly dataset: string; readonly epsilon: number; readonly k: number },
  subject: PcaMethod,
  opponent: PcaMethod,
): Difference[] {
  const samples = ({ name, dependsOnSites }: PcaMethod, sites: number | typeof POOLED) =>
    findUtility(measurements, dataset, dependsOnSites ? sites : POOLED, epsilon)?.series[
      energySeries(name, k)
    ]?.samples ?? [];
  const spread = subject.dependsOnSites || opponent.dependsOnSites;
  const together = subject.dependsOnSites === opponent.dependsOnSites;
  return (spread ? SITES : [POOLED as typeof POOLED]).flatMap((sites) => {
    const [own, others] = [samples(subject, sites), samples(opponent, sites)];
    const difference = together ? pairedDifference(own, others) : differenceOf(own, others);
    return difference === undefined ? [] : [difference];
  });
}

/** For each list of ε, over the data sets that have all of them. */
function meansOf(
  cases: readonly Omit<StatementCase, 'verdict'>[],
  lists: readonly (readonly number[])[],
): StatementMean[] {
  const average = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const found = lists.flatMap((epsilons) => {
    const own = cases.filter(({ epsilon }) => epsilons.includes(epsilon));
    const differences = [...Map.groupBy(own, ({ dataset }) => dataset).values()]
      .filter(({ length }) => length === epsilons.length)
      .map((of) => average(of.map(({ settings }) => average(settings.map(({ mean }) => mean)))));
    const difference = meanOf(differences);
    if (difference === undefined) return [];
    const setsAhead = differences.filter((it) => it > 0).length;
    return [{ epsilons, difference, sets: differences.length, setsAhead }];
  });
  const verdicts = verdictsOf(found.map(({ difference }) => [difference]));
  return found.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
}

/** A method is ranked where what it keeps is what it was told, at every ε. */
function isRanked({ panel, promise }: PcaMethod): boolean {
  return (
    panel !== 'unkept' &&
    panel !== 'baseline' &&
    EPSILONS.every((epsilon) => {
      const kept = promise.keeps(SAMPLE_SITES, { ...RANKED_AT, epsilon });
      return 'epsilon' in kept && Math.abs(kept.epsilon / epsilon - 1) < 1e-6;
    })
  );
}
