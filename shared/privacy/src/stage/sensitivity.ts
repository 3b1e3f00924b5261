/**
 * Tells how much one row moves the statistics of a task: the joint L2 sensitivity of their weighted values.
 *
 * Weights. A row is a vector z of integers with ‖z‖ <= B. It adds z zᵀ to R (upper triangle, entries off the
 * diagonal once), and per labelling z to the V and 1 to the M of its class. Values are weighted before
 * lengths are taken: R by 1/B² on its diagonal and √2/B² off it, V by w_V/B, M by w_M. Noise of deviation
 * σΔ/weight per value is then noise of deviation σΔ on every weighted value. Any weights give a true bound.
 * A PCA takes w_V = w_M = 1/2, since R is what it is about; methods of classes take 1.
 *
 * With L labellings, [R] = 1 where R is collected (else 0), and s labellings in which a row and the one in
 * its place are of one class:
 *
 *   one row more or less: Δ² = [R] + L (w_V² + w_M²)
 *   a row instead of another: Δ² is the largest value of
 *   f_s(c) = [R] (2 − 2c²) + s w_V² (2 − 2c) + (L − s) (2 w_V² + 2 w_M²)   for c in [−1, 1] and s up to L (only s = L = 1 where all rows are of one class)
 *
 * Proof: docs/arguments/primitives.md, "Sensitivity of one row".
 *
 * The number of owners is public, the records being counted in the open, and is not part of this.
 */

import type { Neighbours } from '../parameters.ts';
import type { StageTask } from './setting.ts';

/** Δ², of the weighted values. Exact. */
export function sensitivitySquared(
  task: Pick<StageTask, 'weights' | 'collectsR' | 'classes'>,
  neighbours: Neighbours,
): number {
  const { V, M } = task.weights;
  const R = task.collectsR ? 1 : 0;
  const labellings = task.classes.length;
  if (neighbours === 'add-remove') return R + labellings * (V ** 2 + M ** 2);
  const least = hasOneClass(task) ? labellings : 0;
  let largest = 0;
  for (let same = least; same <= labellings; same += 1) {
    const apart = (labellings - same) * 2 * (V ** 2 + M ** 2);
    const together = R === 1 ? 2 + 2 * same * V ** 2 + (same ** 2 * V ** 4) / 2 : 4 * same * V ** 2;
    largest = Math.max(largest, together + apart);
  }
  return largest;
}

/**
 * Says whether one row can change the number of rows of a class. Where it cannot, M is public and takes no
 * noise.
 */
export function countsAreProtected(task: Pick<StageTask, 'classes'>, neighbours: Neighbours): boolean {
  return !hasOneClass(task) || neighbours === 'add-remove';
}

function hasOneClass({ classes }: Pick<StageTask, 'classes'>): boolean {
  return classes.every((count) => count === 1);
}
