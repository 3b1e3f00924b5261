/**
 * What the laboratory states of Eigenveil beside each other method, decided by the samples as inference.ts has it.
 *
 * A case is a data set at one ε. Where a method depends on how rows are spread, a case has a difference for each dealing of them, and Eigenveil is ahead
 * or not behind only where it is so at every one of them: these differences share a data set and Eigenveil's samples, and count once. Methods
 * that are measured in one unit had the same rows, dealt alike, and are compared seed by seed. What is said in the mean takes data sets as samples, and
 * stands at the dealing that is best for the other method in that mean.
 */
import type { Measurement } from '../instrument/unit.ts';
import {
  type Difference,
  differenceOf,
  meanOf,
  pairedDifference,
  type Verdict,
  verdictsOf,
} from './inference.ts';
import { CURATOR, PCA_METHODS, type PcaMethod } from './methods/index.ts';
import {
  DEALINGS,
  type Dealing,
  EPSILONS,
  EQUAL,
  energySeries,
  findUtility,
  POOLED,
  SITES,
  settingOf,
} from './utility.ts';

/** What the other method promises beside Eigenveil, and so how a difference is to be read. */
type Group = 'distributed' | 'stronger' | 'curator' | 'chance' | 'calibration';

export const GROUPS: Readonly<Record<Group, string>> = {
  distributed: '(ε, δ) without a curator',
  stronger: 'more than that: δ = 0, or every row protects itself',
  curator: 'a curator is trusted with all rows',
  chance: 'nothing is looked at',
  calibration: 'the same noise from a curator',
};

export interface DealtDifference extends Difference {
  readonly dealing: Dealing;
}

/** One data set at one ε: in points of captured energy, subject less opponent. */
interface StatementCase {
  readonly dataset: string;
  readonly epsilon: number;
  /** One, or one for each dealing. */
  readonly settings: readonly DealtDifference[];
  readonly verdict: Verdict;
}

interface DealtMean extends DealtDifference {
  readonly sets: number;
  /** Of these, the ones on which the subject's mean is larger. */
  readonly setsAhead: number;
}

/** Over data sets, each of which is one sample: the mean over these ε. */
export interface StatementMean {
  readonly epsilons: readonly number[];
  /** One, or one for each dealing. */
  readonly settings: readonly DealtMean[];
  readonly verdict: Verdict;
}

/** Where the other method is at its best. */
export const leastOf = <D extends DealtDifference>(settings: readonly D[]): D =>
  settings.reduce((least, it) => (it.mean < least.mean ? it : least));

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

/** What Eigenveil aims at is said of ε from here on: below, methods with noise at every site find no more than chance on most data sets. */
export const LEAST_EPSILON = 0.5;

/** Eigenveil with both servers' noise: one task; and two, the second around the mean that the first releases. */
export const RELEASED: readonly string[] = ['eigenveil', 'eigenveil-around'];
/** And with the CSP's noise alone, which promises nothing against the CSP. */
const SUBJECTS: readonly string[] = [...RELEASED, 'eigenveil-around-one'];
const CHANCE = 'random-directions';
const named = (name: string): PcaMethod => PCA_METHODS.find((method) => method.name === name)!;

/** Subject and opponent of the comparisons that take the stage's noise apart. */
const CALIBRATIONS = [
  ['eigenveil-one', 'central'],
  ['eigenveil-one', 'central-triangle'],
  ['eigenveil', 'central-twice'],
] as const;

/** The stage itself, and what is there to take its noise apart: no methods that somebody published. */
export const REFERENCES: readonly string[] = [
  ...SUBJECTS,
  'eigenveil-one',
  'central-zcdp',
  'central-twice',
  'central-triangle',
];

