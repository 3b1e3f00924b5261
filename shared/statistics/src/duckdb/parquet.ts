/** Writes Parquet. */
import { Engine } from './engine.ts';

export interface ParquetColumn {
  readonly name: string;
  readonly type: 'DOUBLE' | 'VARCHAR';
}

/**
 * The rows of a CSV file that `csvLine` wrote, as a Parquet file.
 * @param columns all columns of the file, in its order
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
 */
export async function writeParquet(
  csv: string,
  parquet: string,
  columns: readonly ParquetColumn[],
  memoryMegabytes?: number,
): Promise<void> {
  const engine = await Engine.open(parquet, { memoryMegabytes });
  try {
    await engine.copy(csv, parquet, columns);
  } finally {
    engine.close();
  }
}
