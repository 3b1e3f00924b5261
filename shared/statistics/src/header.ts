/** Finds the task's columns among those of a source: in the header row of a CSV file, or among the columns that DuckDB names. */

import type { StatisticsTask } from '@eigenveil/task';
import { SEPARATORS, type Separator } from './cells.ts';
import { StatisticsError } from './errors.ts';
import { parseDecimal } from './number.ts';
import type { RowOptions } from './rows.ts';

/** Positions in the source: per feature, per labelling, and of what is kept as it stands. */
export interface FoundColumns {
  readonly features: readonly number[];
  readonly labels: readonly number[];
  readonly kept: readonly number[];
}

export interface HeaderOptions extends Required<Pick<RowOptions, 'ignoredColumns' | 'keptColumns'>> {
  readonly separator: Separator;
}

/** Names listed in one message; the rest are counted. */
const LISTED_NAMES = 5;
const LONGEST_NAME = 60;

/**
 * Columns may stand in any order. A column that the task does not know is refused: a column that is silently left out
 * is usually a mistake, unless the caller names it; and a column cannot be both used and ignored.
 * @throws ERR_CSV_COLUMNS telling the columns that are missing, unknown, there twice or wrongly ignored
 */
export function findColumns(
  task: Pick<StatisticsTask, 'features' | 'labellings'>,
  header: readonly string[],
  { ignoredColumns, keptColumns, separator }: HeaderOptions,
): FoundColumns {
  const features = task.features.map(({ name }) => name);
  const labelColumns = task.labellings.map(({ column }) => column);
  const known = new Set([...features, ...labelColumns, ...keptColumns]);
  const others = header.filter((name) => !known.has(name));
  const ignored = ignoredColumns === 'others' ? others : ignoredColumns;
  const missing = [...known, ...ignored].filter((name) => !header.includes(name));
  const contradictory = ignored.filter((name) => known.has(name));
  const repeated = [...known].filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (missing.length > 0 && others.some((name) => parseDecimal(name) !== undefined)) {
    throw new StatisticsError('ERR_CSV_COLUMNS', 'expected a header row first, got numbers in it');
  }
  // A file may have no header, or other separators and line ends than ours: what stands here may be cells of data, and none
  // is ever shown. So a column of the file is told by its place, and only names that the task or the caller gave are repeated.
  const unknown = header.flatMap((name, i) =>
    known.has(name) || ignored.includes(name) ? [] : [`number ${i + 1}`],
  );
  const faults = [
    ['missing', missing.map(quote)],
    ['not in the task and not ignored', unknown],
    ['there more than once', repeated.map(quote)],
    ['ignored though they are used', contradictory.map(quote)],
  ] as const;
  const found = faults
    .filter(([, columns]) => columns.length > 0)
    .map(([fault, columns]) => `${fault}: ${list(columns)}`);
  if (found.length > 0) {
    const likely = missing.length === 0 ? '' : likelyCause(known, header, separator);
    throw new StatisticsError('ERR_CSV_COLUMNS', `columns ${found.join('; columns ')}${likely}`);
  }
  const position = (name: string): number => header.indexOf(name);
  return {
    features: features.map(position),
    labels: labelColumns.map(position),
    kept: keptColumns.map(position),
  };
}

/** Why names that should be there are not found: told by what would find more of them. */
function likelyCause(known: ReadonlySet<string>, header: readonly string[], separator: Separator): string {
  const count = (names: readonly string[]) => names.filter((name) => known.has(name)).length;
  const found = count(header);
  if (count(header.map((name) => name.trim())) > found)
    return '; there are blanks around names, which --trim passes over';
  const line = header.join(SEPARATORS[separator]);
  for (const [other, character] of Object.entries(SEPARATORS)) {
    const names = line.split(character).map((name) => name.trim().replaceAll('"', ''));
    if (count(names) > found) return `; names seem to be separated otherwise: give --separator ${other}`;
  }
  return '';
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, LONGEST_NAME));
}

function list(columns: readonly string[]): string {
  const shown = columns.slice(0, LISTED_NAMES);
  const more = columns.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
