/**
 * Finds the task's columns among those of a source: in the header row of a CSV file, or among the columns
 * that DuckDB names.
 */

import { CodedError, joined, type Words, words } from '@eigenveil/platform';
import type { StatisticsTask } from '@eigenveil/task';
import { STATISTICS_CODES } from '../codes.ts';
import type { RowOptions } from '../sums/rows.ts';
import { parseDecimal } from './numbers.ts';
import { type ReadingOptions, SEPARATORS, type Separator } from './reading-options.ts';
import { BLANKS, rowOption, rowTerm, TRIMMED } from './reading-terms.ts';
import { differenceOf, likeness, nearTo } from './unusual.ts';

/** Positions in the source: per feature, per labelling, and of what is kept as it stands. */
export interface FoundColumns {
  readonly features: readonly number[];
  readonly labels: readonly number[];
  readonly kept: readonly number[];
  /**
   * Names by which each column may be called: its own, that which it has for the task, and `#` with its
   * number.
   */
  readonly names: readonly (readonly string[])[];
}

interface HeaderOptions extends Pick<ReadingOptions, 'columns' | 'trim'> {
  readonly ignoredColumns: NonNullable<RowOptions['ignoredColumns']>;
  readonly keptColumns: readonly string[];
  readonly separator: Separator;
}

/** Names listed in one message; the rest are counted. */
const LISTED_NAMES = 5;
const LONGEST_NAME = 60;

/** A column by its name and number, for messages: `"dose" (number 4)`. */
export const columnTitle = (name: string, position: number) => `${quote(name)} (number ${position + 1})`;

/**
 * The columns of a source by the names that they have for the task. `#3` is the third one, unless one is
 * named so.
 * @param columns what `--columns` says: `own=feature`
 * @throws ERR_CSV_COLUMNS for a column that is not there
 */
export class ColumnNames {
  readonly own: readonly string[];
  readonly mapped: readonly string[];

