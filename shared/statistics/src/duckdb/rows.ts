/**
 * Rows of Parquet files, and of an owner's own query, read by DuckDB; values mean what they mean in a CSV
 * file that writes them out.
 */

import { type Code, CodedError, isOf, words } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES, type StatisticsCode } from '../codes.ts';
import { CellReader, type MissingMarks, missingMarks } from '../csv/cells.ts';
import { columnTitle, findColumns, withAppended } from '../csv/header.ts';
import { IS_SUM, LAST_IS_SUM, LastRowSums } from '../csv/odd-rows.ts';
import { DIALECT } from '../sql/dialects.ts';
import type { Row, RowOptions } from '../sums/rows.ts';
import { requireFeature, requireLabel } from './columns.ts';
import {
  type Chunk,
  Engine,
  type EngineOptions,
  fileOf,
  parquetOf,
  type Selection,
  type Vector,
} from './engine.ts';
import { parquetNames } from './parquet.ts';

/** Files of one kind, read one after the other; or one SELECT, over a database file if one is named. */
export type StoredRows =
  | { readonly parquet: readonly string[] }
  | { readonly query: string; readonly title: string; readonly database?: string | undefined };

export interface StoredRowOptions extends RowOptions, Pick<EngineOptions, 'memoryMegabytes'> {
  /** Told how many rows have been read, and of how many where that is known. */
  readonly onProgress?: ((rows: number, total: number | undefined) => void) | undefined;
  /** Returns what the columns that are appended hold in the rows of each file. */
  readonly appendedTo?: ((file: string) => RowOptions['appended']) | undefined;
  /** Told of each file, once all of its rows were taken. */
  readonly onFileRead?: ((file: string) => void) | undefined;
}

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/**
 * Errors name file and row group where there are some, row (from 1) and column, and never a value. Each file
 * is read by its own types: those of one must not round the values of another.
 * @throws ERR_DUCKDB_MISSING, ERR_FILE_UNREADABLE, ERR_QUERY, ERR_COLUMN_TYPE, and as `readRows`:
 *   ERR_CSV_COLUMNS, ERR_CSV_CELL, ERR_UNKNOWN_CLASS, ERR_OUT_OF_RANGE
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
    // Rows of a file come in their order, and faster than they are summed: another thread takes time from
    // that.
    ...(!isQuery && { threads: 1 }),
  });
  try {
    const total = isQuery ? undefined : await countRows(engine, stored.parquet);
    let before = 0;
    for (const part of isQuery ? [undefined] : stored.parquet) {
      const all = part === undefined ? options : { ...options, appended: options.appendedTo?.(part) };
      try {
        // A query is the owner's, and runs as it stands.
        const selected = isQuery
          ? await columnsOf(engine, task, all, stored.query, title)
          : await columnsOfFile(engine, task, all, part!);
        const { selection } = selected;
        const reader = new ChunkReader(task, all, selected);
        for await (const chunk of selection.chunks()) {
          yield reader.read(chunk);
          options.onProgress?.(before + reader.rows, total);
        }
        before += reader.rows;
        if (reader.lastIsSum) {
          const where = !isQuery && stored.parquet.length > 1 ? `${JSON.stringify(part)}: ` : '';
          options.onRemark?.(`${where}${LAST_IS_SUM}`);
        }
        if (part !== undefined) options.onFileRead?.(part);
      } catch (error) {
        const isCell = error instanceof CellFault;
        if (!isCell && !(isOf(STATISTICS_CODES, error) && OF_COLUMNS.has(error.code))) throw error;
        const where =
          isCell && !isQuery ? await place(engine, part!, error.row) : JSON.stringify(part ?? title);
        throw new CodedError(
          error.info,
          words`${where}, ${error instanceof CodedError ? error.words : error.message}`,
        );
      }
    }
  } finally {
    await engine.close();
  }
}

/** Errors about columns, before it is known of which file. */
const OF_COLUMNS: ReadonlySet<string> = new Set<StatisticsCode>(['ERR_CSV_COLUMNS', 'ERR_COLUMN_TYPE']);

/** A statement, and what its columns are to the task. */
interface SelectedColumns {
  readonly selection: Selection;
  /**
   * The places in the statement of the columns of features, labels and kept cells; behind its last one stands
   * what is appended.
   */
  readonly positions: readonly number[];
  /** The same columns by name and number in the source, for messages. */
  readonly titles: readonly string[];
  readonly marks: readonly MissingMarks[];
}

