/** Reduces an owner's rows by the projection of a task that it has agreed to, and by no other. */
import { Discretiser } from '@eigenveil/statistics';
import { type AgreedTask, type ClaimedProjection, checkAgreed } from './agreed.ts';
import { project } from './project.ts';

/**
 * @example
 * import { Projector } from '@eigenveil/projection';
 *
 * const projector = new Projector(task, projection);
 * const reduced = rows.map((row) => projector.reduce(row));
 */
export class Projector {
  readonly #projection: Pick<ClaimedProjection, 'vectors' | 'mean'>;
  readonly #discretiser: Discretiser;
  readonly #unit: number;

  /** @throws ERR_PROJECTION_INVALID for a projection that is not one of the task: see checkAgreed */
  constructor(task: AgreedTask, projection: ClaimedProjection) {
    checkAgreed(task, projection);
    const { features, fractionBits } = task;
    this.#projection = projection;
    this.#discretiser = new Discretiser({ features, fractionBits });
    this.#unit = 2 ** fractionBits;
  }

  /**
   * One coordinate per component. The row is clipped, scaled and rounded as it was for the contribution, and centred if the projection
   * carries the mean.
   * @param row one finite number per feature, in the task's order and units
   * @throws as Discretiser.discretise
   */
  reduce(row: ArrayLike<number>): number[] {
    const scaled = this.#discretiser.discretise(row).map((value) => value / this.#unit);
    return project(this.#projection, [scaled])[0]!;
  }
}
