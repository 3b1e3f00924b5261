/** Turns the records of a CSV file into rows of a task: by its header, cell by cell. */

import { CodedError, isOf, type Words, words } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES, type StatisticsCode } from '../codes.ts';
import type { Row, RowOptions } from '../sums/rows.ts';
import { CellReader, type MissingMarks, missingMarks } from './cells.ts';
import { columnTitle, type FoundColumns, findColumns, isIndexName, withAppended } from './header.ts';
import { BooleanWatch, ThousandsWatch } from './numbers.ts';
import { countsRows, holdsUnits, IS_SUM, LAST_IS_SUM, LastRowSums, widthProblem } from './odd-rows.ts';
import type { CsvForm, Separator } from './reading-options.ts';
import { BLANKS, rowOption, rowTerm } from './reading-terms.ts';

/** A row that its reader may keep. */
export interface CsvRow extends Row {
  readonly values: number[];
  readonly classes: number[];
}

export interface CsvOptions extends CsvForm, RowOptions {
  /** Told of each missing cell of a row that is left out, by the name that its column has for the task. */
  readonly onMissing?: ((name: string) => void) | undefined;
}

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/** A refusal that waits for what follows, which may say more of it. */
interface HeldRefusal {
  readonly error: CodedError;
  readonly record: readonly string[];
  readonly following: { readonly record: readonly string[]; readonly line: number }[];
  /** The number of records that are waited for. */
  readonly most: number;
  /** @returns what is refused in the light of what follows */
  readonly refine: (held: HeldRefusal) => CodedError;
}

/** Records behind a header that was refused, among which the true one is sought. */
export const SOUGHT_RECORDS = 10;

/** Records behind one of units: the first of them without any tells how many there are. */
const UNITS_RECORDS = 3;

/** The first record is the header. */
export class RecordReader {
  readonly #task: Columns;
  readonly #options: CsvOptions;
  readonly #cells: CellReader;
  readonly #separator: () => Separator;
  #columns: FoundColumns | undefined;
  #header: readonly string[] = [];
  #marks: readonly MissingMarks[] = [];
  #hasMarks: readonly boolean[] = [];
  #watches: (ThousandsWatch | undefined)[] = [];
  #watchesLeft = 0;
  readonly #booleans: readonly BooleanWatch[];
  readonly #sums: LastRowSums;
  #held: HeldRefusal | undefined;
  #count = 0;
  #blank = 0;
  #isWhole = true;
  #rows: CsvRow[] = [];

  /** @param separator what stands between cells, once there is a record */
  constructor(task: Columns, options: CsvOptions, separator: () => Separator) {
    this.#task = task;
    this.#options = options;
    this.#separator = separator;
    this.#cells = new CellReader(task.labellings, options);
    this.#sums = new LastRowSums(task.features.length);
    this.#booleans = task.features.map(() => new BooleanWatch());
    if (options.trim === true) checkTrimmed(task);
  }