/** @param ownNames names of the columns, where the engine has changed them */
async function columnsOf(
  engine: Engine,
  task: Columns,
  options: StoredRowOptions,
  sql: string,
  title: string,
  ownNames?: readonly string[],
): Promise<SelectedColumns> {
  const { ignoredColumns = [], keptColumns = [], columns, appended } = options;
  const selection = await engine.select(sql, title);
  const header = withAppended(ownNames ?? selection.names, appended);
  const found = findColumns(task, header, { ignoredColumns, keptColumns, separator: 'comma', columns });
  const positions = [...found.features, ...found.labels, ...found.kept];
  const marks = missingMarks(options, found.names);
  return {
    selection,
    positions,
    titles: positions.map((position) => columnTitle(header[position]!, position)),
    marks: positions.map((position) => marks[position]!),
  };
}

/** Does the same for a file, of which only the columns that are used are read. */
async function columnsOfFile(
  engine: Engine,
  task: Columns,
  options: StoredRowOptions,
  file: string,
): Promise<SelectedColumns> {
  const from = parquetOf(file);
  const own = await parquetNames(engine, file);
  const all = await columnsOf(engine, task, options, `SELECT * FROM ${from}`, file, own);
  const { names } = all.selection;
  const used = all.positions.filter((position) => position < names.length);
  const columns = used.map((position) => DIALECT.duckdb.quote(names[position]!));
  const list = columns.length === 0 ? '1' : columns.join(', ');
  const selection = await engine.select(`SELECT ${list} FROM ${from}`, file);
  const behind = Math.max(1, used.length);
  let next = 0;
  const positions = all.positions.map((position) =>
    position < names.length ? next++ : behind + position - names.length,
  );
  return { ...all, selection, positions };
}

/** An error about a cell, before it is known where in the files its row is. */
class CellFault extends Error {
  readonly info: Code<StatisticsCode>;
  readonly row: number;

  constructor(code: StatisticsCode, row: number, title: string, problem: string) {
    super(`row ${row}, column ${title}: ${problem}`);
    this.info = STATISTICS_CODES[code];
    this.row = row;
  }
}

class ChunkReader {
  readonly #task: Columns;
  readonly #options: StoredRowOptions;
  readonly #cells: CellReader;
  readonly #selected: SelectedColumns;
  readonly #numbers: readonly ((item: unknown) => number)[];
  readonly #appended: readonly string[];
  readonly #width: number;
  /** Features with numbers among their marks of a missing cell. */
  readonly #marked: readonly number[];
  readonly #sums: LastRowSums;
  #flat = new Float64Array(0);
  /** Its rows. */
  #views: readonly Float64Array[] = [];
  rows = 0;

