/**
 * Reads what the columns of a sample hold, once and in little memory: everything that a draft takes from it.
 */

import { CodedError, term, type Words, words } from '@eigenveil/platform';
import {
  CellReader,
  ColumnNames,
  type CsvForm,
  countsRows,
  LastRowSums,
  missingMarks,
  parseDecimal,
  type RowBatches,
  type RowOptions,
  readRecords,
  SEPARATORS,
  type Separator,
  STATISTICS_CODES,
  type TypeProblems,
  widthProblem,
} from '@eigenveil/statistics/owner';
import type { StatisticsTask } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire/errors';
import { SampleScatter } from './dependent-columns.ts';
import { Column, type SampleColumn, type SampleOptions } from './sample-column.ts';

export interface Sample {
  readonly columns: readonly SampleColumn[];
  readonly rows: number;
  /** Rows that were left out, since a cell is missing or all are blank. */
  readonly skippedRows?: number;
  /** Says whether the last row is the sum of those above it. */
  readonly endsInSum?: boolean;
  /** Products of the columns with these numbers, unless they are too many. */
  readonly products?: { readonly scatter: SampleScatter; readonly columns: readonly number[] };
}

/** A row of a sample; undefined for a cell that holds nothing. */
interface SampleRecord {
  readonly cells: readonly (string | undefined)[];
  /**
   * The problems of columns, beside the header, where they have types: why each is no feature or no label.
   */
  readonly problems?: readonly TypeProblems[] | undefined;
}

/** Starts reading the rows that the task was drafted from. */
export type ReadSampleRows = (
  columns: Pick<StatisticsTask, 'features' | 'labellings'>,
  options: RowOptions,
) => RowBatches;

/** Rows that tell whether a column without a name counts them. */
const COUNTED_ROWS = 10;

/**
 * Reads the sample once, whole.
 * @param source the bytes of a CSV file with a header row
 * @throws as `sampleOf`; ERR_CSV_SYNTAX, ERR_ENCODING; as the source
 */
export function readSample(
  source: AsyncIterable<Uint8Array>,
  options: SampleOptions & CsvForm = {},
): Promise<Sample> {
  return sampleOf(readRecords(source, options), options);
}

/**
 * Reads the same from records, the header first.
 * @throws ERR_TASK_INVALID for a header with numbers, with a name twice or a column without one, and for a
 *   file without rows; ERR_CSV_COLUMNS for columns of the options that are not there; ERR_CSV_ROW,
 *   ERR_ROW_OPTIONS; as the records
 */
export async function sampleOf(
  records: AsyncIterable<SampleRecord>,
  options: SampleOptions = {},
): Promise<Sample> {
  let reader: SampleReader | undefined;
  for await (const { cells, problems } of records) {
    if (reader === undefined) {
      const header = cells.map((name) => name ?? '');
      reader = new SampleReader(header, options, problems);
      continue;
    }
    reader.add(cells);
  }
  if (reader === undefined) throw invalid('the file has no rows');
  return reader.told();
}

class SampleReader {
  readonly #columns: readonly Column[];
  /** Columns whose cells matter. */
  readonly #used: readonly number[];
  readonly #skipsMissing: boolean;
  readonly #sums: LastRowSums;
  readonly #scatter: SampleScatter | undefined;
  readonly #separator: Separator | undefined;
  /** The fault of the header, while the first rows say more of it. */
  #fault: { readonly position: number; readonly rows: string[] } | undefined;
  #rows = 0;
  #skippedRows = 0;

  constructor(header: readonly string[], options: SampleOptions, problems: readonly TypeProblems[] = []) {
    const { ignore, columns, missing } = options;
    const names = new ColumnNames(header, columns);
    const ignored = new Set((ignore ?? []).flatMap((name) => names.findAll(name)));
    this.#used = header.map((_, i) => i).filter((i) => !ignored.has(i));
    checkHeader(
      header,
      this.#used.map((i) => names.mapped[i]!),
      options,
    );
    const nameless = this.#used.find((i) => names.mapped[i]!.trim() === '');
    if (ignore !== undefined && nameless !== undefined) this.#fault = { position: nameless, rows: [] };
    const marks = missingMarks(options, names.all());
    const cells = new CellReader([], options);
    const used = new Set(this.#used);
    this.#columns = header.map(
      (own, i) =>
        new Column(
          { own, name: names.mapped[i]!, position: i, ...problems[i] },
          { cells, marks: marks[i]!, options, features: used.has(i) ? used.size : undefined },
        ),
    );
    this.#skipsMissing = missing === 'skip';
    this.#separator = options.separator;
    this.#sums = new LastRowSums(this.#used.length);
    this.#scatter = SampleScatter.of(this.#used.length);
  }

