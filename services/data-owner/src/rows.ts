/** Where an owner's rows are, and how they are read. What that works with is loaded when it is read. */
import { createHash } from 'node:crypto';
import { access, glob } from 'node:fs/promises';
import { ConfigurationError, CSV_SETTINGS, readTextFile } from '@eigenveil/command';
import type { CsvOptions, OwnerStatistics, RowBatches, RowOptions } from '@eigenveil/statistics';
import type { StatisticsTask, Task } from '@eigenveil/task';
import { z } from 'zod';

/** Where rows are, and how they are written; the names of settings are those of the readers' options. */
export const ROW_SETTINGS = {
  data: {
    schema: z.string().min(1).optional(),
    description:
      'CSV file with a header row, plain or .gz, or Parquet file; * and ** name several, in quotes',
    placeholder: 'FILE',
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
  memory: {
    schema: z.int().min(64),
    description: 'what DuckDB may use at most, in MB; it reads all but CSV',
    default: 512,
    placeholder: 'NUMBER',
  },
  ...CSV_SETTINGS,
} as const;

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

export interface RowSettings extends Pick<CsvOptions, 'separator' | 'decimal' | 'trim' | 'missing'> {
  readonly data?: string | undefined;
  readonly query?: string | undefined;
  readonly database?: string | undefined;
  readonly memory?: number | undefined;
}

/** One owner's rows: of one file, of all files that a pattern names, or of a query. */
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
  readonly onProgress?: (rows: number, total: number | undefined) => void;
}

/**
 * The rows that the settings of a command name.
 * @throws ERR_CONFIGURATION, unless they name them in one way; reading throws as `readRows` and `readStoredRows` do, and ERR_FILE_UNREADABLE for a pattern
 *   that no file has
 */
export function rowsOf({ data, query, database, memory, ...form }: RowSettings): Rows {
  if (database !== undefined && query === undefined)
    throw new ConfigurationError('"--database" expected with "--query", a file with a SELECT');
  if ((data === undefined) === (query === undefined))
    throw new ConfigurationError('"--data" or "--query" expected, one of them');
  const hash = createHash('sha256');
  const digest = () => hash.copy().digest('hex');
  const isParquet = data !== undefined && isParquetName(data);
  if (isParquet || query !== undefined) {
    const { separator, decimal } = form;
    if ((separator ?? 'comma') !== 'comma' || (decimal ?? 'point') !== 'point')
      throw new ConfigurationError('"--separator" and "--decimal" expected with CSV files alone');
  }
  if (query !== undefined) {
    return {
      title: query,
      digest: () => undefined,
      digestOfBytes: async () => undefined,
      async *read(task, options) {
        const [{ readStoredRows }, sql] = await Promise.all([duckdb(), readTextFile('--query', query)]);
        const stored = { query: sql, title: query, database };
        yield* readStoredRows(stored, task, { ...form, ...options, memoryMegabytes: memory });
      },
    };
  }
  const pattern = data!;
  return {
    title: pattern,
    digest,
    async digestOfBytes() {
      const { readFileBytes } = await import('@eigenveil/statistics');
      const bytesHash = createHash('sha256');
      for (const file of await filesOf(pattern))
        for await (const bytes of readFileBytes(file)) bytesHash.update(bytes);
      return bytesHash.digest('hex');
    },
    async *read(task, options) {
      const files = await filesOf(pattern);
      if (isParquet) {
        const [{ readStoredRows }, { readFileBytes }] = await Promise.all([
          duckdb(),
          import('@eigenveil/statistics'),
        ]);
        for (const file of files) for await (const bytes of readFileBytes(file)) hash.update(bytes);
        const stored = { parquet: files };
        yield* readStoredRows(stored, task, { ...form, ...options, memoryMegabytes: memory });
        return;
      }
      for (const file of files) yield* readCsv(file, files.length > 1, task, { ...form, ...options }, hash);
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
    throw new ConfigurationError(
      'the task is a histogram, which no statement of SQL counts: give the rows with "--data" or "--query"',
    );
  if (basis === undefined) return;
  throw new ConfigurationError(
    'the task stands on an earlier result, by which rows are reduced first: no statement of SQL does that; give the rows with "--data" or "--query"',
  );
}

/** Whether this may name several files. */
export const isPattern = (file: string) => /[*?[{]/.test(file);

/** Whether a file of this name is Parquet. */
export const isParquetName = (file: string) => file.toLowerCase().endsWith('.parquet');

const duckdb = () => import('@eigenveil/statistics/duckdb');

async function* readCsv(
  file: string,
  isOneOfMany: boolean,
  task: Columns,
  options: CsvOptions,
  hash: { update(bytes: Uint8Array): unknown },
): RowBatches {
  const { readFileBytes, readRowBatches, StatisticsError } = await import('@eigenveil/statistics');
  async function* bytes() {
    for await (const chunk of readFileBytes(file)) {
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    yield* readRowBatches(bytes(), task, options);
  } catch (error) {
    if (!isOneOfMany || !(error instanceof StatisticsError) || error.code === 'ERR_FILE_UNREADABLE')
      throw error;
    throw new StatisticsError(error.code, `${JSON.stringify(file)}, ${error.message}`, { cause: error });
  }
}

/** The files that a pattern names, sorted, so that rows have one order. A file of that very name comes first. */
async function filesOf(pattern: string): Promise<string[]> {
  const isThere = await access(pattern).then(
    () => true,
    () => false,
  );
  if (isThere || !isPattern(pattern)) return [pattern];
  const files: string[] = [];
  for await (const file of glob(pattern)) files.push(file);
  if (files.length > 0) return files.sort();
  const { StatisticsError } = await import('@eigenveil/statistics');
  throw new StatisticsError('ERR_FILE_UNREADABLE', `${JSON.stringify(pattern)} expected files, got none`);
}
