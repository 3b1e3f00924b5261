/** What a cell of a CSV file says; and what kind of thing it holds, where that is nothing the task takes. */
import type { Labelling } from '@eigenveil/task';
import { LabelIndex } from './label-index.ts';
import { parseDecimal, parseDecimalComma } from './number.ts';
import type { RowOptions } from './rows.ts';

/** What may stand between cells. */
export const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;
export type Separator = keyof typeof SEPARATORS;

export interface CellSyntax extends Pick<RowOptions, 'numericLabels'> {
  /** What stands before a number's fraction. Default: point. */
  readonly decimal?: 'point' | 'comma';
}

const MISSING: ReadonlySet<string> = new Set(['', 'NA', 'N/A', 'NaN', 'nan', 'NULL', 'null', '?']);

/** Whether the cell holds nothing, or one of NA, N/A, NaN, nan, NULL, null and ?, to the letter. */
export function isMissing(text: string): boolean {
  return MISSING.has(text);
}

/** Reads cells as one file writes them. */
export class CellReader {
  /** The number that a cell writes; undefined for anything else. */
  readonly number: (text: string) => number | undefined;
  readonly #syntax: CellSyntax;
  readonly #labels: LabelIndex;
  readonly #numericClasses: readonly ReadonlyMap<number, number>[];

  constructor(labellings: readonly Labelling[], syntax: CellSyntax) {
    this.number = syntax.decimal === 'comma' ? parseDecimalComma : parseDecimal;
    this.#syntax = syntax;
    this.#labels = new LabelIndex(labellings);
    this.#numericClasses = labellings.map(({ classes }) => classesByNumber(classes));
  }

  /** The index of the class of labelling `l` that a cell names; undefined if it names none. */
  classIndex(text: string, l: number): number | undefined {
    const index = this.#labels.find(text, l);
    return index === undefined && this.#syntax.numericLabels === true ? this.#sameNumber(text, l) : index;
  }

  /** What a cell holds that is no number, without showing it. */
  kindOfNumber(text: string): string {
    if (isMissing(text)) return kindOfMissing(text);
    const trimmed = text.trim();
    if (trimmed !== text && this.number(trimmed) !== undefined)
      return 'one with blanks around it, which --trim passes over';
    if (this.#syntax.decimal === 'comma')
      return parseDecimal(trimmed) === undefined
        ? 'something else'
        : 'one with a point, despite --decimal comma';
    return parseDecimalComma(trimmed) === undefined
      ? 'something else'
      : 'one with a comma, which --decimal comma takes for its fraction';
  }

  /** What a cell holds that is no class of labelling `l`, without showing it. */
  kindOfClass(text: string, l: number): string {
    if (this.#labels.find(text.trim(), l) !== undefined)
      return 'one with blanks around it, which --trim passes over';
    if (this.#sameNumber(text, l) !== undefined)
      return 'one that is written as another number, which --numeric-labels takes';
    return isMissing(text)
      ? kindOfMissing(text)
      : 'another label: leave such rows out, or ask the data user for a task that has it';
  }

  #sameNumber(text: string, l: number): number | undefined {
    const value = this.number(text);
    return value === undefined ? undefined : this.#numericClasses[l]!.get(value);
  }
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

function kindOfMissing(text: string): string {
  const kind = text === '' ? 'an empty cell' : 'a mark of a missing value';
  return `${kind}: --missing skip leaves such rows out`;
}
