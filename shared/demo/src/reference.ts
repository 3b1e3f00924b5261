/** The clear reference of the demo: the pooled rows decomposed without any protection, for comparison only. */
import {
  betweenClassScatter,
  columnsFor,
  type Decomposition,
  decompose,
  principalAngles,
  statisticsThrough,
  totalScatter,
  UnroundedRows,
  varianceCaptured,
} from '@eigenveil/projection';
import { readFileBytes, readRowBatches, type Statistics } from '@eigenveil/statistics';
import { programOf, type Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';

export interface Comparison {
  /** Largest principal angle to the subspace of the same rows, rounded as the task rounds them, in radians; of a chain, through all of it. */
  readonly maxAngle: number;
  /** The same to the subspace of the rows as they are. */
  readonly maxAngleUnrounded: number;
  /** Largest |Δλ| over λ₁. */
  readonly maxEigenvalueError: number;
  /** What the method is for. Of a PCA the part of the features' variance in the span of the vectors; of others what classes explain of the scores. */
  readonly kept: { readonly of: 'variance' | 'separation'; readonly part: number };
}

/** A task with its result, and the same in the clear. */
export interface ComparedTask {
  readonly task: Task;
  readonly projection: Projection;
  readonly clear: Decomposition;
  /** Of the rows as they are. */
  readonly unrounded: Unrounded;
}

type Unrounded = ReturnType<UnroundedRows['decomposition']>;

/** The clear result in the place of the computed one. */
export const clearly = ({ task, projection, clear }: Omit<ComparedTask, 'unrounded'>) => ({
  task,
  projection: { ...projection, ...clear } as Projection,
});

/** The same of the rows as they are, with as much as the task declares. */
const asTheyAre = ({ task, projection, unrounded: { mean, ...found } }: ComparedTask) => ({
  task,
  projection: { ...projection, ...found, ...(projection.mean && { mean }) },
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
): Promise<{ comparison: Comparison; clear: Decomposition; unrounded: Unrounded }> {
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
  const rows = new UnroundedRows(task, basis.map(asTheyAre));
  const read = readRowBatches(readFileBytes(file), columnsFor(task, basis), { ignoredColumns });
  for await (const batch of read) for (const { values, classes } of batch) rows.add(values, classes);
  const unrounded = rows.decomposition({ ...programOf(task), minimumOwners: 1 });
  const [first] = basis;
  const features = first === undefined ? statistics : await summed(first.task, [], 'others');
  const compared = { task, projection, clear, unrounded };
  return { comparison: compare(compared, basis, statistics, features), clear, unrounded };
}

function compare(
  { task, projection, clear, unrounded }: ComparedTask,
  basis: readonly ComparedTask[],
  statistics: Statistics,
  features: Statistics,
): Comparison {
  const errors = clear.eigenvalues.map((value, i) => Math.abs(value - projection.eigenvalues[i]!));
  const vectors = throughBasis(
    projection.vectors,
    basis.map((link) => link.projection.vectors),
  );
  const angleTo = (found: Vectors, links: readonly Vectors[]) =>
    Math.max(...principalAngles(vectors, throughBasis(found, links)));
  const { fractionBits } = basis[0]?.task ?? task;
  return {
    maxAngle: angleTo(
      clear.vectors,
      basis.map((link) => link.clear.vectors),
    ),
    maxAngleUnrounded: angleTo(
      unrounded.vectors,
      basis.map((link) => link.unrounded.vectors),
    ),
    maxEigenvalueError: Math.max(...errors) / Math.abs(clear.eigenvalues[0]!),
    kept:
      task.method.kind === 'pca'
        ? { of: 'variance', part: varianceCaptured(vectors, totalScatter(features, fractionBits)) }
        : { of: 'separation', part: separation(projection.vectors, task, statistics) },
  };
}

/** What classes explain of the variance of the scores, those of all components together. */
function separation(vectors: Vectors, { fractionBits }: Task, statistics: Statistics): number {
  const along = (matrix: Vectors) => vectors.reduce((sum, w) => sum + squareAlong(w, matrix), 0);
  const whole = along(totalScatter(statistics, fractionBits));
  return whole === 0 ? 0 : along(betweenClassScatter(statistics, 0, fractionBits)) / whole;
}

/** wᵀ M w. */
function squareAlong(w: readonly number[], matrix: Vectors): number {
  return matrix.reduce((sum, row, i) => sum + w[i]! * row.reduce((t, x, j) => t + x * w[j]!, 0), 0);
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
