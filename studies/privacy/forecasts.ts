/**
 * The forecasts of differential privacy, beside what seeds show. A draft forecasts the operator norm of the noise, and from how many rows the first component
 * stands out: the rows are those of a data set, each counted as often as it takes. A result tells how much of the variance its components have, as
 * `explainedVariance` does from it alone: beside that stand the truth and eigenvalue over trace. Noise plan and sampler are those of the protocol, of both
 * servers; every seed is another draw of the noise over the same rows.
 */

import { defaultClippingNorm, noisePlan, sampleNoise } from '@eigenveil/privacy';
import { explainedVariance, symmetricEigen, varianceCaptured } from '@eigenveil/projection';
import { Discretiser } from '@eigenveil/statistics';
import { noiseNorm, rowsToStandOut, type StatisticsTask, stageTaskOf } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { predictableRandomness } from '@eigenveil/testbed/random';
import type { LaboratoryData } from './data.ts';
import {
  centredScatter,
  dot,
  fromUpperTriangle,
  norm,
  type Square,
  scaled,
  secondMoment,
  sumOfRows,
  times,
} from './methods/matrix.ts';

const FRACTION_BITS = 14;
const UNIT = 2 ** FRACTION_BITS;
/** A released first component stands out that has this share of the exact one's variance. */
const STANDS_OUT = 0.75;
/** Rows are counted on from a fraction of the forecast, in steps of this factor. */
const STEP = 1.1;
const LEAST_ROWS = 1 / 8;

interface ForecastSetting {
  readonly epsilon: number;
  readonly delta: number;
  readonly seeds: number;
}

/** Statistics of one row on average, in units of features in [−1, 1]. */
interface PerRow {
  readonly R: Square;
  readonly mean: readonly number[];
}

interface Drawn {
  readonly R: Square;
  readonly V: readonly number[];
  readonly Q: number;
}

/** The noise of a data set, and the rows that its first component takes: forecast, and seen. */
export function checkForecast(data: LaboratoryData, setting: ForecastSetting) {
  const task = taskOf(data.features, setting);
  const { perRow, exact, clipped } = clippedRows(data, task);
  const { values } = symmetricEigen(exact);
  const draws = drawNoises(task, `${data.name} ${setting.epsilon}`, setting.seeds);
  const forecast = noiseNorm(task, norm(perRow.mean))!;
  const forecastRows = rowsToStandOut(forecast, values[0]!);
  return {
    /** The share of the rows that were longer than the clipping norm. */
    clipped,
    /** ‖μ‖ of the clipped rows over the clipping norm. */
    mean: norm(perRow.mean) / task.differentialPrivacy!.clippingNorm!,
    /** Operator norm of the noise. */
    noiseForecast: forecast,
    noiseSeen: normSeen(perRow, exact, draws, forecastRows),
    /** The first component's part of the variance. */
    share: values[0]! / values.reduce((sum, value) => sum + value, 0),
    /** The number of rows from which the first component stands out. */
    rowsForecast: forecastRows,
    rowsSeen: rowsSeen(perRow, exact, draws, forecastRows),
  };
}

/** The rows as a task clips them, their scatter per row, and the share that it clips. */
function clippedRows(data: LaboratoryData, task: StatisticsTask) {
  const discretiser = new Discretiser(task);
  const rows = data.rows.map((row) =>
    discretiser.discretise(row.map((x) => x * Math.sqrt(data.features))).map((x) => x / UNIT),
  );
  const each = 1 / rows.length;
  const perRow: PerRow = {
    R: scaled(secondMoment(rows, data.features), each),
    mean: sumOfRows(rows, data.features).map((x) => x * each),
  };
  const exact = centredScatter(perRow.R, perRow.mean, 1);
  return { perRow, exact, clipped: discretiser.clippedRows * each };
}

