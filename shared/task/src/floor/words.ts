/** The floor of a task in words, for those who give rows and those who read results. */

import type { StatisticsTask } from '../values/statistics-task.ts';
import { floorOf, isExact } from './floor.ts';

/**
 * Says whether a task has a floor and how large it is; undefined for histograms, which have noise of their
 * own.
 */
export function floorInWords(
  task: Parameters<typeof floorOf>[0] & Required<Pick<StatisticsTask, 'exact' | 'releases'>>,
): string | undefined {
  if (task.method.kind === 'histogram') return undefined;
  if (isExact(task))
    return 'no floor (exact): where values are whole numbers, the whole scatter matrix may follow from the result';
  const floor = floorOf(task);
  if (floor === undefined)
    return 'no floor besides the noise of differential privacy, which is larger than the floor would be';
  const { deviation, norm } = floor;
  const both = (deviation * Math.SQRT2).toPrecision(3);
  const largest =
    task.method.kind === 'pca' && task.method.scale !== 'correlation'
      ? `; eigenvalues up to ${norm.toPrecision(3)} are noise`
      : '';
  const where =
    task.method.kind === 'mdr'
      ? `each sum of a class's rows (${both} grains)`
      : `each entry of the scatter matrix (${both} products of two features' grains) and to sums of rows (${both} grains)`;
  return `a floor for ${task.releases} ${task.releases === 1 ? 'release' : 'releases'} over the same rows: both servers add noise, of this standard deviation, to ${where}${largest}; owners whose values are coarser than the task says may have added more`;
}
