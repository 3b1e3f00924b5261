/**
 * Reads the cells of a CSV file: which are missing, what the others say, and what kind of thing one holds
 * that the task does not take.
 */

import type { Labelling } from '@eigenveil/methods';
import { CodedError, type Words, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { LabelIndex } from '../sums/label-index.ts';
import { booleanOf, NumberFormat, nearNumber, parseDecimal } from './numbers.ts';
import type { CsvForm, ReadingOptions } from './reading-options.ts';
import { BLANKS, rowOption, rowTerm, TRIMMED } from './reading-terms.ts';
import { differenceOf, nearTo, unusualIn } from './unusual.ts';

type CellOptions = Pick<ReadingOptions, 'decimal' | 'thousands' | 'trim' | 'numericLabels'>;

/** Reads cells as one file writes them. */
export class CellReader {
  readonly format: NumberFormat;
  readonly #options: CellOptions;
  readonly #labellings: readonly Labelling[];
  readonly #labels: LabelIndex;
  readonly #numericClasses: readonly ReadonlyMap<number, number>[];

  /** @throws ERR_ROW_OPTIONS */
  constructor(labellings: readonly Labelling[], options: CellOptions) {
    this.format = new NumberFormat(options);
    this.#options = options;
    this.#labellings = labellings;
    this.#labels = new LabelIndex(labellings);
    this.#numericClasses = labellings.map(({ classes }) => classesByNumber(classes));
  }

  /** The index of the class of labelling `l` that a cell names; undefined if it names none. */
  classIndex(text: string, l: number): number | undefined {
    const index = this.#labels.find(text, l);
    return index === undefined && this.#options.numericLabels === true ? this.#sameNumber(text, l) : index;
  }

  /** Says what a cell holds that is no number, without showing it. */
  kindOfNumber(text: string, marks: MissingMarks): Words | string {
    if (marks.has(text)) return kindOfMissing(text);
    const trimmed = text.trim();
    if (trimmed === '') return BLANK;
    if (trimmed !== text && this.#helpsToTrim(text) && this.format.read(trimmed) !== undefined)
      return trimmedOf(text);
    const other = this.format.otherReading(trimmed);
    if (other !== undefined) return other;
    return kindOfOther(text);
  }

  /** Says what a cell holds that is no class of labelling `l`, without showing it. */
  kindOfClass(text: string, l: number, marks: MissingMarks): Words | string {
    const trimmed = text.trim();
    if (this.#helpsToTrim(text) && this.#labels.find(trimmed, l) !== undefined) return trimmedOf(text);
    if (this.#sameNumber(text, l) !== undefined)
      return words`one that is written as another number, which ${rowOption('numericLabels')} takes`;
    if (marks.has(text)) return kindOfMissing(text);
    if (trimmed === '') return BLANK;
    const { classes } = this.#labellings[l]!;
    const near = nearTo(text, classes);
    if (near !== undefined)
      return words`one that differs from the class ${JSON.stringify(near)} in ${differenceOf(text, near)} alone: write it as the task does`;
    const boolean = classes.find((it) => isSameBoolean(it, trimmed));
    if (boolean !== undefined)
      return `one that writes the class ${JSON.stringify(boolean)} as another boolean: write it as the task does`;
    if (isProbablyMissing(trimmed)) return PROBABLY_MISSING;
    return `another label: leave such rows out, or ask the data user for a task that has it`;
  }

  /** Blanks that are passed over are there no more. */
  #helpsToTrim(text: string): boolean {
    return this.#options.trim !== true && text.trim() !== text;
  }

  #sameNumber(text: string, l: number): number | undefined {
    const value = this.format.read(text);
    return value === undefined || parseDecimal(text.replace(',', '.')) === undefined
      ? undefined
      : this.#numericClasses[l]!.get(value);
  }
}

function trimmedOf(text: string): Words {
  const unusual = unusualIn(text);
  return words`one with ${BLANKS} around it${unusual === undefined ? '' : `, such as ${unusual}`}${TRIMMED}`;
}

const BLANK = words`a cell of ${BLANKS} alone: ${rowOption('trim')} makes it an empty one, and ${rowOption('missing', 'skip')} leaves rows with such cells out`;
const PROBABLY_MISSING = words`something that other programs write for a missing value: ${rowTerm('nameMissing', 'name it with --missing-values')} if it is one`;

/** Says whether one text is a boolean and the other one the number that it stands for. */
function isSameBoolean(one: string, other: string): boolean {
  const values = [one, other].map((text) => booleanOf(text) ?? parseDecimal(text));
  return values[0] !== undefined && values[0] === values[1];
}

/**
 * Finds classes by their numbers. Of classes that are one number, such as 0 and 0.0, none can be meant by a
 * third way to write it.
 */
function classesByNumber(classes: readonly string[]): Map<number, number> {
  const numbers = classes.map(parseDecimal);
  return new Map(
    numbers.flatMap((value, k) =>
      value === undefined || numbers.indexOf(value) !== numbers.lastIndexOf(value) ? [] : [[value, k]],
    ),
  );
}

function kindOfMissing(text: string): Words {
  const kind = text === '' ? 'an empty cell' : 'a mark of a missing value';
  return words`${kind}: ${rowOption('missing', 'skip')} leaves such rows out`;
}

/** Says what a cell holds that neither is a number nor becomes one by an option. */
function kindOfOther(text: string): Words | string {
  if (text === '')
    return words`an empty cell, which ${rowTerm('defaultMissing', '--no-default-missing')} takes for none that is missing`;
  if (isProbablyMissing(text.trim())) return PROBABLY_MISSING;
  const unusual = unusualIn(text);
  // A text may have any letters; only in a number such a character stands out.
  if (unusual !== undefined && /[\p{Nd}]/u.test(text) && !/\p{L}/u.test(text))
    return `one with the character ${unusual} in it`;
  return nearNumber(text.trim()) ?? 'something else';
}

const DEFAULTS = ['', 'NA', 'N/A', 'NaN', 'nan', 'NULL', 'null', '?'] as const;

/** Texts that other programs write for nothing, which is no default since it could be something. */
const PROBABLE: ReadonlySet<string> = new Set(
  '. - -- --- * ** #N/A #NA #N/A! #NULL! #NUM! #VALUE! #REF! #DIV/0! #NAME? <NA> <na> n/a na Na N.A. n.a. None none NONE nil Null NaT -nan +nan -NaN Missing missing unknown'.split(
    ' ',
  ),
);

export const isProbablyMissing = (text: string) => PROBABLE.has(text);

/** The marks of one column. */
export class MissingMarks {
  readonly #texts: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<number>;

  constructor(marks: readonly string[]) {
    this.#texts = new Set(marks);
    this.#numbers = new Set(marks.flatMap((mark) => parseDecimal(mark) ?? []));
  }

  /** Says whether any number is a mark. */
  get hasNumbers(): boolean {
    return this.#numbers.size > 0;
  }

  hasNumber(value: number): boolean {
    return this.#numbers.has(value);
  }

  /** Says whether a cell is missing. `value` is the number that it writes, if it writes one. */
  has(text: string, value?: number | undefined): boolean {
    return this.#texts.has(text) || (value !== undefined && this.#numbers.has(value));
  }
}

/**
 * The marks of each column of a file.
 * @param columns the names of each column of a file: its own, that of the task, and `#` with its number
 * @throws ERR_CSV_COLUMNS for marks of a column that is not there
 */
export function missingMarks(
  { missingValues = [], defaultMissing = true }: Pick<CsvForm, 'missingValues' | 'defaultMissing'>,
  columns: readonly (readonly string[])[],
): MissingMarks[] {
  const everywhere: string[] = defaultMissing ? [...DEFAULTS] : [];
  const own = columns.map((): string[] => []);
  for (const mark of missingValues) {
    const found = columnOf(mark, columns);
    if (found === undefined) everywhere.push(mark);
    else own[found.column]!.push(found.mark);
  }
  // Most columns have the same marks.
  const common = new MissingMarks(everywhere);
  return own.map((marks) => (marks.length === 0 ? common : new MissingMarks([...everywhere, ...marks])));
}

function columnOf(
  text: string,
  columns: readonly (readonly string[])[],
): { readonly column: number; readonly mark: string } | undefined {
  for (let colon = text.indexOf(':'); colon > 0; colon = text.indexOf(':', colon + 1)) {
    const name = text.slice(0, colon);
    const column = columns.findIndex((names) => names.includes(name));
    if (column >= 0) return { column, mark: text.slice(colon + 1) };
  }
  // A column that is misspelt must not become a mark that no cell has.
  if (!/^[\p{L}_#][^:]*:/u.test(text)) return undefined;
  const name = JSON.stringify(text.slice(0, text.indexOf(':')));
  throw new CodedError(
    STATISTICS_CODES.ERR_CSV_COLUMNS,
    words`${rowTerm('missingValues', '"--missing-values"')} names a column that is not there: ${name}`,
  );
}