  /** The rows since the last call. */
  takeRows(): CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  read(cells: readonly string[], line: number): void {
    const { appended } = this.#options;
    if (this.#columns === undefined && this.#held === undefined) {
      this.#readHeader(cells);
      return;
    }
    if (cells[0]!.trim() === '' && cells.every((cell) => cell.trim() === '')) {
      this.#blank += 1;
      this.#options.onSkippedRow?.();
      return;
    }
    const record = appended === undefined ? cells : [...cells, ...appended.values];
    if (this.#held !== undefined) {
      this.#held.following.push({ record, line });
      if (this.#held.following.length >= this.#held.most) throw this.#held.refine(this.#held);
      return;
    }
    this.#readRow(record, line);
  }

  /**
   * Says, behind the last record, what was odd about the file.
   * @throws what was held back, ERR_CSV_COLUMNS for an empty file
   */
  end(): void {
    if (this.#held !== undefined) throw this.#held.refine(this.#held);
    if (this.#columns === undefined)
      throw new CodedError(
        STATISTICS_CODES.ERR_CSV_COLUMNS,
        rowTerm('emptyFile', 'expected a header row, got an empty file'),
      );
    const remark = this.#options.onRemark;
    if (remark === undefined) return;
    if (this.#blank > 0) remark(blankRows(this.#blank === 1 ? '1 row' : `${this.#blank} rows`));
    for (const [i, position] of this.#columns.features.entries())
      for (const watch of [this.#watches[i], this.#booleans[i]]) {
        const odd = watch?.remark(this.#titleOf(position));
        if (odd !== undefined) remark(odd);
      }
    if (this.#sums.lastIsSum) remark(LAST_IS_SUM);
  }

  #readHeader(cells: readonly string[]): void {
    const { ignoredColumns = [], keptColumns = [], columns, trim, appended } = this.#options;
    const header = withAppended(cells, appended);
    this.#header = header;
    try {
      const separator = this.#separator();
      this.#columns = findColumns(this.#task, header, {
        ignoredColumns,
        keptColumns,
        separator,
        columns,
        trim,
      });
      this.#marks = missingMarks(this.#options, this.#columns.names);
    } catch (error) {
      if (!isOf(STATISTICS_CODES, error)) throw error;
      const refine = (held: HeldRefusal) => this.#refinedHeader(held);
      this.#held = { error, record: header, following: [], most: SOUGHT_RECORDS, refine };
      return;
    }
    this.#hasMarks = this.#columns.features.map((column) => this.#marks[column]!.hasNumbers);
    const { decimal, thousands } = this.#options;
    // Whoever names the sign knows what it is.
    const isSaid = decimal !== undefined || thousands !== undefined || this.#options.onRemark === undefined;
    this.#watches = this.#task.features.map(() =>
      isSaid ? undefined : new ThousandsWatch(this.#cells.format.decimal),
    );
    this.#watchesLeft = isSaid ? 0 : this.#watches.length;
  }

  /** Says of a header that was refused where the true one is, and what a column without a name counts. */
  #refinedHeader({ error, record, following }: HeldRefusal): CodedError {
    const names = new Set([
      ...this.#task.features.map(({ name }) => name),
      ...this.#task.labellings.map(({ column }) => column),
    ]);
    const count = (cells: readonly string[]) => cells.filter((cell) => names.has(cell)).length;
    const index = record.findIndex(
      (name, i) =>
        (name.trim() === '' || isIndexName(name)) && countsRows(following.map((it) => it.record[i])),
    );
    if (index >= 0 && error.message.includes(`number ${index + 1}`))
      return new CodedError(
        error.info,
        words`${error.words}; column ${index + 1} counts rows, as the index of a data frame does`,
      );
    const other = following.find(
      (it) => count(it.record) > names.size / 2 && count(it.record) > count(record),
    );
    return other === undefined
      ? error
      : new CodedError(
          error.info,
          words`${error.words}; the header row seems to be line ${other.line}: ${rowTerm('skipLines', `give --skip-lines ${other.line - 1}`, String(other.line - 1))}`,
        );
  }

  #readRow(record: readonly string[], line: number): void {
    this.#count += 1;
    if (record.length !== this.#header.length) {
      const problem = widthProblem(this.#header.length, record, this.#separator());
      throw this.#error('ERR_CSV_ROW', line, undefined, problem);
    }
    const { features, labels, kept } = this.#columns!;
    let values: number[];
    let classes: number[];
    try {
      values = features.map((column, i) => this.#readNumber(record[column]!, i, line));
      classes = labels.map((column, l) => this.#readClass(record[column]!, l, line));
    } catch (error) {
      if (!isOf(STATISTICS_CODES, error)) throw error;
      this.#refuse(error, record, line);
      return;
    }
    if (this.#isWhole) {
      this.#sums.add(values);
      this.#rows.push(
        kept.length === 0
          ? { values, classes }
          : { values, classes, kept: kept.map((column) => record[column]!) },
      );
    } else this.#options.onSkippedRow?.();
    this.#isWhole = true;
  }

  /**
   * A row that cannot be read may be one of units, which the next one tells, or the sum of all rows above.
   */
  #refuse(error: CodedError, record: readonly string[], line: number): void {
    const numbersOf = (cells: readonly string[]) =>
      this.#columns!.features.map((column) => this.#cells.format.read(cells[column] ?? ''));
    if (this.#sums.isSum(numbersOf(record))) throw new CodedError(error.info, words`${error.words}${IS_SUM}`);
    const textsOf = (cells: readonly string[]) =>
      this.#columns!.features.map((column) => cells[column] ?? '');
    if (this.#count > 1 || error.code !== 'ERR_CSV_CELL' || !holdsUnits(textsOf(record))) throw error;
    const refine = ({ following }: HeldRefusal) => {
      const at = following.findIndex((it) => !holdsUnits(textsOf(it.record)));
      const next = following[at]?.record ?? [];
      const values = numbersOf(next);
      const areNumbers = this.#columns!.features.every(
        (column, i) => values[i] !== undefined || this.#marks[column]!.has(next[column] ?? ''),
      );
      if (!areNumbers || values.every((value) => value === undefined)) return error;
      const hold = at === 0 ? 'holds' : `and ${at === 1 ? 'the next' : `the next ${at}`} hold`;
      return new CodedError(
        error.info,
        words`${this.#place(line)} ${hold} units, not numbers: ${rowTerm('skipRows', `--skip-rows ${at + 1} passes over ${at === 0 ? 'it' : 'them'}`, String(at + 1))}`,
      );
    };
    this.#held = { error, record, following: [], most: UNITS_RECORDS, refine };
  }

  #readNumber(text: string, i: number, line: number): number {
    const { name, min, max } = this.#task.features[i]!;
    const value = this.#cells.format.read(text);
    const marks = this.#marks[this.#columns!.features[i]!]!;
    if (value === undefined || (this.#hasMarks[i]! && marks.hasNumber(value))) {
      const isMissing = marks.has(text, value);
      if (isMissing && this.#options.missing === 'skip') {
        this.#isWhole = false;
        this.#options.onMissing?.(name);
        return Number.NaN;
      }
      const kind = () =>
        isMissing && text !== ''
          ? words`a mark of a missing value: ${rowOption('missing', 'skip')} leaves such rows out`
          : this.#cells.kindOfNumber(text, marks);
      if (this.#options.countsUnreadable === true) {
        this.#options.onUnreadable?.(i, kind);
        return Number.NaN;
      }
      const position = this.#columns!.features[i]!;
      throw this.#error(
        'ERR_CSV_CELL',
        line,
        [name, position],
        words`${rowTerm('numberWanted', 'expected a finite decimal number, got')} ${kind()}`,
      );
    }
    if (this.#watchesLeft > 0) this.#watch(text, i);
    this.#booleans[i]!.add(text, value);
    if (this.#options.strict === true && (value < min || value > max)) {
      const position = this.#columns!.features[i]!;
      const problem = rowTerm('outOfRange', `expected a number in [${min}, ${max}]`, `${min} to ${max}`);
      throw this.#error('ERR_OUT_OF_RANGE', line, [name, position], problem);
    }
    return value;
  }

  #watch(text: string, i: number): void {
    if (this.#watches[i]?.add(text) !== false) return;
    this.#watches[i] = undefined;
    this.#watchesLeft -= 1;
  }

  #readClass(text: string, l: number, line: number): number {
    const index = this.#cells.classIndex(text, l);
    if (index !== undefined) return index;
    const position = this.#columns!.labels[l]!;
    const marks = this.#marks[position]!;
    if (this.#options.missing === 'skip' && marks.has(text, this.#cells.format.read(text))) {
      this.#isWhole = false;
      this.#options.onMissing?.(this.#task.labellings[l]!.column);
      return -1;
    }
    const { column, classes } = this.#task.labellings[l]!;
    const got = this.#cells.kindOfClass(text, l, marks);
    throw this.#error(
      'ERR_UNKNOWN_CLASS',
      line,
      [column, position],
      words`${rowTerm('classWanted', `expected one of the task's ${classes.length} classes, got`, String(classes.length))} ${got}`,
    );
  }

  #titleOf(position: number): string {
    return columnTitle(this.#header[position]!, position);
  }

  #place(line: number): string {
    return `row ${this.#count} (line ${line})`;
  }

  #error(
    code: StatisticsCode,
    line: number,
    column: readonly [name: string, position: number] | undefined,
    what: Words | string,
  ): CodedError {
    const where = column === undefined ? '' : `, column ${columnTitle(...column)}`;
    return new CodedError(STATISTICS_CODES[code], words`${this.#place(line)}${where}: ${what}`);
  }
}

const blankRows = (rows: string): Words => rowTerm('blankRows', `${rows} of blanks alone passed over`, rows);

/**
 * Refuses names and classes with blanks around them: what is read without these never equals a name that has
 * some, but could equal another.
 */
function checkTrimmed({ features, labellings }: Columns): void {
  const names = [
    ...features.map(({ name }) => name),
    ...labellings.flatMap(({ column, classes }) => [column, ...classes]),
  ];
  if (names.every((name) => name === name.trim())) return;
  throw new CodedError(
    STATISTICS_CODES.ERR_CSV_COLUMNS,
    words`the task has names or classes with ${BLANKS} around them, which cannot be told with ${rowOption('trim')}`,
  );
}
