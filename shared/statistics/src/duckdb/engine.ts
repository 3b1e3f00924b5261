/**
 * DuckDB as a reader, in a process of its own: it runs one SELECT at a time, loads no extension, writes nothing but a file that it is asked for, and
 * its messages, which quote cells and statements, are not passed on.
 */
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { StatisticsError, type StatisticsErrorCode } from '../errors.ts';
import { Line, LineBroken } from './line.ts';
import { type Answer, type ChunkMessage, kindOf, type Planned, type Request } from './messages.ts';

/** What DuckDB may use at most beside the memory of both processes, where nothing else is said. */
const DEFAULT_MEMORY_MEGABYTES = 512;
/** More threads hold more of a file in memory at a time, and one thread sums. */
const MOST_THREADS = 4;
/** Chunks that are asked for before one is worked on, so that neither process waits for the other's answer. */
const CHUNKS_AHEAD = 4;
const NO_NUMBERS = new ArrayBuffer(0);
const PACKAGE = '@duckdb/node-api';
const VERSION = '1.5.5-r.5';

export interface EngineOptions {
  /** A database file, opened read-only. Default: none, and only files can be read. */
  readonly database?: string | undefined;
  readonly memoryMegabytes?: number | undefined;
}

export class Engine {
  readonly #line: Line;

  private constructor(line: Line) {
    this.#line = line;
  }

