/**
 * DuckDB as a reader, in a process of its own: it runs one SELECT at a time, loads no extension, writes nothing but a file that it is asked for, and
 * its messages, which quote cells and statements, are not passed on.
 */
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import { StatisticsError, type StatisticsErrorCode } from '../errors.ts';
import { Line, LineBroken } from './line.ts';
import {
  type Answer,
  type ChunkMessage,
  kindOf,
  type Numbers,
  type Planned,
  type Request,
} from './messages.ts';

/** What DuckDB may use at most beside the memory of both processes, where nothing else is said. */
const DEFAULT_MEMORY_MEGABYTES = 512;
/** More threads hold more of a file in memory at a time, and one thread sums. */
const MOST_THREADS = 4;
/** Chunks that are asked for before one is worked on, so that neither process waits for the other's answer. */
const CHUNKS_AHEAD = 4;
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
    const planned = await told(this.#line, title, 'ERR_QUERY', { do: 'select', sql });
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
    const coming: Promise<Planned | ChunkMessage | undefined>[] = [];
    const fetch = () => {
      const chunk = told(this.#line, this.#title, 'ERR_FILE_UNREADABLE', request);
      chunk.catch(() => {}); // told when it is waited for
      coming.push(chunk);
    };
    for (let k = 0; k < CHUNKS_AHEAD; k += 1) fetch();
    for (;;) {
      const chunk = (await coming.shift()) as ChunkMessage | undefined;
      if (chunk === undefined) return;
      fetch();
      const vectors = vectorsOf(chunk, this.#planned.types);
      yield { rowCount: chunk.rows, getColumnVector: (column) => vectors[column]! };
    }
  }
}

interface Vector {
  getItem(row: number): unknown;
}

/** By column, in the order of the statement. */
function vectorsOf({ rows, doubles, integers, items }: ChunkMessage, types: readonly string[]): Vector[] {
  const used = { doubles: 0, integers: 0, items: 0 };
  return types.map((type) => {
    const kind = kindOf(type);
    const place = used[kind];
    used[kind] += 1;
    if (kind === 'items') return { getItem: (row) => items[place]![row] };
    const { values, nulls }: Numbers<Float64Array | BigInt64Array> = kind === 'doubles' ? doubles : integers;
    const start = place * rows;
    if (nulls === undefined) return { getItem: (row) => values[start + row] };
    return { getItem: (row) => (nulls[start + row] === 1 ? null : values[start + row]) };
  });
}

/** Without what DuckDB says: whoever prints that prints cells. */
async function told(
  line: Line,
  title: string,
  code: StatisticsErrorCode,
  request: Request,
): Promise<Planned | ChunkMessage | undefined> {
  const answer: Answer = await line.ask(request).catch((error: unknown) => {
    if (!(error instanceof LineBroken)) throw error;
    return { fault: 'failed', kind: 'its process has ended' } as const;
  });
  if ('value' in answer) return answer.value;
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