  /** @throws ERR_CSV_ROW, ERR_TASK_INVALID for a column without a name */
  add(cells: readonly (string | undefined)[]): void {
    if (cells.every((cell) => cell === undefined || cell.trim() === '') && this.#rows + cells.length > 0) {
      this.#skippedRows += 1;
      return;
    }
    this.#rows += 1;
    if (this.#fault !== undefined) this.#hold(cells[this.#fault.position]);
    if (cells.length !== this.#columns.length)
      throw new CodedError(
        STATISTICS_CODES.ERR_CSV_ROW,
        words`row ${this.#rows}: ${widthProblem(this.#columns.length, cells, this.#separator)}`,
      );
    if (this.#skipsMissing && this.#used.some((i) => this.#columns[i]!.isMissing(cells[i]))) {
      this.#rows -= 1;
      this.#skippedRows += 1;
      return;
    }
    const values = this.#columns.map((column, i) => column.add(cells[i], this.#rows));
    const own = this.#used.map((i) => values[i]);
    this.#sums.add(own);
    this.#scatter?.add(own);
  }

  /** @throws ERR_TASK_INVALID */
  told(): Sample {
    if (this.#fault !== undefined && this.#rows > 0) throw namelessColumn(this.#fault);
    if (this.#rows === 0)
      throw invalid(
        this.#skippedRows === 0
          ? 'the file has no rows'
          : `the file has no whole row: ${this.#skippedRows} lack a cell or are blank`,
      );
    return {
      columns: this.#columns.map((column) => column.told()),
      rows: this.#rows,
      skippedRows: this.#skippedRows,
      endsInSum: this.#sums.lastIsSum,
      ...(this.#scatter && { products: { scatter: this.#scatter, columns: this.#used } }),
    };
  }

  #hold(cell: string | undefined): void {
    this.#fault!.rows.push(cell ?? '');
    if (this.#fault!.rows.length === COUNTED_ROWS) throw namelessColumn(this.#fault!);
  }
}

function namelessColumn({ position, rows }: { readonly position: number; readonly rows: readonly string[] }) {
  const number = position + 1;
  const index = countsRows(rows) ? ' and counts rows, as the index of a data frame does' : '';
  return invalid(
    words`column ${number} has no name${index}: ${draftTerm('draftNameless', `leave it out with --ignore '#${number}', or name it with --columns '#${number}=name'`)}`,
  );
}

/** Its cells may be data, so that none is repeated. */
function checkHeader(
  header: readonly string[],
  used: readonly string[],
  { separator = 'comma', ignore }: SampleOptions,
): void {
  const [first = ''] = header;
  const other =
    header.length > 1 ? undefined : SEPARATOR_NAMES.find((name) => first.includes(SEPARATORS[name]));
  const named = used.filter((name) => ignore === undefined || name.trim() !== '');
  const faults = [
    [
      other !== undefined && other !== separator,
      words`the header row is separated otherwise: ${draftTerm('draftSeparator', `give --separator ${other}, and --decimal comma where numbers are written so`)}`,
    ],
    [
      used.some((name) => parseDecimal(name) !== undefined),
      'the file needs a header row first, with names that are no numbers',
    ],
    [
      named.length > new Set(named).size,
      `the header row needs names that differ, and columns ${repeatedIn(header).join(' and ')} have one`,
    ],
  ] as const;
  for (const [holds, message] of faults) if (holds) throw invalid(message);
}

/** The numbers of the first two columns of one name. */
function repeatedIn(names: readonly string[]): number[] {
  const later = names.findIndex((name, i) => names.indexOf(name) < i);
  return [names.indexOf(names[later]!), later].map((i) => i + 1);
}

const SEPARATOR_NAMES = Object.keys(SEPARATORS) as Separator[];

function invalid(message: Words | string): CodedError {
  return new CodedError(CODES.ERR_TASK_INVALID, message);
}

export type DraftTerm =
  | 'draftConsentOfCsp'
  | 'draftIgnore'
  | 'draftLabels'
  | 'draftLower'
  | 'draftMachine'
  | 'draftMissing'
  | 'draftNameless'
  | 'draftRangesFrom'
  | 'draftSeparator'
  | 'draftTrim'
  | 'draftUnits'
  | 'draftUpper'
  | 'draftWayOut';

/** Words with options in them. */
export const draftTerm = (name: DraftTerm, text: string, value?: string): Words => term(name, text, value);
