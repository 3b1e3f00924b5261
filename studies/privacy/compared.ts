/**
 * Eigenveil beside each other method, decided by the samples as inference.ts has it: frames of the study of captured energy.
 *
 * A case is a data set at one ε. Where a method depends on how rows are spread, a case has a difference for each dealing of them, and Eigenveil is ahead
 * or not behind only where it is so at every one of them: these differences share a data set and Eigenveil's samples, and count once. Methods
 * that are measured in one case had the same rows, dealt alike, and are compared seed by seed. What is said on average takes data sets as samples.
 * A record shows the dealing that is best for the other method.
 */
import { samplesOf } from '../instrument/figure.ts';
import type { Tidy } from '../instrument/tidy.ts';
import {
  type Difference,
  differenceOf,
  inColumns,
  judged,
  meanOf,
  pairedDifference,
  VERDICTS,
  type Verdict,
  worstOf,
} from './inference.ts';
import { CURATOR, PCA_METHODS, type PcaMethod } from './methods/index.ts';
import {
  DEALINGS,
  type Dealing,
  EPSILONS,
  EQUAL,
  POOLED,
  REFERENCES,
  RELEASED,
  SITES,
  SUBJECTS,
  settingOf,
} from './setting.ts';

/** Promises of the other method beside Eigenveil's say how a difference must be read. */
type Promised = 'distributed' | 'stronger' | 'curator' | 'chance' | 'calibration';

export const PROMISED: Readonly<Record<Promised, string>> = {
  distributed: '(ε, δ) without a curator',
  stronger: 'more than that: δ = 0, or every row protects itself',
  curator: 'a curator is trusted with all rows',
  chance: 'nothing is looked at',
  calibration: 'the same noise from a curator',
};

/** Eigenveil's aim speaks of ε from here on: below, methods with noise at every site find no more than chance on most data sets. */
const LEAST_EPSILON = 0.5;
const AIMED = EPSILONS.filter((epsilon) => epsilon >= LEAST_EPSILON);
/** The column that is judged: captured energy of two components. */
const JUDGED = 'energy2';
const CHANCE = 'random-directions';
const named = (name: string): PcaMethod => PCA_METHODS.find((method) => method.name === name)!;

/** Subject and opponent of the comparisons that take the stage's noise apart. */
const CALIBRATIONS = [
  ['eigenveil-one', 'central'],
  ['eigenveil-one', 'central-triangle'],
  ['eigenveil', 'central-twice'],
] as const;

interface Pair {
  readonly subject: PcaMethod;
  readonly opponent: PcaMethod;
  readonly promised: Promised;
}

interface Dealt extends Difference {
  readonly dealing: Dealing;
}

/** One data set at one ε, in points of captured energy, subject less opponent: one difference, or one for each dealing. */
interface Case {
  readonly dataset: string;
  readonly epsilon: number;
  readonly settings: readonly Dealt[];
}

interface DealtMean extends Dealt {
  readonly sets: number;
  /** The data sets on which the subject's mean is larger. */
  readonly setsAhead: number;
}

type Judged<T> = T & { readonly verdict: Verdict };
const settingsOf = ({ settings }: { readonly settings: readonly Difference[] }) => settings;

/** The dealing at which the other method is at its best. */
const leastOf = <D extends Dealt>(settings: readonly D[]): D =>
  settings.reduce((least, it) => (it.mean < least.mean ? it : least));
const shown = (it: Dealt) => ({ at: it.dealing, ...inColumns(it) });
const counted = (verdicts: readonly { readonly verdict: Verdict }[]): Record<Verdict, number> =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, verdicts.filter((it) => it.verdict === verdict).length]),
  ) as Record<Verdict, number>;

/** True for each method that keeps the ε that it is told, at every ε: only such methods are ranked. */
function isRanked(method: PcaMethod): boolean {
  return EPSILONS.every((epsilon) => {
    const kept = method.promise.keeps(SAMPLE_SITES, settingOf(method, 1, epsilon));
    return 'epsilon' in kept && Math.abs(kept.epsilon / epsilon - 1) < ROUNDING;
  });
}
/** An ε is computed from a deviation, which was computed from the ε. */
const ROUNDING = 1e-6;
/** Only sizes and the number of features matter to what a method keeps. */
const SAMPLE_SITES = [2, 3, 5].map((rows) => new Array<number[]>(rows).fill([1, 0]));

