/** The program of a decomposition: its public description. */
import { type MethodParameters, methodOf, type Told } from '@eigenveil/methods';

import { type Floor, type FlooredTask, floorOf } from '../floor/floor.ts';
import type { StatisticsTask } from '../values/statistics-task.ts';

export interface Program extends Told {
  readonly method: MethodParameters;
  /** A sketch in place of the whole scatter, with this number of columns. */
  readonly sketch?: StatisticsTask['sketch'];
  /** The number of vectors that are asked for; see `cappedComponents` for the number that comes. */
  readonly components: number;
  /** The fraction bits of the rows' cells. Where servers compute with more, the floor says so. */
  readonly fractionBits: number;
  readonly minimumOwners: number;
  /** Consent to a PCA from which the whole total scatter follows: see rank.ts. */
  readonly allowFullRank: boolean;
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
 * The components that come out: those asked for, or as many as the method has, which a caller should then
 * say.
 */
export function cappedComponents(
  program: Pick<Program, 'method' | 'sketch' | 'featureCount' | 'classCounts' | 'components'>,
): number {
  return Math.min(program.components, methodOf(program).maximumComponents(program));
}
