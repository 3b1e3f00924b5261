/**
 * Sketched PCA: what a task with `sketch` must keep to. Owners sum Y = Xᵀ(XΩ), and the servers make the
 * vectors of T ≈ TΩ (ΩᵀTΩ)⁻¹ (TΩ)ᵀ (Tropp, Yurtsever, Udell, Cevher, "Fixed-rank approximation of a
 * positive-semidefinite matrix from streaming data", 2017). docs/sketches.md has all of it.
 */
import { CodedError, checkAll } from '@eigenveil/platform';
import { expecting, TASK_CODES } from './codes.ts';
import { programOf, SKETCH_OUTPUTS } from './rules/program.ts';
import { leastRank } from './rules/rank.ts';
import { LIMITS, type TaskProposal } from './schema.ts';
import { isStandardised, type StatisticsTask } from './values/statistics-task.ts';

/**
 * With `refine`, Ω has this number of bits after the point: vectors of length √d have entries of about 1, as
 * signs have.
 */
const WARM_BITS = 8;

/**
 * Columns of signs that a sketch with `refine` has at least. The others may be of the data user's making
 * (SECURITY.md), so that some must be there that nobody chooses; and with few of them a round brings less:
 * docs/sketches.md has figures.
 */
export const LEAST_FRESH_COLUMNS = 10;

/** Returns s where Ω is whole numbers over 2^s: public, and the same for all of its columns. */
export function sketchScaleBits({ sketch }: Pick<StatisticsTask, 'sketch'>): number {
  return sketch?.refine === undefined ? 0 : WARM_BITS;
}

/**
 * The magnitudes of the whole numbers in a column of Ω add up to no more than this. Signs to d. By Cauchy and
 * Schwarz those of a vector of length √d · 2^8 to d · 2^8, and rounding adds half a unit to each; the other
 * half is for lengths that are not quite 1.
 */
export function sketchColumnBound(task: Pick<StatisticsTask, 'sketch' | 'features'>): number {
  const bits = sketchScaleBits(task);
  return task.features.length * (bits === 0 ? 1 : 2 ** bits + 1);
}

/** Returns the columns that a draft takes for this number of components. */
export function draftedColumns(components: number): number {
  return Math.min(3 * components + 10, LIMITS.sketchColumns);
}

/**
 * Checks a task with `sketch`, and that one without has no more features than a whole scatter is computed
 * for.
 *
 * Where Ω has as many columns as the scatter's rank, the sketch is the scatter itself: so columns must be
 * fewer than features that vary, and than rows less the mean. For the rows that come, the servers see it when
 * they compute.
 * @throws ERR_TASK_INVALID
 */
export function checkSketch(task: TaskProposal): void {
  const { sketch, method, features, outputs, differentialPrivacy, twoParty, basis } = task;
  if (sketch === undefined) {
    expecting(
      features.length <= LIMITS.features,
      `"features" expected at most ${LIMITS.features} without "sketch", got ${features.length}`,
    )();
    return;
  }
  const { columns } = sketch;
  const varying = features.filter(({ min, max }) => min < max).length;
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  checkAll(
    expecting(
      method.kind === 'pca' && !isStandardised(method),
      '"sketch" expected with the method pca of the covariance alone',
    ),
    expecting(
      twoParty !== 'garbled',
      '"sketch" expected with the two-party protocol rotated: garbled computes none',
    ),
    expecting(
      differentialPrivacy === null,
      '"sketch" expected without differential privacy, which sketches do not have',
    ),
    // The rule for what a sketch leaves unknown holds for real numbers: an exact one of whole numbers may
    // tell more.
    expecting(
      task.exact || !task.allowFullRank,
      '"allowFullRank" expected false unless "exact": a sketch never tells the whole scatter by its rank',
    ),
    expecting(
      SKETCH_OUTPUTS.every((output) => outputs.includes(output)) && outputs.length === SKETCH_OUTPUTS.length,
      `"outputs" expected ${SKETCH_OUTPUTS.join(' and ')}, and no others, with "sketch", got [${outputs}]`,
    ),
    expecting(
      sketch.refine === undefined || basis === undefined,
      '"sketch.refine" expected without "basis": a task names one earlier result',
    ),
    expecting(
      columns < Math.min(varying, rows - 1),
      `"sketch.columns" expected fewer than the ${varying} features that vary, and than rows: with as many, the sketch is the scatter matrix itself, got ${columns}`,
    ),
  );
}

/**
 * Checks that a sketch has columns enough for its components: the rule of ranks (rank.ts) takes the columns
 * for the rank.
 * @throws ERR_FULL_RANK
 */
export function checkSketchRank(task: TaskProposal): void {
  if (task.sketch === undefined) return;
  const { columns } = task.sketch;
  const least = leastRank(programOf(task));
  if (columns >= least) return;
  throw new CodedError(
    TASK_CODES.ERR_FULL_RANK,
    `"sketch.columns" expected at least ${least} for ${task.components} components of these features, got ${columns}: fewer components, or more columns, up to ${LIMITS.sketchColumns}; and "twoValued": false where features take more than two values`,
  );
}
