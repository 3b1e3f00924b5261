/** The rows of a data set, dealt to owners as the benchmarks do, and what each owner makes of its own. */
import {
  type CsvRow,
  Discretiser,
  readFileBytes,
  readRows,
  type Statistics,
  StatisticsAccumulator,
} from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { PUBLISHED_OWNERS } from './published.ts';

export const OWNERS = PUBLISHED_OWNERS;

/** The rows of OWNERS owners, dealt in turn. */
export async function dealRows(
  file: string,
  task: StatisticsTask,
  ignoredColumns: readonly string[],
): Promise<CsvRow[][]> {
  const owners = Array.from({ length: OWNERS }, (): CsvRow[] => []);
  let row = 0;
  for await (const cells of readRows(readFileBytes(file), task, { ignoredColumns })) {
    owners[row % OWNERS]!.push(cells);
    row += 1;
  }
  return owners;
}

/** Discretises and sums. */
export function sumRows(task: StatisticsTask, rows: readonly CsvRow[]): Statistics {
  const discretiser = new Discretiser(task);
  const accumulator = new StatisticsAccumulator(task);
  for (const { values, classes } of rows) accumulator.add(discretiser.discretise(values), classes);
  return accumulator.statistics();
}
