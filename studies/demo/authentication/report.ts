/** The page of the demo of authentication: error rates, decisions of the service, and one device window by window. Its words are in report.md. */

import {
  operatingPoints,
  overWindows,
  pool,
  WINDOWS_TOGETHER,
} from '@eigenveil/testbed/recognition/error-rates';
import { only } from '../../instrument/figure.ts';
import { MISSING } from '../../instrument/quantities.ts';
import type { Report } from '../../instrument/report/document.ts';
import type { ChartOf, TableOf } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { runReport } from '../../instrument/told.ts';
import { WINDOWS_PER_FALSE_STEP_UP } from './evaluation.ts';
import { agreementInWords, decidedFigures, type Figures } from './summary.ts';

const PERCENT = { digits: 1, percent: true, unit: '%' } as const;
const TABLES: Readonly<Record<string, TableOf>> = {
  rates: {
    of: 'rates',
    caption: 'Equal error rates, pooled over all pairs of users with one threshold; 50 % is chance.',
    rows: ['rows'],
    cells: {
      'Per window': only('perSample', PERCENT),
      [`Over ${WINDOWS_TOGETHER} windows`]: only('overFive', PERCENT),
    },
  },
  sessions: {
    of: 'sessions',
    caption: 'What the relying application read.',
    rows: ['sessions'],
    cells: {
      Windows: only('windows'),
      'Step-ups and locks': only('stops'),
      Locks: only('locks'),
      'Sessions stopped': only('stopped'),
      'Windows until then, median': only('medianWindows'),
    },
  },
  told: {
    of: 'told',
    caption: 'All that the relying application was told of {userId}, in order.',
    each: ['userId'],
    rows: ['event', 'decision', 'reason'],
  },
  times: {
    of: 'times',
    caption: 'Times; those of a device are medians while all devices work at once on this machine.',
    rows: ['work'],
    cells: { Time: only('milliseconds', { digits: 0, unit: 'ms' }) },
  },
};

const CHARTS: Readonly<Record<string, ChartOf>> = {
  det: {
    ...{ of: 'det', mark: 'line', markFrom: 'mark', colour: 'curve', isScatter: true },
    caption: `Detection error trade-off over one threshold for all users: how often a user is refused against how often an impostor passes. Dashed: means of ${WINDOWS_TOGETHER} windows.`,
    x: { column: 'fmr', title: 'False match rate, %', scale: 'log' },
    y: { figure: only('fnmr'), title: 'False non-match rate, %', scale: 'log' },
  },
  trust: {
    ...{ of: 'trust', mark: 'line', markFrom: 'mark', colour: 'line' },
    caption:
      'Trust in the device of the first user of the file after each window, as the library computes it; the authenticator keeps it to itself. It is full again after each confirmed step-up.',
    x: { column: 'window', title: 'Window of the session' },
    y: { figure: only('trust'), title: 'Trust' },
  },
};

const COLUMNS = {
  rows: { title: 'Rows' },
  sessions: { title: 'Sessions' },
  event: { title: 'Event' },
  decision: { title: 'Decision' },
  reason: { title: 'Reason' },
  work: { title: 'Work' },
};

export function authenticationReport(figures: Figures): Promise<Report> {
  const { decided } = figures;
  const { userId } = decided.subjects[0]!;
  return runReport(
    { words: new URL('./report.md', import.meta.url), columns: COLUMNS, tables: TABLES, charts: CHARTS },
    {
      run: [runRecord(figures)],
      rates: rateRecords(figures),
      det: curveRecords(figures),
      sessions: sessionRecords(figures),
      trust: trustRecords(figures),
      told: decided.events
        .filter((event) => event.userId === userId)
        .map(({ sequence, decision, reason }) => ({ userId, event: sequence, decision, reason })),
      times: timeRecords(figures),
    },
  );
}

function runRecord({ summary, setting, task, times, decided }: Figures): Tidy {
  const { dataset, users, features, components, twoParty, totalSeconds } = summary;
  return {
    ...{ dataset, users, features, components, twoParty, keyBits: String(task.keyBits) },
    seconds: `${totalSeconds.toFixed(1)} s`,
    window: setting.window,
    shortKeys: task.keyBits < 2048 ? 'yes' : MISSING,
    windowsPerFalseStepUp: String(WINDOWS_PER_FALSE_STEP_UP),
    agreement: agreementInWords(decided),
    plaintexts: times.contribution.plaintexts,
    outputs: task.outputs.join(', '),
    ...{ chosenComponents: setting.components, ridge: setting.ridge, score: setting.score },
  };
}

