/** The user's own rows, in place of a study's data sets: `--data FILE --label COLUMN`, with public ranges from a file or from flags. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { CodedError } from '@eigenveil/platform';
import { parseDecimal, readFileBytes, readRecords } from '@eigenveil/statistics';
import { z } from 'zod';
import { STUDY_CODES } from './codes.ts';

export type Range = readonly [least: number, largest: number];

export interface OwnData {
  /** The file's name without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Public bounds of each column. */
  readonly ranges: readonly Range[];
  /** Values that lay beyond are the nearer end. */
  readonly rows: readonly (readonly number[])[];
  /** Public bounds of the label, where it is a number that is learnt. */
  readonly labelRange?: Range;
  /** Class indices, in the order of `classes`. */
  readonly labels: readonly number[];
  readonly classes: readonly string[];
  /** Class indices of a second column, which is private, for studies of two labels. */
  readonly privateLabels?: readonly number[];
}

export interface OwnDataOptions {
  readonly data: string;
  readonly label: string;
  readonly privateLabel?: string;
  /** The label is a number, of which no value needs to occur twice. */
  readonly learnsNumbers?: boolean;
  /** JSON: `{"column": [least, largest]}`. */
  readonly ranges?: string;
  /** `column=least:largest`; these come before those of the file. */
  readonly range?: readonly string[];
}

const Ranges = z.record(z.string(), z.tuple([z.number(), z.number()]));
/** Fewer rows can be neither dealt nor split. */
const LEAST_ROWS = 40;
/** In each class, so that every part of a split has one. */
const LEAST_ROWS_PER_CLASS = 8;

/** @throws ERR_STUDY_DATA naming the file, the column and the line, never a value, and what the study needs */
export async function readOwnData({
  data: file,
  label,
  privateLabel,
  learnsNumbers = false,
  ranges,
  range = [],
}: OwnDataOptions): Promise<OwnData> {
  const { header, lines } = await recordsOf(file);
  const labels = privateLabel === undefined ? [label] : [label, privateLabel];
  const places = labels.map((name, i) => {
    const at = header.indexOf(name);
    if (at < 0)
      throw wrong(
        `${file}: "${i === 0 ? '--label' : '--private-label'}" expected a column of the file, has no ${JSON.stringify(name)}; its first line names columns, separated by commas: ${header.length} here`,
      );
    return at;
  });
  const known = await knownRanges(ranges, range);
  // A name that is a number is one where the user says so.
  if (header.some((name, i) => !places.includes(i) && !known.has(name) && parseDecimal(name) !== undefined))
    throw wrong(
      `${file}: seems to have no header, as its first line has numbers where names of columns are expected: put a line with a name for each column before it`,
    );
  if (privateLabel === label) throw wrong('"--private-label" expected another column than "--label"');
  if (lines.length < LEAST_ROWS)
    throw wrong(`${file}: expected at least ${LEAST_ROWS} rows, has ${lines.length}`);
  const columns = header.filter((_, i) => !places.includes(i));
  if (columns.length < 2) throw wrong(`${file}: expected at least 2 columns beside the label`);
  if (new Set(header).size < header.length)
    throw wrong(`${file}: expected a name of its own for every column, has one of two columns`);
  const rows = lines.map(({ cells, line }) => numbersOf(cells, header, places, `${file}, line ${line}`));
  const unnamed = lines.find(({ cells }) => places.some((at) => cells[at]!.trim() === ''));
  if (unnamed !== undefined)
    throw wrong(`${file}, line ${unnamed.line}: expected a class; leave out rows with missing values`);
  const [own, second] = places.map((at) =>
    classesOf(
      lines.map(({ cells }) => cells[at]!),
      `${file}: ${JSON.stringify(header[at])}`,
      learnsNumbers ? 1 : LEAST_ROWS_PER_CLASS,
    ),
  );
  const isRanged = learnsNumbers || known.has(label);
  const bounds = rangesOf(isRanged ? [...columns, label] : columns, known);
  return {
    name: basename(file).replace(/\.csv(\.gz)?$/i, ''),
    columns,
    ranges: bounds.slice(0, columns.length),
    ...(isRanged && { labelRange: bounds.at(-1)! }),
    rows: rows.map((row) => row.map((value, i) => Math.min(bounds[i]![1], Math.max(bounds[i]![0], value)))),
    ...own!,
    ...(second && { privateLabels: second.labels }),
  };
}

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The header and the rows behind it, which are as wide. */
async function recordsOf(file: string): Promise<{ header: readonly string[]; lines: readonly CsvRecord[] }> {
  const records: CsvRecord[] = [];
  try {
    for await (const record of readRecords(readFileBytes(file))) records.push(record);
  } catch (cause) {
    const { code, message } = cause as CodedError;
    // Its message names an option that studies do not have.
    const why = code === 'ERR_ENCODING' ? 'save it as UTF-8' : message;
    throw wrong(`"--data" expected a CSV file, got ${file}: ${why}`, cause);
  }
  const [first, ...lines] = records;
  const header = first?.cells ?? [];
  const odd = lines.find(({ cells }) => cells.length !== header.length);
  if (odd !== undefined)
    throw wrong(
      `${file}, line ${odd.line}: expected as many cells as the header has, ${header.length}, has ${odd.cells.length}; cells are separated by commas, and those with commas stand in quotes`,
    );
  return { header, lines };
}

