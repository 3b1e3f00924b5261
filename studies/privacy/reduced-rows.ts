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
import { calibrateAnalyticGaussian, type RandomSource } from '@eigenveil/privacy';
import type { Labelled } from './held-out.ts';
import { gaussianMechanism } from './mechanisms/additive.ts';
import { randomisedResponse } from './mechanisms/choices.ts';
import { centredScatter, eigenpairs } from './methods/matrix.ts';
import type { Row } from './methods/method.ts';
import {
  type Budget,
  discretised,
  partsOf,
  released,
  stageComponents,
  stageTask,
  statisticsOf,
  UNIT,
} from './methods/stage.ts';
import { RealDraws } from './random/real.ts';

const LARGEST_DISTANCE = 2;

/** Each row with noise of its own. */
export function noisyRows(
  source: RandomSource,
  { rows, labels }: Labelled,
  classes: number,
  { epsilon, dpDelta }: Budget,
): Labelled {
  const half = epsilon / 2;
  const sigma = calibrateAnalyticGaussian({ sensitivity: LARGEST_DISTANCE, epsilon: half, dpDelta });
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
  const features = rows[0]!.length;
  const integers = discretised(rows);
  const members = Array.from({ length: classes }, (_, c) => integers.filter((_row, i) => labels[i] === c));
  const task = stageTask({ features, classes, neighbours: 'replace' }, budget);
  const { noisy } = released(source, statisticsOf(members, features), task);
  const { R, sums } = partsOf(noisy, features);
  // A class whose noisy count is not positive counts as empty, as in the protocol.
  const kept = sums.map((sum, label) => ({ label, ...sum })).filter(({ M }) => M > 0);
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
  const features = rows[0]!.length;
  const task = stageTask({ features, neighbours: 'replace' }, budget);
  const { noisy } = released(source, statisticsOf([discretised(rows)], features), task);
  // The number of rows is public and positive.
  return stageComponents(noisy, features, components)!;
}

/** Draws about a mean, with a scatter of this number of rows in units of UNIT²: what noise made negative is 0, and no variance is beyond that of the ball. */
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
