/**
 * Reduces rows by the projection of an agreed task and by no other, one by one or in batches, and leads back
 * from reduced rows.
 */
import type { Feature } from '@eigenveil/methods';
import { CodedError, isOf, words } from '@eigenveil/platform';
import { Discretiser, STATISTICS_CODES } from '@eigenveil/statistics/owner';
import { componentName, type Thumbprint } from '@eigenveil/task';
import { checkAgreed } from '../claims/agreed.ts';
import type { AgreedTask, ClaimedProjection } from '../claims/claimed.ts';
import { PROJECTION_CODES } from '../codes.ts';
import { referenceOf } from '../reference/methods.ts';
import { inverseOf } from './project.ts';
import { openProjection, type SignedProjection } from './signed.ts';

/**
 * Components computed in one pass over a row, whose cells are then loaded once for four sums that do not wait
 * for each other.
 */
const COMPONENTS_PER_PASS = 4;

/** A task that a chain leads through, and its projection. */
export interface Link {
  readonly task: AgreedTask;
  readonly projection: ClaimedProjection;
}

/**
 * Rows are given as a list, or flat: row by row in one Float64Array, which is faster. They come back as they
 * were given.
 *
 * Features are in the task's order (`features`) and units; where the task stands on a basis, in those of the
 * first link, and every link is applied. Cells are clipped to the agreed ranges, scaled to [−1, 1] and
 * rounded as they were for the contribution; rows are not scaled down to the clipping norm of differential
 * privacy, which serves the noise alone. Reduced rows are centred if the projection carries the mean.
 * @example
 * import { Projector, Thumbprint } from '@eigenveil/projection';
 *
 * const projector = await Projector.open(signedProjection, Thumbprint.parse(text));
 * const reduced = projector.transform(rows);
 * const outside = projector.clippedCells; // per feature
 */
export class Projector {
  readonly task: AgreedTask;
  readonly projection: ClaimedProjection;
  readonly #discretiser: Discretiser;
  /** Vector by vector over the integers of the discretiser, with vectors of zeros up to a whole pass. */
  readonly #weights: Float64Array;
  readonly #offsets: Float64Array;
  readonly #cells: Float64Array;
  #inverse: readonly (readonly number[])[] | undefined;
  /** Reduces to what this task's features are. */
  readonly #before: Projector | undefined;