function taskOf(features: number, { epsilon, delta }: ForecastSetting): StatisticsTask {
  return {
    method: { kind: 'pca' },
    features: Array.from({ length: features }, (_, i) => ({ name: `${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits: FRACTION_BITS,
    maximumOwners: 10,
    maximumSamplesPerOwner: 1000,
    keyBits: 3072,
    statisticalSecurityBits: 40,
    differentialPrivacy: {
      epsilon,
      delta,
      neighbours: 'add-remove',
      clippingNorm: defaultClippingNorm(features),
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}

function drawNoises(task: StatisticsTask, title: string, seeds: number): Drawn[] {
  const d = task.features.length;
  const triangle = (d * (d + 1)) / 2;
  const stage = stageTaskOf(task)!;
  const plan = noisePlan(stage);
  return Array.from({ length: seeds }, (_, seed) => {
    const source = predictableRandomness(`${title} ${seed}`);
    const [mine, others] = [sampleNoise(source, stage, plan), sampleNoise(source, stage, plan)];
    const noise = mine.map((value, i) => Number(value + others[i]!));
    return {
      R: scaled(fromUpperTriangle(noise, d), UNIT ** -2),
      V: noise.slice(triangle, triangle + d).map((x) => x / UNIT),
      Q: noise[triangle + d]!,
    };
  });
}

/** S̄ and the mean of a given number of rows under the noise; undefined where their noisy number is not positive, and nothing is released. */
function noisyRelease({ R, mean }: PerRow, noise: Drawn, rows: number) {
  const Q = rows + noise.Q;
  if (Q <= 0) return undefined;
  const noisyR = R.map((row, i) => row.map((x, j) => x * rows + noise.R[i]![j]!));
  const noisyV = mean.map((x, i) => x * rows + noise.V[i]!);
  return { scatter: centredScatter(noisyR, noisyV, Q), mean: noisyV.map((x) => x / Q) };
}

/** The mean over the seeds that release something. */
function normSeen(perRow: PerRow, exact: Square, draws: readonly Drawn[], rows: number): number {
  const norms = draws.flatMap((noise) => {
    const noisy = noisyRelease(perRow, noise, rows)?.scatter;
    if (noisy === undefined) return [];
    const { values } = symmetricEigen(noisy.map((row, i) => row.map((x, j) => x - exact[i]![j]! * rows)));
    return [Math.max(values[0]!, -values.at(-1)!)];
  });
  return mean(norms);
}

/** The fewest rows, in steps, with which the noisy first component stands out on average over all seeds. */
function rowsSeen(perRow: PerRow, exact: Square, draws: readonly Drawn[], forecast: number): number {
  const best = symmetricEigen(exact).values[0]!;
  const captured = (rows: number): number => {
    const parts = draws.map((noise) => {
      const noisy = noisyRelease(perRow, noise, rows)?.scatter;
      if (noisy === undefined) return 0;
      const vector = symmetricEigen(noisy).vectors[0]!;
      return dot(vector, times(exact, vector)) / best;
    });
    return mean(parts);
  };
  let rows = forecast * LEAST_ROWS;
  while (captured(rows) < STANDS_OUT) rows *= STEP;
  return Math.round(rows);
}

interface SharesSetting extends ForecastSetting {
  readonly components: number;
  /** True if the result declares its spectrum; with the trace alone the other eigenvalues are taken for a semicircle. */
  readonly spectrum?: boolean;
}

/** Shares of the variance that components have, as means over the seeds of which something is told: NaN without any. */
export function checkShares(data: LaboratoryData, setting: SharesSetting) {
  const { epsilon, components, seeds } = setting;
  const task = taskOf(data.features, setting);
  const { perRow, exact } = clippedRows(data, task);
  const seen = drawNoises(task, `${data.name} ${epsilon}`, seeds).map((noise) => {
    const release = noisyRelease(perRow, noise, data.rows.length);
    if (release === undefined) return undefined;
    const { values, vectors } = symmetricEigen(release.scatter);
    const trace = values.reduce((sum, value) => sum + value, 0);
    const leading = { vectors: vectors.slice(0, components), eigenvalues: values.slice(0, components) };
    const told = explainedVariance(
      { ...task, ...leading, mean: release.mean, trace, ...(setting.spectrum && { spectrum: values }) },
      null,
    );
    return {
      told: told!.together.at(-1)!,
      uncorrected: leading.eigenvalues.reduce((sum, value) => sum + value, 0) / trace,
      truth: varianceCaptured(leading.vectors, exact),
    };
  });
  const answers = seen.flatMap((run) =>
    run === undefined || typeof run.told === 'string' ? [] : [{ ...run, told: run.told }],
  );
  const over = (of: (answer: (typeof answers)[number]) => number) => mean(answers.map(of));
  return {
    truth: over(({ truth }) => truth),
    /** Eigenvalues over trace. */
    uncorrected: over(({ uncorrected }) => uncorrected),
    told: over(({ told }) => told.share),
    /** Root mean square errors. */
    errorUncorrected: Math.sqrt(over(({ uncorrected, truth }) => (uncorrected - truth) ** 2)),
    errorTold: Math.sqrt(over(({ told, truth }) => (told.share - truth) ** 2)),
    /** Half the interval. */
    reach: over(({ told }) => (told.to - told.from) / 2),
    /** The share of the seeds whose interval has the truth. */
    covered: over(({ told, truth }) => (truth >= told.from && truth <= told.to ? 1 : 0)),
    /** The share of the seeds of which something is told. */
    answered: answers.length / seen.length,
  };
}
