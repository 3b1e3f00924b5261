/** The clear reference of the demo: the pooled rows decomposed without any protection and without a floor, for comparison only. */
import { flatResult, ofKind } from '@eigenveil/methods';
import {
  betweenClassScatter,
  type Components,
  columnsFor,
  decompose,
  type Link,
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
  /** Largest principal angle to the subspace of the same rows, rounded as the task rounds them, in radians; of a chain, through all of it. The floor is in it. */
  readonly maxAngle: number;
  /** The largest angle to the subspace of the rows as they are. */
  readonly maxAngleUnrounded: number;
  /** Largest |Δλ| over λ₁. */
  readonly maxEigenvalueError: number;
  /**
   * The purpose of the method in a number. For a PCA it is the part of the features' variance in the span of the vectors; for others it is what classes explain of the scores. Beside the part that the
   * result has, that which an exact task would have, without the floor.
   */
  readonly kept: { readonly of: 'variance' | 'separation'; readonly part: number; readonly exact: number };
}

/** A task with its result, and the same in the clear. */
export interface ComparedTask {
  readonly task: Task;
  readonly projection: Projection;
  readonly clear: Components;
  /** The components of the rows as they are. */
  readonly unrounded: Components;
}

/** The clear result in place of the computed one. */
export const clearly = ({ task, projection, clear }: Omit<ComparedTask, 'unrounded'>) => ({
  task,
  projection: { ...projection, ...flatResult(clear) },
});

/** The components of the rows as they are, with as much as the task declares. */
const asTheyAre = ({ task, projection, unrounded }: ComparedTask) => {
  const { mean, ...found } = flatResult(unrounded);
  return { task, projection: { ...projection, ...found, ...(projection.mean && mean && { mean }) } };
};

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
): Promise<{ comparison: Comparison; clear: Components; unrounded: Components }> {
  const summed = async (of: Task, links: readonly Link[], ignored: readonly string[] | 'others') => {
    // All rows come from one file here, so the bound is that of all owners together.
    const pooled = { ...of, maximumSamplesPerOwner: of.maximumSamplesPerOwner * of.maximumOwners };
    const options = { ignoredColumns: ignored };
    const { statistics } = await statisticsThrough(pooled, links, options, (columns, all) =>
      readRowBatches(readFileBytes(file), columns, all),
    );
    return statistics;
  };
  const statistics = await summed(task, basis.map(clearly), ignoredColumns);
  const program = { ...programOf({ ...task, exact: true }), minimumOwners: 1 };
  const clear = decompose(program, statistics);
  const rows = new UnroundedRows(task, basis.map(asTheyAre));
  const read = readRowBatches(readFileBytes(file), columnsFor(task, basis), { ignoredColumns });
  for await (const batch of read) for (const { values, classes } of batch) rows.add(values, classes);
  const unrounded = ofKind('components', rows.result(program));
  const [first] = basis;
  const compared = { task, projection, clear, unrounded };
  const summedRows = {
    features: first === undefined ? statistics : await summed(first.task, [], 'others'),
    clear: statistics,
    // The computed vectors reduce rows to others than the clear ones do.
    computed: first === undefined ? statistics : await summed(task, basis, ignoredColumns),
  };
  return { comparison: compare(compared, basis, summedRows), clear, unrounded };
}

/** The sums over the rows: the features of the first link, and the task's own, by the clear basis and by the computed one. */
type SummedRows = Readonly<Record<'features' | 'clear' | 'computed', Statistics>>;

function compare(
  { task, projection, clear, unrounded }: ComparedTask,
  basis: readonly ComparedTask[],
  summed: SummedRows,
): Comparison {
  const errors = clear.eigenvalues.map((value, i) => Math.abs(value - projection.eigenvalues[i]!));
  const through = (of: 'projection' | 'clear' | 'unrounded') =>
    throughBasis(
      { projection, clear, unrounded }[of].vectors,
      basis.map((link) => link[of].vectors),
    );
  const vectors = through('projection');
  const angleTo = (found: Vectors) => Math.max(...principalAngles(vectors, found));
  const { fractionBits } = basis[0]?.task ?? task;
  const variance = (found: Vectors) => varianceCaptured(found, totalScatter(summed.features, fractionBits));
  return {
    maxAngle: angleTo(through('clear')),
    maxAngleUnrounded: angleTo(through('unrounded')),
    maxEigenvalueError: Math.max(...errors) / Math.abs(clear.eigenvalues[0]!),
    kept:
      task.method.kind === 'pca'
        ? { of: 'variance', part: variance(vectors), exact: variance(through('clear')) }
        : {
            of: 'separation',
            part: separation(projection.vectors, task, summed.computed),
            exact: separation(clear.vectors, task, summed.clear),
          },
  };
}

/** The part of the variance of the scores that classes explain, for all components together. */
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

/** The vectors over components as vectors over the features of the first link, up to their lengths: every component has the same range. */
function throughBasis(vectors: Vectors, basis: readonly Vectors[]): Vectors {
  return basis.reduceRight<Vectors>(
    (over, link) =>
      over.map((vector) =>
        link[0]!.map((_, i) => vector.reduce((sum, entry, c) => sum + entry * link[c]![i]!, 0)),
      ),
    vectors,
  );
}
