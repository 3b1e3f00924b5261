/** Rows of Parquet files, and of an owner's own query, read by DuckDB; values mean what they mean in a CSV file that writes them out. */

import type { StatisticsTask } from '@eigenveil/task';
import { CellReader, isMissing } from '../cells.ts';
import { StatisticsError, type StatisticsErrorCode } from '../errors.ts';
import { findColumns } from '../header.ts';
import type { Row, RowOptions } from '../rows.ts';
import { DIALECT } from '../sql/dialects.ts';
import { labelReader, numberReader } from './columns.ts';
import { type Chunk, Engine, type EngineOptions, fileOf, type Selection } from './engine.ts';

/** Files of one kind, read one after the other; or one SELECT, over a database file if one is named. */
export type StoredRows =
  | { readonly parquet: readonly string[] }
  | { readonly query: string; readonly title: string; readonly database?: string | undefined };

export interface StoredRowOptions extends RowOptions, Pick<EngineOptions, 'memoryMegabytes'> {
  /** Told how many rows have been read, and of how many where that is known. */
  readonly onProgress?: (rows: number, total: number | undefined) => void;
}

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/**
 * Errors name file and row group where there are some, row (from 1) and column, and never a value. Each file is read by its own types: those of one must
 * not round the values of another.
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE, ERR_QUERY, ERR_COLUMN_TYPE, and as `readRows`: ERR_CSV_COLUMNS, ERR_CSV_CELL, ERR_UNKNOWN_CLASS,
 *   ERR_OUT_OF_RANGE
 * @example
 * import { readStoredRows } from '@eigenveil/statistics/duckdb';
 *
 * for await (const batch of readStoredRows({ parquet: ['rows.parquet'] }, task)) console.log(batch.length);
 */
export async function* readStoredRows(
  stored: StoredRows,
  task: Columns,
  options: StoredRowOptions = {},
): AsyncGenerator<readonly Row[]> {
  const isQuery = 'query' in stored;
  const title = isQuery ? stored.title : stored.parquet.join(', ');
  const engine = await Engine.open(title, {
    database: isQuery ? stored.database : undefined,
    memoryMegabytes: options.memoryMegabytes,
  });
  try {
    const total = isQuery ? undefined : await countRows(engine, stored.parquet);
    let before = 0;
    for (const part of isQuery ? [undefined] : stored.parquet) {
      try {
        // A query is the owner's, and runs as it stands.
        const [selection, positions] = isQuery
          ? await columnsOf(engine, task, options, stored.query, title)
          : await columnsOfFile(engine, task, options, part!);
        const reader = new ChunkReader(task, options, selection, positions);
        for await (const chunk of selection.chunks()) {
          yield reader.read(chunk);
          options.onProgress?.(before + reader.rows, total);
        }
        before += reader.rows;
      } catch (error) {
        const isCell = error instanceof CellFault;
        if (!isCell && !(error instanceof StatisticsError && OF_COLUMNS.has(error.code))) throw error;
        const where =
          isCell && !isQuery ? await place(engine, part!, error.row) : JSON.stringify(part ?? title);
        throw new StatisticsError(error.code, `${where}, ${error.message}`);
      }
    }
  } finally {
    await engine.close();
  }
}

/** What is said of columns, before it is known of which file. */
const OF_COLUMNS: ReadonlySet<string> = new Set<StatisticsErrorCode>(['ERR_CSV_COLUMNS', 'ERR_COLUMN_TYPE']);

/** A statement, and where in it the columns of features, labels and kept cells are. */
async function columnsOf(
  engine: Engine,
  task: Columns,
  { ignoredColumns = [], keptColumns = [] }: StoredRowOptions,
  sql: string,
  title: string,
): Promise<[Selection, number[]]> {
  const selection = await engine.select(sql, title);
  const found = findColumns(task, selection.names, { ignoredColumns, keptColumns, separator: 'comma' });
  return [selection, [...found.features, ...found.labels, ...found.kept]];
}

/** The same of a file, of which only the columns that are used are read. */
async function columnsOfFile(
  engine: Engine,
  task: Columns,
  options: StoredRowOptions,
  file: string,
): Promise<[Selection, number[]]> {
  const from = `read_parquet(${fileOf(file)})`;
  const [{ names }, used] = await columnsOf(engine, task, options, `SELECT * FROM ${from}`, file);
  const columns = used.map((k) => DIALECT.duckdb.quote(names[k]!));
  return [await engine.select(`SELECT ${columns.join(', ')} FROM ${from}`, file), used.map((_, k) => k)];
}

/** What is wrong with a cell, before it is known where in the files its row is. */
class CellFault extends Error {
  readonly code: StatisticsErrorCode;
  readonly row: number;

  constructor(code: StatisticsErrorCode, row: number, column: string, problem: string) {
    super(`row ${row}, column ${JSON.stringify(column)}: ${problem}`);
    this.code = code;
    this.row = row;
  }
}

class ChunkReader {
  readonly #task: Columns;
  readonly #options: StoredRowOptions;
  readonly #cells: CellReader;
  readonly #positions: readonly number[];
  readonly #numbers: readonly ((item: unknown) => number)[];
  readonly #labels: readonly ((item: unknown) => string)[];
  #flat = new Float64Array(0);
  rows = 0;

