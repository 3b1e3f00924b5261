/** Where an owner's rows are, and how their statistics are made of them. What that works with is loaded when it is read. */
import { ConfigurationError, readTextFile } from '@eigenveil/command';
import type { CsvOptions, OwnerStatistics } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';

interface RowSettings extends Omit<CsvOptions, 'ignoredColumns' | 'keptColumns' | 'onSkippedRow'> {
  readonly data?: string | undefined;
  readonly statistics?: string | undefined;
  readonly ignore: readonly string[];
}

interface Rows {
  /** What is read, for people. */
  readonly file: string;
  readonly read: (task: Task) => Promise<OwnerStatistics>;
}

/**
 * The rows that the settings of a command name, in one of the ways that there are.
 * @throws ERR_CONFIGURATION, unless they name one; `read` throws as `statisticsOfCsv` and `statisticsOfResult` do
 */
export function rowsOf({ data, statistics, ignore, ...options }: RowSettings): Rows {
  if ((data === undefined) === (statistics === undefined))
    throw new ConfigurationError('"--data" or "--statistics" expected, one of them');
  if (data !== undefined) {
    return {
      file: data,
      async read(task) {
        const { readFileBytes, statisticsOfCsv } = await import('@eigenveil/statistics');
        return statisticsOfCsv(readFileBytes(data), task, { ...options, ignoredColumns: ignore });
      },
    };
  }
  const file = statistics!;
  return {
    file,
    async read(task) {
      const { statisticsOfResult } = await import('@eigenveil/statistics/sql');
      return statisticsOfResult(await readTextFile('--statistics', file), task, task.id, options);
    },
  };
}
