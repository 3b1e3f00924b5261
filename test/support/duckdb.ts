/** An owner's DuckDB, in a test: it makes files of rows, and sums rows by the statement for a task. */
import { DuckDBInstance } from '@duckdb/node-api';

/** Runs a statement over files; the result as rows by column name. */
export async function queryDuckDb(statement: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const answer = await connection.runAndReadAll(statement);
  connection.closeSync();
  instance.closeSync();
  return answer.getRowObjectsJson();
}
