/**
 * Reads what a database answered to the statement of a task's sums, as CSV or JSON, and makes an owner's
 * statistics of it.
 */
import { CodedError } from '@eigenveil/platform';
import { collectsR, type StatisticsTask, summedClasses } from '@eigenveil/task';
import { parse } from 'csv-parse/sync';
import { STATISTICS_CODES } from '../codes.ts';
import { tooManyRows } from '../sums/row-limit.ts';
import type { OwnerStatistics, RowOptions } from '../sums/rows.ts';
import type { ClassSums, Statistics } from '../sums/statistics.ts';
import { checkSums } from './check.ts';
import { MISSING, REFUSED, RESULT, refuseTask } from './statement.ts';

/** Sums of the rows that are of the same classes, or that were not summed. */
interface Group {
  readonly classes: readonly number[];
  readonly total: bigint;
  readonly rows: bigint;
  readonly cells: readonly bigint[];
  readonly V: readonly bigint[];
  readonly R: readonly bigint[];
}

/**
 * The statistics that a result holds: checked as far as sums can be, which is that rows with such sums could
 * exist (see `checkSums`).
 * @param text a CSV file with a header row, a JSON array of objects, or JSON objects line by line
 * @param options as for files of rows
 * @throws ERR_SQL_PRIVACY, ERR_SQL_SKETCH, ERR_STATISTICS_FILE; ERR_CSV_CELL, ERR_UNKNOWN_CLASS,
 *   ERR_OUT_OF_RANGE, ERR_NO_ROWS and ERR_TOO_MANY_ROWS as for files of rows
 * @example
 * import { readFile } from 'node:fs/promises';
 * import { statisticsOfResult } from '@eigenveil/statistics/sql';
 *
 * const { statistics, rows } = statisticsOfResult(await readFile('sums.csv', 'utf8'), task, 'AAAAAAAAAAAAAAAAAAAAAA');
 */
