/**
 * Streams an owner's rows out of CSV (RFC 4180, with a header row), strictly: what is not understood is
 * refused.
 */

import type { StatisticsTask } from '@eigenveil/task';
import { type OwnerStatistics, type SummingOptions, statisticsOfRows } from '../sums/rows.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { type CsvOptions, type CsvRow, RecordReader } from './records.ts';

/**
 * The rows of a CSV file, read as fast as they are asked for and never held together.
 *
 * The header names every feature and label column of the task, in any order, and beyond them only columns
 * that are ignored. Cells of features are plain decimal numbers, labels one of the task's classes to the
 * letter. Lines end in LF, CRLF or CR; a byte order mark and blank lines are skipped, rows of blanks skipped
 * and counted. Rows are counted from 1 without the header, lines as an editor does. What other writers do
 * (other separators, encodings, a decimal comma, blanks, 2.0 for the class 2, missing cells) takes an option
 * each; an error names the one that would read the cell, and never the cell.
 * @param source the file's bytes in chunks of any size, such as a Readable
 * @throws ERR_CSV_COLUMNS, ERR_CSV_ROW, ERR_CSV_CELL, ERR_CSV_SYNTAX, ERR_ENCODING, ERR_FILE_UNREADABLE for
 *   bytes that are not text, ERR_ROW_OPTIONS, ERR_UNKNOWN_CLASS, ERR_OUT_OF_RANGE; a file without rows yields
 *   none
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

/** Does the same in batches, which costs less. */
export async function* readRowBatches(
  source: AsyncIterable<Uint8Array>,
  task: Pick<StatisticsTask, 'features' | 'labellings'>,
  options: CsvOptions = {},
): AsyncGenerator<readonly CsvRow[]> {
  const reader: RecordReader = new RecordReader(task, options, () => intake.separator);
  const intake = new Intake(options, (cells, line) => reader.read(cells, line));
  for await (const chunk of source) {
    intake.take(chunk);
    yield reader.takeRows();
  }
  intake.end();
  reader.end();
  yield reader.takeRows();
}

/** A line's cells as they stand, and its number as an editor counts. */
interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/**
 * The records of a CSV file of which no task says what they are, the header first; as fast as they are asked
 * for, and of any width.
 * @throws ERR_CSV_SYNTAX, ERR_ENCODING, ERR_FILE_UNREADABLE for bytes that are not text, ERR_ROW_OPTIONS
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  options: IntakeOptions = {},
): AsyncGenerator<CsvRecord> {
  let records: CsvRecord[] = [];
  const intake = new Intake(options, (cells, line) => records.push({ cells, line }));
  for await (const chunk of source) {
    intake.take(chunk);
    yield* records;
    records = [];
  }
  intake.end();
  yield* records;
}

/**
 * Reads, discretises and sums all rows of a CSV file.
 * @param source the file's bytes, see `readFileBytes`
 * @throws as `readRows` and `statisticsOfRows`
 * @example
 * import { flatten, readFileBytes, statisticsOfCsv } from '@eigenveil/statistics';
 *
 * const { statistics, rows } = await statisticsOfCsv(readFileBytes('rows.csv.gz'), task);
 * const values = flatten(task, statistics);
 */
export function statisticsOfCsv(
  source: AsyncIterable<Uint8Array>,
  task: StatisticsTask,
  options: CsvOptions & SummingOptions = {},
): Promise<OwnerStatistics> {
  return statisticsOfRows(task, options, (counting) => readRowBatches(source, task, counting));
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
