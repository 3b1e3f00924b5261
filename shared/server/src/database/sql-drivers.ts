/**
 * Runs transactions that are written for both databases: over SQLite without ever giving way to something
 * else, over PostgreSQL by awaiting each statement.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PostgresDatabase, PostgresQueries } from './postgres.ts';
import {
  forPostgres,
  forSqlite,
  type Result,
  type SqlDriver,
  type SqlValue,
  type Statement,
  type Work,
} from './sql.ts';
import { scrub, transaction } from './sqlite.ts';

/** The largest value for which a kept statement may keep its last parameters. */
const MOST_KEPT_BYTES = 2 ** 16;

export class SqliteDriver implements SqlDriver {
  readonly isShared = false;
  readonly #db: DatabaseSync;
  /** A statement is compiled once: for short ones that takes longer than running them. */
  readonly #compiled = new Map<string, { readonly statement: StatementSync; readonly givesRows: boolean }>();
  /** Says whether content was removed of which a copy is in the log. */
  #hasErased = false;

  constructor(database: DatabaseSync) {
    this.#db = database;
  }

  async transaction<Returned>(_name: string, work: () => Work<Returned>): Promise<Returned> {
    const returned = transaction(this.#db, () => this.#steps(work()));
    this.#scrub();
    return returned;
  }

  async run<Returned>(work: Work<Returned>): Promise<Returned> {
    const returned = this.#steps(work);
    this.#scrub();
    return returned;
  }

  /**
   * Runs `work` at once, within the transaction that its caller has begun, if any. The caller must empty the
   * log.
   */
  within<Returned>(work: Work<Returned>): Returned {
    const returned = this.#steps(work);
    this.#hasErased = false;
    return returned;
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #steps<Returned>(work: Work<Returned>): Returned {
    let step = work.next();
    while (!step.done) step = work.next(this.#result(step.value));
    return step.value;
  }

  #result(statement: Statement): Result {
    const { text, runs } = forSqlite(statement);
    const results = runs.map((values) => this.#runOnce(text, values));
    const result = results.length === 1 ? results[0]! : joined(results);
    this.#hasErased ||= statement.erases && result.count > 0;
    return result;
  }

  #runOnce(text: string, values: readonly SqlValue[]): Result {
    const { statement, givesRows } = this.#prepare(text);
    try {
      if (!givesRows) return { rows: [], count: Number(statement.run(...values).changes) };
      const rows = statement.all(...values);
      return { rows, count: rows.length };
    } finally {
      // Making an iterator binds no parameters, which frees large ones; since nobody asks it for rows, it
      // runs nothing.
      if (values.some((value) => value instanceof Uint8Array && value.length > MOST_KEPT_BYTES))
        statement.iterate();
    }
  }

  #prepare(text: string) {
    const known = this.#compiled.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    const compiled = { statement, givesRows: statement.columns().length > 0 };
    this.#compiled.set(text, compiled);
    return compiled;
  }

  /** Empties the log, since content that was destroyed must not remain in it. */
  #scrub(): void {
    if (!this.#hasErased) return;
    this.#hasErased = false;
    scrub(this.#db);
  }
}

function joined(results: readonly Result[]): Result {
  return {
    rows: results.flatMap(({ rows }) => rows),
    count: results.reduce((sum, { count }) => sum + count, 0),
  };
}

export class PostgresDriver implements SqlDriver {
  readonly isShared = true;
  readonly #db: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#db = database;
  }

  transaction<Returned>(name: string, work: () => Work<Returned>): Promise<Returned> {
    return this.#db.transaction(name, (queries) => stepByStep(queries, work()));
  }

  run<Returned>(work: Work<Returned>): Promise<Returned> {
    return stepByStep(this.#db, work);
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}

async function stepByStep<Returned>(queries: PostgresQueries, work: Work<Returned>): Promise<Returned> {
  let step = work.next();
  while (!step.done) step = work.next(await resultOf(queries, step.value));
  return step.value;
}

async function resultOf(queries: PostgresQueries, statement: Statement): Promise<Result> {
  const written = forPostgres(statement);
  if (written === undefined) return { rows: [], count: 0 };
  const { rows, rowCount } = await queries.query({ text: written.text, values: [...written.values] });
  return { rows, count: rowCount };
}
