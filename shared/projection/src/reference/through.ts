/**
 * Rows through a chain: what is read for a task that stands on a basis, and the statistics of rows that are
 * reduced by it first.
 */
import {
  checkClipping,
  GrainWatch,
  type OwnerStatistics,
  type RowBatches,
  type SummingOptions,
  statisticsOfRows,
  ValueWatch,
} from '@eigenveil/statistics/owner';
import { type StatisticsTask, takesOwnFloor } from '@eigenveil/task';
import { type Link, Projector } from '../projector/projector.ts';

/** The columns that rows have for a task: with a basis, the features of the first link. */
export type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/** @param basis the links before the task, the first of the chain first; empty without a basis */
export function columnsFor({ features, labellings }: Columns, basis: readonly Link[]): Columns {
  return { features: basis[0]?.task.features ?? features, labellings };
}

/**
 * Does what `statisticsOfRows` does, with rows that are reduced by the basis first.
 * @param basis the links before the task, as `columnsFor` takes them
 * @param read starts reading these columns
 * @returns clipped cells and grains are those of the columns that were read
 * @throws as `statisticsOfRows` and `Projector`; ERR_CLIPPED also for the columns that were read
 */
export async function statisticsThrough<Options extends SummingOptions>(
  task: StatisticsTask,
  basis: readonly Link[],
  options: Options,
  read: (columns: Columns, options: Options) => RowBatches,
): Promise<OwnerStatistics> {
  const columns = columnsFor(task, basis);
  const last = basis.at(-1);
  if (last === undefined) return statisticsOfRows(task, options, (all) => read(columns, all));
  const projector = new Projector(last.task, last.projection, basis.slice(0, -1));
  const watches = [new ValueWatch(columns.features), new GrainWatch(columns.features)] as const;
  // An odd column that is read says nothing about components, and an odd component nothing about columns.
  const { onRemark, ...quiet } = options;
  const summed = await statisticsOfRows(task, quiet, (all) =>
    reduced(projector, watches, read(columns, { ...options, ...all })),
  );
  const { clippedCells } = projector;
  checkClipping(columns.features, { rows: summed.rows, clippedCells }, options);
  const [values, grains] = watches;
  for (const remark of values.remarks()) onRemark?.(remark);
  const found = takesOwnFloor(task) ? grains.found() : undefined;
  return { ...summed, clippedCells, ...(found && { grains: found }) };
}

async function* reduced(
  projector: Projector,
  watches: readonly { add(values: ArrayLike<number>): void }[],
  batches: RowBatches,
): RowBatches {
  for await (const batch of batches) {
    for (const { values } of batch) for (const watch of watches) watch.add(values);
    const rows = projector.transform(batch.map(({ values }) => values));
    yield batch.map((row, i) => ({ ...row, values: rows[i]! }));
  }
}
