/**
 * Statements that SQLite and PostgreSQL both run, and transactions over them that are written once: a
 * generator yields statements and gets the result of each. A generator cannot await, so that over SQLite
 * nothing comes between its statements.
 */

export type SqlValue = string | number | bigint | Uint8Array | null;
type Dialect = 'sqlite' | 'postgres';
type Piece = SqlValue | Statement | Fragment | List | Rows;

/** The result of a statement. */
export interface Result {
  readonly rows: readonly object[];
  /** The number of rows that it gave or, for a statement that gives none, changed. */
  readonly count: number;
}

/** The work of a transaction. */
export type Work<Returned> = Generator<Statement, Returned, Result>;

export class Statement {
  readonly strings: readonly string[];
  readonly pieces: readonly Piece[];
  /** Says whether content that it removes must be gone for good: see `erasing`. */
  readonly erases: boolean;

  constructor(strings: readonly string[], pieces: readonly Piece[], erases = false) {
    this.strings = strings;
    this.pieces = pieces;
    this.erases = erases;
  }
}

/** A part of a statement that the two databases write differently. */
class Fragment {
  readonly sqlite: string;
  readonly postgres: string;

  constructor(sqlite: string, postgres: string) {
    this.sqlite = sqlite;
    this.postgres = postgres;
  }
}

/**
 * One parameter that stands for many values, so that a statement's text does not depend on how many they are.
 */
class List {
  readonly values: readonly (string | number)[];
  readonly form: (place: string) => Fragment;

  constructor(values: readonly (string | number)[], form: (place: string) => Fragment) {
    this.values = values;
    this.form = form;
  }
}

/** Rows of values that are inserted together. */
class Rows {
  readonly values: readonly (readonly SqlValue[])[];

  constructor(values: readonly (readonly SqlValue[])[]) {
    this.values = values;
  }
}

/**
 * A statement, or a part of one. A value stands where it is used, and each driver writes its own place for
 * it.
 * @example
 * import { sql } from '@eigenveil/server';
 *
 * const taskId = 'a';
 * const statement = sql`SELECT state FROM tasks WHERE task_id = ${taskId}`;
 */
export function sql(strings: TemplateStringsArray, ...pieces: Piece[]): Statement {
  return new Statement(strings, pieces);
}

/**
 * Makes a statement that removes content which must be gone for good. SQLite empties its log once the
 * transaction has ended; PostgreSQL has no switch for this.
 */
export function erasing(strings: TemplateStringsArray, ...pieces: Piece[]): Statement {
  return new Statement(strings, pieces, true);
}

/**
 * A part of a statement that the two databases write differently, or only one of them needs. It comes from
 * the code.
 */
export function fragment(of: Record<Dialect, string>): Fragment {
  return new Fragment(of.sqlite, of.postgres);
}

/** A name of a table or a column that comes from the code. */
export function named(name: string): Fragment {
  return new Fragment(name, name);
}

/** `owner_id ${among(owners)}`: it is one of these. */
export function among(values: readonly (string | number)[]): List {
  return new List(
    values,
    (place) => new Fragment(`IN (SELECT value FROM json_each(${place}))`, `= ANY (${place})`),
  );
}

/** `SELECT value FROM ${listed(owners)}`: one row for each of these texts. */
export function listed(values: readonly string[]): List {
  return new List(
    values,
    (place) => new Fragment(`json_each(${place})`, `unnest(${place}::text[]) AS list (value)`),
  );
}

/**
 * `INSERT INTO owners (a, b) VALUES ${rows([[1, 2], [3, 4]])}`: PostgreSQL gets all of them in one statement,
 * SQLite one by one by a statement that it has compiled once. If there are none, nothing is done.
 */
export function rows(values: readonly (readonly SqlValue[])[]): Rows {
  return new Rows(values);
}

/**
 * Ends a SELECT of rows that nobody else may change until the transaction ends. It is the lock of an UPDATE
 * that changes no key; foreign keys to the rows do not wait for it. In SQLite, BEGIN IMMEDIATE has locked
 * everything.
 */
export const LOCKED = fragment({ sqlite: '', postgres: 'FOR NO KEY UPDATE' });
/**
 * Ends a SELECT of rows that nobody else may lock until the transaction ends, not even because of a foreign
 * key.
 */
