/** Words, signs and numbers of the report: a verdict reads the same wherever it stands. */
import { MISSING } from '../../instrument/quantities.ts';
import type { Tone } from '../../instrument/report/document.ts';
import type { Expectation } from '../experiment.ts';
import {
  type CaseResult,
  type ClaimVerdict,
  type ExperimentResult,
  noiseThatHides,
  type Verdict,
} from '../result.ts';

interface Word {
  readonly text: string;
  readonly tone: Tone;
}

const UNDECIDED: Word = { text: '? undecided', tone: 'open' };
const MISSED: Word = { text: '✗ not found', tone: 'bad' };
const HIDDEN: Word = { text: '? too noisy here', tone: 'open' };

/** What a verdict means depends on what was expected. The worst first. */
export const WORDS: Readonly<Record<Expectation, Readonly<Record<Verdict, Word>>>> = {
  holds: {
    broken: { text: '✗ broken', tone: 'bad' },
    undecided: UNDECIDED,
    holds: { text: '✓ holds', tone: 'good' },
  },
  admitted: {
    broken: { text: '! leaks', tone: 'known' },
    undecided: UNDECIDED,
    holds: { text: '✓ not seen', tone: 'good' },
  },
  control: {
    broken: { text: '✓ found', tone: 'good' },
    undecided: MISSED,
    holds: MISSED,
  },
};

const NO_ANSWER: Word = { text: '– no answer', tone: 'open' };

/** A control is found only if it is found in every scene. */
export function verdictOf({ expectation, verdict, cases }: ExperimentResult): Verdict | null {
  const missed = expectation === 'control' && cases.some((it) => it.verdict !== 'broken');
  return missed ? 'undecided' : verdict;
}

export function wordOf(experiment: ExperimentResult): Word {
  const verdict = verdictOf(experiment);
  if (noiseThatHides(experiment.cases) !== undefined) return HIDDEN;
  return verdict === null ? NO_ANSWER : WORDS[experiment.expectation][verdict];
}

export const CLAIM_WORDS: Readonly<Record<ClaimVerdict, Word>> = {
  broken: { text: '✗ broken', tone: 'bad' },
  undecided: UNDECIDED,
  holds: { text: '✓ not refuted', tone: 'good' },
  measured: { text: '! admitted, measured', tone: 'known' },
  'not covered': { text: '– not covered', tone: 'open' },
};

/** A share as percent, without its sign. */
export const percent = (share: number): string => (100 * share).toFixed(1);

const signed = (value: number): string => {
  const size = Math.abs(value).toFixed(2);
  return value < 0 && Number(size) !== 0 ? `−${size}` : size;
};

/** Titles stand where there is no Markdown, and so no code. */
export const titleOf = ({ title }: Pick<ExperimentResult, 'title'>): string =>
  title.replaceAll('`', '').replace(/\.$/, '');

type Interval = readonly [low: number, high: number];

export const withInterval = (
  value: number,
  [low, high]: Interval,
  show: (value: number) => string = percent,
): string => `${show(value)} [${show(low)}, ${show(high)}]`;

export const excessOf = (it: CaseResult): string =>
  it.kind === 'trials' ? withInterval(it.excess, it.excessInterval, signed) : MISSING;

/** In percent, or a distance. */
export const successOf = (it: CaseResult): string =>
  it.kind === 'trials'
    ? withInterval(it.success, it.interval)
    : withInterval(it.success, it.interval, signed);

export const controlOf = (it: CaseResult): string =>
  it.kind === 'trials' ? withInterval(it.control, it.controlInterval) : MISSING;

export const probability = (p: number): string =>
  p === 0 ? '0' : p < 0.001 ? p.toExponential(0).replace('-', '−') : p.toFixed(3);

/** The corrected probability on which the verdict stands; a test that saw nothing has none. */
export const decidedBy = (it: CaseResult): string => {
  if (it.verdict === 'broken') return probability(it.pBroken);
  return it.verdict === 'holds' && it.kind === 'trials' ? probability(it.pHolds) : MISSING;
};

const PLURALS = { row: 'rows', person: 'people', owner: 'owners', run: 'runs' } as const;
export const counted = (n: number, unit: ExperimentResult['unit']): string =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? unit : PLURALS[unit]}`;

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
