/** Reads what one column of a sample holds, as far as a draft takes from it. */

import { LIMITS } from '@eigenveil/methods';
import type { Words } from '@eigenveil/platform';
import {
  BooleanWatch,
  type CellReader,
  ColumnSpread,
  columnTitle,
  GrainFinder,
  LEAST_GRID_ROWS,
  type MissingMarks,
  type ReadingOptions,
  RowCounter,
  ThousandsWatch,
  type TypeProblems,
} from '@eigenveil/statistics/owner';

/**
 * A cell that cannot be what it is wanted for, by its row from 1, or a whole column (row 0); what stands in
 * it is never told.
 */
interface BadCell<Kind> {
  readonly row: number;
  readonly kind: Kind;
  /** Words for what it holds, and what would read it. */
  readonly what?: Words | string | undefined;
}
export type NoFeature = BadCell<'missing' | 'no number' | 'type'>;
export type NoLabel = BadCell<'missing' | 'blanks' | 'long' | 'type'>;

export interface SampleColumn {
  /** The name by which the task is to call it. */
  readonly name: string;
  /** The name in the file, where that is another one. */
  readonly own?: string | undefined;
  /** The range of its numbers. */
  readonly range: Range | undefined;
  /** The first cell that is no number. */
  readonly noFeature: NoFeature | undefined;
  /** The first cell that makes a class that nobody means. */
  readonly noLabel: NoLabel | undefined;
  /** Its different texts as labels; undefined where there are more than a task takes. */
  readonly labels: readonly string[] | undefined;
  /**
   * The number of labels, if it is named like labels and holds a few whole numbers; undefined where it does
   * not look so.
   */
  readonly labelLike: number | undefined;
  /**
   * The spacing of its numbers in this range; undefined where there is none, as of measured ones. In few rows
   * no grid shows, and their last digit counts.
   */
  grain(range: Pick<Range, 'min' | 'max'>): number | undefined;
  /** Rows that do not have its most frequent number, as far as they were looked at. */
  varyingRows(): number;
  /** Remarks on what looks like a mistake in it, as a feature. */
  readonly remarks?: ColumnRemarks;
  /** Cells outside the range that was asked for. */
  readonly outside?: number;
}

/** Each is undefined where there is nothing to tell. */
interface ColumnRemarks {
  /** Tells of points or commas that may stand between thousands, and of booleans. */
  numbers(): readonly (string | undefined)[];
  /** Tells of a single value that makes an end of the range, where that is the values' own. */
  end(): string | undefined;
  /** Tells of cells that number the rows. */
  count(): string | undefined;
  /** Tells of values that fill little of the range that a draft gives them. */
  spread(min: number, max: number): string | undefined;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly twoValued: boolean;
}

/** Options by which the cells of a sample are read. */
export interface SampleOptions
  extends Pick<ReadingOptions, 'decimal' | 'thousands' | 'missing' | 'missingValues' | 'defaultMissing'>,
    Pick<ReadingOptions, 'columns' | 'trim' | 'numericLabels' | 'separator'> {
  /** Columns whose cells do not matter. Where it is not known yet, every column may be left out later. */
  readonly ignore?: readonly string[];
  /** The range of all features, where it is not the sample's. */
  readonly range?: readonly [min: number, max: number] | undefined;
}

/** The greatest length that a class of a task may have. */
const LONGEST_LABEL = 128;

/** Facts about a column that are known before a row is read. */
interface ColumnTitle extends TypeProblems {
  readonly own: string;
  readonly name: string;
  readonly position: number;
}

/** One column, as far as it has been read. */
export class Column {
  readonly #title: ColumnTitle;
  readonly #cells: CellReader;
  readonly #marks: MissingMarks;
  readonly #options: SampleOptions;
  readonly #labels = new Map<string | number, string>();
  readonly #labelLike: LabelLike | undefined;
  readonly #ends = new Ends();
  readonly #spread = new ColumnSpread();
  readonly #counter = new RowCounter();
  readonly #grain: GrainFinder | undefined;
  #thousands: ThousandsWatch | undefined;
  readonly #booleans = new BooleanWatch();
  #range: Range | undefined;
  #noFeature: NoFeature | undefined;
  #noLabel: NoLabel | undefined;
  #outside = 0;

