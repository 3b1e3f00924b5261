/** Where an owner's rows are, and how they are read. What that works with is loaded when it is read. */
import { createHash } from 'node:crypto';
import { COMMAND_CODES, readTextFile } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { OwnerStatistics, ReadingOptions, RowBatches, RowOptions } from '@eigenveil/statistics';
import type { FileRows } from '@eigenveil/statistics/files';
import { READING_OPTIONS, ROWS_FILE } from '@eigenveil/statistics/reading-options';
import type { StatisticsTask, Task } from '@eigenveil/task';
import { z } from 'zod';

/** Where rows are, and how they are written; the names of settings are those of the readers' options. */
export const ROW_SETTINGS = {
  data: {
    schema: z.string().min(1).optional(),
    ...ROWS_FILE,
  },
  query: {
    schema: z.string().min(1).optional(),
    description: 'instead of a file of rows: one with a SELECT of DuckDB that gives them',
    placeholder: 'FILE',
  },
  database: {
    schema: z.string().min(1).optional(),
    description: 'what --query reads: a database of DuckDB, which is not written to',
    placeholder: 'FILE',
  },
  ...READING_OPTIONS,
} as const;

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

export interface RowSettings extends ReadingOptions {
  readonly data?: string | undefined;
  readonly query?: string | undefined;
  readonly database?: string | undefined;
}

/** One owner's rows: of one file, of all files of a folder or a pattern, or of a query. */
export interface Rows {
  /** What is read, for people. */
  readonly title: string;
  read(task: Columns, options: RowOptions & Progress): RowBatches;
  /** SHA-256 of what was read, once it was: hexadecimal; undefined for a query, which says nothing about what it reads. */
  digest(): string | undefined;
  /** The same of what would be read, whose rows are not looked at. */
  digestOfBytes(): Promise<string | undefined>;
}

interface Progress {
  readonly onProgress?: ((rows: number, total: number | undefined) => void) | undefined;
}

/**
 * The rows that the settings of a command name.
 * @throws ERR_CONFIGURATION, unless they name them in one way; reading throws as `readRows` and `readStoredRows` do, ERR_FILE_UNREADABLE for a folder or
 *   pattern without files and for what is neither text nor Parquet, ERR_FILE_REPEATED for two files with the same rows, and ERR_ROW_OPTIONS for options
 *   that contradict each other or the files
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
      digest: () => undefined,
      digestOfBytes: async () => undefined,
      async *read(task, options) {
        const [{ readStoredRows }, { requireNoText }, sql] = await Promise.all([
          import('@eigenveil/statistics/duckdb'),
          import('@eigenveil/statistics/files'),
          readTextFile('--query', query),
        ]);
        requireNoText(query, settings);
        const stored = { query: sql, title: query, database };
        const { trim, missing, missingValues, defaultMissing, columns, numericLabels } = settings;
        const form = { trim, missing, missingValues, defaultMissing, columns, numericLabels };
        yield* readStoredRows(stored, task, { ...form, ...options, memoryMegabytes: memory });
      },
    };
  }
  const files = async () => (await import('@eigenveil/statistics/files')).rowsOfFiles(data!, settings);
  let found: FileRows | undefined;
  return {
    title: data!,
    digest: () => found?.digest(),
    async digestOfBytes() {
      return (await files()).digestOfBytes();
    },
    async *read(task, options) {
      found = await files();
      yield* found.read(task, options);
    },
  };
}

/**
 * The statistics in the result of a statement that "eigenveil-owner sql" printed.
 * @throws ERR_CONFIGURATION for a file that cannot be read, and as `statisticsOfResult`
 */
export async function sumsOf(
  file: string,
  task: Task,
  options: Pick<RowOptions, 'missing' | 'strict'>,
): Promise<{ readonly statistics: OwnerStatistics; readonly digest: string }> {
  const { statisticsOfResult } = await import('@eigenveil/statistics/sql');
  const text = await readTextFile('--statistics', file);
  const digest = createHash('sha256').update(text).digest('hex');
  return { statistics: statisticsOfResult(text, task, task.id, options), digest };
}

/**
 * A database sums columns as they stand.
 * @throws ERR_CONFIGURATION for a task with a basis, and for a histogram
 */
export function requireNoBasis({ basis, method }: Task): void {
  if (method.kind === 'histogram')
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      'the task is a histogram, which no statement of SQL counts: give the rows with "--data" or "--query"',
    );
  if (basis === undefined) return;
  throw new CodedError(
    COMMAND_CODES.ERR_CONFIGURATION,
    'the task stands on an earlier result, by which rows are reduced first: no statement of SQL does that; give the rows with "--data" or "--query"',
  );
}

/** Whether a file of this name is written as Parquet. */
export const isParquetName = (file: string) => file.toLowerCase().endsWith('.parquet');
