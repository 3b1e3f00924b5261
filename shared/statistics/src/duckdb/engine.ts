/**
 * DuckDB as a reader, in a process of its own: it runs one SELECT at a time, loads no extension, writes
 * only a file that it is asked for, and its messages, which quote cells and statements, are not passed
 * on.
 */
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { STATISTICS_CODES, type StatisticsCode } from '../codes.ts';
import { DuckdbProcess, ProcessGone } from './child-process.ts';
import {
  type Answer,
  ARRAYS,
  type ChunkMessage,
  type Items,
  type Kind,
  kindOf,
  type Nulls,
  type Planned,
  type Request,
} from './messages.ts';

/** The most that DuckDB may use beside the memory of both processes, where nothing else is said. */
const DEFAULT_MEMORY_MEGABYTES = 512;
/** More threads hold more of a file in memory at a time, and one thread sums. */
const MOST_THREADS = 4;
/**
 * Chunks that are asked for before one is worked on, so that neither process waits for the other's answer.
 */
const CHUNKS_AHEAD = 4;
const NO_NUMBERS = new ArrayBuffer(0);
const PACKAGE = '@duckdb/node-api';
const VERSION = '1.5.5-r.5';

export interface EngineOptions {
  /** A database file, opened read-only. Default: none, and only files can be read. */
  readonly database?: string | undefined;
  readonly memoryMegabytes?: number | undefined;
  /** Default: as many as there are, up to four. */
  readonly threads?: number | undefined;
}

export class Engine {
  readonly #process: DuckdbProcess;

  private constructor(child: DuckdbProcess) {
    this.#process = child;
  }

