/** Predicts by the result of an agreed task of ridge and by no other. */
import type { Feature } from '@eigenveil/methods';
import { Discretiser } from '@eigenveil/statistics/owner';
import type { Thumbprint } from '@eigenveil/task';
import { checkAgreed } from '../claims/agreed.ts';
import type { AgreedTask, ClaimedProjection } from '../claims/claimed.ts';
import { type Regression, regressionOf } from '../reference/ridge.ts';
import { discretiseRow } from './projector.ts';
import { openProjection, type SignedProjection } from './signed.ts';

/**
 * Predicts the last feature of a task of ridge from the others. Cells are clipped to the agreed ranges,
 * scaled and rounded as they were for the contribution; what is predicted is not clipped.
 * @example
 * import { Predictor, Thumbprint } from '@eigenveil/projection';
 *
 * const predictor = await Predictor.open(signedProjection, Thumbprint.parse(text));
 * const predicted = predictor.predict(rows); // one number per row
 */
export class Predictor {
  readonly task: AgreedTask;
  readonly #discretiser: Discretiser;
  readonly #regression: Regression;
  readonly #cells: Float64Array;

  /**
   * Makes a predictor from a result whose signatures the caller has verified.
   * @throws ERR_PROJECTION_INVALID for one that is not of the task (see checkAgreed), or of another method
   */
  constructor(task: AgreedTask, projection: ClaimedProjection) {
    checkAgreed(task, projection);
    const { features, fractionBits } = task;
    const given = features.slice(0, -1);
    // In the discretiser's integers on one side, in the units of the predicted column on the other.
    const unit = 2 ** -fractionBits;
    const { min, max } = features.at(-1)!;
    const half = max / 2 - min / 2;
    const { weights, intercept } = regressionOf(projection);
    this.#regression = {
      weights: weights.map((w) => w * unit * half),
      intercept: intercept * half + (min / 2 + max / 2),
    };
    this.task = task;
    this.#discretiser = new Discretiser({ features: given, fractionBits });
    this.#cells = new Float64Array(given.length);
  }

  /**
   * Makes a predictor from a result with its signatures, which it checks as verifyProjection does; it needs
   * no service.
   * @param csp thumbprint of the CSP's key, learnt over a channel that is trusted, and not from where the
   * result comes from
   * @throws ERR_CSP_IDENTITY, and as verifyProjection
   */
  static async open(signed: SignedProjection, csp: Thumbprint): Promise<Predictor> {
    const { task, projection } = await openProjection(signed, csp);
    return new Predictor(task, projection);
  }

  /** The features that rows have: all except the predicted one. */
  get features(): readonly Feature[] {
    return this.task.features.slice(0, -1);
  }

  /** The names, in the order of the cells of a row. */
  get featureNames(): readonly string[] {
    return this.features.map(({ name }) => name);
  }

  /** The name of the feature that is predicted. */
  get targetName(): string {
    return this.task.features.at(-1)!.name;
  }

  /** The number of cells, per feature, that lay outside its range in all rows so far and were clipped. */
  get clippedCells(): readonly number[] {
    return this.#discretiser.clippedCells;
  }

  /**
   * One number for each row, in the units of the predicted column.
   * @param rows one finite number per feature but the last
   * @throws ERR_NOT_FINITE naming row and feature; RangeError on rows of another width
   */
  predict(rows: readonly ArrayLike<number>[]): number[] {
    const { weights, intercept } = this.#regression;
    return rows.map((row, at) => {
      if (row.length !== weights.length)
        throw new RangeError(`"rows[${at}]" expected ${weights.length} numbers, got ${row.length}`);
      discretiseRow(this.#discretiser, row, 0, this.#cells, at);
      return weights.reduce((sum, w, i) => sum + w * this.#cells[i]!, intercept);
    });
  }
}
