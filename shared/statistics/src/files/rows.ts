/**
 * Rows of files, whatever the files are: CSV in any text, packed or not, or Parquet; told by their first
 * bytes.
 */
import { createHash } from 'node:crypto';
import { CodedError, hyphenated, isOf, type Words, words } from '@eigenveil/platform';
import type { FileForm } from '@eigenveil/platform/file-form';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { CSV_OPTIONS, type CsvForm, type ReadingOptions } from '../csv/reading-options.ts';
import { readRecords, readRowBatches } from '../csv/rows.ts';
import type { TypeProblems } from '../duckdb/columns.ts';
import type { Row, RowBatches, RowOptions } from '../sums/rows.ts';
import { formOfFile, nameOf, readFileBytes } from './disk.ts';
import { filesOf, folderValues } from './paths.ts';

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/** Options by which rows are read, and who is told of it. */
interface FileRowOptions extends RowOptions {
  /** Told how many rows have been read, and of how many where that is known. */
  readonly onProgress?: ((rows: number, total: number | undefined) => void) | undefined;
}

/** The rows of the files that one text names. */
interface FileRows {
  /** The name of what is read, for people. */
  readonly title: string;
  read(task: Columns, options: FileRowOptions): RowBatches;
}

/** A record of a sample; undefined for a cell that is missing whatever marks there are. */
interface FileRecord {
  readonly cells: readonly (string | undefined)[];
  /** The place of it, for messages. */
  readonly place: string;
  /**
   * The problems of columns, beside the header, where the file has types: why each is no feature or no label.
   */
  readonly problems?: readonly TypeProblems[] | undefined;
}

/** Options that apply to text alone. */
const OF_TEXT = [
  'separator',
  'decimal',
  'thousands',
  'escape',
  'encoding',
  'skipLines',
  'skipRows',
] as const satisfies readonly (keyof CsvForm)[];

/** Files of one kind. */
interface FoundFiles {
  readonly paths: readonly string[];
  readonly isParquet: boolean;
}

interface ReadingFiles extends FileRowOptions {
  readonly onFileRead: (file: string) => void;
}

/**
 * The rows of a file, of all files in a folder, or of all files of a pattern.
 * @returns what reads them: throws as `readRows` and `readStoredRows` do, ERR_FILE_UNREADABLE for what is
 *   neither text nor Parquet and where there are no files, ERR_FILE_REPEATED for two files with the same
 *   rows, ERR_ROW_OPTIONS for options that Parquet does not have
 */
export function rowsOfFiles(pattern: string, settings: ReadingOptions): FileRows {
  return {
    title: nameOf(pattern),
    async *read(task, options) {
      const files = await foundFiles(pattern, settings);
      const isOneOfMany = files.paths.length > 1;
      const repeats = new Repeats(isOneOfMany && settings.allowRepeatedFiles !== true);
      const all = { ...formOf(settings), ...options };
      const onFileRead = (file: string) => repeats.end(file);
      const batches = files.isParquet
        ? parquetRows(files.paths, task, settings, { ...all, onFileRead })
        : csvRows(files.paths, task, settings, { ...all, onFileRead });
      for await (const batch of batches) {
        repeats.add(batch);
        yield batch;
      }
    },
  };
}

/** Files of one kind, whose options are of that kind. */
async function foundFiles(pattern: string, settings: ReadingOptions): Promise<FoundFiles> {
  const paths = await filesOf(pattern);
  const kinds = await Promise.all(paths.map(async (path) => isParquet(path, await formOfFile(path))));
  const other = kinds.findIndex((kind) => kind !== kinds[0]);
  if (other > 0)
    throw new CodedError(
      STATISTICS_CODES.ERR_FILE_UNREADABLE,
      `${JSON.stringify(pattern)} expected files of one kind, got Parquet and others: ${JSON.stringify(paths[0])}, ${JSON.stringify(paths[other])}`,
    );
  const stored = kinds[0]!;
  if (stored) requireNoText(pattern, settings);
  return { paths, isParquet: stored };
}

