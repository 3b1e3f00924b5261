/** Sections of the report: the published experiments, theory against experiment. */
import { significant } from '../../instrument/quantities.ts';
import type { Block, Line, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { left, right, text } from '../../privacy/report/cells.ts';
import { agreementOf } from '../agreement.ts';
import { averageCases, type Case, distanceOf, intervalCases } from '../experiments.ts';
import {
  CONTESTANTS,
  DP_DELTA,
  EPSILON,
  FALSE_ALARM,
  LARGEST_HEIGHT,
  PUBLISHED_REPETITIONS,
} from '../settings.ts';

type Measured = readonly Measurement[];
const BINS = `N = ${(2 ** LARGEST_HEIGHT).toLocaleString('en')}`;
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

export function agreementHighlights(measurements: Measured): string[] {
  const { cases, bound, farthest, disagreements } = agreementOf(measurements);
  if (farthest === undefined) return [];
  return [
    `Theory and experiment ${disagreements.length === 0 ? `agree in all ${cases.length} cases` : `**disagree in ${disagreements.length} of ${cases.length} cases**`}: the farthest is ${Math.abs(distanceOf(farthest)).toFixed(2)} standard errors off (${farthest.contestant}, ${farthest.what}); more than ${bound.toFixed(2)} would be a disagreement, at ${FALSE_ALARM} for all cases together.`,
  ];
}

const how = `ε = ${EPSILON}, one feature, a row more or less; Gaussian noise with δ = ${DP_DELTA}. Errors are squared, in rows, with **both servers' discrete noise**: the published figures are for one curator and continuous noise, about half as much. Standard errors are exact, from the variance and the fourth moment of the noise. ${PUBLISHED_REPETITIONS} repetitions, as published, draw by the exact samplers of a release; the others by inversion in doubles.`;

export function intervalsReport(measurements: Measured): Section[] {
  const found = CONTESTANTS.map((contestant) => intervalCases(measurements, contestant)).filter(
    (cases) => cases.length > 0,
  );
  if (found.length === 0) return [];
  const wavelet = found.find(([first]) => first!.contestant === 'Privelet') ?? [];
  const byLength = wavelet.toSorted((a, b) => a.length! - b.length!);
  return [
    {
      title: `Single intervals at ${BINS} (table 1, figure 4)`,
      blocks: [
        text(`50 random intervals, the same in every run. ${how}`),
        ...(wavelet.length === 0 ? [] : [intervalTable(wavelet), intervalChart(byLength)]),
        {
          kind: 'table',
          caption: 'All strategies over the same intervals: standard errors between theory and experiment',
          columns: [
            left('strategy'),
            right('repetitions'),
            right('mean of 50 errors, theory'),
            right('experiment'),
            right('farthest interval'),
          ],
          rows: found.map((cases) => [
            cases[0]!.contestant,
            `${cases[0]!.repetitions}`,
            significant(meanOf(cases, ({ theory }) => theory)),
            significant(meanOf(cases, ({ experiment }) => experiment)),
            signed(farthestOf(cases)),
          ]),
        },
      ],
    },
  ];
}

const meanOf = (cases: readonly Case[], of: (it: Case) => number): number =>
  cases.reduce((sum, it) => sum + of(it), 0) / cases.length;
const farthestOf = (cases: readonly Case[]): number =>
  cases.map(distanceOf).reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));

const intervalTable = (cases: readonly Case[]): Block => ({
  kind: 'table',
  caption: `Privelet: mean squared error of each interval, ${cases[0]!.repetitions} repetitions`,
  columns: [
    left('bins'),
    right('length'),
    right('published theory, one curator'),
    right('exact theory'),
    right('experiment'),
    right('± exact'),
    right('standard errors'),
    right(`${PUBLISHED_REPETITIONS} repetitions`),
  ],
  rows: cases.map((it) => [
    it.what,
    `${it.length}`,
    significant(it.published!),
    significant(it.theory),
    significant(it.experiment),
    significant(it.error),
    signed(distanceOf(it)),
    significant(it.few),
  ]),
});

const intervalChart = (cases: readonly Case[]): Block => ({
  kind: 'chart',
  name: 'intervals',
  caption: `Privelet at ${BINS}: squared error of 50 intervals over their length. Whiskers around the theory are three exact standard errors of ${PUBLISHED_REPETITIONS} repetitions`,
  drawing: {
    kind: 'lines',
    x: { title: 'bins of the interval', scale: 'linear' },
    y: { title: 'squared error, rows²', scale: 'linear' },
    lines: [
      {
        name: `${PUBLISHED_REPETITIONS} repetitions`,
        style: 'points',
        points: cases.map(({ length, few }) => ({ x: length!, y: few })),
      },
      {
        name: `${cases[0]!.repetitions} repetitions`,
        style: 'points',
        points: cases.map(({ length, experiment }) => ({ x: length!, y: experiment })),
      },
      {
        name: 'theory',
        style: 'points',
        points: cases.map(({ length, theory, error, repetitions }) => {
          const three = 3 * error * Math.sqrt(repetitions / PUBLISHED_REPETITIONS);
          return { x: length!, y: theory, low: theory - three, high: theory + three };
        }),
      },
    ],
  },
});

export function averagesReport(measurements: Measured): Section[] {
  const found = CONTESTANTS.map((contestant) => averageCases(measurements, contestant)).filter(
    (cases) => cases.length > 0,
  );
  if (found.length === 0) return [];
  return [
    {
      title: 'All intervals, over the number of bins (table 2, figure 5)',
      blocks: [
        text(
          `The mean over all N(N + 1)/2 intervals, by its closed form. ${how} The published theory is the asymptote, 2(h + 1)²/ε² · (h/6 + 1/36), for N = 2^h; at N = 1 it says 1/18 where the error is 2. The publication says ten groups for N = 2^0 to 2^10; these are eleven.`,
        ),
        ...found.map(averageTable),
        averageChart(found),
      ],
    },
  ];
}

function averageTable(cases: readonly Case[]): Block {
  const published = cases[0]!.published !== undefined;
  return {
    kind: 'table',
    caption: `${cases[0]!.contestant}: mean squared error over all intervals, ${cases[0]!.repetitions} repetitions`,
    columns: [
      right('N'),
      ...(published ? [right('published theory, one curator')] : []),
      right('exact theory'),
      right('experiment'),
      right('± exact'),
      right('standard errors'),
      right(`${PUBLISHED_REPETITIONS} repetitions`),
    ],
    rows: cases.map((it) => [
      `${it.bins}`,
      ...(published ? [significant(it.published!)] : []),
      significant(it.theory),
      significant(it.experiment),
      significant(it.error),
      signed(distanceOf(it)),
      significant(it.few),
    ]),
  };
}

const averageChart = (found: readonly (readonly Case[])[]): Block => ({
  kind: 'chart',
  name: 'averages',
  caption: 'Mean squared error over all intervals: lines are theory, points the experiment',
  drawing: {
    kind: 'lines',
    x: { title: 'bins', scale: 'log' },
    y: { title: 'squared error, rows²', scale: 'log' },
    lines: found.flatMap((cases): Line[] => {
      const name = cases[0]!.contestant;
      return [
        { name, style: 'points', points: cases.map(({ bins, experiment }) => ({ x: bins, y: experiment })) },
        {
          name: `${name}, theory`,
          of: name,
          style: 'solid',
          points: cases.map(({ bins, theory }) => ({ x: bins, y: theory })),
        },
      ];
    }),
  },
});
