/** The clear reference of the demo: the pooled rows decomposed without any protection, for comparison only. */
import {
  type Decomposition,
  decompose,
  principalAngles,
  statisticsThrough,
  totalScatter,
  varianceCaptured,
} from '@eigenveil/projection';
import { readFileBytes, readRowBatches, type Statistics } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

export interface Comparison {
  /** Largest principal angle between the subspaces of the features, radians; of a chain, through all of it. */
  readonly maxAngle: number;
  /** Largest |Δλ| over λ₁. */
  readonly maxEigenvalueError: number;
  /** Fraction of the features' total scatter in the span of the vectors. */
  readonly varianceCaptured: number;
}

/** A task with its result, and the same in the clear. */
export interface ComparedTask {
  readonly task: Task;
  readonly projection: Projection;
  readonly clear: Decomposition;
}

/** The clear result in the place of the computed one. */
export const clearly = ({ task, projection, clear }: ComparedTask) => ({
  task,
  projection: { ...projection, ...clear } as Projection,
});

/**
 * Compares a projection with the clear decomposition of all rows in `file`; returns that one, too.
 * @param basis what the task stands on: the clear decomposition stands on the clear ones
 */
export async function compareWithClear(
  task: Task,
  projection: Projection,
  file: string,
  ignoredColumns: readonly string[],
  basis: readonly ComparedTask[] = [],
): Promise<{ comparison: Comparison; clear: Decomposition }> {
  const summed = async (of: Task, links: readonly ComparedTask[], ignored: readonly string[] | 'others') => {
    // All rows come from one file here, so the bound is that of all owners together.
    const pooled = { ...of, maximumSamplesPerOwner: of.maximumSamplesPerOwner * of.maximumOwners };
    const options = { ignoredColumns: ignored };
    const { statistics } = await statisticsThrough(pooled, links.map(clearly), options, (columns, all) =>
      readRowBatches(readFileBytes(file), columns, all),
    );
    return statistics;
  };
  const statistics = await summed(task, basis, ignoredColumns);
  const clear = decompose({ ...programOf(task), minimumOwners: 1 }, statistics);
  const [first] = basis;
  const features = first === undefined ? statistics : await summed(first.task, [], 'others');
  return { comparison: compare({ task, projection, clear }, basis, features), clear };
}

function compare(
  { task, projection, clear }: ComparedTask,
  basis: readonly ComparedTask[],
  features: Statistics,
): Comparison {
  const errors = clear.eigenvalues.map((value, i) => Math.abs(value - projection.eigenvalues[i]!));
  const vectors = throughBasis(
    projection.vectors,
    basis.map((link) => link.projection.vectors),
  );
  const clearVectors = throughBasis(
    clear.vectors,
    basis.map((link) => link.clear.vectors),
  );
  const { fractionBits } = basis[0]?.task ?? task;
  return {
    maxAngle: Math.max(...principalAngles(vectors, clearVectors)),
    maxEigenvalueError: Math.max(...errors) / Math.abs(clear.eigenvalues[0]!),
    varianceCaptured: varianceCaptured(vectors, totalScatter(features, fractionBits)),
  };
}

type Vectors = readonly (readonly number[])[];

/** Vectors over components as vectors over the features of the first link, but for their lengths: every component has the same range. */
function throughBasis(vectors: Vectors, basis: readonly Vectors[]): Vectors {
  return basis.reduceRight<Vectors>(
    (over, link) =>
      over.map((vector) =>
        link[0]!.map((_, i) => vector.reduce((sum, entry, c) => sum + entry * link[c]![i]!, 0)),
      ),
    vectors,
  );
}