function isParquet(path: string, form: FileForm | undefined): boolean {
  // A gzip archive is unpacked before it is looked into again.
  if (form?.kind !== 'other') return form?.kind === 'parquet';
  throw new CodedError(
    STATISTICS_CODES.ERR_FILE_UNREADABLE,
    `${JSON.stringify(path)} expected CSV or Parquet, got ${form.title}`,
  );
}

/**
 * @param title what is read
 * @throws ERR_ROW_OPTIONS for options that say how text is written
 */
export function requireNoText(title: string, settings: ReadingOptions): void {
  const given = OF_TEXT.filter((name) => settings[name] !== undefined);
  if (given.length === 0) return;
  const flags = given.map((name) => `"--${hyphenated(name)}"`);
  throw new CodedError(
    STATISTICS_CODES.ERR_ROW_OPTIONS,
    `${flags.join(', ')} expected with CSV alone, and ${JSON.stringify(title)} is none`,
  );
}

/** Returns the form in which, by the settings, a file is written. */
function formOf(settings: ReadingOptions): CsvForm & Pick<RowOptions, 'numericLabels'> {
  const form = Object.keys(CSV_OPTIONS).map((name) => [name, settings[name as keyof CsvForm]]);
  return { ...(Object.fromEntries(form) as CsvForm), numericLabels: settings.numericLabels };
}

/** Returns what folders on the way to a file say, where that is asked for. */
function appendedTo(file: string, { folderColumns = [] }: ReadingOptions): RowOptions['appended'] {
  if (folderColumns.length === 0) return undefined;
  return { names: folderColumns, values: folderValues(file, folderColumns) };
}

async function* csvRows(
  paths: readonly string[],
  task: Columns,
  settings: ReadingOptions,
  options: ReadingFiles,
): RowBatches {
  for (const path of paths) {
    const named = paths.length > 1 ? namedRemarks(path, options) : options;
    try {
      yield* readRowBatches(readFileBytes(path), task, { ...named, appended: appendedTo(path, settings) });
    } catch (error) {
      throw paths.length > 1 ? namedError(path, error) : error;
    }
    options.onFileRead(path);
  }
}

async function* parquetRows(
  paths: readonly string[],
  task: Columns,
  settings: ReadingOptions,
  options: ReadingFiles,
): RowBatches {
  const { readStoredRows } = await import('../duckdb/index.ts');
  yield* readStoredRows({ parquet: paths }, task, {
    ...options,
    appendedTo: (path) => appendedTo(path, settings),
    memoryMegabytes: settings.memory,
  });
}

/** An error of one of several files says which, unless it does already. */
function namedError(path: string, error: unknown): unknown {
  if (!isOf(STATISTICS_CODES, error) || error.message.includes(JSON.stringify(path))) return error;
  return new CodedError(error.info, words`${JSON.stringify(path)}, ${error.words}`, {
    cause: error,
  });
}

function namedRemarks<Options extends FileRowOptions>(path: string, options: Options): Options {
  const { onRemark } = options;
  if (onRemark === undefined) return options;
  return {
    ...options,
    onRemark: (remark: Words | string) => onRemark(words`${JSON.stringify(path)}: ${remark}`),
  };
}

/** Finds files with the same rows, by a digest of what was read of each. */
class Repeats {
  readonly #isWanted: boolean;
  readonly #files = new Map<string, string>();
  #hash = createHash('sha256');
  #rows = 0;

  constructor(isWanted: boolean) {
    this.#isWanted = isWanted;
  }

