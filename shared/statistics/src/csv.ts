/** Streams an owner's rows out of CSV (RFC 4180, with a header row), strictly: what is not understood is refused. */

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { StatisticsTask } from '@eigenveil/task';
import { CsvError, type Parser, parse } from 'csv-parse';
import { CellReader, type CellSyntax, isMissing, SEPARATORS, type Separator } from './cells.ts';
import { StatisticsError, type StatisticsErrorCode } from './errors.ts';
import { type FoundColumns, findColumns } from './header.ts';
import { PlainLines } from './lines.ts';
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

/** How all CSV files are read. */
export const CSV_SYNTAX = {
  bom: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  /** So that an unclosed quote ends in an error and not in all memory. */
  max_record_size: 1 << 20,
};

/**
 * The bytes of a file, decompressed if its name ends in .gz.
 * @throws ERR_FILE_UNREADABLE
 */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = createReadStream(path);
    if (!path.toLowerCase().endsWith('.gz')) {
      yield* file;
      return;
    }
    const gunzip = createGunzip();
    // An error on either side reaches the loop over gunzip.
    pipeline(file, gunzip, () => {});
    yield* gunzip;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown reason';
    throw new StatisticsError('ERR_FILE_UNREADABLE', `${JSON.stringify(path)} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

/**
 * The rows of a CSV file, read as fast as they are asked for and never held together.
 *
 * The header names every feature and label column of the task, in any order, and beyond them only columns that are
 * ignored. Cells of features are plain decimal numbers, labels one of the task's classes to the letter. Lines end in LF,
 * CRLF or CR; a byte order mark and blank lines are skipped. Rows are counted from 1 without the header, lines as an editor
 * does. What other writers do (other separators, a decimal comma, blanks, 2.0 for the class 2, missing cells) takes an option
 * each; an error names the one that would read the cell, and never the cell.
 * @param source the file's bytes in chunks of any size, such as a Readable
 * @throws ERR_CSV_COLUMNS, ERR_CSV_ROW, ERR_CSV_CELL, ERR_CSV_SYNTAX, ERR_UNKNOWN_CLASS,
 *   ERR_OUT_OF_RANGE; a file without rows yields none
 * @example
 * import { readFileBytes, readRows } from '@eigenveil/statistics';
 *
 * for await (const { values, classes } of readRows(readFileBytes('rows.csv'), task)) console.log(values, classes);
 */
export async function* readRows(
  source: AsyncIterable<Uint8Array>,
  task: Pick<StatisticsTask, 'features' | 'labellings'>,
  options: CsvOptions = {},
): AsyncGenerator<CsvRow> {
  for await (const batch of readRowBatches(source, task, options)) yield* batch;
}

/** The same in batches, which costs less. */
export async function* readRowBatches(
  source: AsyncIterable<Uint8Array>,
  task: Pick<StatisticsTask, 'features' | 'labellings'>,
  options: CsvOptions = {},
): AsyncGenerator<readonly CsvRow[]> {
  const reader = new RecordReader(task, options);
  const separator = SEPARATORS[options.separator ?? 'comma'];
  const plain = new PlainLines(separator, (cells, line) => reader.read(cells, line));
  let parser: RecordParser | undefined;
  for await (const chunk of source) {
    // Blanks are the parser's to pass over.
    const text = parser === undefined && options.trim !== true ? plain.take(chunk) : plain.decode(chunk);
    if (text !== undefined) {
      parser ??= new RecordParser(separator, plain.lines, options, reader);
      await parser.take(text);
    }
    yield reader.takeRows();
  }
  if (parser === undefined) plain.end();
  else await parser.end();
  yield reader.takeRows();
  if (!reader.hasHeader)
    throw new StatisticsError('ERR_CSV_COLUMNS', 'expected a header row, got an empty file');
}

/** The parser's own bound of a record does not count what stands between cells, of which a file may hold gigabytes packed to nothing. */
const LONGEST_RECORD = 4 * CSV_SYNTAX.max_record_size;

/** Whatever RFC 4180 allows, in the words of csv-parse. */
class RecordParser {
  readonly #parser: Parser;
  readonly #linesBefore: number;
  /** Records and empty lines that have ended, and characters since. */
  #ended = 0;
  #open = 0;

  constructor(separator: string, linesBefore: number, options: CsvOptions, reader: RecordReader) {
    this.#linesBefore = linesBefore;
    // The parser hands over its records while it takes a chunk, which is far cheaper than a stream of objects; at most one
    // chunk's rows wait here.
    this.#parser = parse({
      ...CSV_SYNTAX,
      // The file's has been taken away where it was decoded; one in front of a later line is part of it.
      bom: false,
      delimiter: separator,
      trim: options.trim === true,
      // Counting cells is left to the reader, whose errors do not carry the record.
      relax_column_count: true,
      on_record: (record: string[], { lines }) => {
        reader.read(record, linesBefore + lines);
        return null;
      },
    });
    // Errors are taken from the callbacks below.
    this.#parser.on('error', () => {});
  }

  async take(text: string): Promise<void> {
    await this.#settle((done) => this.#parser.write(Buffer.from(text), done));
    const { records, empty_lines } = this.#parser.info;
    this.#open = records + empty_lines > this.#ended ? 0 : this.#open + text.length;
    this.#ended = records + empty_lines;
    if (this.#open > LONGEST_RECORD) throw this.#error('CSV_MAX_RECORD_SIZE');
  }

  end(): Promise<void> {
    return this.#settle((done) => this.#parser.end(done));
  }

  /** Runs one call of the parser to its end. Its own errors quote the record, so only their code and line are kept. */
  #settle(call: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      call((error) => {
        if (error === undefined || error === null) resolve();
        else reject(error instanceof CsvError ? this.#error(error.code) : error);
      });
    });
  }

  #error(code: string): StatisticsError {
    const line = this.#linesBefore + this.#parser.info.lines;
    const message = `line ${line}: not valid CSV (${code})${SYNTAX_HINTS[code] ?? ''}`;
    return new StatisticsError('ERR_CSV_SYNTAX', message);
  }
}

/**
 * A line of CSV, without its end, that readRows reads back.
 * @example
 * import { csvLine } from '@eigenveil/statistics';
 *
 * csvLine(['x, "y"', 7]); // → '"x, ""y""",7'
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return cells
    .map(String)
    .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',');
}

/** Turns records into rows; the first record is the header. */
class RecordReader {
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
      if (this.#isLeftOut(text)) return Number.NaN;
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

const SYNTAX_HINTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: ': a quoted cell ends before a separator, see --separator',
  INVALID_OPENING_QUOTE: ': a quote opens its cell, but for blanks that --trim passes over',
};
