/** Parquet files out of CSV files, and the other way. */
import { Engine, fileOf, parquetOf, textOf } from './engine.ts';

export interface ParquetColumn {
  readonly name: string;
  readonly type: 'DOUBLE' | 'VARCHAR';
}

/**
 * The rows of a CSV file that `csvLine` wrote, as a Parquet file.
 * @param columns all columns of the file, in its order
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
 */
export function writeParquet(
  csv: string,
  parquet: string,
  columns: readonly ParquetColumn[],
  memoryMegabytes?: number,
): Promise<void> {
  const types = columns.map(({ name, type }) => `${textOf(name)}: ${textOf(type)}`);
  const form = `header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${types.join(', ')}}`;
  return copied(parquet, memoryMegabytes, `SELECT * FROM read_csv(${fileOf(csv)}, ${form})`, 'parquet');
}

/**
 * The rows of a Parquet file as a CSV file with a header row.
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
 */
export function writeCsv(parquet: string, csv: string): Promise<void> {
  return copied(csv, undefined, `SELECT * FROM ${parquetOf(parquet)}`, 'csv');
}

async function copied(
  out: string,
  memoryMegabytes: number | undefined,
  select: string,
  format: 'csv' | 'parquet',
): Promise<void> {
  const engine = await Engine.open(out, { memoryMegabytes });
  try {
    await engine.copy(select, out, format);
  } finally {
    await engine.close();
  }
}