export function statisticsOfResult(
  text: string,
  task: StatisticsTask,
  taskId: string,
  options: Pick<RowOptions, 'missing' | 'strict'> = {},
): OwnerStatistics {
  refuseTask(task);
  const groups = recordsOf(text).map((record, n) => readGroup(record, n + 1, task, taskId));
  const names = new Set(groups.map(({ classes }) => classes.join()));
  if (names.size < groups.length) throw invalid('a class in two result rows');
  const read = groups.reduce((sum, { rows }) => sum + rows, 0n);
  if (groups.some(({ total }) => total !== read)) throw invalid('numbers of rows that do not add up');

  const of = (kind: number) => groups.filter(({ classes }) => classes[0] === kind);
  const refused = of(REFUSED);
  if (refused.length > 0) throw refusal(task, refused);
  const missing = of(MISSING);
  if (missing.length > 0 && options.missing !== 'skip') {
    throw new CodedError(
      STATISTICS_CODES.ERR_CSV_CELL,
      `${count(missing)} rows lack a cell${where(task, missing)}: --missing skip leaves such rows out`,
    );
  }
  const whole = groups.filter(({ classes }) => classes[0]! >= 0);
  const clippedCells = addUp(
    task.features.length,
    whole.map(({ cells }) => cells),
  ).map(Number);
  if (options.strict === true && clippedCells.some((cells) => cells > 0)) {
    throw new CodedError(
      STATISTICS_CODES.ERR_OUT_OF_RANGE,
      `expected numbers in their feature's range, got others${where(task, whole)}`,
    );
  }
  const rows = count(whole);
  if (rows === 0n)
    throw new CodedError(STATISTICS_CODES.ERR_NO_ROWS, 'expected at least one whole row, got none');
  if (rows > BigInt(task.maximumSamplesPerOwner)) {
    throw tooManyRows(task.maximumSamplesPerOwner, Number(rows));
  }
  const statistics = statisticsOf(task, whole);
  checkSums(task, whole, statistics);
  return {
    statistics,
    rows: Number(rows),
    clippedCells,
    clippedRows: 0,
    skippedRows: Number(count(missing)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function recordsOf(text: string): Fields[] {
  const start = text.trimStart();
  let records: unknown;
  try {
    if (start.startsWith('[')) records = JSON.parse(start);
    else if (start.startsWith('{'))
      records = start
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line): unknown => JSON.parse(line));
    else if (start.includes(RESULT.task))
      records = parse(text, { bom: true, columns: true, skip_empty_lines: true });
  } catch {
    // Without the cause, whose message may repeat what the file holds.
    throw invalid('neither CSV with a header row nor JSON');
  }
  const isObject = (it: unknown): it is Fields => typeof it === 'object' && it !== null && !Array.isArray(it);
  if (!Array.isArray(records) || !records.every(isObject)) throw invalid('something else than rows');
  return records;
}

function readGroup(fields: Fields, n: number, task: StatisticsTask, taskId: string): Group {
  const d = task.features.length;
  if (fields[RESULT.task] !== taskId) throw invalid(`result row ${n} of another task, or of none`);
  const wrong = (name: string) => invalid(`result row ${n} without a proper ${name}`);
  const integers = (name: string, length: number): bigint[] => {
    const value = fields[name];
    const text = Number.isSafeInteger(value) ? `${value as number}` : value;
    const words = typeof text === 'string' ? text.split(' ') : [];
    // Far longer than the longest sum, so that no file makes huge numbers.
    if (words.length !== length || !words.every((word) => /^-?\d{1,40}$/.test(word))) throw wrong(name);
    return words.map(BigInt);
  };
  const integer = (name: string) => integers(name, 1)[0]!;
  const counts = summedClasses(task);
  const classes = counts.map((_, l) => Number(integer(RESULT.classOf(l))));
  const isClass = classes.every((k, l) => k >= 0 && k < counts[l]!);
  const isOther = [MISSING, REFUSED].some((kind) => classes.every((k) => k === kind));
  if (!isClass && !isOther) throw wrong(RESULT.classOf(0));
  const rows = integer(RESULT.rows);
  if (rows < 1n) throw wrong(RESULT.rows);
  const cells = integers(RESULT.cells, d);
  if (cells.some((it) => it < 0n || it > rows)) throw wrong(RESULT.cells);
  const R = collectsR(task) ? task.features.flatMap((_, i) => integers(RESULT.R(i), d - i)) : [];
  return { classes, total: integer(RESULT.total), rows, cells, V: integers(RESULT.V, d), R };
}

function statisticsOf(task: StatisticsTask, groups: readonly Group[]): Statistics {
  const d = task.features.length;
  const V = (members: readonly Group[]): ClassSums => ({
    V: addUp(
      d,
      members.map((it) => it.V),
    ),
    M: count(members),
  });
  return {
    R: addUp(
      collectsR(task) ? (d * (d + 1)) / 2 : 0,
      groups.map((it) => it.R),
    ),
    labellings: summedClasses(task).map((classes, l) =>
      Array.from({ length: classes }, (_, k) => V(groups.filter((it) => it.classes[l] === k))),
    ),
    owners: 1n,
  };
}

function count(groups: readonly Group[]): bigint {
  return groups.reduce((sum, { rows }) => sum + rows, 0n);
}

function addUp(length: number, vectors: readonly (readonly bigint[])[]): bigint[] {
  const sums = new Array<bigint>(length).fill(0n);
  for (const vector of vectors) for (let i = 0; i < length; i += 1) sums[i]! += vector[i]!;
  return sums;
}

/** Says what rows are refused for, by feature: an owner cannot be told the line. */
function refusal(task: StatisticsTask, groups: readonly Group[]): CodedError {
  const places = where(task, groups);
  if (places !== '')
    return new CodedError(
      STATISTICS_CODES.ERR_CSV_CELL,
      `expected finite numbers, got infinite ones${places}`,
    );
  return new CodedError(
    STATISTICS_CODES.ERR_UNKNOWN_CLASS,
    `${count(groups)} rows have a label that is not one of the task's classes`,
  );
}

/** The features that the groups count cells of. */
function where({ features }: StatisticsTask, groups: readonly Group[]): string {
  const cells = addUp(
    features.length,
    groups.map((it) => it.cells),
  );
  const named = features.flatMap(({ name }, i) =>
    cells[i] === 0n ? [] : [`${JSON.stringify(name)}: ${cells[i]}`],
  );
  return named.length === 0 ? '' : `, in ${named.join(', ')}`;
}

function invalid(problem: string): CodedError {
  return new CodedError(
    STATISTICS_CODES.ERR_STATISTICS_FILE,
    `the file of sums expected the result of the statement that "eigenveil-owner sql" prints for this task, got ${problem}`,
  );
}
