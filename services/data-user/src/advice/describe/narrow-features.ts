/** Features whose values a result shows to spread over a small part of their range, as far as what is released anyway tells it. */
import { wholeVariance } from '@eigenveil/projection/portable';
import { LEAST_SPREAD } from '@eigenveil/statistics/owner';
import { isStandardised, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

/** One sentence for each such feature. */
export function narrowFeatures(task: Task, projection: Projection): string[] {
  if (task.method.kind !== 'pca' || task.differentialPrivacy !== null || task.basis !== undefined) return [];
  const most = isStandardised(task.method) ? projection.variances : largestVariances(projection);
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

/** Bounds of the features' variances: what the components have of each, and all that the trace leaves for the others. */
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
