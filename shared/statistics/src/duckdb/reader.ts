/**
 * DuckDB as a reader, in the process that runs it: one database at a time, one SELECT after the other, in
 * chunks.
 */
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
  ARRAYS,
  type ChunkMessage,
  type Item,
  type Items,
  type Kind,
  kindOf,
  type Nulls,
  type Planned,
  type Request,
} from './messages.ts';

/** The words in front of DuckDB's messages, the only ones of them that are passed on. */
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
 * About the number of bytes in a message: fewer cost more time, and more cost memory where there are many
 * columns.
 */
const MESSAGE_BYTES = 1024 * 1024;
const FEWEST_ROWS = 64;
const NUMBER_BYTES = 8;
interface Statement {
  readonly prepared: DuckDBPreparedStatement;
  readonly kinds: readonly Kind[];
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
  async answer(request: Request): Promise<{ readonly answer: Answer; readonly numbers?: Uint8Array }> {
    try {
      if (request.do !== 'chunk') return { answer: { value: await this.#do(request) } };
      const rows = await this.#chunk(this.#statements[request.statement]!);
      if (rows === undefined) return { answer: { value: undefined } };
      return { answer: { value: rows.message }, numbers: rows.numbers };
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
    // To plan a statement may already change something: EXPORT DATABASE makes its folder. So it is only
    // parsed at first.
    if (!(await this.#isOneSelect(sql))) return undefined;
    const { StatementType } = await load();
    const prepared = await (await this.#open.extractStatements(sql)).prepare(0);
    if (prepared.statementType !== StatementType.SELECT || prepared.parameterCount > 0) return undefined;
    const columns = Array.from({ length: prepared.columnCount }, (_, k) => k);
    const types = columns.map((k) => String(prepared.columnType(k)));
    const statement = this.#statements.push({ prepared, kinds: types.map(kindOf), sent: 0 }) - 1;
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
    const { chunk, sent, kinds } = statement;
    const most = Math.max(FEWEST_ROWS, Math.floor(MESSAGE_BYTES / NUMBER_BYTES / kinds.length));
    statement.sent = Math.min(chunk.rowCount, sent + most);
    return rowsOf(chunk, kinds, sent, statement.sent);
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
  readonly numbers: Uint8Array;
}

/** The rows from one to before another. */
function rowsOf(chunk: DuckDBDataChunk, kinds: readonly Kind[], from: number, to: number): SentRows {
  const rows = to - from;
  const width = kinds.filter((kind) => ARRAYS[kind] !== undefined).length;
  const numbers = Buffer.allocUnsafeSlow(rows * width * NUMBER_BYTES);
  let at = 0;
  const columns = kinds.map((kind, k) => {
    const vector = chunk.getColumnVector(k);
    const Values = ARRAYS[kind];
    if (Values === undefined) return itemsOf(vector, kind, from, to);
    const values = new Values(numbers.buffer, at, rows);
    at += values.byteLength;
    return writeNumbers(vector, from, values);
  });
  return { message: { rows, columns }, numbers };
}

/** DuckDB's texts, in as many words each: what short ones say, and where long ones lie. */
const TEXT_WORDS = 4;
const SLOTS = 256;

function itemsOf(vector: DuckDBVector, kind: Kind, from: number, to: number): Items {
  const words = kind === 'texts' ? wordsOf(vector) : undefined;
  if (words !== undefined) return textsOf(vector, words, from, to);
  const items: Item[] = [];
  for (let n = from; n < to; n += 1) {
    const item = vector.getItem(n);
    items.push(item === null || kind !== 'written' ? (item as Item) : String(item));
  }
  return { items };
}

/**
 * Texts, of which those that came shortly before are not made once more: labels are few, and to make one
 * takes longer than all else of a row.
 */
function textsOf(vector: DuckDBVector, words: Uint32Array, from: number, to: number): Items {
  const items: Item[] = [];
  const codes = new Uint16Array(to - from);
  /** The row that each item is from; and by slot, the last item. */
  const rows: number[] = [];
  const last = new Int16Array(SLOTS).fill(-1);
  for (let n = from; n < to; n += 1) {
    let slot = 0;
    for (let k = 0; k < TEXT_WORDS; k += 1) slot = Math.imul(slot ^ words[n * TEXT_WORDS + k]!, 0x9e3779b1);
    slot >>>= 24;
    let code = last[slot]!;
    for (let k = 0; k < TEXT_WORDS && code >= 0; k += 1)
      if (words[n * TEXT_WORDS + k] !== words[rows[code]! * TEXT_WORDS + k]) code = -1;
    if (code < 0) {
      code = items.push(vector.getItem(n) as string) - 1;
      rows.push(n);
      last[slot] = code;
    }
    codes[n - from] = code;
  }
  return { items, codes };
}

/** Fills with the numbers of a vector from one on; returns where there are none. */
function writeNumbers(vector: DuckDBVector, from: number, values: Float64Array | BigInt64Array): Nulls {
  const memory = memoryOf(vector);
  if (memory !== undefined) {
    values.set(memory.subarray(from, from + values.length) as never);
    return undefined;
  }
  const nulls = new Uint8Array(values.length);
  for (let n = 0; n < values.length; n += 1) {
    const item = vector.getItem(from + n);
    nulls[n] = Number(item === null);
    if (item !== null) values[n] = item as never;
  }
  return nulls;
}

/**
 * The private memory of vectors; what is public of them takes items one by one, which is ten times slower.
 */
interface Memory {
  readonly items?: unknown;
  readonly dataView?: unknown;
  readonly validity?: { readonly data?: unknown };
}

/** The numbers of a vector, none of which is NULL. */
function memoryOf(vector: DuckDBVector): Float64Array | BigInt64Array | undefined {
  const { items, validity } = vector as unknown as Memory;
  return validity?.data === null && ArrayBuffer.isView(items)
    ? (items as Float64Array | BigInt64Array)
    : undefined;
}

/** Does the same for texts. */
function wordsOf(vector: DuckDBVector): Uint32Array | undefined {
  const { dataView, validity } = vector as unknown as Memory;
  return validity?.data === null && dataView instanceof DataView
    ? new Uint32Array(dataView.buffer, dataView.byteOffset, vector.itemCount * TEXT_WORDS)
    : undefined;
}