  /**
   * Makes a projector from a projection whose signatures the caller has verified.
   * @param basis what the task stands on, as `verifyProjection` gives it
   * @throws ERR_PROJECTION_INVALID for a projection that is not one of the task (see checkAgreed), and for a
   * result without vectors, which reduces no rows; ERR_BASIS_INVALID for another number of links
   */
  constructor(task: AgreedTask, projection: ClaimedProjection, basis: readonly Link[] = []) {
    checkAgreed(task, projection);
    checkReduces(task);
    const last = basis.at(-1);
    const width = last?.projection.vectors.length ?? task.features.length;
    if ((last === undefined) !== (task.basis === undefined) || width !== task.features.length)
      throw new CodedError(
        PROJECTION_CODES.ERR_BASIS_INVALID,
        '"basis" expected what the task stands on, from the first link to the last',
      );
    this.#before = last && new Projector(last.task, last.projection, basis.slice(0, -1));
    this.task = task;
    this.projection = projection;
    const { features, fractionBits } = task;
    const { vectors, mean } = projection;
    const unit = 2 ** -fractionBits; // exact, and so are weights of vectors times it
    this.#discretiser = new Discretiser({ features, fractionBits });
    this.#cells = new Float64Array(features.length);
    const padded = Math.ceil(vectors.length / COMPONENTS_PER_PASS) * COMPONENTS_PER_PASS;
    this.#weights = new Float64Array(padded * features.length);
    this.#offsets = new Float64Array(padded);
    for (const [c, vector] of vectors.entries()) {
      this.#weights.set(
        vector.map((entry) => entry * unit),
        c * features.length,
      );
      this.#offsets[c] = vector.reduce((sum, entry, i) => sum + entry * (mean?.[i] ?? 0), 0);
    }
  }

  /**
   * Makes a projector from a projection with its signatures, which it checks as verifyProjection does; it
   * needs no service.
   * @param csp thumbprint of the CSP's key, learnt over a channel that is trusted, and not from where the
   * projection comes from
   * @throws ERR_CSP_IDENTITY, and as verifyProjection
   */
  static async open<P extends Projector>(
    this: new (
      task: AgreedTask,
      projection: ClaimedProjection,
      basis: readonly Link[],
    ) => P,
    signed: SignedProjection,
    csp: Thumbprint,
  ): Promise<P> {
    const { task, projection, basis } = await openProjection(signed, csp);
    return new this(task, projection, basis);
  }

  /** The features that rows have: those of the task that stands on no basis. */
  get features(): readonly Feature[] {
    return this.#before?.features ?? this.task.features;
  }

  /** The names, in the order of the cells of a row. */
  get featureNames(): readonly string[] {
    return this.features.map(({ name }) => name);
  }

  /** In the order in which reduced rows have them: component_1, … */
  get componentNames(): readonly string[] {
    return this.projection.vectors.map((_, c) => componentName(c));
  }

  /** The number of cells, per feature, that lay outside its range in all rows so far and were clipped. */
  get clippedCells(): readonly number[] {
    return this.#before?.clippedCells ?? this.#discretiser.clippedCells;
  }

  /**
   * One coordinate per component of each row.
   * @param rows one finite number per feature
   * @throws ERR_NOT_FINITE naming row and feature; RangeError on rows of another width, or a flat batch that
   * does not end with a row
   */
  transform(rows: Float64Array): Float64Array;
  transform(rows: readonly ArrayLike<number>[]): number[][];
  transform(rows: Float64Array | readonly ArrayLike<number>[]): Float64Array | number[][] {
    const [from, to] = [this.features.length, this.projection.vectors.length];
    return inForm(rows, from, to, (flat) => this.#transformFlat(this.#before?.transform(flat) ?? flat));
  }

  /**
   * Returns rows in the task's units that transform to these coordinates, except for what rounding and
   * clipping would change: of all such rows those with the scaled features closest to the mean, or where the
   * task does not declare it, to the middle of the ranges. They may lie outside the ranges.
   * @param coordinates one finite number per component
   * @throws ERR_NOT_FINITE; RangeError on rows of another width, or a flat batch that does not end with a row
   */
  inverseTransform(coordinates: Float64Array): Float64Array;
  inverseTransform(coordinates: readonly ArrayLike<number>[]): number[][];
  inverseTransform(coordinates: Float64Array | readonly ArrayLike<number>[]): Float64Array | number[][] {
    const [from, to] = [this.projection.vectors.length, this.features.length];
    return inForm(coordinates, from, to, (flat) => {
      const inverted = this.#invertFlat(flat);
      return this.#before?.inverseTransform(inverted) ?? inverted;
    });
  }

  #transformFlat(rows: Float64Array): Float64Array {
    const d = this.#cells.length;
    const k = this.projection.vectors.length;
    const sums = new Float64Array(this.#offsets.length);
    const reduced = new Float64Array((rows.length / d) * k);
    for (let row = 0, from = 0, to = 0; from < rows.length; row += 1, from += d, to += k) {
      discretiseRow(this.#discretiser, rows, from, this.#cells, row);
      this.#multiply(sums);
      for (let c = 0; c < k; c += 1) reduced[to + c] = sums[c]! - this.#offsets[c]!;
    }
    return reduced;
  }

  /** The products of all vectors with the row at hand, each summed in the order of the features. */
  #multiply(sums: Float64Array): void {
    const x = this.#cells;
    const w = this.#weights;
    const d = x.length;
    for (let c = 0; c < sums.length; c += COMPONENTS_PER_PASS) {
      let at = c * d;
      let [p, q, r, s] = [0, 0, 0, 0];
      for (let i = 0; i < d; i += 1, at += 1) {
        const cell = x[i]!;
        p += w[at]! * cell;
        q += w[at + d]! * cell;
        r += w[at + 2 * d]! * cell;
        s += w[at + 3 * d]! * cell;
      }
      sums[c] = p;
      sums[c + 1] = q;
      sums[c + 2] = r;
      sums[c + 3] = s;
    }
  }

  #invertFlat(coordinates: Float64Array): Float64Array {
    if (!coordinates.every(Number.isFinite))
      throw new CodedError(PROJECTION_CODES.ERR_NOT_FINITE, '"coordinates" expected finite numbers');
    const { vectors, mean } = this.projection;
    this.#inverse ??= inverseOf(vectors);
    const inverse = this.#inverse;
    const { features } = this.task;
    const k = vectors.length;
    return Float64Array.from({ length: (coordinates.length / k) * features.length }, (_, at) => {
      const i = at % features.length;
      const from = ((at - i) / features.length) * k;
      const scaled = inverse[i]!.reduce(
        (sum, entry, c) => sum + entry * coordinates[from + c]!,
        mean?.[i] ?? 0,
      );
      const { min, max } = features[i]!;
      return ((1 - scaled) / 2) * min + ((1 + scaled) / 2) * max;
    });
  }
}

function checkReduces(task: AgreedTask): void {
  const { withoutVectors } = referenceOf(task);
  if (withoutVectors === undefined) return;
  throw new CodedError(
    PROJECTION_CODES.ERR_PROJECTION_INVALID,
    `"task.method" expected one with vectors, by which rows are reduced, got ${task.method.kind}: ${withoutVectors}`,
  );
}

/**
 * The cells from `from` on as the discretiser's integers.
 * @throws as `write`, naming the row
 */
export function discretiseRow(
  discretiser: Discretiser,
  cells: ArrayLike<number>,
  from: number,
  into: Float64Array,
  row: number,
): void {
  try {
    discretiser.write(cells, from, into);
  } catch (error) {
    if (!isOf(STATISTICS_CODES, error)) throw error;
    throw new CodedError(error.info, words`"rows[${row}]": ${error.words}`);
  }
}

/**
 * Applies `work`, which makes rows of `to` numbers from rows of `from` numbers, both flat, and answers in the
 * form of the rows.
 */
function inForm(
  rows: Float64Array | readonly ArrayLike<number>[],
  from: number,
  to: number,
  work: (flat: Float64Array) => Float64Array,
): Float64Array | number[][] {
  if (rows instanceof Float64Array) {
    if (rows.length % from !== 0)
      throw new RangeError(`"rows" expected rows of ${from} numbers, got ${rows.length} numbers in all`);
    return work(rows);
  }
  const flat = new Float64Array(rows.length * from);
  for (const [row, cells] of rows.entries()) {
    if (cells.length !== from)
      throw new RangeError(`"rows[${row}]" expected ${from} numbers, got ${cells.length}`);
    // A value that is not a number becomes NaN, which is refused by its place; null by itself would become 0.
    for (let i = 0; i < from; i += 1)
      flat[row * from + i] = typeof cells[i] === 'number' ? cells[i]! : Number.NaN;
  }
  const done = work(flat);
  return rows.map((_, row) => Array.from(done.subarray(row * to, (row + 1) * to)));
}
