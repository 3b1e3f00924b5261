/** The records of a Parquet file of which no task says what they are, as texts that mean what their values mean. */
import { type TypeProblems, typeProblems } from './columns.ts';
import { Engine, type EngineOptions, parquetOf } from './engine.ts';
import { parquetNames } from './parquet-names.ts';

/** A record; the header comes first, with what its columns are not. */
export interface StoredRecord {
  /** Undefined for NULL, NaN and for what a task takes neither as a feature nor as a label. */
  readonly cells: readonly (string | undefined)[];
  readonly problems?: readonly TypeProblems[];
}

/**
 * The names of the columns, then the cells of each row: numbers by their shortest text, booleans as `true` and `false`, texts as they stand.
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
 */
export async function* readStoredRecords(
  file: string,
  { memoryMegabytes }: Pick<EngineOptions, 'memoryMegabytes'>,
): AsyncGenerator<StoredRecord> {
  const engine = await Engine.open(file, { memoryMegabytes });
  try {
    const selection = await engine.select(`SELECT * FROM ${parquetOf(file)}`, file);
    const problems = selection.names.map((_, k) => typeProblems(selection.typeOf(k), true));
    yield { cells: await parquetNames(engine, file), problems };
    const isText = problems.map(({ feature, label }) => feature === undefined || label === undefined);
    for await (const chunk of selection.chunks()) {
      const columns = isText.map((_, k) => chunk.getColumnVector(k));
      for (let n = 0; n < chunk.rowCount; n += 1)
        yield {
          cells: isText.map((is, k) => {
            const item: unknown = is ? columns[k]!.getItem(n) : null;
            return item === null || Number.isNaN(item) ? undefined : String(item);
          }),
        };
    }
  } finally {
    await engine.close();
  }
}
