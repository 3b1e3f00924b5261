/**
 * Proposes how a file of rows is written, from its first records, by the code that then reads it. A surface
 * shows what was proposed, and its user may say otherwise.
 */
import { concatBytes, isOf } from '@eigenveil/platform';
import type { Encoding } from '@eigenveil/platform/file-form';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import { CellReader, isProbablyMissing, missingMarks } from './cells.ts';
import { Decoding } from './decoding.ts';
import { matchColumns } from './header.ts';
import { Intake } from './intake.ts';
import { NumberFormat, OTHER_FORMATS } from './numbers.ts';
import { holdsUnits } from './odd-rows.ts';
import { type CsvForm, type ReadingOptions, SEPARATORS, type Separator } from './reading-options.ts';
import { SOUGHT_RECORDS } from './records.ts';

type Columns = Pick<StatisticsTask, 'features' | 'labellings'>;

/** The first bytes of a file, and whether they are all that it has. */
export interface FileStart {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/** The form that a file seems to have. What is absent is as usual. */
export type ProposedForm = CsvForm & Pick<ReadingOptions, 'numericLabels'>;

const START_BYTES = 1 << 20;
/** The number of bytes that are taken at once, so that not all are read where the first rows are enough. */
const SLICE_BYTES = 1 << 16;
/** The most records and cells of which a form is proposed. */
const LOOKED_RECORDS = 200;
const LOOKED_CELLS = 20_000;
/** The most rows of units below a header row. */
const MOST_UNITS = 2;

/** Reads the first bytes of a file, and no more. */
export async function startOf(source: AsyncIterable<Uint8Array>): Promise<FileStart> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > START_BYTES)
      return { bytes: concatBytes(...chunks).subarray(0, START_BYTES), isWhole: false };
  }
  return { bytes: concatBytes(...chunks), isWhole: true };
}

interface CsvRecord {
  readonly cells: readonly string[];
  /** The number of the line in which it ends, from 1. */
  readonly line: number;
}

/**
 * Returns the first records of a file by a form, the header first; none of an empty file.
 * @throws ERR_CSV_SYNTAX, ERR_ENCODING, ERR_FILE_UNREADABLE for bytes that are not text, ERR_ROW_OPTIONS
 */
export function firstRecords({ bytes, isWhole }: FileStart, form: CsvForm): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  const intake = new Intake(form, (cells, line) => records.push({ cells, line }));
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    intake.take(bytes.subarray(from, from + SLICE_BYTES));
    if (records.length >= LOOKED_RECORDS) return records.slice(0, LOOKED_RECORDS);
  }
  if (isWhole) intake.end();
  return records;
}

/**
 * Proposes the form by which the file has most of the task's columns, and most of their cells can be read.
 * It proposes neither of two forms that read the same cells as different numbers: which of them, only its
 * owner can say.
 * @param options.countsUnreadable true where cells that are no numbers count, as in a histogram: then no row
 *   is proposed to be left out
 * @throws ERR_FILE_UNREADABLE for bytes that are not text
 */
export function proposeForm(
  start: FileStart,
  task: Columns,
  { countsUnreadable = false }: { readonly countsUnreadable?: boolean } = {},
): ProposedForm {
  const encoding = encodingOf(start);
  const layout = bestLayout(start, encoding, task);
  if (layout === undefined) return definedOf({ encoding });
  const { header, records, form } = layout;
  const { features, labels, rows, skipRows } = cellsOf(layout, task);
  const number = formatOf(features.map((cell) => cell.trim()));
  const cells = new CellReader(task.labellings, number);
  const numeric = new CellReader(task.labellings, { ...number, numericLabels: true });
  const unreadable = features.filter((cell) => cells.format.read(cell) === undefined);
  const unknown = labels.filter(({ cell, l }) => cells.classIndex(cell, l) === undefined);
  const odd = [...unreadable, ...unknown.map(({ cell }) => cell)];
  const trim =
    form.trim === true ||
    odd.some((cell) => cell !== '' && cell.trim() === '') ||
    unreadable.some((cell) => cell !== cell.trim() && cells.format.read(cell.trim()) !== undefined) ||
    unknown.some(({ cell, l }) => cell !== cell.trim() && cells.classIndex(cell.trim(), l) !== undefined);
  const marks = [...new Set(odd.map((cell) => cell.trim()).filter(isProbablyMissing))];
  const hasMissing = odd.some((cell) => isMissing(cell.trim()));
  return definedOf({
    ...form,
    ...number,
    trim: trim || undefined,
    skipLines: header > 0 ? records[header]!.line - 1 : undefined,
    skipRows: skipRows > 0 && skipRows < rows ? skipRows : undefined,
    numericLabels:
      unknown.some(({ cell, l }) => numeric.classIndex(cell.trim(), l) !== undefined) || undefined,
    ...(hasMissing && !countsUnreadable
      ? { missing: 'skip' as const, missingValues: marks.length > 0 ? marks : undefined }
      : {}),
  });
}

/** Returns the form without the members that are undefined. */
function definedOf(form: ProposedForm): ProposedForm {
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined));
}