  /**
   * `title` says for messages what is read, here and below.
   * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
   */
  static async open(title: string, { database, memoryMegabytes, threads }: EngineOptions): Promise<Engine> {
    const settings = {
      ...(database !== undefined && { access_mode: 'READ_ONLY' }),
      threads: `${threads ?? Math.min(MOST_THREADS, availableParallelism())}`,
      memory_limit: `${memoryMegabytes ?? DEFAULT_MEMORY_MEGABYTES}MB`,
      // Or rows would be written there in the clear when memory is short.
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      lock_configuration: 'true',
    };
    const engine = new Engine(DuckdbProcess.take());
    try {
      await told(engine.#process, title, 'ERR_FILE_UNREADABLE', { do: 'open', database, settings });
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /**
   * A statement, planned but not run.
   * @throws ERR_QUERY for anything except one SELECT without parameters, ERR_FILE_UNREADABLE
   */
  async select(sql: string, title: string): Promise<Selection> {
    const { value: planned } = await told(this.#process, title, 'ERR_QUERY', { do: 'select', sql });
    if (planned === undefined)
      throw new CodedError(
        STATISTICS_CODES.ERR_QUERY,
        `${JSON.stringify(title)} expected one SELECT statement without parameters, and nothing else`,
      );
    return new Selection(this.#process, planned as Planned, title);
  }

  /**
   * Writes what a SELECT gives into a Parquet file.
   * @throws ERR_FILE_UNREADABLE
   */
  async copy(select: string, out: string): Promise<void> {
    const sql = `COPY (${select}) TO ${textOf(localPath(out))} (FORMAT parquet)`;
    await told(this.#process, out, 'ERR_FILE_UNREADABLE', { do: 'run', sql });
  }

  /** Closes it, once nothing of it is used any more. */
  async close(): Promise<void> {
    await this.#process.ask({ do: 'close' }).catch(() => {}); // gone with its process
    this.#process.giveBack();
  }
}

/** A text as a literal. */
export const textOf = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A file to read, as a literal: this one alone, also where its name is a pattern that other files have. */
export const fileOf = (path: string) => textOf(localPath(path).replaceAll(/[*?[]/g, '[$&]'));

/** A Parquet file to select from. What folders are called is never data. */
export const parquetOf = (path: string) => `read_parquet(${fileOf(path)}, hive_partitioning = false)`;

/**
 * Writes a path that can be nothing else: what starts with ~ is a file like any other, and so is what starts
 * like an address.
 */
const localPath = (path: string) => (isAbsolute(path) ? path : `./${path}`);

/** Rows of a statement: the items of its columns. */
export interface Chunk {
  readonly rowCount: number;
  getColumnVector(column: number): Vector;
}

/** Columns of a statement, and its rows in chunks. */
export class Selection {
  readonly #process: DuckdbProcess;
  readonly #planned: Planned;
  readonly #title: string;

  constructor(child: DuckdbProcess, planned: Planned, title: string) {
    this.#process = child;
    this.#planned = planned;
    this.#title = title;
  }

  get names(): readonly string[] {
    return this.#planned.names;
  }

  /** Returns the type as DuckDB writes it, such as DECIMAL(18,3). */
  typeOf(column: number): string {
    return this.#planned.types[column]!;
  }

  /** Each is whole and stays as it is; those that come next are on their way meanwhile. */
  async *chunks(): AsyncGenerator<Chunk> {
    const request: Request = { do: 'chunk', statement: this.#planned.statement };
    const coming: ReturnType<typeof told>[] = [];
    const fetch = () => {
      const chunk = told(this.#process, this.#title, 'ERR_FILE_UNREADABLE', request);
      chunk.catch(() => {}); // told when it is waited for
      coming.push(chunk);
    };
    for (let k = 0; k < CHUNKS_AHEAD; k += 1) fetch();
    const kinds = this.#planned.types.map(kindOf);
    for (;;) {
      const { value, numbers = NO_NUMBERS } = (await coming.shift())!;
      if (value === undefined) return;
      fetch();
      const message = value as ChunkMessage;
      const vectors = vectorsOf(message, numbers, kinds);
      yield { rowCount: message.rows, getColumnVector: (column) => vectors[column]! };
    }
  }
}

export interface Vector {
  /** Its numbers, NaN where there is none; undefined where they did not come as numbers of 64 bits. */
  readonly doubles?: Float64Array | undefined;
  getItem(row: number): unknown;
}

class NumberVector implements Vector {
  readonly #values: Float64Array | BigInt64Array;
  readonly #nulls: Uint8Array | undefined;

  constructor(values: Float64Array | BigInt64Array, nulls: Uint8Array | undefined) {
    this.#values = values;
    this.#nulls = nulls;
  }

  get doubles(): Float64Array {
    const doubles = this.#values instanceof Float64Array ? this.#values : toDoubles(this.#values);
    this.#nulls?.forEach((isNull, row) => {
      if (isNull === 1) doubles[row] = Number.NaN;
    });
    return doubles;
  }

  getItem(row: number): unknown {
    return this.#nulls?.[row] === 1 ? null : this.#values[row];
  }
}

/** Each rounded once, to the nearest, as `Number` does it, without making a bigint of each. */
function toDoubles({ buffer, byteOffset, length }: BigInt64Array): Float64Array {
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = new Int32Array(buffer, byteOffset, 2 * length);
  const doubles = new Float64Array(length);
  for (let n = 0; n < length; n += 1) doubles[n] = high[2 * n + 1]! * 2 ** 32 + low[2 * n]!;
  return doubles;
}

const vectorOf = ({ items, codes }: Items): Vector => ({
  getItem: codes === undefined ? (row) => items[row] : (row) => items[codes[row]!],
});

/** Returns the vectors by column, in the order of the statement. */
function vectorsOf({ rows, columns }: ChunkMessage, numbers: ArrayBuffer, kinds: readonly Kind[]): Vector[] {
  let at = 0;
  return columns.map((column, k) => {
    const Values = ARRAYS[kinds[k]!];
    if (Values === undefined) return vectorOf(column as Items);
    const values = new Values(numbers, at, rows);
    at += values.byteLength;
    return new NumberVector(values, column as Nulls);
  });
}

/** Rewords errors without what DuckDB says: whoever prints that prints cells. */
async function told(
  child: DuckdbProcess,
  title: string,
  code: StatisticsCode,
  request: Request,
): Promise<Extract<Answer, { value: unknown }>> {
  const answer: Answer = await child.ask(request).catch((error: unknown) => {
    if (!(error instanceof ProcessGone)) throw error;
    return { fault: 'failed', kind: 'its process has ended' } as const;
  });
  if ('value' in answer) return answer;
  if (answer.fault === 'missing')
    throw new CodedError(
      STATISTICS_CODES.ERR_DUCKDB_MISSING,
      `everything except CSV is read by DuckDB, which is not installed here: npm install ${PACKAGE}@${VERSION}`,
    );
  const { kind } = answer;
  const more =
    kind === 'Out of Memory Error' ? ': give it more memory with --memory, or ask for less at a time' : '';
  throw new CodedError(
    STATISTICS_CODES[code],
    `${JSON.stringify(title)} cannot be read by DuckDB (${kind}; the rest may quote rows and is not shown)${more}`,
  );
}
