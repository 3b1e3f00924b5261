/** Checks the declared outputs of a claimed result, of whatever kind. */
import { statisticsBounds } from '@eigenveil/task';
import { floorReach } from './bounds.ts';
import { type AgreedTask, type Bounds, type ClaimedProjection, checkNumbers, expect } from './claimed.ts';

/**
 * Checks all outputs but the spectrum.
 * @param ofTrace bounds of the trace of the matrix that the method is about
 * @throws ERR_PROJECTION_INVALID
 */
export function checkOutputs(
  task: AgreedTask,
  projection: Pick<ClaimedProjection, 'mean' | 'trace' | 'sampleCount' | 'variances' | 'classCounts'>,
  ofTrace: Bounds,
): void {
  const { mean, trace, sampleCount, variances } = projection;
  const bounds = statisticsBounds(task);
  const d = task.features.length;
  const noisy = Boolean(task.differentialPrivacy);
  if (mean !== undefined) {
    expect(mean.length === d, 'mean', 'one number per feature');
    const most = (noisy ? Number(bounds.V) * 2 ** -task.fractionBits : 1) + floorReach(task).sum;
    checkNumbers('mean', mean, [-most, most]);
  }
  if (variances !== undefined) {
    expect(variances.length === d, 'variances', 'one number per feature');
    checkNumbers('variances', variances, [0, 1 + floorReach(task).scatter]);
  }
  if (trace !== undefined) checkNumbers('trace', [trace], ofTrace);
  if (sampleCount !== undefined)
    expect(
      Number.isInteger(sampleCount) && sampleCount >= 1 && sampleCount <= Number(bounds.M),
      'sampleCount',
      'a number of rows that the task allows',
    );
  checkClassCounts(task, projection);
}

/** Each labelling is one of all rows, unless noise has made its counts others. */
function checkClassCounts(
  task: AgreedTask,
  { classCounts, sampleCount }: Pick<ClaimedProjection, 'classCounts' | 'sampleCount'>,
): void {
  if (classCounts === undefined) return;
  const { M } = statisticsBounds(task);
  const fit =
    classCounts.length === task.labellings.length &&
    classCounts.every(
      (counts, l) =>
        counts.length === task.labellings[l]!.classes.length &&
        counts.every((count) => Number.isInteger(count) && count >= 0 && count <= Number(M)),
    );
  expect(fit, 'classCounts', 'numbers of rows per labelling and class that the task allows');
  const totals = classCounts.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const same = task.differentialPrivacy ? totals.slice(0, 1) : totals;
  const rows = sampleCount ?? same[0];
  expect(
    same.every((total) => total === rows),
    'classCounts',
    'numbers that add up to the number of rows',
  );
}
