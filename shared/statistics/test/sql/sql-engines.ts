/** The databases that statements are tried on, behind one interface, with tables of doubles and labels. */
import { DuckDBInstance } from '@duckdb/node-api';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import pg from 'pg';
import type { DialectName } from '../../src/sql/dialects.ts';

export type Cell = number | string | null;

export interface Engine {
  readonly dialect: DialectName;
  /** Makes a table `rows` of float8 and text columns, by what the first row holds; replaces one that is there. */
  load(
    columns: readonly string[],
    types: readonly string[],
    rows: readonly (readonly Cell[])[],
  ): Promise<void>;
  /** The result as rows by column name. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const literal = (cell: Cell, type: string) => {
  if (cell === null) return 'NULL';
  const text = Object.is(cell, -0) ? '-0' : `${cell}`;
  return `CAST('${text.replaceAll("'", "''")}' AS ${type})`;
};
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

function loading(run: (sql: string) => Promise<unknown>): Engine['load'] {
  return async (columns, types, rows) => {
    const declared = columns.map((name, i) => `${quoted(name)} ${types[i]}`);
    await run(`DROP TABLE IF EXISTS rows; CREATE TABLE rows (${declared.join(', ')})`);
    const values = rows.map((row) => `(${row.map((cell, i) => literal(cell, types[i]!)).join(', ')})`);
    if (values.length > 0) await run(`INSERT INTO rows VALUES ${values.join(', ')}`);
  };
}

export async function duckdb(): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  return {
    dialect: 'duckdb',
    load: loading((sql) => connection.run(sql)),
    query: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export async function postgres(): Promise<Engine> {
  const client = new pg.Client({ connectionString: await databaseOfRun() });
  await client.connect();
  return {
    dialect: 'postgres',
    load: loading((sql) => client.query(sql)),
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    close: () => client.end(),
  };
}
