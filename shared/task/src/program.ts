/** What a decomposition computes: its public description and the limits of each method. */

import { TaskError } from './errors.ts';
import type { Output } from './schema.ts';
import type { Method, StatisticsTask } from './statistics-task.ts';

export interface Program {
  readonly method: Method;
  readonly featureCount: number;
  /** Classes per labelling of the task: none for PCA, one for DCA and LDA, utility and privacy for MDR. */
  readonly classCounts: readonly number[];
  /** How many vectors are asked for; see `cappedComponents` for how many come. */
  readonly components: number;
  readonly fractionBits: number;
  readonly outputs: readonly Output[];
  readonly minimumOwners: number;
  /** Consent to a PCA from which the whole total scatter follows: see rank.ts. */
  readonly allowFullRank: boolean;
  /** How many features may have no other values than two: the mean tells the variance of these. */
  readonly twoValued: number;
  /** Whether the statistics have noise for differential privacy: sums need not be those of any rows then. */
  readonly noisy?: boolean;
}

const LABELLINGS = { pca: 0, dca: 1, lda: 1, mdr: 2 } as const;

/** The program that a task describes. */
export function programOf(
  task: Pick<StatisticsTask, 'method' | 'features' | 'labellings' | 'fractionBits' | 'differentialPrivacy'> &
    Pick<Program, 'components' | 'outputs' | 'minimumOwners' | 'allowFullRank'>,
): Program {
  const { method, fractionBits, components, outputs, minimumOwners, allowFullRank } = task;
  return {
    method,
    featureCount: task.features.length,
    classCounts: task.labellings.map(({ classes }) => classes.length),
    components,
    fractionBits,
    outputs,
    minimumOwners,
    allowFullRank,
    twoValued: task.features.filter(({ min, max, twoValued }) => min < max && twoValued !== false).length,
    ...(task.differentialPrivacy && { noisy: true }),
  };
}

/**
 * The most components that the method has: the rank that its signal matrix can reach, which for K classes and no ridge
 * on the signal is K - 1.
 */
export function maximumComponents(program: Pick<Program, 'method' | 'featureCount' | 'classCounts'>): number {
  const { method, featureCount, classCounts } = program;
  const fullRank =
    method.kind === 'pca' || (method.kind === 'dca' && (method.form === 'book' || method.signalRidge !== 0));
  return fullRank ? featureCount : Math.min(featureCount, classCounts[0]! - 1);
}

/** The components that come out: those asked for, or as many as the method has, which a caller should then say. */
export function cappedComponents(
  program: Pick<Program, 'method' | 'featureCount' | 'classCounts' | 'components'>,
): number {
  return Math.min(program.components, maximumComponents(program));
}

/** @throws TaskError ERR_TOO_MANY_COMPONENTS for more components than features, else ERR_PROGRAM_INVALID */
export function checkProgram(program: Program): void {
  const { method, featureCount, classCounts, components, fractionBits, outputs, minimumOwners } = program;
  checkPositive('featureCount', featureCount);
  checkPositive('components', components);
  checkPositive('fractionBits', fractionBits);
  checkPositive('minimumOwners', minimumOwners);
  const labellings = LABELLINGS[method.kind];
  if (
    classCounts.length !== labellings ||
    !classCounts.every((count) => Number.isInteger(count) && count >= 2)
  ) {
    throw invalid('classCounts', `${labellings} numbers from 2 for ${method.kind}`, `[${classCounts}]`);
  }
  if (method.kind !== 'pca' && !(method.ridge >= 0 && Number.isFinite(method.ridge))) {
    throw invalid('method.ridge', 'a finite number from 0', `${method.ridge}`);
  }
  if (method.kind === 'dca' && !Number.isFinite(method.signalRidge)) {
    throw invalid('method.signalRidge', 'a finite number', `${method.signalRidge}`);
  }
  if (method.kind === 'mdr' && outputs.includes('trace')) {
    throw invalid('outputs', 'no trace for mdr, which does not collect R', 'trace');
  }
  if (method.kind !== 'pca' && outputs.includes('spectrum')) {
    throw invalid('outputs', `no spectrum for ${method.kind}`, 'spectrum');
  }
  if (components > featureCount) {
    throw new TaskError(
      'ERR_TOO_MANY_COMPONENTS',
      `"components" expected at most ${featureCount}, the number of features, got ${components}`,
    );
  }
}

function checkPositive(title: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(title, 'a positive integer', `${value}`);
}

function invalid(title: string, expected: string, got: string): TaskError {
  return new TaskError('ERR_PROGRAM_INVALID', `"${title}" expected ${expected}, got ${got}`);
}
