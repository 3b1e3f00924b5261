/** DuckDB as a reader, in the process that runs it: one database at a time, one SELECT after the other, in chunks. */
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBVector,
} from '@duckdb/node-api';
import {
  type Answer,
  type ChunkMessage,
  type Item,
  kindOf,
  type Numbers,
  type Planned,
  type Request,
} from './messages.ts';

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

/**
 * A message of about so many bytes waits in the line between both processes as a whole, so that one can be written while the other one works on the one before.
 */
const MESSAGE_BYTES = 128 * 1024;
const FEWEST_ROWS = 64;
/** Types of items that stay what they are. */
const PLAIN = /^(BOOLEAN|UBIGINT|U?HUGEINT|BIGNUM|VARCHAR)$/;

interface Statement {
  readonly prepared: DuckDBPreparedStatement;
  readonly types: readonly string[];
  result?: DuckDBResult;
  /** The chunk at hand, and how many of its rows have been sent. */
  chunk?: DuckDBDataChunk;
  sent: number;
  /** The next one, which is fetched meanwhile. */
  coming?: Promise<DuckDBDataChunk | null>;
}

class Missing extends Error {}

export class Reader {
  #instance: DuckDBInstance | undefined;
  #connection: DuckDBConnection | undefined;
  #statements: Statement[] = [];

  /** Never throws. */
  async answer(
    request: Request,
  ): Promise<{ readonly answer: Answer; readonly numbers?: readonly (Float64Array | BigInt64Array)[] }> {
    try {
      if (request.do !== 'chunk') return { answer: { value: await this.#do(request) } };
      const rows = await this.#chunk(this.#statements[request.statement]!);
      if (rows === undefined) return { answer: { value: undefined } };
      return { answer: { value: rows.message }, numbers: [rows.doubles, rows.integers] };
    } catch (error) {
      if (error instanceof Missing) return { answer: { fault: 'missing' } };
      const message = error instanceof Error ? error.message : '';
      const kind = KINDS.find((it) => message.includes(`${it}:`)) ?? 'another error';
      return { answer: { fault: 'failed', kind } };
    }
  }

  async #do(request: Exclude<Request, { do: 'chunk' }>): Promise<Planned | undefined> {
    switch (request.do) {
      case 'open': {
        const { DuckDBInstance } = await load();
        this.#instance = await DuckDBInstance.create(request.database ?? ':memory:', request.settings);
        this.#connection = await this.#instance.connect();
        return undefined;
      }
      case 'select':
        return this.#select(request.sql);
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
    const statement = this.#statements.push({ prepared, types, sent: 0 }) - 1;
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

  async #chunk(statement: Statement): Promise<SentRows | undefined> {
    if (statement.chunk === undefined || statement.sent === statement.chunk.rowCount) {
      const chunk = await this.#nextChunk(statement);
      if (chunk === null || chunk.rowCount === 0) return undefined;
      statement.chunk = chunk;
      statement.sent = 0;
    }
    const { chunk, sent, types } = statement;
    const most = Math.max(FEWEST_ROWS, Math.floor(MESSAGE_BYTES / 8 / types.length));
    statement.sent = Math.min(chunk.rowCount, sent + most);
    return rowsOf(chunk, types, sent, statement.sent);
  }

  async #nextChunk(statement: Statement): Promise<DuckDBDataChunk | null> {
    statement.result ??= await statement.prepared.stream();
    const { result } = statement;
    const chunk = await (statement.coming ?? result.fetchChunk());
    delete statement.coming;
    if (chunk === null || chunk.rowCount === 0) return null;
    statement.coming = result.fetchChunk();
    statement.coming.catch(() => {}); // told when it is waited for
    return chunk;
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

interface SentRows {
  readonly message: ChunkMessage;
  readonly doubles: Float64Array;
  readonly integers: BigInt64Array;
}

/** The rows from one to before another, by kinds of columns. */
function rowsOf(chunk: DuckDBDataChunk, types: readonly string[], from: number, to: number): SentRows {
  const rows = to - from;
  const vectors = (kind: ReturnType<typeof kindOf>) =>
    types.flatMap((type, k) => (kindOf(type) === kind ? [chunk.getColumnVector(k)] : []));
  const [ofDoubles, ofIntegers] = [vectors('doubles'), vectors('integers')];
  const doubles = numbersOf(new Float64Array(rows * ofDoubles.length), ofDoubles, from, to);
  const integers = numbersOf(new BigInt64Array(rows * ofIntegers.length), ofIntegers, from, to);
  const message = {
    rows,
    nulls: { doubles: doubles.nulls, integers: integers.nulls },
    items: types.flatMap((type, k) =>
      kindOf(type) === 'items' ? [itemsOf(chunk.getColumnVector(k), PLAIN.test(type), from, to)] : [],
    ),
  };
  return { message, doubles: doubles.values, integers: integers.values };
}

function numbersOf<Values extends Float64Array | BigInt64Array>(
  values: Values,
  vectors: readonly DuckDBVector[],
  from: number,
  to: number,
): Numbers<Values> {
  let nulls: Uint8Array | undefined;
  let at = 0;
  for (const vector of vectors) {
    const whole = values instanceof Float64Array ? wholeDoubles(vector) : undefined;
    if (whole !== undefined) {
      (values as Float64Array).set(whole.subarray(from, to), at);
      at += to - from;
      continue;
    }
    for (let n = from; n < to; n += 1, at += 1) {
      const item = vector.getItem(n);
      if (item !== null) values[at] = item as Values[number];
      else {
        nulls ??= new Uint8Array(values.length);
        nulls[at] = 1;
      }
    }
  }
  return { values, nulls };
}

/** The memory of a vector of doubles none of which is NULL; what is public of it takes them one by one, which is ten times slower. */
function wholeDoubles(vector: DuckDBVector): Float64Array | undefined {
  const { items, validity } = vector as unknown as { items?: unknown; validity?: { data?: unknown } };
  return items instanceof Float64Array && validity?.data === null ? items : undefined;
}

function itemsOf(vector: DuckDBVector, isPlain: boolean, from: number, to: number): Item[] {
  return Array.from({ length: to - from }, (_, n) => {
    const item = vector.getItem(from + n);
    return item === null || isPlain ? (item as Item) : String(item);
  });
}
