/** A result for people, with a scree plot, and as a table. */

import { methodOf } from '@eigenveil/methods';
import {
  type ExplainedVariance,
  explainedVariance,
  regressionInUnits,
  type Untold,
  wholeVariance,
} from '@eigenveil/projection/portable';
import { csvLine, LEAST_SPREAD } from '@eigenveil/statistics/owner';
import { floorInWords, noisePlanOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { type Remark, roundingInWords } from './caveats.ts';

export interface ToldResult {
  readonly task: Task;
  readonly projection: Projection;
  /** The number of owners that the CSP has verified. */
  readonly verifiedOwners: number;
  readonly remarks: readonly Remark[];
}

/** Characters of the longest bar. */
const BAR = 40;
/** Eigenvalues beyond the components that are shown. */
const LISTED_BEYOND = 20;

export function describeResult(result: ToldResult): string {
  const { remarks } = result;
  const narrow = narrowFeatures(result.task, result.projection);
  const rounding = roundingInWords(result.projection);
  return [
    ...describeHead(result),
    '',
    ...(result.projection.regression === undefined ? scree(result) : weights(result)),
    ...(rounding === undefined ? [] : [rounding]),
    ...(remarks.length + narrow.length === 0 ? [] : ['']),
    ...remarks.map(({ components, text }) => `note: ${listComponents(components)}: ${text}`),
    ...narrow.map((text) => `note: ${text}`),
  ].join('\n');
}

/** Says what the result is, and of whose rows. */
export function describeHead(result: ToldResult): string[] {
  return [...describeTask(result.task), ...describeRows(result)];
}

export function describeOwners(verifiedOwners: number): string {
  return `${verifiedOwners} owners, as the CSP has verified`;
}

/** Says for a regression, in the columns' units, what a unit of each column adds to the predicted one. */
function weights(result: ToldResult): string[] {
  const { features } = result.task;
  const inUnits = regressionInUnits(result);
  const longest = Math.max(...features.map(({ name }) => name.length));
  const lineOf = (name: string, value: number) =>
    `  ${name.padEnd(longest)}  ${value.toPrecision(6).padStart(12)}`;
  return [
    `${features.at(-1)!.name} = the sum of each column times`,
    ...inUnits.weights.map((weight, i) => lineOf(features[i]!.name, weight)),
    `and ${inUnits.intercept.toPrecision(6)}, within the agreed ranges`,
  ];
}

/**
 * One line per feature but the last: its weight where all features lie in [−1, 1], and in the columns' units;
 * and the intercept.
 */
export function csvOfRegression(result: ToldResult): string {
  const { weights: scaled = [], intercept = 0 } = result.projection.regression ?? {};
  const inUnits = regressionInUnits(result);
  const lines = scaled.map((weight, i) => [result.task.features[i]!.name, weight, inUnits.weights[i]!]);
  return [
    ['feature', 'weight_scaled', 'weight_in_units'],
    ...lines,
    ['', intercept, inUnits.intercept], // the intercept
  ]
    .map(csvLine)
    .join('\n');
}

/**
 * One line per component: number, eigenvalue, share of the variance where it can be told and, under
 * differential privacy, the ends of its interval, status, remarks, and the vector by feature.
 */
export function csvOfResult({ task, projection, verifiedOwners, remarks }: ToldResult): string {
  const { vectors, eigenvalues, converged, differentialPrivacy } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const isNoisy = differentialPrivacy !== null;
  const ends = isNoisy ? ['variance_share_from', 'variance_share_to'] : [];
  const header = ['component', 'eigenvalue', 'variance_share', ...ends, 'converged', 'remarks'];
  const shareCells = (j: number) => {
    const told = shares?.each[j];
    if (told === undefined || typeof told === 'string') return isNoisy ? ['', '', ''] : [''];
    return isNoisy ? [told.share, told.from, told.to] : [told.share];
  };
  const lines = eigenvalues.map((value, j) => [
    j + 1,
    value,
    ...shareCells(j),
    String(converged?.[j] ?? ''),
    remarks
      .filter(({ components }) => components.includes(j + 1))
      .map(({ code }) => code)
      .join(' '),
    ...vectors[j]!,
  ]);
  return [[...header, ...task.features.map(({ name }) => `vector ${name}`)], ...lines]
    .map(csvLine)
    .join('\n');
}

function describeTask(task: Task): string[] {
  const { id, method, twoParty, features, basis, differentialPrivacy: guarantee } = task;
  const floor = floorInWords(task);
  const matrix = method.kind === 'pca' ? ` of the ${method.scale ?? 'covariance'} matrix` : '';
  return [
    `task ${id}: ${method.kind}${matrix} of ${features.length} features, by ${twoParty}`,
    ...(basis === undefined ? [] : [`its features are the components of the result with digest ${basis}`]),
    ...(guarantee === null
      ? []
      : [
          `differential privacy with (ε, δ) = (${guarantee.epsilon}, ${guarantee.delta}), all of which is spent`,
        ]),
    ...(floor === undefined ? [] : [floor]),
  ];
}

function describeRows({ task, projection, verifiedOwners }: ToldResult): string[] {
  const { sampleCount, classCounts } = projection;
  const deviation = deviationOfRows(task, verifiedOwners);
  const inWords = (count: number) => rowsInWords(String(count), deviation);
  const doubt = deviation === 0 ? '' : ', as far as the noise lets one tell (two deviations of it)';
  const classes = (classCounts ?? []).map((counts, l) => {
    const { column, classes: names } = task.labellings[l]!;
    return `rows by ${column}: ${counts.map((count, k) => `${names[k]} ${inWords(count)}`).join(', ')}${doubt}`;
  });
  return [
    describeOwners(verifiedOwners),
    ...(sampleCount === undefined ? [] : [`${inWords(sampleCount)} rows${doubt}`]),
    ...classes,
  ];
}

/** A bar per component, and a lighter one per eigenvalue beyond them. */
function scree({ projection, verifiedOwners }: ToldResult): string[] {
  const { method, eigenvalues, spectrum } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const beyond = method.kind === 'pca' ? (spectrum?.slice(eigenvalues.length) ?? []) : [];
  const largest = Math.max(...eigenvalues.map(Math.abs));
  const lineOf = (name: string, value: number, share: ToldShare | undefined, mark: string) => {
    const length = largest === 0 ? 0 : Math.round((BAR * Math.max(0, value)) / largest);
    const part = share === undefined ? '' : `  ${shareInWords(share).padStart(7)}`;
    return `${name.padStart(9)}  ${value.toPrecision(6).padStart(12)}${part}  ${mark.repeat(Math.min(BAR, length))}`.trimEnd();
  };
  return [
    `component    eigenvalue${shares === undefined ? '' : '    share'}`,
    ...eigenvalues.map((value, j) => lineOf(String(j + 1), value, shares?.each[j], '█')),
    ...(shares === undefined ? [] : [keptInWords(projection, shares)]),
    ...(beyond.length === 0 ? [] : ['beyond the components:']),
    ...beyond
      .slice(0, LISTED_BEYOND)
      .map((value, j) => lineOf(String(eigenvalues.length + j + 1), value, undefined, '░')),
    ...(beyond.length > LISTED_BEYOND ? [`and ${beyond.length - LISTED_BEYOND} more`] : []),
  ];
}

/** `components 1, 2, 5 to 9` */
export function listComponents(components: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const component of components) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === component - 1) last[1] = component;
    else runs.push([component, component]);
  }
  const names = runs.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${components.length === 1 ? 'component' : 'components'} ${names.join(', ')}`;
}

/** The share that may be told of a component, or of some together. */
export type ToldShare = ExplainedVariance['each'][number];

/** `36.6 % (32.8 to 40.4)`, without noise `36.6 %`, or `?`. */
export function shareInWords(told: ToldShare): string {
  if (typeof told === 'string') return '?';
  const { share, from, to } = told;
  return from === to ? `${percent(share)} %` : `${percent(share)} % (${percent(from)} to ${percent(to)})`;
}

/** A sentence, without its end, on what all components have together. */
export function keptInWords({ differentialPrivacy }: Projection, { together }: ExplainedVariance): string {
  const told = together.at(-1)!;
  if (typeof told === 'string')
    return `how much of the variance the components have cannot be told: ${WHY_UNTOLD[told]}`;
  const of = differentialPrivacy === null ? 'the variance' : 'the variance of the rows as they were clipped';
  const corrected =
    differentialPrivacy === null
      ? ''
      : '; the bias of the noise is subtracted, and intervals are two deviations of it';
  return `the components have ${shareInWords(told)} of ${of}${corrected}`;
}

const WHY_UNTOLD: Readonly<Record<Untold, string>> = {
  mean: 'the noise on it depends on the mean, which the task does not declare',
  owners: 'the owners add the noise, and nobody has verified how many there are',
  noise: 'the last of them has an eigenvalue no larger than the noise',
  wide: 'the noise leaves an interval of more than 20 points',
};

/** The deviation of the noise on a number of rows, of all or of a class; 0 where it is exact. */
export function deviationOfRows(task: Task, verifiedOwners: number): number {
  return noisePlanOf({ ...task, maximumOwners: verifiedOwners })?.deviations.M ?? 0;
}

/** `5620 ± 29`: two deviations of the noise. */
export function rowsInWords(count: string, deviation: number): string {
  return deviation === 0 ? count : `${count} ± ${Math.round(2 * deviation)}`;
}

function percent(part: number): string {
  return (100 * part).toFixed(1);
}

/**
 * Returns a sentence for each feature whose values the result shows to spread over a small part of their
 * range, as far as what is released anyway tells it.
 */
export function narrowFeatures(task: Task, projection: Projection): string[] {
  if (task.method.kind !== 'pca' || task.differentialPrivacy !== null || task.basis !== undefined) return [];
  const most =
    methodOf(task).decomposes === 'correlation' ? projection.variances : largestVariances(projection);
  if (most === undefined) return [];
  return task.features.flatMap(({ name, min, max }, i) => {
    // Values lie in [−1, 1].
    const spread = Math.sqrt(Math.max(0, most[i]!)) / 2;
    return min < max && spread < LEAST_SPREAD
      ? [
          `the values of ${JSON.stringify(name)} spread over less than a hundredth of its range: did an outlier, or another unit, make the range?`,
        ]
      : [];
  });
}

/**
 * Bounds of the features' variances: what the components have of each, and all that the trace leaves for the
 * others.
 */
function largestVariances(projection: Projection): number[] | undefined {
  const { vectors, eigenvalues, sampleCount } = projection;
  const whole = wholeVariance(projection);
  if (whole === undefined || sampleCount === undefined || sampleCount === 0) return undefined;
  const left = Math.max(0, whole - eigenvalues.reduce((sum, value) => sum + value, 0));
  return vectors[0]?.map((_, i) => {
    const own = vectors.reduce((sum, vector, j) => sum + eigenvalues[j]! * vector[i]! ** 2, 0);
    return (own + left) / sampleCount;
  });
}