  constructor(
    title: ColumnTitle,
    how: {
      readonly cells: CellReader;
      readonly marks: MissingMarks;
      readonly options: SampleOptions;
      /** The number of columns that may be features. */
      readonly features: number | undefined;
    },
  ) {
    if (how.features !== undefined) this.#grain = new GrainFinder(how.features);
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
    this.#grain?.add(value);
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
      grain: (range) => {
        const found = this.#grain?.grain(range);
        return (
          found ??
          (this.#grain !== undefined && this.#grain.rows < LEAST_GRID_ROWS
            ? this.#grain.lastDigit
            : undefined)
        );
      },
      varyingRows: () => this.#grain?.varyingRows ?? 0,
      remarks: {
        numbers: () => [this.#thousands?.remark(title)?.toString(), this.#booleans.remark(title)],
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

/**
 * A number for a missing value is told if it widens the rest of the range by this part of it, or lies on the
 * other side of 0.
 */
const LEAST_GAP = 1 / 20;
/** Any other value is told if it makes nine tenths of the range. */
const LEAST_OUTLIER = 9;
/** The fewest different values; with fewer there is no rest that one could stand out of. */
const FEWEST_VALUES = 4;

/** The outermost values of a column, and those next to them. */
/**
 * Finds a value that alone makes an end of a column's range: an outlier, or a number that stands for a
 * missing one.
 */
export class Ends {
  #least = Infinity;
  #afterLeast = Infinity;
  #greatest = -Infinity;
  #beforeGreatest = -Infinity;
  /** Different values, as long as they are few. */
  readonly #few = new Set<number>();

  add(value: number): void {
    if (this.#few.size < FEWEST_VALUES) this.#few.add(value);
    if (value < this.#least) {
      this.#afterLeast = this.#least;
      this.#least = value;
    } else if (value > this.#least && value < this.#afterLeast) this.#afterLeast = value;
    if (value > this.#greatest) {
      this.#beforeGreatest = this.#greatest;
      this.#greatest = value;
    } else if (value < this.#greatest && value > this.#beforeGreatest) this.#beforeGreatest = value;
  }

  /** Returns what must be told of the column; undefined where no value stands out. */
  remark(title: string): string | undefined {
    if (this.#few.size < FEWEST_VALUES) return undefined;
    const low = this.#standsOut(this.#least, this.#afterLeast, this.#greatest);
    const high = this.#standsOut(this.#greatest, this.#beforeGreatest, this.#least);
    if (!low && !high) return undefined;
    const end = low ? (high ? 'both ends' : 'the lower end') : 'the upper end';
    return `a single value alone makes ${end} of the range of ${title}: if it stands for a missing one, name it with --missing-values; if it is an outlier, write another range into the draft`;
  }

  #standsOut(end: number, next: number, other: number): boolean {
    const rest = Math.abs(other - next);
    const gap = Math.abs(next - end);
    if (gap > LEAST_OUTLIER * rest) return true;
    // Below numbers of which none is less than 0.
    if (end === -1) return next >= 0;
    if (!standsForNothing(end)) return false;
    return gap > LEAST_GAP * rest || (end < 0 && next >= 0);
  }
}

/**
 * Says whether programs write the number for a missing one: nines alone, or the end of an integer's range.
 */
function standsForNothing(value: number): boolean {
  return /^-?9{2,}$/.test(String(value)) || [-32768, 32767, -2147483648, 2147483647].includes(value);
}

/** The last word of a label column's name. */
const WORDS: ReadonlySet<string> = new Set(
  'label labels class classes target outcome diagnosis category species y'.split(' '),
);
/** The most values that a column of labels has; a quantity that is written in whole numbers has more. */
const MOST_LABELS = 20;

/**
 * Judges a column by its name alone: `label`, `true_class` and `ClassLabel`, but not `classical` or
 * `class_size`.
 */
function isNamedLikeLabels(column: string): boolean {
  const words = column.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '');
  return WORDS.has(words.at(-1)?.toLowerCase() ?? '');
}

/** The values of a column that is named like labels: at most twenty different ones, all whole numbers. */
/**
 * Says whether a column of a sample looks like class labels: a feature that tells the classes makes every
 * other component worthless.
 */
class LabelLike {
  readonly #values = new Set<number>();
  #holds = true;

  add(value: number): void {
    if (!this.#holds) return;
    this.#values.add(value);
    this.#holds = Number.isInteger(value) && this.#values.size <= MOST_LABELS;
  }

  /** Returns the number of labels; undefined where these are no labels. */
  get count(): number | undefined {
    return this.#holds ? this.#values.size : undefined;
  }
}