/** Eigenveil against every method that is ranked, for this number of components; what was not measured is left out. */
export function statements(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  k: number,
): Statement[] {
  const pairs = [
    ...PCA_METHODS.filter(({ name }) => !REFERENCES.includes(name)).flatMap((opponent) => {
      const group = groupOf(opponent);
      if (group === undefined) return [];
      return (group === 'distributed' ? SUBJECTS : RELEASED).map((subject) => ({
        subject: named(subject),
        opponent,
        group,
      }));
    }),
    ...CALIBRATIONS.map(([subject, opponent]) => ({
      subject: named(subject),
      opponent: named(opponent),
      group: 'calibration' as const,
    })),
  ];
  const found = pairs.flatMap((pair) => statementOf(measurements, datasets, k, pair) ?? []);
  return withOverall(found);
}

/** On how many data sets each method finds more than random directions do, at each ε: at every one of these dealings. */
export function foundMore(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  k: number,
): { readonly method: PcaMethod; readonly dealings: readonly Dealing[]; readonly sets: readonly number[] }[] {
  const opponent = named(CHANCE);
  return PCA_METHODS.filter((method) => method !== opponent).flatMap((subject) => {
    const pair = { subject, opponent, group: 'chance' as const };
    return (subject.dependsOnSites ? [SITES, [EQUAL as Dealing]] : [[POOLED as Dealing]]).flatMap(
      (dealings) => {
        const statement = statementOf(measurements, datasets, k, pair, dealings);
        if (statement === undefined) return [];
        const ahead = statement.cases.filter(({ verdict }) => verdict === 'ahead');
        const sets = EPSILONS.map((epsilon) => ahead.filter((it) => it.epsilon === epsilon).length);
        return [{ method: subject, dealings, sets }];
      },
    );
  });
}

/** The means over ε of a subject's statements of one group are a family. */
function withOverall(found: readonly Omit<Statement, 'overall'>[]): Statement[] {
  const epsilons = EPSILONS.filter((epsilon) => epsilon >= LEAST_EPSILON);
  const overall = found.map(({ subject, group, cases }) => ({
    family: `${subject.name} ${group}`,
    mean: meanOver(cases, epsilons),
  }));
  const verdicts = new Map<unknown, Verdict>();
  for (const statements of Map.groupBy(overall, ({ family }) => family).values()) {
    const means = statements.flatMap(({ mean }) => mean ?? []);
    const ofFamily = verdictsOf(means.map(({ settings }) => settings));
    means.forEach((mean, i) => {
      verdicts.set(mean, ofFamily[i]!);
    });
  }
  return found.map((statement, i) => {
    const { mean } = overall[i]!;
    return { ...statement, overall: mean && { ...mean, verdict: verdicts.get(mean)! } };
  });
}

/** What one way of Eigenveil aims at. */
export interface Aim {
  readonly subject: PcaMethod;
  readonly cases: readonly (StatementCase & { readonly opponent: PcaMethod })[];
}

/** At no ε from LEAST_EPSILON on, on no data set, behind a method of such a promise: of each way. All of its cases are one family. */
export function aimsOf(all: readonly Statement[]): Aim[] {
  return SUBJECTS.map((name) => ({ subject: named(name), cases: aimOf(all, name) })).filter(
    ({ cases }) => cases.length > 0,
  );
}

function aimOf(all: readonly Statement[], name: string): Aim['cases'] {
  const cases = all
    .filter(({ subject, group }) => subject.name === name && group === 'distributed')
    .flatMap(({ opponent, cases }) => cases.map((it) => ({ ...it, opponent })))
    .filter(({ epsilon }) => epsilon >= LEAST_EPSILON);
  const verdicts = verdictsOf(cases.map(({ settings }) => settings));
  return cases.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
}