  constructor(header: readonly string[], columns: readonly string[] = []) {
    this.own = header;
    const mapped = [...header];
    const missing: string[] = [];
    for (const text of columns) {
      const equals = indicesOf(text, '=').find((at) => this.#ownPosition(text.slice(0, at)) >= 0);
      if (equals === undefined) missing.push(text);
      else mapped[this.#ownPosition(text.slice(0, equals))] = text.slice(equals + 1);
    }
    this.mapped = mapped;
    if (missing.length > 0)
      throw new CodedError(
        STATISTICS_CODES.ERR_CSV_COLUMNS,
        words`${rowTerm('ownColumns', '"--columns" expected own=feature with names of columns that are there, got')} ${list(missing.map(quote))}`,
      );
  }

  /** Returns the place of a column; -1 where none is called so. */
  find(name: string): number {
    const position = this.mapped.indexOf(name);
    return position >= 0 ? position : this.#ownPosition(name);
  }

  /** Everywhere where a column is called so. */
  findAll(name: string): number[] {
    const found = this.mapped.flatMap((it, i) => (it === name || this.own[i] === name ? [i] : []));
    return found.length > 0 ? found : [this.#ownPosition(name)].filter((position) => position >= 0);
  }

  /** Every name of each column. */
  all(): string[][] {
    return this.own.map((own, i) => [...new Set([own, this.mapped[i]!, `#${i + 1}`])]);
  }

  #ownPosition(name: string): number {
    const position = this.own.indexOf(name);
    if (position >= 0) return position;
    const number = /^#(\d+)$/.exec(name)?.[1];
    return number !== undefined && Number(number) <= this.own.length ? Number(number) - 1 : -1;
  }
}

/**
 * The names of a source with those of the columns that are appended to it.
 * @throws ERR_CSV_COLUMNS for a column that is in both
 */
export function withAppended(names: readonly string[], appended: RowOptions['appended']): string[] {
  const more = appended?.names ?? [];
  const both = more.filter((name) => names.includes(name));
  if (both.length > 0)
    throw new CodedError(
      STATISTICS_CODES.ERR_CSV_COLUMNS,
      `columns both in the file and in its folders' names (--folder-columns): ${both.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  return [...names, ...more];
}

const indicesOf = (text: string, character: string) =>
  Array.from(text, (_, i) => i).filter((i) => text[i] === character);

/**
 * Columns may stand in any order. A column that the task does not know is refused: a column that is silently
 * left out is usually a mistake, unless the caller names it; and a column cannot be both used and ignored.
 * @throws ERR_CSV_COLUMNS telling the columns that are missing, unknown, there twice or wrongly ignored
 */
export function findColumns(
  task: Pick<StatisticsTask, 'features' | 'labellings'>,
  header: readonly string[],
  { ignoredColumns, keptColumns, separator, columns, trim }: HeaderOptions,
): FoundColumns {
  const features = task.features.map(({ name }) => name);
  const labelColumns = task.labellings.map(({ column }) => column);
  const wanted = [...new Set([...features, ...labelColumns, ...keptColumns])];
  const names = new ColumnNames(header, columns);
  const missing = (list: readonly string[]) => list.filter((name) => names.find(name) < 0);
  const used = new Set(wanted.map((name) => names.find(name)));
  const ignoredNames = ignoredColumns === 'others' ? [] : ignoredColumns;
  const ignored = new Set(ignoredNames.flatMap((name) => names.findAll(name)));
  const lacking = missing([...wanted, ...ignoredNames]);
  const unknown = header.flatMap((_, i) =>
    ignoredColumns === 'others' || used.has(i) || ignored.has(i) ? [] : [i],
  );
  const repeated = wanted.filter(
    (name) => names.mapped.indexOf(name) !== names.mapped.lastIndexOf(name) && names.mapped.includes(name),
  );
  const extra = unknown.filter((i) => !repeated.includes(names.mapped[i]!));
  const contradictory = ignoredNames.filter((name) => names.findAll(name).some((i) => used.has(i)));
  if (missing(wanted).length > 0 && header.some((name) => parseDecimal(name) !== undefined)) {
    throw new CodedError(
      STATISTICS_CODES.ERR_CSV_COLUMNS,
      rowTerm('numbersInHeader', 'expected a header row first, got numbers in it'),
    );
  }
  // A file may have no header, or other separators and line ends than ours: what stands here may be cells of
  // data, and none is ever shown. So other names than the caller's are repeated only where most of the names
  // that should be there are.
  const isHeader =
    wanted.length - missing(wanted).length > wanted.length / 2 &&
    !header.some((name) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || parseDecimal(name) !== undefined);
  const faults = [
    ['missing', lacking.map((name) => words`${quote(name)}${nearName(name, header, used)}`)],
    [
      'not in the task and not ignored',
      extra.map((i) => words`${unknownColumn(header, i, isHeader)}${nearUsed(header, i, used)}`),
    ],
    ['there more than once', repeated.map(quote)],
    ['ignored though they are used', contradictory.map(quote)],
  ] as const;
  const found = faults
    .filter(([, titles]) => titles.length > 0)
    .map(([fault, titles]) => words`${fault}: ${list(titles)}`);
  if (found.length > 0) {
    const likely =
      lacking.length === 0 ? '' : likelyCause(new Set([...wanted, ...ignoredNames]), header, separator, trim);
    throw new CodedError(
      STATISTICS_CODES.ERR_CSV_COLUMNS,
      words`columns ${joined(found, '; columns ')}${likely}`,
    );
  }
  return {
    features: features.map((name) => names.find(name)),
    labels: labelColumns.map((name) => names.find(name)),
    kept: keptColumns.map((name) => names.find(name)),
    names: names.all(),
  };
}

function unknownColumn(header: readonly string[], i: number, isHeader: boolean): Words | string {
  const name = header[i]!;
  if (name.trim() === '')
    return words`number ${i + 1} (column ${i + 1} has no name: ${rowTerm('ignore', `--ignore '#${i + 1}'`, `#${i + 1}`)} leaves it out)`;
  return isHeader ? columnTitle(name, i) : `number ${i + 1}`;
}

/** The place of a task's column in a file, or otherwise of one that is nearly called so. */
export interface ColumnMatch {
  readonly name: string;
  readonly place?: number | undefined;
  readonly near?: number | undefined;
}

/** The most names for which near ones are sought: a file that lacks more of them is another one. */
const MOST_SOUGHT = 20;

/**
 * Finds columns by the names that they have for the task.
 * @param columns what `--columns` says: `own=feature`
 * @throws ERR_CSV_COLUMNS for a column in `columns` that is not there
 */
export function matchColumns(
  header: readonly string[],
  wanted: readonly string[],
  columns?: readonly string[],
): ColumnMatch[] {
  const names = new ColumnNames(header, columns);
  const places = wanted.map((name) => names.find(name));
  const used = new Set(places);
  let sought = 0;
  return wanted.map((name, i) => {
    const place = places[i]!;
    if (place >= 0) return { name, place };
    sought += 1;
    const near = sought > MOST_SOUGHT ? undefined : nearColumn(name, header, used);
    return near === undefined ? { name } : { name, near };
  });
}

/** The place of a column that is not used and nearly called so. */
function nearColumn(name: string, header: readonly string[], used: ReadonlySet<number>): number | undefined {
  const own = nearTo(
    name,
    header.filter((_, k) => !used.has(k)),
  );
  return own === undefined ? undefined : header.indexOf(own);
}

/** A column that is nearly called so, by a name that meets no other eye than the one that is wanted. */
function nearName(name: string, header: readonly string[], used: ReadonlySet<number>): Words | string {
  const i = nearColumn(name, header, used);
  if (i === undefined) return '';
  const own = header[i]!;
  const renamed = header.findIndex((it) => isRenamed(it, own));
  if (renamed >= 0)
    return words`, but there are ${columnTitle(own, i)} and ${columnTitle(header[renamed]!, renamed)}, as DuckDB writes names that differ in case alone: which of them is meant, only you can say (${rowTerm('rename', '--columns')})`;
  return words`, but ${columnTitle(own, i)} differs from it in ${differenceOf(own, name)} alone (${rowTerm('renameOne', `--columns ${shellText(`${own}=${name}`)} takes it`)})`;
}

/**
 * Says whether a column has a name that DuckDB has given it, since the other one differs from its own in case
 * alone: `dose_1` beside `DOSE`.
 */
export function isRenamed(name: string, other: string): boolean {
  const own = /^(.+)_\d+$/.exec(name)?.[1];
  return own !== undefined && own !== other && likeness(own) === likeness(other);
}

function nearUsed(header: readonly string[], i: number, used: ReadonlySet<number>): Words | string {
  if (header[i]!.trim() === '') return '';
  const known = [...used].filter((k) => k >= 0);
  const name = nearTo(
    header[i]!,
    known.map((k) => header[k]!),
  );
  if (name === undefined) return isIndexName(header[i]!) ? ', the index of a data frame by its name' : '';
  const near = header.indexOf(name);
  return words`: ${quote(header[i]!)} differs from ${columnTitle(name, near)} in ${differenceOf(header[i]!, name)} alone`;
}

/** Says whether pandas calls the index of a data frame so in Parquet, or what was one in CSV. */
export const isIndexName = (name: string) => /^(__index_level_\d+__|Unnamed: \d+)$/.test(name);

/** A value of a flag as it is typed; one with a comma would be taken for a list. */
function shellText(value: string): string {
  const text = value.includes(',') ? JSON.stringify([value]) : value;
  return /^[\w.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Says why names that should be there are not found, by what would find more of them. */
function likelyCause(
  known: ReadonlySet<string>,
  header: readonly string[],
  separator: Separator,
  trim: boolean | undefined,
): Words | string {
  const count = (names: readonly string[]) => names.filter((name) => known.has(name)).length;
  const found = count(header);
  if (trim !== true && count(header.map((name) => name.trim())) > found)
    return words`; there are ${BLANKS} around names${TRIMMED}`;
  const line = header.join(SEPARATORS[separator]);
  for (const [other, character] of Object.entries(SEPARATORS)) {
    if (other === separator) continue;
    const names = line.split(character).map((name) => name.trim().replaceAll('"', ''));
    if (count(names) > found)
      return words`; names seem to be separated otherwise: give ${rowOption('separator', other)}`;
  }
  return '';
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST_NAME));
}

function list(columns: readonly (Words | string)[]): Words {
  const shown = columns.slice(0, LISTED_NAMES);
  const more = columns.length - shown.length;
  return more > 0 ? words`${joined(shown, ', ')} and ${more} more` : joined(shown, ', ');
}
