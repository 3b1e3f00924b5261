/** Rows through a chain: what is read for a task that stands on a basis, and the statistics of rows that are reduced by it first. */
import {
  type OwnerStatistics,
  type RowBatches,
  type RowOptions,
  statisticsOfRows,
} from '@eigenveil/statistics/owner';
import type { StatisticsTask } from '@eigenveil/task';
import { type Link, Projector } from './projector.ts';

/** What rows have for a task: with a basis, the features of the first link. */
export type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/** @param basis the links before the task, the first of the chain first; empty without a basis */
export function columnsFor({ features, labellings }: Columns, basis: readonly Link[]): Columns {
  return { features: basis[0]?.task.features ?? features, labellings };
}

/**
 * As `statisticsOfRows`, of rows that are reduced by the basis first.
 * @param basis the links before the task, as `columnsFor` takes them
 * @param read starts reading these columns
 * @returns clipped cells are those of the columns that were read
 * @throws as `statisticsOfRows` and `Projector`
 */
export async function statisticsThrough<Options extends RowOptions>(
  task: StatisticsTask,
  basis: readonly Link[],
  options: Options,
  read: (columns: Columns, options: Options) => RowBatches,
): Promise<OwnerStatistics> {
  const columns = columnsFor(task, basis);
  const last = basis.at(-1);
  if (last === undefined) return statisticsOfRows(task, options, (all) => read(columns, all));
  const projector = new Projector(last.task, last.projection, basis.slice(0, -1));
  const summed = await statisticsOfRows(task, options, (all) => reduced(projector, read(columns, all)));
  return { ...summed, clippedCells: projector.clippedCells };
}

async function* reduced(projector: Projector, batches: RowBatches): RowBatches {
  for await (const batch of batches) {
    const rows = projector.transform(batch.map(({ values }) => values));
    yield batch.map((row, i) => ({ ...row, values: rows[i]! }));
  }
}
