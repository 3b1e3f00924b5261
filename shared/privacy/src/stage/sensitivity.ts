/**
 * How much one row moves the statistics of a task: the joint L2 sensitivity of their weighted values.
 *
 * Weights. A row is a vector z of integers with ‖z‖ <= B. It adds z zᵀ to R (upper triangle, entries off the diagonal once), and per
 * labelling z to the V and 1 to the M of its class. These parts are of different size, so each value is weighted before lengths are
 * taken: R by 1/B² on its diagonal and √2/B² off it, V by w_V/B, M by w_M. Noise of deviation σΔ/weight per value is then noise of deviation σΔ on
 * every weighted value. With √2 the weighted triangle of a symmetric matrix has the Frobenius norm of the matrix, since an entry off the diagonal stands
 * there twice: these entries get away with half of the variance, and the noise looks alike from all directions.
 * Any weights give a true bound. PCA takes w_V = w_M = 1/2, since R is what it is about; the others 1.
 *
 * Proof, with x = z/B and y of length at most 1, L labellings, and [R] = 1 where R is collected (else 0):
 *
 * One row z more or less. ‖x xᵀ‖_F² = ‖x‖⁴ <= 1, so Δ² = [R] + L (w_V² + w_M²). Reached by every row of full length.
 *
 * A row y instead of x, with a = ‖x‖, b = ‖y‖, c = xᵀy, |c| <= ab. ‖x xᵀ − y yᵀ‖_F² = a⁴ + b⁴ − 2c². A labelling in which
 * the rows are of one class adds w_V² (a² + b² − 2c), and nothing to M; one in which they are not adds w_V² (a² + b²) + 2 w_M². For a given c all of
 * these grow with a and b, and a longer row keeps |c| <= ab: the largest value has a = b = 1. With s labellings of the first kind it is
 *
 *   f_s(c) = [R] (2 − 2c²) + s w_V² (2 − 2c) + (L − s) (2 w_V² + 2 w_M²),   c in [−1, 1]
 *
 * which is concave in c. Where R is collected its maximum is at c = −s w_V²/2, which is in [−1, 1] as s <= 2 and w_V <= 1: 2 + s²w_V⁴/2 + 2 s w_V² and the rest.
 * Without R it is at c = −1 for s > 0. Δ² is the maximum over s: any s up to L, but only s = L = 1 for PCA, which has one class, and whose M
 * never changes then.
 *
 * The number of owners is public, the records being counted in the open, and is not part of this.
 */

import type { Neighbours } from '../parameters.ts';
import type { StageTask } from './setting.ts';

/** w_V and w_M. Powers of two, so that all that is computed from them is exact in doubles. */
export interface Weights {
  readonly V: number;
  readonly M: number;
}

export function weightsOf({ kind }: Pick<StageTask, 'kind'>): Weights {
  return kind === 'pca' ? { V: 0.5, M: 0.5 } : { V: 1, M: 1 };
}

/** Δ², of the weighted values. Exact. */
export function sensitivitySquared(
  task: Pick<StageTask, 'kind' | 'classes'>,
  neighbours: Neighbours,
): number {
  const { V, M } = weightsOf(task);
  const R = task.kind === 'mdr' ? 0 : 1;
  const labellings = task.classes.length;
  if (neighbours === 'add-remove') return R + labellings * (V ** 2 + M ** 2);
  const least = task.kind === 'pca' ? labellings : 0;
  let largest = 0;
  for (let same = least; same <= labellings; same += 1) {
    const apart = (labellings - same) * 2 * (V ** 2 + M ** 2);
    const together = R === 1 ? 2 + 2 * same * V ** 2 + (same ** 2 * V ** 4) / 2 : 4 * same * V ** 2;
    largest = Math.max(largest, together + apart);
  }
  return largest;
}

/** Whether one row can change the number of rows of a class. Where it cannot, M is public and takes no noise. */
export function countsAreProtected({ kind }: Pick<StageTask, 'kind'>, neighbours: Neighbours): boolean {
  return kind !== 'pca' || neighbours === 'add-remove';
}