function promisedBy(method: PcaMethod): Promised | undefined {
  if (method.name === CHANCE) return 'chance';
  if (!isRanked(method)) return undefined;
  if (method.promise.trust === CURATOR) return 'curator';
  return method.panel === 'approximate' ? 'distributed' : 'stronger';
}

function pairs(): Pair[] {
  return [
    ...PCA_METHODS.filter(({ name }) => !REFERENCES.includes(name)).flatMap((opponent) => {
      const promised = promisedBy(opponent);
      if (promised === undefined) return [];
      const subjects = promised === 'distributed' ? SUBJECTS : RELEASED;
      return subjects.map((subject) => ({ subject: named(subject), opponent, promised }));
    }),
    ...CALIBRATIONS.map(([subject, opponent]) => ({
      ...{ subject: named(subject), opponent: named(opponent), promised: 'calibration' as const },
    })),
  ];
}

/** Data sets, and the samples of a method on one of them at a dealing and an ε. */
function samplesIn(records: readonly Tidy[]) {
  const groups = Map.groupBy(records, ({ method, dataset, sites, epsilon }) =>
    [method, dataset, sites, epsilon].join(' '),
  );
  return {
    datasets: [...new Set(records.map(({ dataset }) => String(dataset)))],
    of: ({ name, dependsOnSites }: PcaMethod, dataset: string, dealing: Dealing, epsilon: number) => {
      const key = [name, dataset, dependsOnSites ? dealing : POOLED, epsilon].join(' ');
      return samplesOf(groups.get(key) ?? [], JUDGED);
    },
  };
}
type Samples = ReturnType<typeof samplesIn>;

/** The cases of a pair, each judged among all of them; none where nothing of it was measured. */
function casesOf(
  samples: Samples,
  { subject, opponent }: Pick<Pair, 'subject' | 'opponent'>,
  dealings: readonly Dealing[] = subject.dependsOnSites || opponent.dependsOnSites ? DEALINGS : [POOLED],
): Judged<Case>[] {
  const together = subject.dependsOnSites === opponent.dependsOnSites;
  const found = samples.datasets.flatMap((dataset) =>
    EPSILONS.flatMap((epsilon): Case[] => {
      const settings = dealings.flatMap((dealing): Dealt[] => {
        const [own, others] = [subject, opponent].map((it) => samples.of(it, dataset, dealing, epsilon));
        if (own!.length === 0 || others!.length === 0) return [];
        const difference = together ? pairedDifference(own!, others!) : differenceOf(own!, others!);
        return difference === undefined ? [] : [{ ...difference, dealing }];
      });
      return settings.length === 0 ? [] : [{ dataset, epsilon, settings }];
    }),
  );
  return judged(found, settingsOf);
}

/** Means over the data sets that have all of these ε, dealing by dealing. */
function meanOver(cases: readonly Case[], epsilons: readonly number[]): DealtMean[] {
  const own = cases
    .filter(({ epsilon }) => epsilons.includes(epsilon))
    .flatMap(({ dataset, settings }) => settings.map((it) => ({ dataset, ...it })));
  return [...Map.groupBy(own, ({ dealing }) => dealing)].flatMap(([dealing, of]): DealtMean[] => {
    const differences = [...Map.groupBy(of, ({ dataset }) => dataset).values()]
      .filter(({ length }) => length === epsilons.length)
      .map((it) => it.reduce((sum, { mean }) => sum + mean, 0) / it.length);
    const difference = meanOf(differences);
    if (difference === undefined) return [];
    const setsAhead = differences.filter((it) => it > 0).length;
    return [{ ...difference, dealing, sets: differences.length, setsAhead }];
  });
}

function comparisonsOf(records: readonly Tidy[]) {
  const samples = samplesIn(records);
  return pairs().flatMap((pair) => {
    const cases = casesOf(samples, pair);
    const names = { of: pair.subject.name, against: pair.opponent.name, promised: pair.promised };
    return cases.length === 0 ? [] : [{ names, cases }];
  });
}

