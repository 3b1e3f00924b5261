/**
 * Two ways to publish reduced rows Y = X Wᵀ with their classes, so that something covers them. No guarantee of the projection W does: Y is computed from
 * the rows without noise.
 *
 * In both a row with its class may be replaced by any other one (`replace`: how many there are is public), rows are in the unit ball, in which they stay when
 * they are reduced, and what is published has (ε, δ) for a W that is given. If W comes from the rows, its own (ε, δ) is added to that.
 *
 * - `noisyRows`: each row protects itself and trusts nobody. Two reduced rows are at most 2 apart: Gaussian noise of that sensitivity gives the row (ε/2, δ),
 *   and randomised response gives its class (ε/2, 0).
 * - `syntheticRows`: no row is published, but as many are drawn from Gaussians, one a class, that have the classes' means and one common covariance.
 *   These follow from R, V_k and M_k: the statistics of an LDA task over the reduced features, with the noise that such a task takes from both
 *   servers. The rest is post-processing.
 */
import { CLASS_WEIGHTS, SCATTER_WEIGHTS } from '@eigenveil/methods';
import {
  calibrateAnalyticGaussian,
  noisePlan,
  type RandomSource,
  type StageTask,
  sampleNoise,
} from '@eigenveil/privacy';
import type { Labelled } from './held-out.ts';
import { gaussianMechanism, randomisedResponse } from './mechanisms/index.ts';
import {
  centredScatter,
  eigenpairs,
  fromUpperTriangle,
  type Row,
  secondMoment,
  stageComponents,
  sumOfRows,
  upperTriangle,
} from './methods/index.ts';
import { RealDraws } from './random/real.ts';

export interface Budget {
  readonly epsilon: number;
  readonly dpDelta: number;
}

const LARGEST_DISTANCE = 2;

/** Each row with noise of its own. */
export function noisyRows(
  source: RandomSource,
  { rows, labels }: Labelled,
  classes: number,
  { epsilon, dpDelta }: Budget,
): Labelled {
  const half = epsilon / 2;
  const sigma = calibrateAnalyticGaussian({
    sensitivity: LARGEST_DISTANCE,
    epsilon: half,
    dpDelta,
  });
  return {
    rows: rows.map((row) => gaussianMechanism(source, row, { sigma })),
    labels: labels.map((label) => randomisedResponse(source, label, { categories: classes, epsilon: half })),
  };
}

/** About `count` rows, or undefined where the noise leaves no class a row. */
export function syntheticRows(
  source: RandomSource,
  { rows, labels }: Labelled,
  { classes, count, ...budget }: Budget & { readonly classes: number; readonly count: number },
): Labelled | undefined {
  const k = rows[0]!.length;
  const integers = rows.map(discretise);
  const members = Array.from({ length: classes }, (_, c) => integers.filter((_row, i) => labels[i] === c));
  const noisy = released(source, taskOf('lda', k, classes, budget), [
    ...upperTriangle(secondMoment(integers, k)),
    ...members.flatMap((of) => [...sumOfRows(of, k), of.length]),
  ]);
  const R = fromUpperTriangle(noisy, k);
  const sums = members.map((_, c) => noisy.slice(triangleOf(k) + c * (k + 1)).slice(0, k + 1));
  // A class whose noisy count is not positive counts as empty, as in the protocol.
  const kept = sums.map((sum, label) => ({ label, V: sum.slice(0, k), M: sum[k]! })).filter(({ M }) => M > 0);
  if (kept.length === 0) return undefined;
  const within = kept.reduce((S, { V, M }) => centredScatter(S, V, M), R);
  const total = kept.reduce((sum, { M }) => sum + M, 0);
  const draw = gaussianOf(new RealDraws(source), within, total);
  const synthetic = kept.flatMap(({ label, V, M }) => {
    const mean = intoBall(V.map((x) => x / M / UNIT));
    return Array.from({ length: Math.round((count * M) / total) }, () => ({ row: draw(mean), label }));
  });
  if (synthetic.length === 0) return undefined;
  return { rows: synthetic.map(({ row }) => row), labels: synthetic.map(({ label }) => label) };
}

/** Components from the stage of Eigenveil for rows that may be replaced, both servers' noise. */
export function projectionOf(
  source: RandomSource,
  rows: readonly Row[],
  components: number,
  budget: Budget,
): number[][] {
  const d = rows[0]!.length;
  const integers = rows.map(discretise);
  const exact = [...upperTriangle(secondMoment(integers, d)), ...sumOfRows(integers, d), rows.length];
  const noisy = released(source, taskOf('pca', d, 1, budget), exact);
  // The number of rows is public and positive.
  return stageComponents(noisy.map(BigInt), d, components)!;
}

const FRACTION_BITS = 16;
const UNIT = 2 ** FRACTION_BITS;
const triangleOf = (k: number): number => (k * (k + 1)) / 2;

/** Towards zero, so that no row leaves the ball. */
const discretise = (row: Row): number[] => row.map((x) => Math.trunc(x * UNIT) + 0);

function taskOf(kind: 'pca' | 'lda', features: number, classes: number, budget: Budget): StageTask {
  return {
    weights: kind === 'pca' ? SCATTER_WEIGHTS : CLASS_WEIGHTS,
    collectsR: true,
    features,
    classes: [classes],
    fractionBits: FRACTION_BITS,
    maximumOwners: 1,
    setting: {
      epsilon: budget.epsilon,
      delta: budget.dpDelta,
      neighbours: 'replace',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}

/** The exact integers with the noise of both servers. */
function released(source: RandomSource, task: StageTask, exact: readonly number[]): number[] {
  const plan = noisePlan(task);
  const [one, other] = [sampleNoise(source, task, plan), sampleNoise(source, task, plan)];
  return exact.map((value, i) => Number(BigInt(value) + one[i]! + other[i]!));
}

/** Draws about a mean, with a scatter of so many rows in units of UNIT²: what noise made negative is 0, and no variance is beyond that of the ball. */
function gaussianOf(
  draws: RealDraws,
  scatter: readonly (readonly number[])[],
  rows: number,
): (mean: Row) => Row {
  const pairs = eigenpairs(scatter).map(({ value, vector }) => ({
    deviation: Math.sqrt(Math.min(1, Math.max(0, value / rows / UNIT ** 2))),
    vector,
  }));
  return (mean) =>
    pairs.reduce<Row>((row, { deviation, vector }) => {
      const step = deviation * draws.normal();
      return row.map((x, i) => x + step * vector[i]!);
    }, mean);
}

function intoBall(row: Row): Row {
  const length = Math.hypot(...row);
  return length > 1 ? row.map((x) => x / length) : row;
}
