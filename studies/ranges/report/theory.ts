/** Sections of the report: strategies side by side by their exact errors. */
import { MISSING, significant } from '../../instrument/quantities.ts';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { left, right, text } from '../../privacy/report/cells.ts';
import { DP_DELTA, EPSILON, LARGEST_HEIGHT, type NoiseKind } from '../settings.ts';
import {
  chosenFact,
  factOf,
  findLengths,
  findStrategies,
  HEIGHTS,
  LENGTH_WAYS,
  LENGTHS,
  NOISES,
  WAYS,
  WORKLOADS,
} from '../strategies.ts';

type Measured = readonly Measurement[];
const TITLES: Readonly<Record<NoiseKind, string>> = {
  laplace: 'Laplace noise',
  gaussian: `Gaussian noise, δ = ${DP_DELTA}`,
};
const ASKED = { ranges: 'all intervals', prefixes: 'prefixes', counts: 'single bins' } as const;

export function strategiesHighlights(measurements: Measured): string[] {
  const facts = findStrategies(measurements, 'laplace', 'prefixes')?.facts;
  if (facts === undefined) return [];
  const ahead = HEIGHTS.filter(
    (height) => Number(facts[factOf('flat', height)]) < Number(facts[factOf('Privelet', height)]),
  );
  const last = HEIGHTS.findLast((height) => facts[chosenFact(height)] !== undefined)!;
  return [
    `Prefixes with Laplace noise: noise on each bin alone is better than Privelet up to N = ${2 ** Math.max(...ahead)}; at N = ${2 ** last} the chosen strategy (${facts[chosenFact(last)]}) deviates by ${significant(Math.min(...WAYS.map((way) => Number(facts[factOf(way, last)] ?? Infinity))))} rows, Privelet by ${significant(Number(facts[factOf('Privelet', last)]))}.`,
  ];
}

export function strategiesReport(measurements: Measured): Section[] {
  if (measurements.length === 0) return [];
  return [
    {
      title: 'Strategies side by side',
      blocks: [
        text(
          `Exact, nothing is drawn: the deviation of one answer in rows, the root of the mean squared error over all answers of a kind, at ε = ${EPSILON}, one feature, a row more or less, noise of both servers. “One fan-out” is the best tree whose nodes all have as many children (Qardaji, Yang and Li, 2013); a chosen tree may mix powers of two. “Plain tree” is the binary tree without consistency. “Square root” is the factorisation of prefix sums for Gaussian noise: its entries are no integers, so it is a reference, not an offer.`,
        ),
        ...NOISES.flatMap((noise) => [
          ...WORKLOADS.flatMap((workload) => tableOf(measurements, noise, workload)),
          ...lengthsOf(measurements, noise),
        ]),
      ],
    },
  ];
}

function tableOf(measurements: Measured, noise: NoiseKind, workload: (typeof WORKLOADS)[number]): Block[] {
  const facts = findStrategies(measurements, noise, workload)?.facts;
  if (facts === undefined) return [];
  const ways = WAYS.filter((way) => facts[factOf(way, 1)] !== undefined);
  return [
    {
      kind: 'table',
      caption: `${TITLES[noise]}: deviation of ${ASKED[workload]}, in rows`,
      columns: [right('N'), ...ways.map(right), left('best')],
      rows: HEIGHTS.filter((height) => facts[chosenFact(height)] !== undefined).map((height) => [
        `${2 ** height}`,
        ...ways.map((way) => {
          const deviation = facts[factOf(way, height)];
          return deviation === undefined ? MISSING : significant(Number(deviation));
        }),
        `${facts[chosenFact(height)]}`,
      ]),
    },
  ];
}

function lengthsOf(measurements: Measured, noise: NoiseKind): Block[] {
  const unit = findLengths(measurements, noise);
  if (unit === undefined) return [];
  return [
    {
      kind: 'chart',
      name: `lengths-${noise}`,
      caption: `${TITLES[noise]}: deviation of a sum over an interval at N = ${2 ** LARGEST_HEIGHT}, over its length; mean over all places`,
      drawing: {
        kind: 'lines',
        x: { title: 'bins of the interval', scale: 'log' },
        y: { title: 'deviation, rows', scale: 'log' },
        lines: LENGTH_WAYS.map(([name]) => ({
          name,
          style: 'solid',
          points: unit.series[name]!.samples.map((y, i) => ({ x: LENGTHS[i]!, y })),
        })),
      },
    },
  ];
}
