/** From an owner's CSV file to its statistics. */

import type { StatisticsTask } from '@eigenveil/task';
import { type CsvOptions, readRowBatches } from './csv.ts';
import { type OwnerStatistics, statisticsOfRows } from './rows.ts';

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
export function statisticsOfCsv(
  source: AsyncIterable<Uint8Array>,
  task: StatisticsTask,
  options: CsvOptions = {},
): Promise<OwnerStatistics> {
  return statisticsOfRows(task, options, (counting) => readRowBatches(source, task, counting));
}
