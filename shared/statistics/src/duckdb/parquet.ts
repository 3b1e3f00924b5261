/**
 * Parquet files as they stand: the names of their columns, their records where no task says what they are,
 * and copies from CSV and to it.
 */

import { type TypeProblems, typeProblems } from './columns.ts';
import { Engine, type EngineOptions, fileOf, parquetOf, textOf } from './engine.ts';

/** A record; the header comes first, with what its columns are not. */
interface StoredRecord {
  /** A cell is undefined for NULL, NaN and for what a task takes neither as a feature nor as a label. */
  readonly cells: readonly (string | undefined)[];
  readonly problems?: readonly TypeProblems[];
}

/**
 * The names of the columns, then the cells of each row: numbers by their shortest text, booleans as `true`
 * and `false`, texts as they stand.
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

/**
 * The names of the columns that `SELECT *` gives, in their order.
 * @throws ERR_FILE_UNREADABLE
 */
export async function parquetNames(engine: Engine, file: string): Promise<string[]> {
  const statement = `SELECT name, coalesce(num_children, 0)::INTEGER FROM parquet_schema(${fileOf(file)})`;
  const elements: { readonly name: string; readonly children: number }[] = [];
  const selection = await engine.select(statement, file);
  for await (const chunk of selection.chunks())
    for (let n = 0; n < chunk.rowCount; n += 1)
      elements.push({
        name: String(chunk.getColumnVector(0).getItem(n)),
        children: Number(chunk.getColumnVector(1).getItem(n)),
      });
  const names: string[] = [];
  // The first element is the root, and children follow their parent: only the root's own are columns.
  let at = 1;
  const pass = (count: number) => {
    for (let k = 0; k < count; k += 1) {
      const { children } = elements[at]!;
      at += 1;
      pass(children);
    }
  };
  for (let k = 0; k < (elements[0]?.children ?? 0); k += 1) {
    const { name, children } = elements[at]!;
    names.push(name);
    at += 1;
    pass(children);
  }
  return names;
}

interface ParquetColumn {
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
  const types = columns.map(({ name, type }) => `${textOf(name)}: ${textOf(type)}`);
  const form = `header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', columns = {${types.join(', ')}}`;
  const engine = await Engine.open(parquet, { memoryMegabytes });
  try {
    await engine.copy(`SELECT * FROM read_csv(${fileOf(csv)}, ${form})`, parquet);
  } finally {
    await engine.close();
  }
}
