/** Runs transactions that are written for both databases over PostgreSQL, which awaits each statement. */
import type { PostgresDatabase, PostgresQueries } from './postgres.ts';
import { forPostgres, type Result, type SqlDriver, type Statement, type Work } from './sql.ts';

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