/** Eigenveil against every method that is ranked: each data set at each ε. All cases of a pair are one family. */
export function cases(records: readonly Tidy[]): Tidy[] {
  return comparisonsOf(records).flatMap(({ names, cases }) =>
    cases.map(({ settings, ...of }) => ({ ...names, ...of, ...shown(leastOf(settings)) })),
  );
}

/** Means over data sets at each ε. All ε of a pair are one family. */
export function means(records: readonly Tidy[]): Tidy[] {
  return comparisonsOf(records).flatMap(({ names, cases }) => {
    const found = EPSILONS.map((epsilon) => ({ epsilon, settings: meanOver(cases, [epsilon]) })).filter(
      ({ settings }) => settings.length > 0,
    );
    return judged(found, settingsOf).map(({ settings, ...of }) => ({
      ...{ ...names, ...of, ...shown(leastOf(settings)) },
    }));
  });
}

/** Every pair as a whole: how many cases have which verdict over all ε, and the mean over data sets from LEAST_EPSILON on. Means of a subject are one family with those against methods of the same promise. */
export function overall(records: readonly Tidy[]): Tidy[] {
  const found = comparisonsOf(records).map((it) => ({ ...it, settings: meanOver(it.cases, AIMED) }));
  const families = Map.groupBy(
    found.filter(({ settings }) => settings.length > 0),
    ({ names }) => `${names.of} ${names.promised}`,
  );
  const verdicts = new Map(
    [...families.values()].flatMap((family) =>
      judged(family, settingsOf).map(({ names, verdict }) => [names, verdict] as const),
    ),
  );
  return found.map(({ names, cases, settings }) => {
    const verdict = verdicts.get(names);
    if (verdict === undefined) return { ...names, ...counted(cases) };
    const least = leastOf(settings);
    const { sets, setsAhead } = least;
    return { ...names, ...counted(cases), ...shown(least), sets, setsAhead, verdict };
  });
}

/** The mean of every pair from LEAST_EPSILON on at each dealing by itself, not judged. */
export function byDealing(records: readonly Tidy[]): Tidy[] {
  return comparisonsOf(records).flatMap(({ names, cases }) =>
    meanOver(cases, AIMED).map((it) => ({ ...names, ...shown(it), sets: it.sets, setsAhead: it.setsAhead })),
  );
}

/** The aim of each way of Eigenveil: to be behind no method with (ε, δ) and without a curator, on no data set, from LEAST_EPSILON on. All of its cases are one family. */
export function aim(records: readonly Tidy[]): Tidy[] {
  const all = comparisonsOf(records).filter(({ names }) => names.promised === 'distributed');
  return SUBJECTS.flatMap((of) => {
    const own = all.filter(({ names }) => names.of === of).flatMap(({ cases }) => cases);
    const family = judged(
      own.filter(({ epsilon }) => epsilon >= LEAST_EPSILON),
      settingsOf,
    );
    if (family.length === 0) return [];
    const worst = worstOf(family.map(({ verdict }) => verdict));
    return [{ of, cases: family.length, ...counted(family), worst }];
  });
}

/** On how many data sets each method is ahead of random directions, at each ε: at every one of the dealings that are named. */
export function foundMore(records: readonly Tidy[]): Tidy[] {
  const samples = samplesIn(records);
  const opponent = named(CHANCE);
  return PCA_METHODS.filter((method) => method !== opponent).flatMap((subject) => {
    const alike: (readonly [string, readonly Dealing[]])[] = subject.dependsOnSites
      ? [
          ['every number of growing sites', SITES],
          ['equal sites', [EQUAL]],
        ]
      : [['pooled', [POOLED]]];
    return alike.flatMap(([dealings, of]) => {
      const found = casesOf(samples, { subject, opponent }, of);
      if (found.length === 0) return [];
      const ahead = found.filter(({ verdict }) => verdict === 'ahead');
      return EPSILONS.map((epsilon) => ({
        ...{ method: subject.name, dealings, epsilon },
        sets: ahead.filter((it) => it.epsilon === epsilon).length,
      }));
    });
  });
}