/** Of two methods by name, for this number of components; undefined where nothing of it was measured. */
function statementOf(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  k: number,
  { subject, opponent, group }: Pick<Statement, 'subject' | 'opponent' | 'group'>,
  dealings: readonly Dealing[] = subject.dependsOnSites || opponent.dependsOnSites ? DEALINGS : [POOLED],
): Omit<Statement, 'overall'> | undefined {
  const found = datasets.flatMap((dataset) =>
    EPSILONS.flatMap((epsilon) => {
      const settings = differencesOf(measurements, { dataset, epsilon, k, dealings }, subject, opponent);
      return settings.length === 0 ? [] : [{ dataset, epsilon, settings }];
    }),
  );
  if (found.length === 0) return undefined;
  const verdicts = verdictsOf(found.map(({ settings }) => settings));
  const cases = found.map((it, i) => ({ ...it, verdict: verdicts[i]! }));
  const means = EPSILONS.flatMap((epsilon) => meanOver(cases, [epsilon]) ?? []);
  const ofMeans = verdictsOf(means.map(({ settings }) => settings));
  return {
    subject,
    opponent,
    group,
    cases,
    means: means.map((it, i) => ({ ...it, verdict: ofMeans[i]! })),
  };
}

interface Measured {
  readonly dataset: string;
  readonly epsilon: number;
  readonly k: number;
  readonly dealings: readonly Dealing[];
}

function differencesOf(
  measurements: readonly Measurement[],
  { dataset, epsilon, k, dealings }: Measured,
  subject: PcaMethod,
  opponent: PcaMethod,
): DealtDifference[] {
  const samples = ({ name, dependsOnSites }: PcaMethod, dealing: Dealing) =>
    findUtility(measurements, dataset, dependsOnSites ? dealing : POOLED, epsilon)?.series[
      energySeries(name, k)
    ]?.samples ?? [];
  const together = subject.dependsOnSites === opponent.dependsOnSites;
  return dealings.flatMap((dealing) => {
    const [own, others] = [samples(subject, dealing), samples(opponent, dealing)];
    if (own.length === 0 || others.length === 0) return [];
    const difference = together ? pairedDifference(own, others) : differenceOf(own, others);
    return difference === undefined ? [] : [{ ...difference, dealing }];
  });
}

/** Over the data sets that have all of these ε, dealing by dealing. */
function meanOver(
  cases: readonly StatementCase[],
  epsilons: readonly number[],
): Omit<StatementMean, 'verdict'> | undefined {
  const own = cases
    .filter(({ epsilon }) => epsilons.includes(epsilon))
    .flatMap(({ dataset, settings }) => settings.map((it) => ({ dataset, ...it })));
  const settings = [...Map.groupBy(own, ({ dealing }) => dealing)].flatMap(([dealing, of]): DealtMean[] => {
    const differences = [...Map.groupBy(of, ({ dataset }) => dataset).values()]
      .filter(({ length }) => length === epsilons.length)
      .map((it) => it.reduce((sum, { mean }) => sum + mean, 0) / it.length);
    const difference = meanOf(differences);
    if (difference === undefined) return [];
    const setsAhead = differences.filter((it) => it > 0).length;
    return [{ ...difference, dealing, sets: differences.length, setsAhead }];
  });
  return settings.length === 0 ? undefined : { epsilons, settings };
}

/** Of an ε that was computed from a deviation, which was computed from the ε. */
const ROUNDING = 1e-6;
/** Only sizes and the number of features matter to what a method keeps. */
const SAMPLE_SITES = [2, 3, 5].map((rows) => new Array<number[]>(rows).fill([1, 0]));

/** Whether a method keeps the ε that it is told, at every ε: only such methods are ranked. */
function isRanked(method: PcaMethod): boolean {
  return EPSILONS.every((epsilon) => {
    const kept = method.promise.keeps(SAMPLE_SITES, settingOf(method, 1, epsilon));
    return 'epsilon' in kept && Math.abs(kept.epsilon / epsilon - 1) < ROUNDING;
  });
}

function groupOf(method: PcaMethod): Group | undefined {
  if (method.name === CHANCE) return 'chance';
  if (!isRanked(method)) return undefined;
  if (method.promise.trust === CURATOR) return 'curator';
  return method.panel === 'approximate' ? 'distributed' : 'stronger';
}
