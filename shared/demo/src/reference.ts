/** The clear reference of the demo: the pooled rows decomposed without any protection, for comparison only. */
import {
  type Decomposition,
  decompose,
  principalAngles,
  totalScatter,
  varianceCaptured,
} from '@eigenveil/projection';
import { readFileBytes, type Statistics, statisticsOfCsv } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

export interface Comparison {
  /** Largest principal angle between the subspaces, radians. */
  readonly maxAngle: number;
  /** Largest |Δλ| over λ₁. */
  readonly maxEigenvalueError: number;
  /** Fraction of the total scatter in the span of the vectors. */
  readonly varianceCaptured: number;
}

/** Compares a projection with the clear decomposition of all rows in `file`; returns that one, too. */
export async function compareWithClear(
  task: Task,
  projection: Projection,
  file: string,
  ignoredColumns: readonly string[],
): Promise<{ comparison: Comparison; clear: Decomposition }> {
  // All rows come from one file here, so the bound is that of all owners together.
  const pooledTask = { ...task, maximumSamplesPerOwner: task.maximumSamplesPerOwner * task.maximumOwners };
  const { statistics } = await statisticsOfCsv(readFileBytes(file), pooledTask, { ignoredColumns });
  const clear = decompose({ ...programOf(task), minimumOwners: 1 }, statistics);
  return { comparison: compare(projection, clear, statistics, task.fractionBits), clear };
}

function compare(
  projection: Projection,
  clear: Decomposition,
  statistics: Statistics,
  fractionBits: number,
): Comparison {
  const errors = clear.eigenvalues.map((value, i) => Math.abs(value - projection.eigenvalues[i]!));
  return {
    maxAngle: Math.max(...principalAngles(projection.vectors, clear.vectors)),
    maxEigenvalueError: Math.max(...errors) / Math.abs(clear.eigenvalues[0]!),
    varianceCaptured: varianceCaptured(projection.vectors, totalScatter(statistics, fractionBits)),
  };
}