  constructor(task: Columns, options: StoredRowOptions, selected: SelectedColumns) {
    const { features, labellings } = task;
    this.#task = task;
    this.#options = options;
    this.#selected = selected;
    this.#cells = new CellReader(labellings, options);
    this.#appended = options.appended?.values ?? [];
    this.#width = selected.selection.names.length;
    const typeOf = (k: number) => {
      const position = selected.positions[k]!;
      return position < this.#width ? selected.selection.typeOf(position) : undefined;
    };
    this.#numbers = features.map(({ name }, i) => {
      const type = typeOf(i);
      if (type === undefined) return (item) => this.#numberOf(String(item), i);
      requireFeature(name, type);
      return Number;
    });
    for (const [l, { column }] of labellings.entries()) {
      const type = typeOf(features.length + l);
      if (type !== undefined) requireLabel(column, type, options.numericLabels === true);
    }
    this.#sums = new LastRowSums(features.length);
    this.#marked = features.flatMap((_, i) => (selected.marks[i]!.hasNumbers ? [i] : []));
  }

  get lastIsSum(): boolean {
    return this.#sums.lastIsSum;
  }

  /** The rows of a chunk; their values are overwritten by the next. */
  read(chunk: Chunk): Row[] {
    const d = this.#task.features.length;
    const { rowCount } = chunk;
    this.#makeRoom(rowCount);
    const flat = this.#flat;
    // Stays 0 as long as all are finite: they need not be looked at row by row.
    let strange = 0;
    for (let i = 0; i < d; i += 1) {
      const doubles = this.#doublesOf(chunk, i);
      for (let n = 0, at = i; n < rowCount; n += 1, at += d) {
        const x = doubles[n]!;
        flat[at] = x;
        strange += x - x;
      }
    }
    for (const i of this.#marked) {
      const marks = this.#selected.marks[i]!;
      for (let at = i; at < rowCount * d; at += d)
        if (marks.hasNumber(flat[at]!)) strange = flat[at] = Number.NaN;
    }
    const mayBeWrong = strange !== 0 || this.#options.strict === true;
    const others = this.#selected.positions.slice(d).map((k) => this.#itemsOf(chunk, k));
    const labels = others.slice(0, this.#task.labellings.length);
    const kept = others.slice(labels.length);
    const rows: Row[] = [];
    for (let n = 0; n < rowCount; n += 1) {
      this.rows += 1;
      const values = this.#views[n]!;
      let classes: number[];
      let isWhole: boolean;
      try {
        classes = labels.map((vector, l) => this.#readClass(vector.getItem(n), l));
        isWhole = (!mayBeWrong || this.#isWhole(values)) && !classes.includes(-1);
      } catch (error) {
        if (error instanceof CellFault && this.#sums.isSum(values)) error.message += IS_SUM;
        throw error;
      }
      if (!isWhole) {
        this.#options.onSkippedRow?.();
        continue;
      }
      this.#sums.add(values);
      if (kept.length === 0) rows.push({ values, classes });
      else rows.push({ values, classes, kept: kept.map((vector) => String(vector.getItem(n) ?? '')) });
    }
    return rows;
  }

  #makeRoom(rows: number): void {
    if (rows <= this.#views.length) return;
    const d = this.#task.features.length;
    this.#flat = new Float64Array(rows * d);
    this.#views = Array.from({ length: rows }, (_, n) => this.#flat.subarray(n * d, (n + 1) * d));
  }

  /** The values of feature `i`, NaN where there is none. */
  #doublesOf(chunk: Chunk, i: number): Float64Array {
    const vector = this.#itemsOf(chunk, this.#selected.positions[i]!);
    const number = this.#numbers[i]!;
    return (
      vector.doubles ??
      Float64Array.from({ length: chunk.rowCount }, (_, n) => {
        const item: unknown = vector.getItem(n);
        return item === null ? Number.NaN : number(item);
      })
    );
  }

  /** Says whether no number is missing; every one of them is looked at. */
  #isWhole(values: Float64Array): boolean {
    const { strict, missing, countsUnreadable } = this.#options;
    let isWhole = true;
    for (let i = 0; i < values.length; i += 1) {
      const x = values[i]!;
      const { min, max } = this.#task.features[i]!;
      if (countsUnreadable === true && missing !== 'skip' && !Number.isFinite(x)) {
        values[i] = Number.NaN;
        this.#options.onUnreadable?.(i, () => (Number.isNaN(x) ? NOTHING : 'an infinite one'));
      } else if (Number.isNaN(x)) {
        isWhole = false;
        if (missing !== 'skip')
          throw this.#fault('ERR_CSV_CELL', i, `expected a finite number, got ${NOTHING}`);
      } else if (!Number.isFinite(x)) {
        throw this.#fault('ERR_CSV_CELL', i, 'expected a finite number, got an infinite one');
      } else if (strict === true && (x < min || x > max)) {
        throw this.#fault('ERR_OUT_OF_RANGE', i, `expected a number in [${min}, ${max}]`);
      }
    }
    return isWhole;
  }

  /** The index of the class; -1 where there is none, and its row must be left out. */
  #readClass(item: unknown, l: number): number {
    const { classes } = this.#task.labellings[l]!;
    const at = this.#task.features.length + l;
    const marks = this.#selected.marks[at]!;
    const text = item === null ? '' : String(item);
    const label = this.#options.trim === true ? text.trim() : text;
    const index = item === null ? undefined : this.#cells.classIndex(label, l);
    if (index !== undefined) return index;
    const isMissing = item === null || marks.has(label, this.#cells.format.read(label));
    if (isMissing && this.#options.missing === 'skip') return -1;
    const got = item === null ? NOTHING : this.#cells.kindOfClass(label, l, marks);
    throw this.#fault(
      'ERR_UNKNOWN_CLASS',
      at,
      `expected one of the task's ${classes.length} classes, got ${got}`,
    );
  }

  #itemsOf(chunk: Chunk, position: number): Vector {
    if (position < this.#width) return chunk.getColumnVector(position);
    const text = this.#appended[position - this.#width]!;
    return { getItem: () => (text === '' ? null : text) };
  }

  /** Returns the number of a text that a folder's name gives. */
  #numberOf(text: string, i: number): number {
    const marks = this.#selected.marks[i]!;
    if (marks.has(text)) return Number.NaN;
    const value = this.#cells.format.read(text);
    if (value !== undefined) return value;
    const got = this.#cells.kindOfNumber(text, marks);
    throw this.#fault('ERR_CSV_CELL', i, `expected a finite decimal number, got ${got}`);
  }

  /** @param at the column among those of features and labels */
  #fault(code: StatisticsCode, at: number, problem: string): CellFault {
    return new CellFault(code, this.rows, this.#selected.titles[at]!, problem);
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
