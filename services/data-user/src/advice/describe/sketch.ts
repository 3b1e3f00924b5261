/**
 * Says what a sketch costs in accuracy on the sample that it was drafted from, in words for the person who
 * drafts.
 */
import {
  type ClaimedProjection,
  type Sketch,
  sketchEigen,
  sketchOf,
  sketchRefusal,
  symmetricEigen,
} from '@eigenveil/projection/portable';
import { Discretiser, StatisticsAccumulator, sketchMatrix } from '@eigenveil/statistics/owner';
import { programOf, type TaskProposal } from '@eigenveil/task';
import type { ReadSampleRows } from '../draft/sample.ts';
import { describeFloor, hasForecast, partsWithFloor } from './forecast-floor.ts';

/** The most rows of which the exact components are computed beside the sketch's, in a second or so. */
const MOST_ROWS = 500;
/** The number of values on which noise is drawn within a few seconds. */
const MOST_NOISE = 100_000;
/** Signs of this draft alone: nobody knows those of the task before it is signed. */
const EXAMPLE_SEED = new Uint8Array(32);

/**
 * @param read starts reading the rows that the task was drafted from, of which the first are read
 * @param refined the result that the sketch refines
 * @throws as `read`
 */
export async function describeSketch(
  read: ReadSampleRows,
  task: TaskProposal,
  refined?: Pick<ClaimedProjection, 'vectors'>,
): Promise<string[]> {
  const { sketch, components } = task;
  const { columns } = sketch!;
  const rows = await firstRows(read, task);
  if (rows.length - 1 <= columns)
    return [
      `all owners together need at least ${columns + 2} rows, and the sample has ${rows.length}: with fewer the task ends with ERR_FULL_RANK`,
    ];
  const signs = sketchMatrix(EXAMPLE_SEED, task, refined?.vectors);
  const accumulator = new StatisticsAccumulator({ ...task, maximumSamplesPerOwner: MOST_ROWS }, signs);
  for (const row of rows) accumulator.add(row, []);
  const statistics = accumulator.statistics();
  const made = sketchOf(statistics, signs, task);
  if (sketchRefusal(made, rows.length) !== undefined)
    return [
      `in the sample fewer than ${columns} features vary on their own: the task would end with ERR_FULL_RANK; take fewer columns`,
    ];
  const { total, best, capturedBy } = variances(rows, components);
  const partOf = (sketch: Sketch) => capturedBy(sketchEigen(sketch).vectors.slice(0, components)) / total;
  const captured = total * partOf(made);
  const program = programOf(task);
  const given = { statistics, rows: rows.length, count: 1 };
  const forecast =
    hasForecast(task) && signs.length <= MOST_NOISE
      ? {
          of: 'variance' as const,
          exact: captured / total,
          floor: partsWithFloor(task, given, (noised) => partOf(sketchOf(noised, signs, program)), signs),
        }
      : undefined;
  return [
    `in the first ${rows.length} rows of the sample, ${components} components of a sketch of ${columns} columns capture ${percent(captured / total)} of the variance, exact ones ${percent(best / total)}: ${percent((best - captured) / best)} of that is lost`,
    ...describeFloor(task, forecast),
  ];
}

/** Discretised, as the task would have them. */
async function firstRows(read: ReadSampleRows, task: TaskProposal): Promise<Float64Array[]> {
  const discretiser = new Discretiser(task);
  const rows: Float64Array[] = [];
  for await (const batch of read(task, { ignoredColumns: 'others' })) {
    for (const { values } of batch.slice(0, MOST_ROWS - rows.length)) {
      const row = new Float64Array(values.length);
      discretiser.write(values, 0, row);
      rows.push(row);
    }
    if (rows.length === MOST_ROWS) break;
  }
  return rows;
}

/**
 * Returns the variance of the rows, of the given number of exact components, and of vectors, all in one unit.
 */
function variances(rows: readonly Float64Array[], components: number) {
  const mean = rows[0]!.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
  const centred = rows.map((row) => row.map((cell, i) => cell - mean[i]!));
  // Rows are fewer than features, mostly: their products have the same eigenvalues.
  const { values } = symmetricEigen(centred.map((one) => centred.map((other) => inner(one, other))));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, value) => all + value, 0);
  return {
    total: sum(values),
    best: sum(values.slice(0, components)),
    capturedBy: (vectors: readonly (readonly number[])[]) =>
      sum(vectors.map((vector) => sum(centred.map((row) => inner(row, vector) ** 2)))),
  };
}

function inner(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i]! * other[i]!;
  return sum;
}

function percent(part: number): string {
  return `${(100 * part).toPrecision(2)} %`;
}