const [usualMarks] = missingMarks({}, [[]]);
const isMissing = (cell: string) => usualMarks!.has(cell) || isProbablyMissing(cell);

/** Windows and older programs write this one where it is not UTF-8; the first rows show whether it is right. */
const USUAL_ENCODING: Encoding = 'windows-1252';

function encodingOf(start: FileStart): Encoding | undefined {
  return canDecode(start, undefined) || !canDecode(start, USUAL_ENCODING) ? undefined : USUAL_ENCODING;
}

function canDecode({ bytes, isWhole }: FileStart, encoding: Encoding | undefined): boolean {
  const decoding = new Decoding({ encoding }, () => 0);
  try {
    decoding.take(bytes);
    if (isWhole) decoding.end();
    return true;
  } catch (error) {
    if (isOf(STATISTICS_CODES, error) && error.code === 'ERR_ENCODING') return false;
    throw error;
  }
}

/** Records as one form splits them. */
interface Layout {
  readonly form: CsvForm;
  readonly records: readonly CsvRecord[];
  /** The place of the header among the records. */
  readonly header: number;
  /** The number of the task's columns, and of all columns, in the header. */
  readonly found: number;
  readonly width: number;
}

const VARIANTS: readonly CsvForm[] = [{}, { trim: true }, { escape: 'backslash' }];

/** Returns the first of the layouts that have most of the task's columns, and among these most columns. */
function bestLayout(start: FileStart, encoding: Encoding | undefined, task: Columns): Layout | undefined {
  const names = new Set([
    ...task.features.map(({ name }) => name),
    ...task.labellings.map(({ column }) => column),
  ]);
  return (Object.keys(SEPARATORS) as Separator[])
    .flatMap((separator) => VARIANTS.map((variant) => definedOf({ encoding, separator, ...variant })))
    .flatMap((form) => layoutOf(start, form, names) ?? [])
    .reduce<Layout | undefined>(
      (best, it) =>
        best === undefined || it.found > best.found || (it.found === best.found && it.width > best.width)
          ? it
          : best,
      undefined,
    );
}

function layoutOf(start: FileStart, form: CsvForm, names: ReadonlySet<string>): Layout | undefined {
  let records: readonly CsvRecord[];
  try {
    records = firstRecords(start, form);
  } catch (error) {
    if (isOf(STATISTICS_CODES, error)) return undefined;
    throw error;
  }
  if (records.length === 0) return undefined;
  const counts = records
    .slice(0, SOUGHT_RECORDS + 1)
    .map(({ cells }) => cells.filter((cell) => names.has(cell)).length);
  const most = Math.max(...counts);
  const header = most > names.size / 2 ? counts.indexOf(most) : 0;
  return { form, records, header, found: counts[header]!, width: records[header]!.cells.length };
}

/** Returns the cells of the task's columns below the header and below rows of units. */
function cellsOf({ records, header }: Layout, task: Columns) {
  const placesOf = (names: readonly string[]) =>
    matchColumns(records[header]!.cells, names).map(({ place, near }) => place ?? near);
  const features = placesOf(task.features.map(({ name }) => name)).filter((place) => place !== undefined);
  const labels = placesOf(task.labellings.map(({ column }) => column));
  const most = Math.max(MOST_UNITS + 1, Math.floor(LOOKED_CELLS / Math.max(1, features.length)));
  const rows = records
    .slice(header + 1)
    .map(({ cells }) => cells)
    .filter((cells) => cells.some((cell) => cell.trim() !== ''))
    .slice(0, most);
  const isOfUnits = (row: readonly string[]) => {
    const cells = features.map((place) => row[place] ?? '');
    return (
      holdsUnits(cells) && cells.some((cell) => !isMissing(cell.trim()) && usual.read(cell) === undefined)
    );
  };
  const first = rows.slice(0, MOST_UNITS + 1).findIndex((row) => !isOfUnits(row));
  const skipRows = Math.max(0, first);
  const own = rows.slice(skipRows);
  return {
    rows: rows.length,
    skipRows,
    features: own.flatMap((row) => features.map((place) => row[place] ?? '')),
    labels: own.flatMap((row) =>
      labels.flatMap((place, l) => (place === undefined ? [] : [{ l, cell: row[place] ?? '' }])),
    ),
  };
}

const usual = new NumberFormat({});

/** Returns the format by which most cells are numbers; the usual one where it reads as many, or in doubt. */
function formatOf(cells: readonly string[]): Pick<CsvForm, 'decimal' | 'thousands'> {
  const readings = [{}, ...OTHER_FORMATS].map(
    ({ decimal, thousands }: Pick<CsvForm, 'decimal' | 'thousands'>) => {
      const format = new NumberFormat({ decimal, thousands });
      const values = cells.map((cell) => format.read(cell));
      return {
        format: { decimal, thousands },
        values,
        count: values.filter((it) => it !== undefined).length,
      };
    },
  );
  const most = Math.max(...readings.map(({ count }) => count));
  if (readings[0]!.count === most) return {};
  const [best, ...others] = readings.filter(({ count }) => count === most);
  const isCertain = others.every(({ values }) => values.every((value, i) => value === best!.values[i]));
  return isCertain ? best!.format : {};
}
