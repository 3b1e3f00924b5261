/** The demo's page: what came out beside the clear reference, times by role, and what each party saw. Its words are in report.md. */

import type { Task } from '@eigenveil/task';
import { only } from '../instrument/figure.ts';
import { MISSING } from '../instrument/quantities.ts';
import type { Report } from '../instrument/report/document.ts';
import type { ChartOf, TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { runReport } from '../instrument/told.ts';
import { chosenSeries } from './sample.ts';
import { keptInWords, keyOf, nameOf, type RoleTimes, type Summary } from './summary.ts';

/** A row in the first two coordinates of a method; the second is missing where the method has one component. */
export type Place = readonly [first: number, second?: number];

/** A method's figures on the page. */
export interface MethodFigures {
  readonly result: Summary['results'][number];
  readonly times: RoleTimes;
  readonly eigenvalues: readonly number[];
  readonly clearEigenvalues: readonly number[];
  /** The pooled rows, in the order of the file. */
  readonly rows: readonly { readonly label: string; readonly computed: Place; readonly clear: Place }[];
  /** The number of encrypted plaintexts in a contribution. */
  readonly plaintexts: number;
  /** The outputs that the task declares beyond vectors and eigenvalues. */
  readonly outputs: readonly Output[];
}

type Output = Task['outputs'][number];

const OUTPUTS: Readonly<Record<Output, string>> = {
  mean: 'the mean of the features',
  trace: 'the trace of the scatter matrix',
  sampleCount: 'the number of rows',
  spectrum: 'all eigenvalues',
  classCounts: 'the numbers of rows by class',
  variances: 'the variances of the features',
};

const TABLES: Readonly<Record<string, TableOf>> = {
  results: {
    of: 'methods',
    caption: 'Each result against the clear decomposition',
    rows: ['method'],
    cells: {
      Components: only('components'),
      'Largest angle to rounded rows, rad': only('angle', { digits: 1, power: true }),
      'To rows as they are, rad': only('unrounded', { digits: 1, power: true }),
      'Largest |Δλ|/λ₁': only('eigenvalueError', { digits: 1, power: true }),
      Kept: only('kept'),
      Exact: only('exact'),
      Seconds: only('seconds', { digits: 2 }),
    },
  },
  seen: {
    of: 'methods',
    caption: 'What an owner sent, and what the projection has',
    rows: ['method', 'projection'],
    cells: { Ciphertexts: only('plaintexts'), 'KiB sent': only('kibibytes', { digits: 1 }) },
  },
};

const COMPONENTS = {
  x: { column: 'x', title: 'Component 1' },
  y: { figure: only('y'), title: 'Component 2' },
} as const;
const CHARTS: Readonly<Record<string, ChartOf>> = {
  scree: {
    of: 'eigenvalues',
    caption: 'Eigenvalues of the components of {method}.',
    ...{ each: ['method'], mark: 'line', markFrom: 'mark', colour: 'by' },
    x: { column: 'component', title: 'Component' },
    y: { figure: only('eigenvalue'), title: 'Eigenvalue' },
  },
  rows: {
    ...{
      of: 'rows',
      where: { shown: 'computed' },
      each: ['method'],
      mark: 'points',
      colour: 'label',
      isScatter: true,
    },
    caption: 'Rows by label, reduced by the vectors of {method} by Eigenveil.',
    ...COMPONENTS,
  },
  'clear-rows': {
    ...{
      of: 'rows',
      where: { shown: 'clear' },
      each: ['method'],
      mark: 'points',
      colour: 'label',
      isScatter: true,
    },
    caption: 'The same rows, reduced by the vectors of {method} in the clear.',
    ...COMPONENTS,
  },
  'one-component': {
    ...{
      of: 'rows',
      where: { shown: 'both' },
      each: ['method'],
      mark: 'points',
      colour: 'label',
      isScatter: true,
    },
    caption:
      'Rows by label: component 1 of {method} by Eigenveil and in the clear. Equal components lie on the diagonal.',
    x: { column: 'x', title: 'Component 1 by Eigenveil' },
    y: { figure: only('y'), title: 'Component 1 in the clear' },
  },
  times: {
    ...{ of: 'times', mark: 'bar', colour: 'method' },
    caption: "Times by role; an owner's is the median while all owners work at once on this machine.",
    x: { column: 'role' },
    y: { figure: only('milliseconds'), title: 'Time', scale: 'log', unit: 'ms' },
  },
};

export function demoReport(summary: Summary, methods: readonly MethodFigures[]): Promise<Report> {
  const { dataset, samples, features, owners, keyBits, twoParty, totalSeconds } = summary;
  const sampled = Math.max(...methods.map(({ rows }) => chosenSeries(rows).step));
  const run: Tidy = {
    ...{ dataset, samples, features, owners, keyBits: String(keyBits), twoParty },
    seconds: `${totalSeconds.toFixed(1)} s`,
    simulated: twoParty === 'simulated' ? 'yes' : MISSING,
    shortKeys: keyBits < 2048 ? 'yes' : MISSING,
    sampled: sampled > 1 ? sampled : MISSING,
  };
  return runReport(
    {
      words: new URL('./report.md', import.meta.url),
      columns: columnsOf(methods),
      tables: TABLES,
      charts: CHARTS,
    },
    {
      run: [run],
      methods: methods.map(methodRecord),
      eigenvalues: methods.flatMap(eigenvalueRecords),
      rows: methods.flatMap(rowRecords),
      times: methods.flatMap(timeRecords),
    },
  );
}

/** Records name methods as files do, and people read their names. */
const columnsOf = (methods: readonly MethodFigures[]) => ({
  method: {
    title: 'Method',
    values: Object.fromEntries(methods.map(({ result }) => [keyOf(result), nameOf(result)])),
  },
  projection: { title: 'Projection', wraps: true as const },
});

function methodRecord({ result, outputs, plaintexts, times }: MethodFigures): Tidy {
  const { components, maxAngle, maxAngleUnrounded, maxEigenvalueError, seconds } = result;
  const [kept, exact] = keptInWords(result.kept);
  return {
    ...{ method: keyOf(result), components, seconds, kept, exact, plaintexts },
    ...{ angle: maxAngle, unrounded: maxAngleUnrounded, eigenvalueError: maxEigenvalueError },
    kibibytes: times.contributionBytes / 1024,
    projection: [
      components === 1 ? 'one vector with its eigenvalue' : `${components} vectors with their eigenvalues`,
      ...outputs.map((output) => OUTPUTS[output]),
    ].join(', '),
  };
}

const eigenvalueRecords = ({ result, eigenvalues, clearEigenvalues }: MethodFigures): Tidy[] =>
  [
    { by: 'In the clear', mark: 'line', values: clearEigenvalues },
    { by: 'By Eigenveil', mark: 'points', values: eigenvalues },
  ].flatMap(({ by, mark, values }) =>
    values.map((eigenvalue, i) => ({ method: keyOf(result), by, mark, component: i + 1, eigenvalue })),
  );

/** Two components side by side with the clear ones; one component against the clear one. */
function rowRecords({ result, rows }: MethodFigures): Tidy[] {
  return chosenSeries(rows).series.flatMap(({ label, members }) =>
    members.flatMap(({ computed, clear }) => {
      const row = { method: keyOf(result), label };
      if (result.components === 1) return [{ ...row, shown: 'both', x: computed[0], y: clear[0] }];
      return [
        { ...row, shown: 'computed', x: computed[0], y: computed[1]! },
        { ...row, shown: 'clear', x: clear[0], y: clear[1]! },
      ];
    }),
  );
}

/** A time that was not measured, or is nothing, leaves a gap. */
function timeRecords({ result, times: { ownerMilliseconds, stages } }: MethodFigures): Tidy[] {
  const roles = {
    'An owner: sum, encrypt, send': ownerMilliseconds,
    'Data user: add, blind': stages.aggregate,
    'CSP: unblind': stages.unblind,
    'Both servers: decompose': stages.decompose,
  };
  return Object.entries(roles).map(([role, milliseconds]) => ({
    ...{ method: keyOf(result), role },
    ...(milliseconds !== undefined && milliseconds > 0 && { milliseconds }),
  }));
}
