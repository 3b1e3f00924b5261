/**
 * How much of the variance the components of a private PCA have, as `explainedVariance` tells it from the result alone, beside the truth and beside
 * eigenvalue over trace. Noise plan and sampler are those of the protocol; every seed is another draw of the noise over the same rows.
 */
import {
  explainedVariance,
  type ShareOfVariance,
  symmetricEigen,
  varianceCaptured,
} from '@eigenveil/projection';
import type { LaboratoryData } from './data.ts';
import { clippedRows, drawNoises, type ForecastSetting, noisyRelease, taskOf } from './forecast-noise.ts';
import { centredScatter } from './methods/matrix.ts';

interface CheckedShares {
  /** Means over the seeds: what the components have, eigenvalues over trace, and what is told. */
  readonly truth: number;
  readonly uncorrected: number;
  readonly told: number;
  /** Root mean square errors. */
  readonly errorUncorrected: number;
  readonly errorTold: number;
  /** Half the interval, in the mean. */
  readonly reach: number;
  /** The share of the seeds whose interval has the truth. */
  readonly covered: number;
  /** The share of the seeds of which something is told; errors, means and coverage are over these, and NaN without any. */
  readonly answered: number;
}

interface SharesSetting extends ForecastSetting {
  readonly components: number;
  /** Whether the result declares its spectrum; with the trace alone the other eigenvalues are taken for a semicircle. */
  readonly spectrum?: boolean;
}

export function checkShares(data: LaboratoryData, setting: SharesSetting): CheckedShares {
  const { epsilon, components, seeds } = setting;
  const task = taskOf(data.features, setting);
  const { perRow } = clippedRows(data, task);
  const rows = data.rows.length;
  const exact = centredScatter(perRow.R, perRow.mean, 1);
  const seen = drawNoises(task, `${data.name} ${epsilon}`, seeds).map((noise) => {
    const release = noisyRelease(perRow, noise, rows);
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
  type Answer = { readonly told: ShareOfVariance; readonly uncorrected: number; readonly truth: number };
  const mean = (of: (answer: Answer) => number) =>
    answers.reduce((sum, answer) => sum + of(answer), 0) / answers.length;
  return {
    truth: mean(({ truth }) => truth),
    uncorrected: mean(({ uncorrected }) => uncorrected),
    told: mean(({ told }) => told.share),
    errorUncorrected: Math.sqrt(mean(({ uncorrected, truth }) => (uncorrected - truth) ** 2)),
    errorTold: Math.sqrt(mean(({ told, truth }) => (told.share - truth) ** 2)),
    reach: mean(({ told }) => (told.to - told.from) / 2),
    covered: mean(({ told, truth }) => (truth >= told.from && truth <= told.to ? 1 : 0)),
    answered: answers.length / seen.length,
  };
}
