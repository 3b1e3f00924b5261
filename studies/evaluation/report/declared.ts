/** The tables, charts and facts of the report, declared over its records. */
import { count, type Figure, mean, only, sum, within } from '../../instrument/figure.ts';
import { escapeMarkdown } from '../../instrument/report/text.ts';
import type { ChartOf, Columns, Fact, TableOf } from '../../instrument/study.ts';

const PERCENT = { digits: 1, percent: true } as const;
const HUNDREDTHS = { digits: 2 } as const;

export const COLUMNS: Columns = {
  experiment: { leads: true },
  title: { title: 'what is tried', wraps: true },
  text: { title: 'what it says', wraps: true },
  why: { wraps: true },
  place: { title: 'where' },
};

const excess = within('excess', 'excessLow', 'excessHigh', HUNDREDTHS);
const distance = within('success', 'successLow', 'successHigh', HUNDREDTHS);

/** One row for each case, of experiments of which this is expected. */
const overview = (caption: string, expectation: string): TableOf => ({
  caption,
  of: 'cases',
  where: { expectation },
  rows: ['experiment', 'title', 'attacker', 'scene'],
  cells: {
    verdict: only('said'),
    excess,
    'or distance': (records) => distance(records.filter(({ kind }) => kind === 'test')),
    n: only('units'),
  },
});

export const TABLES: Readonly<Record<string, TableOf>> = {
  controls: overview('Positive controls', 'control'),
  admitted: overview('Admitted leaks with their sizes', 'admitted'),
  promises: overview('Attacks that shall fail', 'holds'),
  scenes: {
    caption: 'Scenes: data, task, and people',
    of: 'scenes',
    rows: ['scene', 'task'],
    cells: {
      owners: only('owners'),
      rows: only('rows'),
      people: only('people'),
      'rows of outsiders': only('outsiderRows'),
      'public rows': only('publicRows'),
      'utility label': only('utilityLabel'),
      'private label': only('privateLabel'),
    },
  },
  covered: {
    caption: 'Claims with the experiments that could refute them, or that measure what they admit',
    of: 'claims',
    where: ({ verdict }) => verdict !== 'not covered',
    rows: ['claim', 'text', 'said', 'experiments'],
  },
  uncovered: {
    caption: 'Claims that no experiment covers',
    of: 'claims',
    where: { verdict: 'not covered' },
    rows: ['place'],
    cells: { claims: listed('claim') },
  },
  unfinished: { caption: 'Cases without an outcome', of: 'unfinished', rows: ['experiment', 'scene', 'why'] },
};

/** The tables of each experiment by itself. */
export const OWN_TABLES: readonly TableOf[] = [
  {
    caption: 'By scene, with intervals',
    of: 'cases',
    where: { kind: 'trials' },
    rows: ['scene', 'said'],
    cells: {
      n: only('units'),
      'attack, %': within('success', 'successLow', 'successHigh', PERCENT),
      'control, %': within('control', 'controlLow', 'controlHigh', PERCENT),
      'baseline, %': mean('baseline', PERCENT),
      excess,
      'p, corrected': only('decided'),
    },
  },
  {
    caption: 'By scene, with intervals',
    of: 'cases',
    where: { kind: 'test' },
    rows: ['scene', 'said'],
    cells: {
      n: only('units'),
      distance,
      'p of the test': only('p'),
      'smallest leak found': only('leak'),
      'p, corrected': only('decided'),
    },
  },
  {
    caption: 'Again on a fresh seed',
    of: 'confirmations',
    rows: ['scene', 'said'],
    cells: { n: only('units'), 'attack, %': mean('success', PERCENT), p: only('p') },
  },
  {
    caption: 'More figures',
    of: 'figures',
    rows: ['figure'],
    across: { column: 'scene', cell: shortly('value') },
  },
];

const PICTURED = {
  mark: 'lying bar',
  of: 'series',
  each: ['experiment'],
  x: { column: 'scene' },
  colour: 'series',
} as const;

