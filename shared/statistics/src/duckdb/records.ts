/** The records of a Parquet file of which no task says what they are, as texts that mean what their values mean. */
import { StatisticsError } from '../errors.ts';
import { labelReader, numberReader } from './columns.ts';
import { Engine, type EngineOptions, parquetOf } from './engine.ts';
import { parquetNames } from './parquet-names.ts';

/**
 * The names of the columns, then the cells of each row: numbers by their shortest text, booleans as `true` and `false`, texts as they stand; undefined for
 * NULL, NaN and for what a task takes neither as a feature nor as a label.
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
 */
export async function* readStoredRecords(
  file: string,
  { memoryMegabytes }: Pick<EngineOptions, 'memoryMegabytes'>,
): AsyncGenerator<readonly (string | undefined)[]> {
  const engine = await Engine.open(file, { memoryMegabytes });
  try {
    yield await parquetNames(engine, file);
    const selection = await engine.select(`SELECT * FROM ${parquetOf(file)}`, file);
    const readers = selection.names.map((name, k) => textReader(name, selection.typeOf(k)));
    for await (const chunk of selection.chunks()) {
      const columns = readers.map((_, k) => chunk.getColumnVector(k));
      for (let n = 0; n < chunk.rowCount; n += 1)
        yield readers.map((read, k) => {
          const item: unknown = columns[k]!.getItem(n);
          return item === null || Number.isNaN(item) ? undefined : read(item);
        });
    }
  } finally {
    await engine.close();
  }
}

function textReader(name: string, type: string): (item: unknown) => string | undefined {
  for (const reader of [() => labelReader(name, type, true), () => numberReader(name, type)]) {
    try {
      const read = reader();
      return (item) => String(read(item));
    } catch (error) {
      if (!(error instanceof StatisticsError)) throw error;
    }
  }
  return () => undefined;
}
