/** DuckDB as a reader, in the process that runs it: one database at a time, one SELECT after the other, in chunks. */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBResult,
} from '@duckdb/node-api';
import type { Answer, ChunkMessage, Column, Planned, Request } from './messages.ts';

/** What stands in front of DuckDB's messages: the only words of them that are passed on. */
const KINDS = [
  'Binder Error',
  'Catalog Error',
  'Connection Error',
  'Conversion Error',
  'IO Error',
  'Invalid Input Error',
  'Missing Extension Error',
  'Not implemented Error',
  'Out of Memory Error',
  'Out of Range Error',
  'Parser Error',
  'Permission Error',
  'Serialization Error',
];

/** Types of numbers that are doubles or fit into one. */
const DOUBLES = /^(U?TINYINT|U?SMALLINT|U?INTEGER|FLOAT|DOUBLE)$/;
/** Types of items that stay what they are. */
const PLAIN = /^(BOOLEAN|UBIGINT|U?HUGEINT|BIGNUM|VARCHAR)$/;

interface Statement {
  readonly prepared: DuckDBPreparedStatement;
  readonly types: readonly string[];
  result?: DuckDBResult;
  /** The next chunk, which is fetched while one is written. */
  coming?: Promise<DuckDBDataChunk | null>;
}

class Missing extends Error {}

export class Reader {
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;
  #statements: Statement[] = [];

  /** Never throws. */
  async answer(request: Request): Promise<Answer> {
    try {
      return { value: await this.#do(request) };
    } catch (error) {
      if (error instanceof Missing) return { fault: 'missing' };
      const message = error instanceof Error ? error.message : '';
      return { fault: 'failed', kind: KINDS.find((it) => message.includes(`${it}:`)) ?? 'another error' };
    }
  }

  async #do(request: Request): Promise<Planned | ChunkMessage | undefined> {
    switch (request.do) {
      case 'open': {
        const { DuckDBInstance } = await load();
        this.#instance = await DuckDBInstance.create(request.database ?? ':memory:', request.settings);
        this.#connection = await this.#instance.connect();
        return undefined;
      }
      case 'select':
        return this.#select(request.sql);
      case 'chunk':
        return this.#chunk(this.#statements[request.statement]!);
      case 'run':
        await this.#open.run(request.sql);
        return undefined;
      case 'close':
        return this.#close();
    }
  }

  get #open(): DuckDBConnection {
    if (this.#connection === undefined) throw new Error('expected an open database');
    return this.#connection;
  }

  async #select(sql: string): Promise<Planned | undefined> {
    // To plan a statement may already change something: EXPORT DATABASE makes its folder. So it is only parsed at first.
    if (!(await this.#isOneSelect(sql))) return undefined;
    const { StatementType } = await load();
    const prepared = await (await this.#open.extractStatements(sql)).prepare(0);
    if (prepared.statementType !== StatementType.SELECT || prepared.parameterCount > 0) return undefined;
    const columns = Array.from({ length: prepared.columnCount }, (_, k) => k);
    const types = columns.map((k) => String(prepared.columnType(k)));
    const statement = this.#statements.push({ prepared, types }) - 1;
    return { statement, names: columns.map((k) => prepared.columnName(k)), types };
  }

  /** DuckDB's parser writes SELECT statements as JSON, and no others. */
  async #isOneSelect(sql: string): Promise<boolean> {
    const parsing = await this.#open.prepare(
      `SELECT json_extract_string(parsed, '$.error_type'), json_array_length(parsed, '$.statements')
       FROM (SELECT json_serialize_sql($1::VARCHAR) AS parsed)`,
    );
    parsing.bindVarchar(1, sql);
    const [[fault, count] = []] = await (await parsing.run()).getRows();
    if (fault === 'parser') throw new Error('Parser Error: what it says may quote the statement');
    return fault === null && Number(count) === 1;
  }

  async #chunk(statement: Statement): Promise<ChunkMessage | undefined> {
    statement.result ??= await statement.prepared.stream();
    const { result } = statement;
    const chunk = await (statement.coming ?? result.fetchChunk());
    delete statement.coming;
    if (chunk === null || chunk.rowCount === 0) return undefined;
    statement.coming = result.fetchChunk();
    statement.coming.catch(() => {}); // told when it is waited for
    return { rows: chunk.rowCount, columns: statement.types.map((type, k) => columnOf(chunk, k, type)) };
  }

  async #close(): Promise<undefined> {
    // Nothing may be closed while a chunk is on its way.
    await Promise.allSettled(this.#statements.map(({ coming }) => coming));
    this.#statements = [];
    this.#connection?.closeSync();
    this.#instance?.closeSync();
    [this.#connection, this.#instance] = [undefined, undefined];
  }
}

async function load(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch {
    throw new Missing();
  }
}

function columnOf(chunk: DuckDBDataChunk, k: number, type: string): Column {
  const vector = chunk.getColumnVector(k);
  const rows = chunk.rowCount;
  if (DOUBLES.test(type) || type === 'BIGINT') {
    const numbers = type === 'BIGINT' ? new BigInt64Array(rows) : new Float64Array(rows);
    let nulls: Uint8Array | undefined;
    for (let n = 0; n < rows; n += 1) {
      const item = vector.getItem(n);
      if (item !== null) numbers[n] = item as never;
      else {
        nulls ??= new Uint8Array(rows);
        nulls[n] = 1;
      }
    }
    return { numbers, nulls };
  }
  const isPlain = PLAIN.test(type);
  return {
    items: Array.from({ length: rows }, (_, n) => {
      const item = vector.getItem(n);
      return item === null || isPlain ? (item as string | bigint | boolean | null) : String(item);
    }),
  };
}
