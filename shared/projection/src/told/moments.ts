/** Means, standard deviations and correlations in the features' units: in words, and as a table. */
import type { Feature, ResultOf } from '@eigenveil/methods';
import { csvLine } from '@eigenveil/statistics/owner';
import type { Interval } from '../reference/moments.ts';
import type { Telling, Told } from './form.ts';

type Released = ResultOf<'moments'>;

/** More features than this have no matrix for people to read. */
const MOST_IN_MATRIX = 12;
/** Pairs that are told of more features. */
const LISTED = 10;

/** Moments in the features' units. What is told of no rows is empty. */
export interface MomentsInUnits {
  readonly features: readonly {
    readonly name: string;
    readonly mean: Interval;
    readonly deviation: Interval;
  }[];
  /** One entry per pair, the first before the second; null where a feature may be constant. */
  readonly pairs: readonly {
    readonly first: number;
    readonly second: number;
    readonly correlation: Interval | null;
  }[];
}

export function momentsInUnits(
  features: readonly Feature[],
  { moments }: Pick<Released, 'moments'>,
): MomentsInUnits {
  const { means, variances, correlations } = moments;
  const pairs = features.flatMap((_, first) =>
    features.slice(first + 1).map((__, i) => ({ first, second: first + 1 + i })),
  );
  return {
    features: means.map((mean, i) => {
      const { name, min, max } = features[i]!;
      const half = max / 2 - min / 2;
      return {
        name,
        mean: each(mean, (value) => min / 2 + max / 2 + value * half),
        deviation: each(variances[i]!, (value) => Math.sqrt(Math.max(0, value)) * half),
      };
    }),
    pairs: correlations.map((correlation, at) => ({ ...pairs[at]!, correlation })),
  };
}

function each({ value, from, to }: Interval, of: (value: number) => number): Interval {
  return { value: of(value), from: of(from), to: of(to) };
}

export const MOMENTS_TOLD: Telling = {
  noun: 'a task of moments',
  lines({ task, projection }: Told<Released>) {
    const { rows } = projection.moments;
    const told = momentsInUnits(task.features, projection);
    if (told.features.length === 0)
      return [rowsInWords(rows), 'too few rows for this noise: nothing is told of features'];
    const longest = Math.max(...told.features.map(({ name }) => name.length));
    return [
      rowsInWords(rows),
      'intervals hold for the noise with 95 % each, and for rows as they were clipped',
      'mean and standard deviation:',
      ...told.features.map(
        ({ name, mean, deviation }) => `  ${name.padEnd(longest)}  ${inWords(mean)}  ${inWords(deviation)}`,
      ),
      ...(told.features.length > MOST_IN_MATRIX ? strongest(told) : matrix(told, longest)),
    ];
  },
  /** A line per number, in the features' units. */
  csv({ task, projection }: Told<Released>) {
    const { rows, covariances } = projection.moments;
    const { features, pairs } = momentsInUnits(task.features, projection);
    const nameOf = (i: number) => features[i]!.name;
    const of = (what: string, names: readonly [string, string], { value, from, to }: Interval) => [
      ...[what, ...names],
      ...[value, from, to],
    ];
    const half = task.features.map(({ min, max }) => max / 2 - min / 2);
    const entries = features.flatMap((_, i) => features.slice(i).map((__, j) => [i, i + j] as const));
    return [
      ['what', 'feature', 'other', 'value', 'from', 'to'],
      of('rows', ['', ''], rows),
      ...features.map(({ name, mean }) => of('mean', [name, ''], mean)),
      ...features.map(({ name, deviation }) => of('standard deviation', [name, ''], deviation)),
      ...pairs.map(({ first, second, correlation }) =>
        correlation === null
          ? ['correlation', nameOf(first), nameOf(second), '', '', '']
          : of('correlation', [nameOf(first), nameOf(second)], correlation),
      ),
      ...entries.map(([i, j], at) => [
        ...['covariance', nameOf(i), nameOf(j)],
        ...[covariances[at]! * half[i]! * half[j]!, '', ''],
      ]),
    ]
      .map(csvLine)
      .join('\n');
  },
  size: ({ moments: { means } }: Released) => `moments of ${means.length} features`,
  summary: ({ moments: { rows, means } }: Released) => ({ rows, features: means.length }),
  rows: undefined,
};

const rowsInWords = ({ value, from, to }: Interval) => `about ${value} rows (${from} to ${to})`;

const shown = (value: number) => `${Number(value.toPrecision(4))}`;
const inWords = ({ value, from, to }: Interval) => `${shown(value)} [${shown(from)}, ${shown(to)}]`;
const share = (value: number) => value.toFixed(2).replace('-', '−');

/** The correlations of few features, a line per feature with those before it. */
function matrix({ features, pairs }: MomentsInUnits, longest: number): string[] {
  const cells = features.map(({ name }, second) => [
    name.padEnd(longest),
    ...pairs
      .filter((pair) => pair.second === second)
      .map(({ correlation }) =>
        correlation === null
          ? '?'
          : `${share(correlation.value)} [${share(correlation.from)}, ${share(correlation.to)}]`,
      ),
  ]);
  const width = Math.max(...cells.flatMap(([, ...others]) => others.map(({ length }) => length)), 0);
  return [
    'correlations of each feature with those before it, in their order; ? where a feature may be constant:',
    ...cells.map(([name, ...others]) =>
      `  ${[name, ...others.map((cell) => cell.padEnd(width))].join('  ')}`.trimEnd(),
    ),
  ];
}

/** The pairs whose correlations are surely the largest. */
function strongest({ features, pairs }: MomentsInUnits): string[] {
  const found = pairs
    .flatMap(({ correlation, ...pair }) => (correlation === null ? [] : [{ ...pair, correlation }]))
    .map((pair) => ({ ...pair, least: Math.max(pair.correlation.from, -pair.correlation.to) }))
    .filter(({ least }) => least > 0)
    .sort((a, b) => b.least - a.least);
  const listed = found.slice(0, LISTED);
  return [
    `${found.length} of ${pairs.length} correlations have an interval without 0${listed.length === 0 ? '' : '; those farthest from it'}:`,
    ...listed.map(
      ({ first, second, correlation }) =>
        `  ${features[first]!.name}, ${features[second]!.name}  ${inWords(correlation)}`,
    ),
  ];
}