export const LOCKED_WITH_KEY = fragment({ sqlite: '', postgres: 'FOR UPDATE' });
/**
 * Ends a SELECT of rows that nobody may change until the transaction ends; others may hold them like this at
 * the same time.
 */
export const SHARED = fragment({ sqlite: '', postgres: 'FOR SHARE' });
/** A statement after which nobody else writes to the table until the transaction ends. */
export function lockTable(table: string): Statement {
  return sql`${fragment({ sqlite: '', postgres: `LOCK TABLE ${table} IN EXCLUSIVE MODE` })}`;
}
/** The function that gives the greatest of its arguments. */
export const GREATEST = fragment({ sqlite: 'max', postgres: 'greatest' });
/** A column of JSON that is kept as text, for the operators -> and ->>. */
export function json(column: string): Fragment {
  return new Fragment(column, `${column}::jsonb`);
}

/** Returns the rows of a statement, with the type that its text gives them. */
export function* rowsOf<Row extends object>(statement: Statement): Work<readonly Row[]> {
  return (yield statement).rows as readonly Row[];
}

/** Returns the first row of a statement. */
export function* rowOf<Row extends object>(statement: Statement): Work<Row | undefined> {
  return (yield* rowsOf<Row>(statement))[0];
}

/** Returns how many rows a statement gives or changes. */
export function* countOf(statement: Statement): Work<number> {
  return (yield statement).count;
}

/** A database on which transactions run. */
export interface SqlDriver {
  /**
   * Says whether other processes may work on the database at the same time, and wait for each other's locks.
   */
  readonly isShared: boolean;
  /**
   * Runs what `work` does as one durable transaction, which is undone when it throws. `work` may be called
   * again, after a conflict with another process, so it must have no effect except through its statements.
   */
  transaction<Returned>(name: string, work: () => Work<Returned>): Promise<Returned>;
  /** Runs `work`, in which each statement is a durable transaction by itself. */
  run<Returned>(work: Work<Returned>): Promise<Returned>;
  close(): Promise<void>;
}

type Value = SqlValue | readonly (string | number)[];

/** A statement as PostgreSQL takes it. */
interface Written {
  readonly text: string;
  readonly values: readonly Value[];
}

/**
 * Writes a statement for PostgreSQL, with `$1` for its first value; undefined where there is nothing to do.
 */
export function forPostgres(statement: Statement): Written | undefined {
  const values: Value[] = [];
  const place = (value: Value) => `$${values.push(value)}`;
  let isNothing = false;
  const text = write(statement, 'postgres', place, (many) => {
    isNothing ||= many.length === 0;
    return many.map((row) => `(${row.map(place).join(', ')})`).join(', ');
  });
  return isNothing || text === '' ? undefined : { text, values };
}

/** Writes a statement for SQLite, with `?` for each value: its text, and the values for each run. */
export function forSqlite(statement: Statement): { readonly text: string; readonly runs: SqlValue[][] } {
  const values: SqlValue[] = [];
  const place = (value: Value) => {
    values.push(isList(value) ? JSON.stringify(value) : value);
    return '?';
  };
  let at = 0;
  let repeated: Rows['values'] | undefined;
  const text = write(statement, 'sqlite', place, (many) => {
    [at, repeated] = [values.length, many];
    return `(${(many[0] ?? []).map(() => '?').join(', ')})`;
  });
  if (text === '') return { text, runs: [] };
  return { text, runs: repeated?.map((row) => values.toSpliced(at, 0, ...row)) ?? [values] };
}

function isList(value: Value): value is readonly (string | number)[] {
  return Array.isArray(value);
}

function write(
  { strings, pieces }: Statement,
  dialect: Dialect,
  place: (value: Value) => string,
  many: (rows: Rows['values']) => string,
): string {
  let text = strings[0]!;
  for (const [i, piece] of pieces.entries()) {
    if (piece instanceof Statement) text += write(piece, dialect, place, many);
    else if (piece instanceof Fragment) text += piece[dialect];
    else if (piece instanceof List) text += piece.form(place(piece.values))[dialect];
    else text += piece instanceof Rows ? many(piece.values) : place(piece);
    text += strings[i + 1]!;
  }
  return text;
}
