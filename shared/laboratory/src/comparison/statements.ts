/** What the laboratory states, decided by the samples: each statement is a list of cases, and each case holds, does not hold, or stays open. */
import { momentsOf } from '@eigenveil/bench/accuracy/scores';
import type { Measurement } from '@eigenveil/bench/unit';
import { EPSILONS, energySeries, findUtility, POOLED, SITES } from './utility.ts';

export type Verdict = 'holds' | 'does not hold' | 'open';

export interface StatementCase {
  readonly dataset: string;
  readonly epsilon: number;
  /** Who is compared with whom: titles of methods, with the number of sites where it matters. */
  readonly against: string;
  readonly comparison: Comparison;
  readonly verdict: Verdict;
}

export interface Statement {
  readonly text: string;
  readonly cases: readonly StatementCase[];
}

/** Of captured energy in percent of the best. */
export interface Comparison {
  readonly mean: number;
  readonly otherMean: number;
  /** mean − otherMean. */
  readonly difference: number;
  /** Standard error of the difference of two independent means. */
  readonly error: number;
}

/** Undefined with less than two samples on a side: no spread, no judgement. */
export function compare(samples: readonly number[], others: readonly number[]): Comparison | undefined {
  const [a, b] = [momentsOf(samples), momentsOf(others)];
  if (a?.deviation === undefined || b?.deviation === undefined) return undefined;
  return {
    mean: a.mean,
    otherMean: b.mean,
    difference: a.mean - b.mean,
    error: Math.sqrt(a.deviation ** 2 / samples.length + b.deviation ** 2 / others.length),
  };
}

const ERRORS = 2;
/** Of the other's captured energy. */
const CLOSE = 0.01;

/** Less than 1 % of the other's energy is missing: decided where two standard errors do not matter. */
export function isClose({ difference, error, otherMean }: Comparison): Verdict {
  const missing = -difference;
  if (missing + ERRORS * error <= CLOSE * otherMean) return 'holds';
  return missing - ERRORS * error > CLOSE * otherMean ? 'does not hold' : 'open';
}

/** Not behind by more than two standard errors. */
export function isNotWorse({ difference, error }: Comparison): Verdict {
  return difference >= -ERRORS * error ? 'holds' : 'does not hold';
}

/** Ahead, or behind, by more than two standard errors. */
export function isAhead({ difference, error }: Comparison): Verdict {
  if (difference > ERRORS * error) return 'holds';
  return difference < -ERRORS * error ? 'does not hold' : 'open';
}

/** A statement holds if all of its cases do, and fails with one that does. Without cases it is open. */
export function verdictOf({ cases }: Statement): Verdict {
  if (cases.some(({ verdict }) => verdict === 'does not hold')) return 'does not hold';
  return cases.length > 0 && cases.every(({ verdict }) => verdict === 'holds') ? 'holds' : 'open';
}

/** A method, with the spread over sites whose measurement has it. */
interface Contestant {
  readonly name: string;
  readonly title: string;
  readonly sites: number | typeof POOLED;
}

interface Question {
  readonly text: string;
  readonly subject: Contestant;
  readonly others: readonly Contestant[];
  readonly epsilons: readonly number[];
  readonly judge: (comparison: Comparison) => Verdict;
}

const pooled = (name: string, title: string): Contestant => ({ name, title, sites: POOLED });
const spread = (name: string, title: string): Contestant[] =>
  SITES.map((sites) => ({ name, title: `${title}, ${sites} sites`, sites }));

const ONE = pooled('eigenveil-one', 'Eigenveil, one server’s noise');
const BOTH = pooled('eigenveil', 'Eigenveil');
const CENTRAL = pooled('central', 'central Gaussian');
const CENTRAL_TRIANGLE = pooled('central-triangle', 'central Gaussian, one deviation');
const CENTRAL_TWICE = pooled('central-twice', 'central Gaussian, drawn twice');
const large = EPSILONS.filter((epsilon) => epsilon >= 1);
const small = EPSILONS.filter((epsilon) => epsilon <= 1);

const QUESTIONS: readonly Question[] = [
  {
    text: 'With one server’s noise, Eigenveil captures within 1 % of what a central Gaussian mechanism does on the same statistic, relation and weights, for ε ≥ 1.',
    subject: ONE,
    others: [CENTRAL],
    epsilons: large,
    judge: isClose,
  },
  {
    text: 'The same against a central Gaussian mechanism that adds noise of one deviation to the whole triangle, as publications have it.',
    subject: ONE,
    others: [CENTRAL_TRIANGLE],
    epsilons: large,
    judge: isClose,
  },
  {
    text: 'With both servers’ noise it is within 1 % of a central Gaussian mechanism whose deviation is √2 times as large, for ε ≥ 1.',
    subject: BOTH,
    others: [CENTRAL_TWICE],
    epsilons: large,
    judge: isClose,
  },
  {
    text: 'With one server’s noise it is at no ε worse than the central Gaussian mechanism by more than two standard errors.',
    subject: ONE,
    others: [CENTRAL],
    epsilons: EPSILONS,
    judge: isNotWorse,
  },
  {
    text: 'With both servers’ noise it is ahead of DPdisPCA, published and recalibrated, for ε ≤ 1, although these protect no mean.',
    subject: BOTH,
    others: [...spread('dpdispca', 'DPdisPCA'), ...spread('dpdispca-recalibrated', 'DPdisPCA, recalibrated')],
    epsilons: small,
    judge: isAhead,
  },
  {
    text: 'With both servers’ noise it is ahead of LGM for ε ≤ 1. LGM trusts nobody, which is more than Eigenveil promises.',
    subject: BOTH,
    others: [pooled('lgm', 'LGM')],
    epsilons: small,
    judge: isAhead,
  },
  {
    text: 'With both servers’ noise it is ahead of HPDP for ε ≤ 1. HPDP promises δ = 0, which is more, but protects no mean, which is less.',
    subject: BOTH,
    others: [pooled('hpdp', 'HPDP')],
    epsilons: small,
    judge: isAhead,
  },
];

/** For this number of components; cases that were not measured are left out. */
export function statements(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  k: number,
): Statement[] {
  const samples = (dataset: string, epsilon: number, { name, sites }: Contestant) =>
    findUtility(measurements, dataset, sites, epsilon)?.series[energySeries(name, k)]?.samples ?? [];
  return QUESTIONS.map(({ text, subject, others, epsilons, judge }) => ({
    text,
    cases: datasets.flatMap((dataset) =>
      others.flatMap((other) =>
        epsilons.flatMap((epsilon) => {
          const comparison = compare(samples(dataset, epsilon, subject), samples(dataset, epsilon, other));
          if (comparison === undefined) return [];
          return [{ dataset, epsilon, against: other.title, comparison, verdict: judge(comparison) }];
        }),
      ),
    ),
  }));
}
