/** What the columns of a sample hold, read once and in little memory: everything that a draft takes from it. */
import { isMissing, parseDecimal, readRecords, StatisticsError } from '@eigenveil/statistics/owner';
import { LIMITS } from '@eigenveil/task/schema';
import { ServiceError } from '@eigenveil/wire/errors';
import { isNamedLikeLabels, LabelLike } from './label-like.ts';

/** A cell that cannot be what it is wanted for, by its row from 1; what stands in it is never told. */
export interface BadCell<Kind> {
  readonly row: number;
  readonly kind: Kind;
}
export type NoFeature = BadCell<'missing' | 'no number'>;
export type NoLabel = BadCell<'missing' | 'blanks' | 'long'>;

export interface SampleColumn {
  readonly name: string;
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
}

export interface Sample {
  readonly columns: readonly SampleColumn[];
  readonly rows: number;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly twoValued: boolean;
}

/** As long as a class of a task may be. */
const LONGEST_LABEL = 128;

/**
 * Reads the sample once, whole.
 * @param source the bytes of a CSV file with a header row, separated by commas
 * @throws ERR_TASK_INVALID for a header with numbers or with a name twice and for a file without rows; ERR_CSV_SYNTAX, ERR_CSV_ROW; as the source
 */
export async function readSample(source: AsyncIterable<Uint8Array>): Promise<Sample> {
  let columns: Column[] | undefined;
  let rows = 0;
  for await (const { cells, line } of readRecords(source)) {
    if (columns === undefined) {
      checkHeader(cells);
      columns = cells.map((name) => new Column(name));
      continue;
    }
    rows += 1;
    if (cells.length !== columns.length)
      throw new StatisticsError(
        'ERR_CSV_ROW',
        `row ${rows} (line ${line}): expected ${columns.length} cells, got ${cells.length}`,
      );
    for (const [i, column] of columns.entries()) column.add(cells[i]!, rows);
  }
  if (columns === undefined || rows === 0) throw new ServiceError('ERR_TASK_INVALID', 'the file has no rows');
  return { columns: columns.map((column) => column.told()), rows };
}

/** Its cells may be data, so that none is repeated. */
function checkHeader(names: readonly string[]): void {
  const faults = [
    [
      names.length === 1 && /[;\t]/.test(names[0]!),
      'the header row has semicolons or tabs in it: a sample takes commas, and decimal points',
    ],
    [
      names.some((name) => parseDecimal(name) !== undefined),
      'the file needs a header row first, with names that are no numbers',
    ],
    [new Set(names).size < names.length, 'the header row needs names that differ'],
  ] as const;
  for (const [holds, message] of faults) if (holds) throw new ServiceError('ERR_TASK_INVALID', message);
}

/** One column, as far as it has been read. */
class Column {
  readonly #name: string;
  readonly #labels = new Set<string>();
  readonly #labelLike: LabelLike | undefined;
  #range: Range | undefined;
  #noFeature: NoFeature | undefined;
  #noLabel: NoLabel | undefined;

  constructor(name: string) {
    this.#name = name;
    this.#labelLike = isNamedLikeLabels(name) ? new LabelLike() : undefined;
  }

  add(text: string, row: number): void {
    const missing = isMissing(text);
    const value = parseDecimal(text);
    if (value === undefined) {
      this.#noFeature ??= { row, kind: missing ? 'missing' : 'no number' };
    } else {
      this.#labelLike?.add(value);
      this.#range = extended(this.#range, value);
    }
    if (missing) this.#noLabel ??= { row, kind: 'missing' };
    else if (text.trim() !== text) this.#noLabel ??= { row, kind: 'blanks' };
    else if (text.length > LONGEST_LABEL) this.#noLabel ??= { row, kind: 'long' };
    else if (this.#labels.size <= LIMITS.classes) this.#labels.add(text);
  }

  told(): SampleColumn {
    return {
      name: this.#name,
      range: this.#range,
      noFeature: this.#noFeature,
      noLabel: this.#noLabel,
      labels: this.#labels.size > LIMITS.classes ? undefined : [...this.#labels].sort(byNumberThenText),
      labelLike: this.#noFeature === undefined ? this.#labelLike?.count : undefined,
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

function byNumberThenText(a: string, b: string): number {
  return Number(a) - Number(b) || (a < b ? -1 : 1);
}
