/** From an owner's CSV file to its statistics. */

import type { StatisticsTask } from '@eigenveil/task';
import { type CsvOptions, readRows } from './csv.ts';
import { StatisticsError } from './errors.ts';
import { RowAccumulator } from './row-accumulator.ts';
import type { Statistics } from './statistics.ts';

export interface OwnerStatistics {
  readonly statistics: Statistics;
  readonly rows: number;
  /** Per feature, how many cells lay outside its range and were clipped. */
  readonly clippedCells: readonly number[];
  /** How many rows were longer than the clipping norm and were scaled down; none without differential privacy. */
  readonly clippedRows: number;
  /** How many rows were left out since a cell is missing: see CsvOptions. */
  readonly skippedRows: number;
}

/**
 * Reads, discretises and sums all rows of a CSV file.
 * @param source the file's bytes, see `readFileBytes`
 * @throws as `readRows`, and ERR_NO_ROWS, ERR_TOO_MANY_ROWS, ERR_TASK_INVALID, ERR_DP_PARAMETER
 * @example
 * import { flatten, readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
 *
 * const { statistics, rows } = await statisticsOfCsv(readFileBytes('rows.csv.gz'), task);
 * const values = flatten(task, statistics);
 */
export async function statisticsOfCsv(
  source: AsyncIterable<Uint8Array>,
  task: StatisticsTask,
  options: CsvOptions = {},
): Promise<OwnerStatistics> {
  const accumulator = new RowAccumulator(task);
  let skippedRows = 0;
  const onSkippedRow = () => {
    skippedRows += 1;
    options.onSkippedRow?.();
  };
  for await (const { values, classes } of readRows(source, task, { ...options, onSkippedRow })) {
    accumulator.addClassed(values, classes);
  }
  const { rows, clippedCells, clippedRows } = accumulator;
  if (rows === 0 && skippedRows > 0) {
    const message = `expected at least one whole row, got none: a cell is missing in each of ${skippedRows}`;
    throw new StatisticsError('ERR_NO_ROWS', message);
  }
  return { statistics: accumulator.statistics(), rows, clippedCells, clippedRows, skippedRows };
}
