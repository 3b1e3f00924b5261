/** The program of a decomposition: its public description and the limits of each method. */

import { type Floor, type FlooredTask, floorOf } from '../floor/floor.ts';
import type { Output, Scale } from '../schema.ts';
import type { Method, StatisticsTask } from '../values/statistics-task.ts';

export interface Program {
  readonly method: Method;
  readonly featureCount: number;
  /**
   * Classes per labelling of the task: none for PCA and ridge, one for DCA and LDA, utility and privacy for
   * MDR.
   */
  readonly classCounts: readonly number[];
  /** A sketch in place of the whole scatter, with this number of columns. */
  readonly sketch?: StatisticsTask['sketch'];
  /** The number of vectors that are asked for; see `cappedComponents` for the number that comes. */
  readonly components: number;
  /** The fraction bits of the rows' cells. Where servers compute with more, the floor says so. */
  readonly fractionBits: number;
  readonly outputs: readonly Output[];
  readonly minimumOwners: number;
  /** Consent to a PCA from which the whole total scatter follows: see rank.ts. */
  readonly allowFullRank: boolean;
  /**
   * The number of features that may have only two values: the variance of these counts as public (rank.ts).
   */
  readonly twoValued: number;
  /** True if the statistics have noise for differential privacy: then no rows need to have these sums. */
  readonly noisy?: boolean;
  /** Noise of both servers under what is released; absent where the task is exact. */
  readonly floor?: Floor;
}

/**
 * The program that a task describes; those of ridge and histogram, which decompose nothing, have no
 * components.
 * @example
 * import { cappedComponents, programOf } from '@eigenveil/task';
 *
 * const program = programOf(task);
 * const vectors = cappedComponents(program); // how many come out
 */
export function programOf(
  task: FlooredTask & Pick<Program, 'components' | 'outputs' | 'minimumOwners' | 'allowFullRank'>,
): Program {
  const floor = floorOf(task);
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
    ...(task.sketch && { sketch: task.sketch }),
    ...(task.differentialPrivacy && { noisy: true }),
    ...(floor && { floor }),
  };
}

/**
 * The outputs that a sketch always has, whoever computes it: with mean and number of rows, each server
 * centres its share by itself.
 */
export const SKETCH_OUTPUTS = ['mean', 'sampleCount'] as const satisfies readonly Output[];

/**
 * The outputs that the data user learns of any task by `rotated`, whose tasks must declare them:
 * docs/rotated.md has why.
 */
export function revealedByRotation(
  method: { readonly kind: Method['kind']; readonly scale?: Scale | undefined },
  sketch?: Program['sketch'],
): Output[] {
  if (sketch !== undefined) return [...SKETCH_OUTPUTS];
  const always = ['sampleCount', 'spectrum'] as const;
  switch (method.kind) {
    case 'pca':
      return method.scale === 'correlation' ? [...always, 'variances'] : [...always];
    case 'ridge':
    case 'histogram':
      return []; // it computes neither
    default:
      return [...always, 'classCounts'];
  }
}

/**
 * The most components that the method has: the rank that its signal matrix can reach, which for K classes and
 * no ridge on the signal is K - 1.
 */
export function maximumComponents(program: Pick<Program, 'method' | 'featureCount' | 'classCounts'>): number {
  const { method, featureCount, classCounts } = program;
  if (method.kind === 'histogram' || method.kind === 'ridge') return 0;
  const fullRank =
    method.kind === 'pca' || (method.kind === 'dca' && (method.form === 'book' || method.signalRidge !== 0));
  return fullRank ? featureCount : Math.min(featureCount, classCounts[0]! - 1);
}

/**
 * The components that come out: those asked for, or as many as the method has, which a caller should then
 * say.
 */
export function cappedComponents(
  program: Pick<Program, 'method' | 'featureCount' | 'classCounts' | 'components'>,
): number {
  return Math.min(program.components, maximumComponents(program));
}
