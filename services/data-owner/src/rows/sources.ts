/** The places where an owner's rows are, and how they are read. */
import { COMMAND_CODES, readTextFile } from '@eigenveil/command';
import { methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import type { OwnerStatistics, ReadingOptions, RowBatches, RowOptions } from '@eigenveil/statistics';
import { requireNoText, rowsOfFiles } from '@eigenveil/statistics/files';
import { statisticsOfResult } from '@eigenveil/statistics/sql';
import type { StatisticsTask, Task } from '@eigenveil/task';

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

export interface RowSettings extends ReadingOptions {
  readonly data?: string | undefined;
  readonly query?: string | undefined;
  readonly database?: string | undefined;
}

/** One owner's rows: of one file, of all files of a folder or a pattern, or of a query. */
export interface Rows {
  /** The name of what is read, for people. */
  readonly title: string;
  read(task: Columns, options: RowOptions & Progress): RowBatches;
}

interface Progress {
  readonly onProgress?: ((rows: number, total: number | undefined) => void) | undefined;
}

/**
 * Returns the rows that the settings of a command name.
 * @throws ERR_CONFIGURATION, unless they name them in one way; reading throws as `readRows` and
 *   `readStoredRows` do, ERR_FILE_UNREADABLE for a folder or pattern without files and for a file that is
 *   neither text nor Parquet, ERR_FILE_REPEATED for two files with the same rows, and ERR_ROW_OPTIONS for
 *   options that contradict each other or the files
 */
export function rowsOf(settings: RowSettings): Rows {
  const { data, query, database, memory } = settings;
  if (database !== undefined && query === undefined)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--database" expected with "--query", a file with a SELECT',
    );
  if ((data === undefined) === (query === undefined))
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, '"--data" or "--query" expected, one of them');
  if (query !== undefined) {
    return {
      title: query,
      async *read(task, options) {
        const { readStoredRows } = await import('@eigenveil/statistics/duckdb'); // which few have installed
        const sql = await readTextFile('--query', query);
        requireNoText(query, settings);
        const stored = { query: sql, title: query, database };
        const { trim, missing, missingValues, defaultMissing, columns, numericLabels } = settings;
        const form = { trim, missing, missingValues, defaultMissing, columns, numericLabels };
        yield* readStoredRows(stored, task, { ...form, ...options, memoryMegabytes: memory });
      },
    };
  }
  return rowsOfFiles(data!, settings);
}

/** The sums of one owner's database, in the result of a statement that "eigenveil-owner sql" printed. */
export interface Sums extends Pick<Rows, 'title'> {
  /**
   * Reads the sums.
   * @throws ERR_CONFIGURATION for a file that cannot be read, and as `requireNoBasis` and
   *   `statisticsOfResult`
   */
  read(task: Task): Promise<OwnerStatistics>;
}

/** Returns the sums in a file, as the settings of a command name it. */
export function sumsOf(file: string, options: Pick<RowOptions, 'missing' | 'strict'>): Sums {
  return {
    title: file,
    async read(task) {
      requireNoBasis(task);
      const text = await readTextFile('--statistics', file);
      return statisticsOfResult(text, task, task.id, options);
    },
  };
}

/**
 * Checks that the task needs only sums of columns, which is all that a database computes.
 * @throws ERR_CONFIGURATION for a task with a basis, and for a histogram
 */
export function requireNoBasis(task: Task): void {
  if (methodOf(task).sums(task).counts.length > 0)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      'the task is a histogram, which no statement of SQL counts: give the rows with "--data" or "--query"',
    );
  if (task.basis === undefined) return;
  throw new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    'the task stands on an earlier result, by which rows are reduced first: no statement of SQL does that; give the rows with "--data" or "--query"',
  );
}

/** Returns whether a file of this name is written as Parquet. */
export const isParquetName = (file: string) => file.toLowerCase().endsWith('.parquet');
