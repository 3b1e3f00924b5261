/**
 * The meaning of a task's differential-privacy setting for its rows and values; a task without one has none.
 *
 * Forecasts how large the noise of a task is on its total scatter, as an operator norm, before anything is
 * drawn. docs/privacy.md derives it ("A forecast").
 */
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { type NoisePlan, noisePlan, type StageTask } from '@eigenveil/privacy';
import { TASK_CODES } from './codes.ts';
import { collectsR, type StatisticsTask, summedClasses } from './values/statistics-task.ts';

/**
 * The part of the task that its noise is a function of; undefined without differential privacy, and of
 * methods with no such noise on their statistics.
 */
export function stageTaskOf(
  task: Pick<
    StatisticsTask,
    'method' | 'sketch' | 'features' | 'labellings' | 'fractionBits' | 'maximumOwners' | 'differentialPrivacy'
  >,
): StageTask | undefined {
  const { differentialPrivacy: setting } = task;
  const { weights } = methodOf(task);
  if (setting === undefined || setting === null || weights === undefined) return undefined;
  const { clippingNorm } = setting;
  if (clippingNorm === null)
    throw new CodedError(
      TASK_CODES.ERR_TASK_INVALID,
      '"differentialPrivacy.clippingNorm" expected a number for a projection, got null',
    );
  return {
    weights,
    collectsR: collectsR(task),
    features: task.features.length,
    classes: summedClasses(task),
    fractionBits: task.fractionBits,
    maximumOwners: task.maximumOwners,
    setting: { ...setting, clippingNorm },
  };
}

/**
 * The task's noise; undefined without differential privacy.
 * @throws ERR_DP_PARAMETER
 * @example
 * import { noisePlanOf, planShift } from '@eigenveil/task';
 *
 * const plan = noisePlanOf(task);
 * if (plan !== undefined) console.log(planShift(task, plan).fewestRows);
 */
export function noisePlanOf(task: Parameters<typeof stageTaskOf>[0]): NoisePlan | undefined {
  const stage = stageTaskOf(task);
  return stage && noisePlan(stage);
}

/**
 * Returns the deviation of the noise on a number of rows, of all or of a class; 0 where it is exact.
 * @param owners how many contributed: where owners add the noise, each has added its part
 * @throws ERR_DP_PARAMETER
 */
export function deviationOfRows(task: Parameters<typeof stageTaskOf>[0], owners: number): number {
  return noisePlanOf({ ...task, maximumOwners: owners })?.deviations.M ?? 0;
}

/**
 * The mean operator norm of the noise on S̄, in units of eigenvalues (features in [−1, 1]); undefined without
 * differential privacy and for MDR, which has no S̄. A PCA's component whose eigenvalue is smaller is mostly
 * noise.
 *
 * Noise of R is a Gaussian symmetric matrix, of deviation s off its diagonal, whose norm is 2 s √d. With N =
 * R − V Vᵀ/Q, noise t on V and q on Q add −(μ tᵀ + t μᵀ) + q μ μᵀ for the mean μ of all rows: the row and the
 * column of the direction of μ get the deviation a = ‖μ‖ v more. If a > s, that direction's eigenvalue leaves
 * the others', at √d (a + s²/a); the entry on the diagonal, of deviation x, moves it by the share (1 −
 * s²/a²)/2 of itself.
 * @param meanLength ‖μ‖ of rows in [−1, 1] that are clipped; 0, where it is not known, gives what noise is at
 * least
 * @throws ERR_DP_PARAMETER
 * @example
 * import { noiseNorm } from '@eigenveil/task';
 *
 * const norm = noiseNorm(task, Math.hypot(...(projection.mean ?? [])));
 */
export function noiseNorm(task: Parameters<typeof stageTaskOf>[0], meanLength: number): number | undefined {
  const plan = noisePlanOf(task);
  if (plan === undefined || !collectsR(task)) return undefined;
  const unit = 2 ** task.fractionBits;
  const d = task.features.length;
  const classes = Math.max(...summedClasses(task));
  const s = plan.deviations.R / unit ** 2 / Math.SQRT2;
  const a = (meanLength * Math.sqrt(classes) * plan.deviations.V) / unit;
  if (a <= s) return 2 * s * Math.sqrt(d);
  const count = meanLength ** 2 * Math.sqrt(classes) * plan.deviations.M;
  const x = Math.sqrt(2 * s ** 2 + 4 * a ** 2 + count ** 2);
  const meanOfX = Math.sqrt(2 / Math.PI) * x;
  return Math.sqrt(d) * (a + s ** 2 / a) + ((1 - s ** 2 / a ** 2) / 2) * meanOfX;
}

/**
 * The largest eigenvalue that S̄ can have: of as many rows as the task has room for, all of them as long as
 * rows may be. Undefined where `noiseNorm` is.
 * @throws ERR_DP_PARAMETER
 */
export function largestScatter(
  task: Parameters<typeof stageTaskOf>[0] & { readonly maximumSamplesPerOwner: number },
): number | undefined {
  const plan = noisePlanOf(task);
  if (plan === undefined || !collectsR(task)) return undefined;
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  return (rows * Number(plan.clippingBound)) / 4 ** task.fractionBits;
}

/**
 * Returns the number of rows from which on a component stands out of noise of this norm: with it, its
 * eigenvalue is as large. The released first component then has about three quarters of the exact one's
 * variance; one among others of nearly its variance mixes with them for longer.
 * @param variancePerRow the component's eigenvalue of S̄, divided by the rows
 */
export function rowsToStandOut(norm: number, variancePerRow: number): number {
  return Math.ceil(norm / variancePerRow);
}