  /** `positions` are those of features, labels and kept columns among the columns of the selection. */
  constructor(task: Columns, options: StoredRowOptions, selection: Selection, positions: readonly number[]) {
    const { features, labellings } = task;
    const type = (k: number) => selection.typeOf(positions[k]!);
    this.#task = task;
    this.#options = options;
    this.#positions = positions;
    this.#cells = new CellReader(labellings, options);
    this.#numbers = features.map(({ name }, i) => numberReader(name, type(i)));
    this.#labels = labellings.map(({ column }, l) =>
      labelReader(column, type(features.length + l), options.numericLabels === true),
    );
  }

  /** The rows of a chunk; their values are overwritten by the next. */
  read(chunk: Chunk): Row[] {
    const d = this.#task.features.length;
    const { rowCount } = chunk;
    if (this.#flat.length < rowCount * d) this.#flat = new Float64Array(rowCount * d);
    const flat = this.#flat;
    for (let i = 0; i < d; i += 1) {
      const vector = chunk.getColumnVector(this.#positions[i]!);
      const number = this.#numbers[i]!;
      for (let n = 0, at = i; n < rowCount; n += 1, at += d) {
        const item: unknown = vector.getItem(n);
        flat[at] = item === null ? Number.NaN : number(item);
      }
    }
    const others = this.#positions.slice(d).map((k) => chunk.getColumnVector(k));
    const labels = others.slice(0, this.#labels.length);
    const kept = others.slice(labels.length);
    const rows: Row[] = [];
    for (let n = 0; n < rowCount; n += 1) {
      this.rows += 1;
      const values = flat.subarray(n * d, (n + 1) * d);
      const classes = labels.map((vector, l) => this.#readClass(vector.getItem(n), l));
      if (!this.#isWhole(values) || classes.includes(-1)) this.#options.onSkippedRow?.();
      else if (kept.length === 0) rows.push({ values, classes });
      else rows.push({ values, classes, kept: kept.map((vector) => String(vector.getItem(n) ?? '')) });
    }
    return rows;
  }

  /** Whether no number is missing; every one of them is looked at. */
  #isWhole(values: Float64Array): boolean {
    const { strict, missing, countsUnreadable } = this.#options;
    let isWhole = true;
    for (let i = 0; i < values.length; i += 1) {
      const x = values[i]!;
      const { name, min, max } = this.#task.features[i]!;
      if (countsUnreadable === true && missing !== 'skip' && !Number.isFinite(x)) {
        values[i] = Number.NaN;
      } else if (Number.isNaN(x)) {
        isWhole = false;
        if (missing !== 'skip')
          throw this.#fault('ERR_CSV_CELL', name, `expected a finite number, got ${NOTHING}`);
      } else if (!Number.isFinite(x)) {
        throw this.#fault('ERR_CSV_CELL', name, 'expected a finite number, got an infinite one');
      } else if (strict === true && (x < min || x > max)) {
        throw this.#fault('ERR_OUT_OF_RANGE', name, `expected a number in [${min}, ${max}]`);
      }
    }
    return isWhole;
  }

  /** The index of the class; -1 where there is none, and its row is to be left out. */
  #readClass(item: unknown, l: number): number {
    const { column, classes } = this.#task.labellings[l]!;
    const text = item === null ? '' : this.#labels[l]!(item);
    const label = this.#options.trim === true ? text.trim() : text;
    const index = item === null ? undefined : this.#cells.classIndex(label, l);
    if (index !== undefined) return index;
    if (isMissing(label) && this.#options.missing === 'skip') return -1;
    const got = item === null ? NOTHING : this.#cells.kindOfClass(label, l);
    throw this.#fault(
      'ERR_UNKNOWN_CLASS',
      column,
      `expected one of the task's ${classes.length} classes, got ${got}`,
    );
  }

  #fault(code: StatisticsErrorCode, column: string, problem: string): CellFault {
    return new CellFault(code, this.rows, column, problem);
  }
}

const NOTHING = 'NULL or NaN: --missing skip leaves such rows out';

async function countRows(engine: Engine, files: readonly string[]): Promise<number> {
  let rows = 0;
  for (const file of files)
    for (const counted of await numbers(
      engine,
      `SELECT num_rows FROM parquet_file_metadata(${fileOf(file)})`,
      file,
    ))
      rows += counted;
  return rows;
}

/** The file and the row group, counted from 1, that hold a row. */
async function place(engine: Engine, file: string, row: number): Promise<string> {
  const metadata = `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${fileOf(file)})`;
  const groups = await numbers(
    engine,
    `SELECT row_group_num_rows FROM (${metadata}) ORDER BY row_group_id`,
    file,
  );
  let before = 0;
  const group = groups.findIndex((rows) => {
    before += rows;
    return row <= before;
  });
  return `${JSON.stringify(file)}, row group ${group + 1}`;
}

/** The integers of a statement's one column. */
async function numbers(engine: Engine, sql: string, title: string): Promise<number[]> {
  const found: number[] = [];
  for await (const chunk of (await engine.select(sql, title)).chunks())
    for (let n = 0; n < chunk.rowCount; n += 1) found.push(Number(chunk.getColumnVector(0).getItem(n)));
  return found;
}
