/**
 * DuckDB as a reader: it runs one SELECT at a time, loads no extension, writes nothing but a file that it is asked for, and its messages, which
 * quote cells and statements, are not passed on.
 */
import { availableParallelism } from 'node:os';
import { isAbsolute } from 'node:path';
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
} from '@duckdb/node-api';
import { StatisticsError, type StatisticsErrorCode } from '../errors.ts';

/** What DuckDB may use at most beside this process's own memory, where nothing else is said. */
const DEFAULT_MEMORY_MEGABYTES = 512;
/** More threads hold more of a file in memory at a time, and one thread sums. */
const MOST_THREADS = 4;
const PACKAGE = '@duckdb/node-api';
const VERSION = '1.5.5-r.5';

export interface EngineOptions {
  /** A database file, opened read-only. Default: none, and only files can be read. */
  readonly database?: string | undefined;
  readonly memoryMegabytes?: number | undefined;
}

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

export class Engine {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /**
   * `title` says for messages what is read, here and below.
   * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE
   */
  static async open(title: string, { database, memoryMegabytes }: EngineOptions): Promise<Engine> {
    const { DuckDBInstance } = await load();
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
    return told(title, 'ERR_FILE_UNREADABLE', async () => {
      const instance = await DuckDBInstance.create(database ?? ':memory:', settings);
      return new Engine(instance, await instance.connect());
    });
  }

  /**
   * A statement, planned but not run.
   * @throws ERR_QUERY for anything but one SELECT without parameters, ERR_FILE_UNREADABLE
   */
  async select(sql: string, title: string): Promise<Selection> {
    const statement = await told(title, 'ERR_QUERY', async () => {
      const found = await this.#connection.extractStatements(sql);
      return found.count === 1 ? found.prepare(0) : undefined;
    });
    const { StatementType } = await load();
    if (statement?.statementType !== StatementType.SELECT || statement.parameterCount > 0)
      throw new StatisticsError(
        'ERR_QUERY',
        `${JSON.stringify(title)} expected one SELECT statement without parameters, and nothing else`,
      );
    return new Selection(statement, title);
  }

  /**
   * Writes what a SELECT gives into a file.
   * @throws ERR_FILE_UNREADABLE
   */
  async copy(select: string, out: string, format: 'csv' | 'parquet'): Promise<void> {
    const sql = `COPY (${select}) TO ${textOf(localPath(out))} (FORMAT ${format})`;
    await told(out, 'ERR_FILE_UNREADABLE', () => this.#connection.run(sql));
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A text as a literal. */
export const textOf = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A file to read, as a literal: this one alone, also where its name is a pattern that other files have. */
export const fileOf = (path: string) => textOf(localPath(path).replaceAll(/[*?[]/g, '[$&]'));

/** What starts with ~ is a file like any other, and so is what starts like an address. */
const localPath = (path: string) => (isAbsolute(path) ? path : `./${path}`);

/** Columns of a statement, and its rows in chunks. */
export class Selection {
  readonly #statement: DuckDBPreparedStatement;
  readonly #title: string;

  constructor(statement: DuckDBPreparedStatement, title: string) {
    this.#statement = statement;
    this.#title = title;
  }

  get names(): string[] {
    return Array.from({ length: this.#statement.columnCount }, (_, k) => this.#statement.columnName(k));
  }

  /** As DuckDB writes it, such as DECIMAL(18,3). */
  typeOf(column: number): string {
    return String(this.#statement.columnType(column));
  }

  /** The next chunk is fetched while one is worked on. */
  async *chunks(): AsyncGenerator<DuckDBDataChunk> {
    const fetch = <T>(work: () => Promise<T>) => told(this.#title, 'ERR_FILE_UNREADABLE', work);
    const result = await fetch(() => this.#statement.stream());
    const next = () => {
      const chunk = fetch(() => result.fetchChunk());
      chunk.catch(() => {}); // told when it is waited for
      return chunk;
    };
    let coming = next();
    try {
      for (;;) {
        const chunk = await coming;
        if (chunk === null || chunk.rowCount === 0) return;
        coming = next();
        yield chunk;
      }
    } finally {
      // Whoever closes the engine must not do it while a chunk is on its way.
      await coming.catch(() => {});
    }
  }
}

async function load(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new StatisticsError(
      'ERR_DUCKDB_MISSING',
      `all but CSV is read by DuckDB, which is not installed here: npm install ${PACKAGE}@${VERSION}`,
      { cause },
    );
  }
}

/** Without the cause: whoever prints that prints cells. */
async function told<T>(title: string, code: StatisticsErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const kind = KINDS.find((it) => message.includes(`${it}:`)) ?? 'another error';
    const more =
      kind === 'Out of Memory Error' ? ': give it more memory with --memory, or ask for less at a time' : '';
    throw new StatisticsError(
      code,
      `${JSON.stringify(title)} cannot be read by DuckDB (${kind}; the rest may quote rows and is not shown)${more}`,
    );
  }
}
