/** Turns the records of a CSV file into rows of a task: by its header, cell by cell. */

import type { StatisticsTask } from '@eigenveil/task';
import { CellReader, type CellSyntax, isMissing, type Separator } from './cells.ts';
import { StatisticsError, type StatisticsErrorCode } from './errors.ts';
import { type FoundColumns, findColumns } from './header.ts';
import type { Row, RowOptions } from './rows.ts';

/** A row that its reader may keep. */
export interface CsvRow extends Row {
  readonly values: number[];
  readonly classes: number[];
}

export interface CsvOptions extends CellSyntax, RowOptions {
  /** What stands between cells. Default: comma. */
  readonly separator?: Separator;
}

/** The first record is the header. */
export class RecordReader {
  readonly #task: Pick<StatisticsTask, 'features' | 'labellings'>;
  readonly #options: CsvOptions;
  readonly #cells: CellReader;
  #columns: FoundColumns | undefined;
  #width = 0;
  #count = 0;
  #isWhole = true;
  #rows: CsvRow[] = [];

  constructor(task: Pick<StatisticsTask, 'features' | 'labellings'>, options: CsvOptions) {
    this.#task = task;
    this.#options = options;
    this.#cells = new CellReader(task.labellings, options);
    if (options.trim === true) checkTrimmed(task);
  }

  get hasHeader(): boolean {
    return this.#columns !== undefined;
  }

  /** The rows since the last call. */
  takeRows(): CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  read(record: readonly string[], line: number): void {
    if (this.#columns === undefined) {
      const { ignoredColumns = [], keptColumns = [], separator = 'comma' } = this.#options;
      this.#columns = findColumns(this.#task, record, { ignoredColumns, keptColumns, separator });
      this.#width = record.length;
      return;
    }
    this.#count += 1;
    if (record.length !== this.#width) {
      throw this.#error(
        'ERR_CSV_ROW',
        line,
        undefined,
        `expected ${this.#width} cells, got ${record.length}`,
      );
    }
    const { features, labels, kept } = this.#columns;
    const values = features.map((column, i) => this.#readNumber(record[column]!, i, line));
    const classes = labels.map((column, l) => this.#readClass(record[column]!, l, line));
    if (this.#isWhole)
      this.#rows.push(
        kept.length === 0
          ? { values, classes }
          : { values, classes, kept: kept.map((column) => record[column]!) },
      );
    else this.#options.onSkippedRow?.();
    this.#isWhole = true;
  }

  #readNumber(text: string, i: number, line: number): number {
    const { name, min, max } = this.#task.features[i]!;
    const value = this.#cells.number(text);
    if (value === undefined) {
      if (this.#isLeftOut(text) || this.#options.countsUnreadable === true) return Number.NaN;
      const got = this.#cells.kindOfNumber(text);
      throw this.#error('ERR_CSV_CELL', line, name, `expected a finite decimal number, got ${got}`);
    }
    if (this.#options.strict === true && (value < min || value > max)) {
      throw this.#error('ERR_OUT_OF_RANGE', line, name, `expected a number in [${min}, ${max}]`);
    }
    return value;
  }

  #readClass(text: string, l: number, line: number): number {
    const index = this.#cells.classIndex(text, l);
    if (index !== undefined) return index;
    if (this.#isLeftOut(text)) return -1;
    const { column, classes } = this.#task.labellings[l]!;
    const got = this.#cells.kindOfClass(text, l);
    throw this.#error(
      'ERR_UNKNOWN_CLASS',
      line,
      column,
      `expected one of the task's ${classes.length} classes, got ${got}`,
    );
  }

  /** Whether the row is left out for this cell, which holds nothing. */
  #isLeftOut(text: string): boolean {
    if (this.#options.missing !== 'skip' || !isMissing(text)) return false;
    this.#isWhole = false;
    return true;
  }

  #error(code: StatisticsErrorCode, line: number, column: string | undefined, what: string): StatisticsError {
    const where = column === undefined ? '' : `, column ${JSON.stringify(column)}`;
    return new StatisticsError(code, `row ${this.#count} (line ${line})${where}: ${what}`);
  }
}

/** What is read without the blanks around it never equals a name that has some, but could equal another. */
function checkTrimmed({ features, labellings }: Pick<StatisticsTask, 'features' | 'labellings'>): void {
  const names = [
    ...features.map(({ name }) => name),
    ...labellings.flatMap(({ column, classes }) => [column, ...classes]),
  ];
  if (names.every((name) => name === name.trim())) return;
  throw new StatisticsError(
    'ERR_CSV_COLUMNS',
    'the task has names or classes with blanks around them, which cannot be told with --trim',
  );
}
