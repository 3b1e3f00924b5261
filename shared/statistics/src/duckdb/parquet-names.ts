/** The names of a Parquet file's columns as they stand: DuckDB changes those that differ from another one in case alone. */
import { type Engine, fileOf } from './engine.ts';

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
