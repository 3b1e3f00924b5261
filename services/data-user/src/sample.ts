/** What the columns of a sample hold, read once and in little memory: everything that a draft takes from it. */
import {
  BooleanWatch,
  CellReader,
  ColumnNames,
  ColumnSpread,
  type CsvForm,
  columnTitle,
  countsRows,
  LastRowSums,
  type MissingMarks,
  missingMarks,
  parseDecimal,
  type ReadingOptions,
  type RowBatches,
  RowCounter,
  type RowOptions,
  readRecords,
  SEPARATORS,
  type Separator,
  StatisticsError,
  ThousandsWatch,
  type TypeProblems,
  widthProblem,
} from '@eigenveil/statistics/owner';
import type { StatisticsTask } from '@eigenveil/task';
import { LIMITS } from '@eigenveil/task/schema';
import { ServiceError } from '@eigenveil/wire/errors';
import { isNamedLikeLabels, LabelLike } from './label-like.ts';
import { Ends } from './sample-ends.ts';

/** A cell that cannot be what it is wanted for, by its row from 1, or a whole column (row 0); what stands in it is never told. */
export interface BadCell<Kind> {
  readonly row: number;
  readonly kind: Kind;
  /** What it holds, and what would read it. */
  readonly what?: string | undefined;
}
export type NoFeature = BadCell<'missing' | 'no number' | 'type'>;
export type NoLabel = BadCell<'missing' | 'blanks' | 'long' | 'type'>;

export interface SampleColumn {
  /** As the task is to call it. */
  readonly name: string;
  /** As the file calls it, where that is another name. */
  readonly own?: string | undefined;
  /** Of its numbers. */
  readonly range: Range | undefined;
  /** The first cell that is no number. */
  readonly noFeature: NoFeature | undefined;
  /** The first cell that makes a class that nobody means. */
  readonly noLabel: NoLabel | undefined;
  /** Its different texts as labels; undefined where there are more than a task takes. */
  readonly labels: readonly string[] | undefined;
  /** How many labels it has that is named like labels and holds a few whole numbers; undefined where it does not look so. */
  readonly labelLike: number | undefined;
  /** What looks like a mistake in it, as a feature. */
  readonly remarks?: ColumnRemarks;
  /** Cells outside the range that was asked for. */
  readonly outside?: number;
}

/** Each is undefined where there is nothing to tell. */
interface ColumnRemarks {
  /** Of points or commas that may stand between thousands, and of booleans. */
  numbers(): readonly (string | undefined)[];
  /** Of a single value that makes an end of the range, where that is the values' own. */
  end(): string | undefined;
  /** Of cells that number the rows. */
  count(): string | undefined;
  /** Of values that fill little of the range that a draft gives them. */
  spread(min: number, max: number): string | undefined;
}

export interface Sample {
  readonly columns: readonly SampleColumn[];
  readonly rows: number;
  /** Rows that were left out, since a cell is missing or all are blank. */
  readonly skippedRows?: number;
  /** Whether the last row is the sum of those above it. */
  readonly endsInSum?: boolean;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly twoValued: boolean;
}

/** How the cells of a sample are read. */
export interface SampleOptions
  extends Pick<ReadingOptions, 'decimal' | 'thousands' | 'missing' | 'missingValues' | 'defaultMissing'>,
    Pick<ReadingOptions, 'columns' | 'trim' | 'numericLabels' | 'separator'> {
  /** Columns whose cells do not matter. Where it is not known yet, every column may be left out later. */
  readonly ignore?: readonly string[];
  /** Of all features, where it is not the sample's. */
  readonly range?: readonly [min: number, max: number] | undefined;
}

/** A row of a sample; undefined for a cell that holds nothing. */
export interface SampleRecord {
  readonly cells: readonly (string | undefined)[];
  /** Of the header, where columns have types: why each is no feature or no label. */
  readonly problems?: readonly TypeProblems[] | undefined;
}

/** Starts reading the rows that the task was drafted from. */
export type ReadSampleRows = (
  columns: Pick<StatisticsTask, 'features' | 'labellings'>,
  options: RowOptions,
) => RowBatches;

/** As long as a class of a task may be. */
const LONGEST_LABEL = 128;
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
 * The same of records, the header first.
 * @throws ERR_TASK_INVALID for a header with numbers, with a name twice or a column without one, and for a file without rows; ERR_CSV_COLUMNS for
 *   columns of the options that are not there; ERR_CSV_ROW, ERR_ROW_OPTIONS; as the records
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
  readonly #separator: Separator | undefined;
  /** What is wrong with the header, while the first rows say more of it. */
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
    this.#columns = header.map(
      (own, i) =>
        new Column(
          { own, name: names.mapped[i]!, position: i, ...problems[i] },
          { cells, marks: marks[i]!, options },
        ),
    );
    this.#skipsMissing = missing === 'skip';
    this.#separator = options.separator;
    this.#sums = new LastRowSums(this.#used.length);
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
      throw new StatisticsError(
        'ERR_CSV_ROW',
        `row ${this.#rows}: ${widthProblem(this.#columns.length, cells, this.#separator)}`,
      );
    if (this.#skipsMissing && this.#used.some((i) => this.#columns[i]!.isMissing(cells[i]))) {
      this.#rows -= 1;
      this.#skippedRows += 1;
      return;
    }
    const values = this.#columns.map((column, i) => column.add(cells[i], this.#rows));
    this.#sums.add(this.#used.map((i) => values[i]));
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
    `column ${number} has no name${index}: leave it out with --ignore '#${number}', or name it with --columns '#${number}=name'`,
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
      `the header row is separated otherwise: give --separator ${other}, and --decimal comma where numbers are written so`,
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