  add(batch: readonly Row[]): void {
    if (!this.#isWanted) return;
    for (const { values, classes, kept } of batch) {
      this.#rows += 1;
      this.#hash.update(Float64Array.from([...Array.from(values), ...classes]));
      if (kept !== undefined) this.#hash.update(JSON.stringify(kept));
    }
  }

  addText(cells: readonly (string | undefined)[]): void {
    if (!this.#isWanted) return;
    this.#rows += 1;
    this.#hash.update(JSON.stringify(cells));
  }

  /** @throws ERR_FILE_REPEATED */
  end(path: string): void {
    if (!this.#isWanted) return;
    const digest = this.#hash.digest('hex');
    const rows = this.#rows;
    this.#hash = createHash('sha256');
    this.#rows = 0;
    if (rows === 0) return;
    const before = this.#files.get(digest);
    if (before !== undefined)
      throw new CodedError(
        STATISTICS_CODES.ERR_FILE_REPEATED,
        `${JSON.stringify(before)} and ${JSON.stringify(path)} have the same rows: leave one of them out, or read both with --allow-repeated-files`,
      );
    this.#files.set(digest, path);
  }
}

/** A sample: its header, and its records one by one. */
type FileRecords = AsyncGenerator<FileRecord>;

/**
 * The records of the files that one text names, of which no task says what they are; the header comes first,
 * once.
 * @throws as the rows of `rowsOfFiles`
 */
export async function* recordsOfFiles(
  pattern: string,
  settings: ReadingOptions & Pick<RowOptions, 'onRemark'> = {},
): FileRecords {
  const { paths, isParquet: stored } = await foundFiles(pattern, settings);
  const isOneOfMany = paths.length > 1;
  const repeats = new Repeats(isOneOfMany && settings.allowRepeatedFiles !== true);
  let header: readonly (string | undefined)[] | undefined;
  for (const path of paths) {
    const where = isOneOfMany ? `${JSON.stringify(path)}, ` : '';
    let order: number[] | undefined;
    const records = stored ? storedRecords(path, settings) : textRecords(path, settings);
    for await (const { cells, place, problems } of records) {
      if (order === undefined) {
        if (header === undefined) yield { cells, place, problems };
        header ??= cells;
        order = orderOf(path, header, cells);
        continue;
      }
      // A row of another width is refused where the sample is read.
      const own = cells.length === order.length ? order.map((k) => cells[k]) : cells;
      repeats.addText(own);
      yield { cells: own, place: `${where}${place}` };
    }
    repeats.end(path);
  }
}

/** Returns the places in another file of the columns of the first one. */
function orderOf(
  path: string,
  header: readonly (string | undefined)[],
  own: readonly (string | undefined)[],
): number[] {
  if (header.every((name, i) => name === own[i]) && header.length === own.length) return own.map((_, k) => k);
  const order = header.map((name) => own.indexOf(name));
  if (order.length === own.length && new Set(order).size === own.length && !order.includes(-1)) return order;
  throw new CodedError(
    STATISTICS_CODES.ERR_CSV_COLUMNS,
    `${JSON.stringify(path)} expected the columns of the first file, got others`,
  );
}

async function* textRecords(
  path: string,
  settings: ReadingOptions & Pick<RowOptions, 'onRemark'>,
): FileRecords {
  const appended = appendedTo(path, settings);
  let row = -1;
  try {
    for await (const { cells, line } of readRecords(readFileBytes(path), settings)) {
      const isBlank = row >= 0 && cells.every((cell) => cell.trim() === '');
      if (!isBlank) row += 1;
      const more = appended === undefined || isBlank ? [] : row === 0 ? appended.names : appended.values;
      yield { cells: [...cells, ...more], place: `row ${row} (line ${line})` };
    }
  } catch (error) {
    throw namedError(path, error);
  }
}

async function* storedRecords(path: string, settings: ReadingOptions): FileRecords {
  const { readStoredRecords } = await import('../duckdb/index.ts');
  const appended = appendedTo(path, settings);
  let row = -1;
  for await (const { cells, problems } of readStoredRecords(path, { memoryMegabytes: settings.memory })) {
    row += 1;
    const more = appended === undefined ? [] : row === 0 ? appended.names : appended.values;
    const own = settings.trim === true ? cells.map((cell) => cell?.trim()) : cells;
    yield { cells: [...own, ...more], place: `row ${row}`, problems };
  }
}