export const OWN_CHARTS: Readonly<Record<string, ChartOf>> = {
  success: {
    ...PICTURED,
    caption: 'Success with intervals, by scene, of {experiment}',
    where: { kind: 'trials' },
    y: { figure: within('value', 'low', 'high'), title: 'Success in percent', upTo: 100 },
  },
  distance: {
    ...PICTURED,
    caption: 'Distance that the test saw, with intervals, by scene; 0 is none: {experiment}',
    where: { kind: 'test' },
    y: { figure: within('value', 'low', 'high'), title: 'Distance', upTo: 1 },
  },
};

/** Four digits of a number, or words. */
function shortly(column: string): Figure {
  return (records) => {
    const value = records[0]?.[column];
    if (typeof value !== 'number') return only(column)(records);
    return {
      value,
      text: Number(value.toPrecision(4)).toLocaleString('en-GB', { maximumSignificantDigits: 4 }),
    };
  };
}

/** The values of a column, which sentences name; no text where there are none. */
function listed(column: string): Figure {
  return (records) => ({
    value: records.length,
    text: records.map((record) => escapeMarkdown(String(record[column]))).join(', '),
  });
}

const experiments = (expectation: string, verdict?: string, figure = count): Fact => ({
  of: 'experiments',
  where: { expectation, ...(verdict !== undefined && { verdict }) },
  figure,
});
const controls = (came: string, figure: Figure): Fact => ({ of: 'controls', where: { came }, figure });
const claims = (verdict: string, figure = count): Fact => ({ of: 'claims', where: { verdict }, figure });
const ofRun = (column: string): Fact => ({ of: 'run', figure: only(column) });

export const FACTS: Readonly<Record<string, Fact>> = {
  scenes: { of: 'scenes', figure: listed('scene') },
  effort: ofRun('effort'),
  seed: ofRun('seed'),
  finished: ofRun('finished'),
  level: ofRun('level'),
  certainty: ofRun('certainty'),
  margin: ofRun('margin'),
  processor: ofRun('processor'),
  cores: ofRun('cores'),
  node: ofRun('node'),
  commit: ofRun('commit'),
  minutes: { of: 'run', figure: mean('minutes', { digits: 0 }) },
  isPartial: { of: 'run', where: { scope: 'some' }, figure: listed('scope') },
  isQuick: { of: 'run', where: { effort: 'quick' }, figure: listed('effort') },
  experiments: { of: 'experiments', figure: count },
  cases: { of: 'cases', figure: count },
  promises: experiments('holds'),
  attacked: {
    of: 'experiments',
    where: ({ expectation, verdict }) => expectation === 'holds' && verdict !== 'none',
    figure: listed('experiment'),
  },
  brokenOnes: experiments('holds', 'broken', listed('experiment')),
  broken: experiments('holds', 'broken'),
  held: experiments('holds', 'holds'),
  undecided: experiments('holds', 'undecided'),
  admitted: experiments('admitted'),
  leaking: experiments('admitted', 'broken'),
  unsure: experiments('admitted', 'undecided'),
  unseen: experiments('admitted', 'holds'),
  controls: { of: 'controls', figure: count },
  planted: { of: 'controls', figure: listed('experiment') },
  found: controls('found', count),
  missed: controls('missed', listed('experiment')),
  hidden: controls('hidden', listed('experiment')),
  claims: { of: 'claims', figure: count },
  refuted: claims('broken', listed('claim')),
  claimsHeld: claims('holds'),
  claimsMeasured: claims('measured'),
  claimsUncovered: claims('not covered'),
  claimsCovered: { of: 'claims', where: ({ verdict }) => verdict !== 'not covered', figure: count },
  leftOut: { of: 'experiments', where: ({ omitted }) => Number(omitted) > 0, figure: listed('experiment') },
  omitted: { of: 'experiments', figure: sum('omitted', { digits: 0 }) },
  unfinished: { of: 'unfinished', figure: listed('experiment') },
};