/** What is known of a column before a row is read. */
interface ColumnTitle extends TypeProblems {
  readonly own: string;
  readonly name: string;
  readonly position: number;
}

/** One column, as far as it has been read. */
class Column {
  readonly #title: ColumnTitle;
  readonly #cells: CellReader;
  readonly #marks: MissingMarks;
  readonly #options: SampleOptions;
  readonly #labels = new Map<string | number, string>();
  readonly #labelLike: LabelLike | undefined;
  readonly #ends = new Ends();
  readonly #spread = new ColumnSpread();
  readonly #counter = new RowCounter();
  #thousands: ThousandsWatch | undefined;
  readonly #booleans = new BooleanWatch();
  #range: Range | undefined;
  #noFeature: NoFeature | undefined;
  #noLabel: NoLabel | undefined;
  #outside = 0;

  constructor(
    title: ColumnTitle,
    how: { readonly cells: CellReader; readonly marks: MissingMarks; readonly options: SampleOptions },
  ) {
    this.#title = title;
    this.#cells = how.cells;
    this.#marks = how.marks;
    this.#options = how.options;
    const { decimal, thousands } = how.options;
    if (decimal === undefined && thousands === undefined)
      this.#thousands = new ThousandsWatch(how.cells.format.decimal);
    this.#labelLike = isNamedLikeLabels(title.name) ? new LabelLike() : undefined;
    if (title.feature !== undefined) this.#noFeature = { row: 0, kind: 'type', what: title.feature };
    if (title.label !== undefined) this.#noLabel = { row: 0, kind: 'type', what: title.label };
  }

  /** A column whose type says nothing to a task has no cells that could be missing. */
  isMissing(text: string | undefined): boolean {
    if (this.#title.feature !== undefined && this.#title.label !== undefined) return false;
    return text === undefined || this.#marks.has(text, this.#cells.format.read(text));
  }

  /** Returns the number that the cell writes. */
  add(text: string | undefined, row: number): number | undefined {
    const missing = this.isMissing(text) || text === undefined;
    const value = missing ? undefined : this.#cells.format.read(text!);
    if (value === undefined) {
      this.#noFeature ??= {
        row,
        kind: missing ? 'missing' : 'no number',
        what: missing ? undefined : this.#cells.kindOfNumber(text!, this.#marks),
      };
    } else this.#addNumber(value, text!);
    this.#counter.add(text ?? '');
    if (missing) this.#noLabel ??= { row, kind: 'missing' };
    else if (text!.trim() !== text) this.#noLabel ??= { row, kind: 'blanks' };
    else if (text.length > LONGEST_LABEL) this.#noLabel ??= { row, kind: 'long' };
    else if (this.#labels.size <= LIMITS.classes) {
      const key = this.#options.numericLabels === true ? (value ?? text) : text;
      if (!this.#labels.has(key)) this.#labels.set(key, text);
    }
    return value;
  }

  #addNumber(value: number, text: string): void {
    this.#labelLike?.add(value);
    this.#range = extended(this.#range, value);
    this.#ends.add(value);
    this.#spread.add(value);
    if (this.#thousands?.add(text) === false) this.#thousands = undefined;
    this.#booleans.add(text, value);
    const { range } = this.#options;
    if (range !== undefined && (value < range[0] || value > range[1])) this.#outside += 1;
  }

  told(): SampleColumn {
    const { own, name } = this.#title;
    const title = columnTitle(name, this.#title.position);
    return {
      name,
      ...(own !== name && { own }),
      range: this.#range,
      noFeature: this.#noFeature,
      noLabel: this.#noLabel,
      labels:
        this.#labels.size > LIMITS.classes ? undefined : [...this.#labels.values()].sort(byNumberThenText),
      labelLike: this.#noFeature === undefined ? this.#labelLike?.count : undefined,
      outside: this.#outside,
      remarks: {
        numbers: () => [this.#thousands?.remark(title), this.#booleans.remark(title)],
        end: () => this.#ends.remark(title),
        count: () =>
          this.#counter.counts
            ? `${title} counts rows, as an id or the index of a data frame does: leave it out with --ignore, unless it is a feature`
            : undefined,
        spread: (min, max) => {
          const spread = this.#spread.remark(min, max);
          return spread === undefined ? undefined : `the values of ${title} ${spread}`;
        },
      },
    };
  }
}

function extended(range: Range | undefined, value: number): Range {
  if (range === undefined) return { min: value, max: value, twoValued: true };
  const { min, max, twoValued } = range;
  const isThird = min < max && value !== min && value !== max;
  if (!isThird && value >= min && value <= max) return range;
  return { min: Math.min(min, value), max: Math.max(max, value), twoValued: twoValued && !isThird };
}

const byNumberThenText = (a: string, b: string) => Number(a) - Number(b) || (a < b ? -1 : 1);

function invalid(message: string): ServiceError {
  return new ServiceError('ERR_TASK_INVALID', message);
}