function classesOf(
  names: readonly string[],
  place: string,
  least: number,
): Pick<OwnData, 'labels' | 'classes'> {
  const classes = [...new Set(names)].sort();
  if (classes.length < 2) throw wrong(`${place} expected at least 2 classes, has ${classes.length}`);
  const fewest = Math.min(...classes.map((name) => names.filter((it) => it === name).length));
  if (fewest < least)
    throw wrong(`${place} expected at least ${least} rows of each class, has ${fewest} of one`);
  return { labels: names.map((name) => classes.indexOf(name)), classes };
}

function numbersOf(
  cells: readonly string[],
  header: readonly string[],
  labels: readonly number[],
  place: string,
): number[] {
  return cells.flatMap((cell, i) => {
    if (labels.includes(i)) return [];
    const value = parseDecimal(cell);
    if (value === undefined || !Number.isFinite(value))
      throw wrong(
        `${place}: ${JSON.stringify(header[i] ?? '')} expected a number; leave out columns of words and rows with missing values`,
      );
    return [value];
  });
}

async function knownRanges(
  file: string | undefined,
  flags: readonly string[],
): Promise<ReadonlyMap<string, Range>> {
  const known = new Map<string, Range>(file === undefined ? [] : Object.entries(await readRanges(file)));
  for (const flag of flags) {
    const [, column, least, largest] = /^(.+)=([^:=]+):([^:=]+)$/.exec(flag) ?? [];
    if (column === undefined || !Number.isFinite(Number(least)) || !Number.isFinite(Number(largest)))
      throw wrong(`"--range" expected COLUMN=LEAST:LARGEST, got ${JSON.stringify(flag)}`);
    known.set(column, [Number(least), Number(largest)]);
  }
  return known;
}

function rangesOf(columns: readonly string[], known: ReadonlyMap<string, Range>): Range[] {
  const missing = columns.filter((column) => !known.has(column));
  if (missing.length > 0)
    throw wrong(
      `expected a public range for every column, by "--ranges FILE" or "--range COLUMN=LEAST:LARGEST"; there is none for ${missing.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  return columns.map((column) => {
    const [least, largest] = known.get(column)!;
    if (!(least < largest))
      throw wrong(`the range of ${JSON.stringify(column)} expected its least value to be below its largest`);
    return [least, largest];
  });
}

async function readRanges(file: string): Promise<Record<string, [number, number]>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw wrong(
      `"--ranges" expected a file, cannot read ${file}: ${(cause as NodeJS.ErrnoException).code}`,
      cause,
    );
  }
  try {
    return Ranges.parse(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (cause) {
    throw wrong(`"--ranges" expected JSON {"column": [least, largest], …}, got ${file}`, cause);
  }
}

const wrong = (message: string, cause?: unknown) =>
  new CodedError(STUDY_CODES.ERR_STUDY_DATA, message, { cause });
