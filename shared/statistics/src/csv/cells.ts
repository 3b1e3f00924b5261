/** What a cell of a CSV file says; and what kind of thing it holds, where that is nothing the task takes. */
import { type Words, words } from '@eigenveil/platform';
import type { Labelling } from '@eigenveil/task';
import { LabelIndex } from '../sums/label-index.ts';
import { isProbablyMissing, type MissingMarks } from './missing.ts';
import { nearNumber } from './near-numbers.ts';
import { parseDecimal } from './number.ts';
import { booleanOf, NumberFormat } from './number-format.ts';
import type { ReadingOptions } from './reading-options.ts';
import { rowOption, rowTerm } from './reading-terms.ts';
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

  /** What a cell holds that is no number, without showing it. */
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

  /** What a cell holds that is no class of labelling `l`, without showing it. */
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
      return `one that differs from the class ${JSON.stringify(near)} in ${differenceOf(text, near)} alone: write it as the task does`;
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
  return words`one with blanks around it${unusual === undefined ? '' : `, such as ${unusual}`}, which ${rowOption('trim')} passes over`;
}

const BLANK = words`a cell of blanks alone: ${rowOption('trim')} makes it an empty one, and ${rowOption('missing', 'skip')} leaves rows with such cells out`;
const PROBABLY_MISSING = words`something that other programs write for a missing value: ${rowTerm('nameMissing', 'name it with --missing-values')} if it is one`;

/** Whether one text is a boolean and the other one the number that it stands for. */
function isSameBoolean(one: string, other: string): boolean {
  const values = [one, other].map((text) => booleanOf(text) ?? parseDecimal(text));
  return values[0] !== undefined && values[0] === values[1];
}

/** Of classes that are one number, such as 0 and 0.0, none can be meant by a third way to write it. */
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

/** What neither is a number nor becomes one by an option. */
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
