/** A result for people. */

import { isPrincipal, methodOf } from '@eigenveil/methods';
import { linesOf, type ToldResult, wholeVariance } from '@eigenveil/projection/portable';
import { LEAST_SPREAD } from '@eigenveil/statistics/owner';
import { deviationOfRows, floorInWords, type Task, taskInWords } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { roundingInWords } from './caveats.ts';

export function describeResult(result: ToldResult): string {
  const { remarks } = result;
  const narrow = narrowFeatures(result.task, result.projection);
  const rounding = roundingInWords(result.projection);
  return [
    ...describeHead(result),
    '',
    ...linesOf(result),
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

function describeTask(task: Task): string[] {
  const { id, title, method, twoParty, features, basis, differentialPrivacy: guarantee } = task;
  const floor = floorInWords(task);
  return [
    `task ${taskInWords(id, title)}: ${method.kind}${methodOf(task).words.matrix} of ${features.length} features, by ${twoParty}`,
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

/** `5620 ± 29`: two deviations of the noise. */
export function rowsInWords(count: string, deviation: number): string {
  return deviation === 0 ? count : `${count} ± ${Math.round(2 * deviation)}`;
}

/**
 * Returns a sentence for each feature whose values the result shows to spread over a small part of their
 * range, as far as what is released anyway tells it.
 */
export function narrowFeatures(task: Task, projection: Projection): string[] {
  if (!isPrincipal(methodOf(task)) || task.differentialPrivacy !== null || task.basis !== undefined)
    return [];
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