const rateRecords = ({ summary: { eer, rawEer, components, features } }: Figures): Tidy[] => [
  { rows: `Projected to ${components} components`, ...eer },
  { rows: `Raw, ${features} features, scaled Manhattan distance`, ...rawEer },
];

/** Points of a curve are this far apart, in powers of ten of either rate: closer ones could not be distinguished. */
const APART = 0.1;

/** Rates in percent, where both are more than 0, as a logarithm needs. */
function curveRecords({ comparisons: { projected, raw } }: Figures): Tidy[] {
  const together = (from: Figures['comparisons']['raw']) => overWindows(from, WINDOWS_TOGETHER);
  return [
    { curve: 'Projected', mark: 'line', from: projected },
    { curve: 'Raw', mark: 'line', from: raw },
    { curve: `Projected, ${WINDOWS_TOGETHER} windows`, mark: 'dashed', from: together(projected) },
    { curve: `Raw, ${WINDOWS_TOGETHER} windows`, mark: 'dashed', from: together(raw) },
  ].flatMap(({ curve, mark, from }) => {
    let last: { readonly fmr: number; readonly fnmr: number } | undefined;
    return operatingPoints(pool(from)).flatMap((point) => {
      if (point.fmr === 0 || point.fnmr === 0) return [];
      if (last && Math.log10(point.fmr / last.fmr) + Math.log10(last.fnmr / point.fnmr) < APART) return [];
      last = point;
      return [{ curve, mark, fmr: 100 * point.fmr, fnmr: 100 * point.fnmr }];
    });
  });
}

function sessionRecords({ decided }: Figures): Tidy[] {
  const { genuine, impostor } = decidedFigures(decided);
  return [
    { name: 'Of the users themselves', it: genuine },
    { name: 'Of others with the device', it: impostor },
  ].map(({ name, it: { streams, windows, stops, locks, stopped, medianWindows } }) => ({
    sessions: `${name}: ${streams}`,
    ...{ windows, stops, locks, stopped: `${stopped} of ${streams}` },
    ...(medianWindows !== undefined && { medianWindows }),
  }));
}

/** The first user of the file and the next person: chosen before anything was computed. */
function trustRecords({ decided: { trust, streams, replays, subjects } }: Figures): Tidy[] {
  const shown = [0, 1].map((source) => {
    const at = streams.findIndex((stream) => stream.target === 0 && stream.source === source);
    const line = `User ${subjects[source]!.name}${source === 0 ? '' : ' with that device'}`;
    return { line, moments: replays[at]! };
  });
  const last = Math.max(2, ...shown.map(({ moments }) => moments.length));
  const level = (line: string, height: number) =>
    [1, last].map((window) => ({ line, mark: 'dashed', window, trust: height }));
  return [
    ...shown.flatMap(({ line, moments }) =>
      moments.map((moment, i) => ({
        ...{ line, mark: moments.length === 1 ? 'points' : 'line' },
        ...{ window: i + 1, trust: moment.trust },
      })),
    ),
    ...level('Step-up below', trust.stepUpBelow),
    ...level('Lock below', trust.lockBelow),
  ];
}

function timeRecords({ times, decided }: Figures): Tidy[] {
  const { stages, contribution } = times;
  const windows = decided.streams.reduce((sum, { decisions }) => sum + decisions.length, 0);
  const all: Readonly<Record<string, number | undefined>> = {
    [`A device: sum, encrypt (DJN), send ${(contribution.bytes / 1024).toFixed(1)} KiB`]:
      times.contributionMilliseconds,
    'Data user: add, blind': stages.aggregate,
    'CSP: unblind': stages.unblind,
    'Both servers: decompose': stages.decompose,
    'A device: fetch and verify the projection': times.verificationMilliseconds,
    'A device: enrol at the authenticator': times.registrationMilliseconds,
    [`All sessions: ${windows} windows, each sent alone and its decision read before the next`]:
      1000 * times.observingSeconds,
  };
  return Object.entries(all).map(([work, milliseconds]) => ({
    work,
    ...(milliseconds !== undefined && { milliseconds }),
  }));
}