  /**
   * `title` says for messages what is read, here and below.
   * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
   */
  static async open(title: string, { database, memoryMegabytes }: EngineOptions): Promise<Engine> {
    const settings = {
      ...(database !== undefined && { access_mode: 'READ_ONLY' }),
      threads: `${Math.min(MOST_THREADS, availableParallelism())}`,
      memory_limit: `${memoryMegabytes ?? DEFAULT_MEMORY_MEGABYTES}MB`,
      // Or rows would be written there in the clear when memory is short.
      temp_directory: '',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      lock_configuration: 'true',
    };
    const engine = new Engine(Line.take());
    try {
      await told(engine.#line, title, 'ERR_FILE_UNREADABLE', { do: 'open', database, settings });
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /**
   * A statement, planned but not run.
   * @throws ERR_QUERY for anything but one SELECT without parameters, ERR_FILE_UNREADABLE
   */
  async select(sql: string, title: string): Promise<Selection> {
    const { value: planned } = await told(this.#line, title, 'ERR_QUERY', { do: 'select', sql });
    if (planned === undefined)
      throw new StatisticsError(
        'ERR_QUERY',
        `${JSON.stringify(title)} expected one SELECT statement without parameters, and nothing else`,
      );
    return new Selection(this.#line, planned as Planned, title);
  }

  /**
   * Writes what a SELECT gives into a file.
   * @throws ERR_FILE_UNREADABLE
   */
  async copy(select: string, out: string, format: 'csv' | 'parquet'): Promise<void> {
    const sql = `COPY (${select}) TO ${textOf(localPath(out))} (FORMAT ${format})`;
    await told(this.#line, out, 'ERR_FILE_UNREADABLE', { do: 'run', sql });
  }

  /** Once nothing of it is used any more. */
  async close(): Promise<void> {
    await this.#line.ask({ do: 'close' }).catch(() => {}); // gone with its process
    this.#line.giveBack();
  }
}

/** A text as a literal. */
export const textOf = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A file to read, as a literal: this one alone, also where its name is a pattern that other files have. */
export const fileOf = (path: string) => textOf(localPath(path).replaceAll(/[*?[]/g, '[$&]'));

/** A Parquet file to select from. What folders are called is never data. */
export const parquetOf = (path: string) => `read_parquet(${fileOf(path)}, hive_partitioning = false)`;

/** What starts with ~ is a file like any other, and so is what starts like an address. */
const localPath = (path: string) => (isAbsolute(path) ? path : `./${path}`);

/** Rows of a statement: the items of its columns. */
export interface Chunk {
  readonly rowCount: number;
  getColumnVector(column: number): Vector;
}

/** Columns of a statement, and its rows in chunks. */
export class Selection {
  readonly #line: Line;
  readonly #planned: Planned;
  readonly #title: string;

  constructor(line: Line, planned: Planned, title: string) {
    this.#line = line;
    this.#planned = planned;
    this.#title = title;
  }

  get names(): readonly string[] {
    return this.#planned.names;
  }

  /** As DuckDB writes it, such as DECIMAL(18,3). */
  typeOf(column: number): string {
    return this.#planned.types[column]!;
  }

  /** Each is whole and stays as it is; those that come next are on their way meanwhile. */
  async *chunks(): AsyncGenerator<Chunk> {
    const request: Request = { do: 'chunk', statement: this.#planned.statement };
    const coming: ReturnType<typeof told>[] = [];
    const fetch = () => {
      const chunk = told(this.#line, this.#title, 'ERR_FILE_UNREADABLE', request);
      chunk.catch(() => {}); // told when it is waited for
      coming.push(chunk);
    };
    for (let k = 0; k < CHUNKS_AHEAD; k += 1) fetch();
    for (;;) {
      const { value, numbers = NO_NUMBERS } = (await coming.shift())!;
      if (value === undefined) return;
      fetch();
      const message = value as ChunkMessage;
      const vectors = vectorsOf({ message, numbers }, this.#planned.types);
      yield { rowCount: message.rows, getColumnVector: (column) => vectors[column]! };
    }
  }
}

/** A message with the numbers that came beside it. */
interface Rows {
  readonly message: ChunkMessage;
  readonly numbers: ArrayBufferLike;
}

interface Vector {
  /** Its numbers as they lie in memory, where they are doubles and none is NULL. */
  readonly doubles?: Float64Array | undefined;
  getItem(row: number): unknown;
}

/** Classes and no closures: they are asked for every cell. */
class WholeVector implements Vector {
  readonly #values: Float64Array | BigInt64Array;
  readonly #start: number;

  constructor(values: Float64Array | BigInt64Array, start: number) {
    this.#values = values;
    this.#start = start;
  }

  getItem(row: number): unknown {
    return this.#values[this.#start + row];
  }
}

class DoubleVector implements Vector {
  readonly doubles: Float64Array;

  constructor(doubles: Float64Array) {
    this.doubles = doubles;
  }

  getItem(row: number): unknown {
    return this.doubles[row];
  }
}

class GappedVector extends WholeVector {
  readonly #nulls: Uint8Array;
  readonly #first: number;

  constructor(values: Float64Array | BigInt64Array, start: number, nulls: Uint8Array) {
    super(values, start);
    this.#nulls = nulls;
    this.#first = start;
  }

  override getItem(row: number): unknown {
    return this.#nulls[this.#first + row] === 1 ? null : super.getItem(row);
  }
}

/** By column, in the order of the statement. */
function vectorsOf({ message, numbers }: Rows, types: readonly string[]): Vector[] {
  const { rows, nulls: gaps, items } = message;
  const count = (kind: ReturnType<typeof kindOf>) => types.filter((type) => kindOf(type) === kind).length;
  const doubles = new Float64Array(numbers, 0, rows * count('doubles'));
  const integers = new BigInt64Array(numbers, doubles.byteLength, rows * count('integers'));
  const used = { doubles: 0, integers: 0, items: 0 };
  return types.map((type) => {
    const kind = kindOf(type);
    const place = used[kind];
    used[kind] += 1;
    if (kind === 'items') return { getItem: (row) => items[place]![row] };
    const values = kind === 'doubles' ? doubles : integers;
    const nulls = gaps[kind];
    const start = place * rows;
    if (kind === 'doubles' && nulls === undefined)
      return new DoubleVector(doubles.subarray(start, start + rows));
    return nulls === undefined ? new WholeVector(values, start) : new GappedVector(values, start, nulls);
  });
}

/** Without what DuckDB says: whoever prints that prints cells. */
async function told(
  line: Line,
  title: string,
  code: StatisticsErrorCode,
  request: Request,
): Promise<Extract<Answer, { value: unknown }>> {
  const answer: Answer = await line.ask(request).catch((error: unknown) => {
    if (!(error instanceof LineBroken)) throw error;
    return { fault: 'failed', kind: 'its process has ended' } as const;
  });
  if ('value' in answer) return answer;
  if (answer.fault === 'missing')
    throw new StatisticsError(
      'ERR_DUCKDB_MISSING',
      `all but CSV is read by DuckDB, which is not installed here: npm install ${PACKAGE}@${VERSION}`,
    );
  const { kind } = answer;
  const more =
    kind === 'Out of Memory Error' ? ': give it more memory with --memory, or ask for less at a time' : '';
  throw new StatisticsError(
    code,
    `${JSON.stringify(title)} cannot be read by DuckDB (${kind}; the rest may quote rows and is not shown)${more}`,
  );
}
