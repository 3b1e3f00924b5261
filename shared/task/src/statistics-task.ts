/** The part of a task's public parameters that an owner's statistics and their layout are functions of. */

import type { PrivacySetting } from '@eigenveil/privacy';
import { TaskError } from './errors.ts';

/** A numeric column and its agreed range: cells are clipped to [min, max] and mapped to [-1, 1]. */
export interface Feature {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** False: it also takes values between min and max, so that its mean does not tell its variance. Absent: nobody says so. */
  readonly twoValued?: boolean | undefined;
}

/** A column of class labels and every label it may hold, as text. */
export interface Labelling {
  readonly column: string;
  readonly classes: readonly string[];
}

/** `ridge` is ρ and `signalRidge` ρ′, both in units of the undivided scatter of features in [-1, 1]. */
export type Method =
  | { readonly kind: 'pca' }
  | {
      readonly kind: 'dca';
      readonly form: 'standard' | 'book';
      readonly ridge: number;
      readonly signalRidge: number;
    }
  | { readonly kind: 'lda'; readonly ridge: number }
  | { readonly kind: 'mdr'; readonly ridge: number };

export interface StatisticsTask {
  readonly method: Method;
  readonly features: readonly Feature[];
  /** PCA: none. DCA and LDA: one. MDR: the utility labelling, then the privacy labelling. */
  readonly labellings: readonly Labelling[];
  readonly fractionBits: number;
  readonly maximumOwners: number;
  readonly maximumSamplesPerOwner: number;
  readonly keyBits: number;
  readonly statisticalSecurityBits: number;
  /** Rows are clipped and noise is added; absent or null: neither. */
  readonly differentialPrivacy?: PrivacySetting | null | undefined;
}

export const DEFAULT_FRACTION_BITS = 14;

/** From 2^-1, where a feature still has five values, to 2^-20, where sums of products still have headroom in a double. */
const FRACTION_BITS = { least: 1, most: 20 };

const LABELLINGS = { pca: 0, dca: 1, lda: 1, mdr: 2 } as const;

/** Whether the method's statistics include R, the sum of x xᵀ. MDR works from class sums alone, so R is not collected. */
export function collectsR(method: Method): boolean {
  return method.kind !== 'mdr';
}

/** Number of classes that are summed apart, per labelling; PCA sums all rows as the one class of one labelling. */
export function summedClasses(task: Pick<StatisticsTask, 'labellings'>): number[] {
  return task.labellings.length === 0 ? [1] : task.labellings.map(({ classes }) => classes.length);
}

/** Names of the features whose range is a single value: they map to 0 and carry nothing, which deserves a warning. */
export function constantFeatures(task: Pick<StatisticsTask, 'features'>): string[] {
  return task.features.filter(({ min, max }) => min === max).map(({ name }) => name);
}

/**
 * Checks what this package relies on.
 * @throws TaskError ERR_TASK_INVALID
 */
export function checkStatisticsTask(task: StatisticsTask): void {
  const expected = LABELLINGS[task.method.kind];
  if (task.labellings.length !== expected) {
    throw invalid('labellings', `${expected} of them for ${task.method.kind}`, `${task.labellings.length}`);
  }
  for (const labelling of task.labellings) checkClasses(labelling);
  checkFeatures(task);
  checkColumns([...task.features.map(({ name }) => name), ...task.labellings.map(({ column }) => column)]);
  checkCount('maximumOwners', task.maximumOwners);
  checkCount('maximumSamplesPerOwner', task.maximumSamplesPerOwner);
}

/** @throws TaskError ERR_TASK_INVALID */
export function checkFeatures({
  features,
  fractionBits,
}: Pick<StatisticsTask, 'features' | 'fractionBits'>): void {
  const { least, most } = FRACTION_BITS;
  if (!Number.isInteger(fractionBits) || fractionBits < least || fractionBits > most) {
    throw invalid('fractionBits', `an integer in [${least}, ${most}]`, `${fractionBits}`);
  }
  if (features.length === 0) throw invalid('features', 'at least one', 'none');
  for (const { name, min, max } of features) {
    // A finite width also rules out NaN and infinite ends.
    if (!(min <= max) || !Number.isFinite(max - min)) {
      throw invalid(`features[${JSON.stringify(name)}]`, 'finite min <= max', `[${min}, ${max}]`);
    }
  }
}

function checkClasses({ column, classes }: Labelling): void {
  const title = `labellings[${JSON.stringify(column)}].classes`;
  if (classes.length < 2) throw invalid(title, 'at least two', `${classes.length}`);
  if (new Set(classes).size !== classes.length) throw invalid(title, 'distinct labels', 'a label twice');
}

function checkColumns(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '') throw invalid('columns', 'a name for each', 'an empty name');
    if (seen.has(name)) throw invalid('columns', 'distinct names', `${JSON.stringify(name)} twice`);
    seen.add(name);
  }
}

function checkCount(title: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(title, 'a positive integer', `${value}`);
}

function invalid(title: string, expected: string, got: string): TaskError {
  return new TaskError('ERR_TASK_INVALID', `"${title}" expected ${expected}, got ${got}`);
}
