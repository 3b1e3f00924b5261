/**
 * Numbers as a file writes them: plain decimal ones, those with a comma or with signs between their
 * thousands, and what is only like one.
 */

import { CodedError, type Words, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import type { CsvForm } from './reading-options.ts';
import { rowOption, rowTerm } from './reading-terms.ts';
import { unusualIn } from './unusual.ts';

type Decimal = NonNullable<CsvForm['decimal']>;
type Thousands = NonNullable<CsvForm['thousands']>;
type Format = Pick<CsvForm, 'decimal' | 'thousands'>;

/**
 * Numbers with groups of three, by what stands between thousands: groups of three, the first of which is no
 * zero.
 */
const GROUPED: Readonly<Record<Thousands, RegExp>> = {
  point: /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/,
  comma: /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/,
  space: /^[+-]?[1-9]\d{0,2}([ \u00a0\u2009\u202f]\d{3})+([.,]\d+)?$/,
};
const BETWEEN: Readonly<Record<Thousands, RegExp>> = {
  point: /\./g,
  comma: /,/g,
  space: /[ \u00a0\u2009\u202f]/g,
};
/** Booleans as Python, R and SQL write them, which are 1 and 0 wherever they stand for a number. */
const BOOLEANS: ReadonlyMap<string, number> = new Map([
  ...['true', 'True', 'TRUE'].map((text): [string, number] => [text, 1]),
  ...['false', 'False', 'FALSE'].map((text): [string, number] => [text, 0]),
]);

/** The number that a boolean stands for; undefined for any other text. */
export const booleanOf = (text: string) => BOOLEANS.get(text);

export class NumberFormat {
  readonly decimal: Decimal;
  readonly #thousands: Thousands | undefined;
  readonly #plain: (text: string) => number | undefined;

  /** @throws ERR_ROW_OPTIONS where one character would be both */
  constructor({ decimal, thousands }: Format) {
    this.decimal = decimal ?? (thousands === 'point' ? 'comma' : 'point');
    if (thousands === this.decimal)
      throw new CodedError(
        STATISTICS_CODES.ERR_ROW_OPTIONS,
        rowTerm(
          'sameMarks',
          `"--thousands" expected another character than "--decimal", got ${thousands} for both`,
          thousands,
        ),
      );
    this.#thousands = thousands;
    this.#plain = this.decimal === 'comma' ? parseDecimalComma : parseDecimal;
  }

  /** The number that a cell writes, booleans as 1 and 0; undefined for anything else. */
  read(text: string): number | undefined {
    return this.#plain(text) ?? this.#grouped(text) ?? booleanOf(text);
  }

  /** Says how a cell could be a number by other options; undefined where no option reads it. */
  otherReading(text: string): Words | string | undefined {
    const readings = OTHER_FORMATS.flatMap(({ flags, isDecimal, ...format }) => {
      const value = new NumberFormat(format).read(text);
      return value === undefined ? [] : [{ flags, isDecimal, value, thousands: format.thousands }];
    });
    const [first] = readings;
    if (first === undefined) return undefined;
    if (readings.some(({ value }) => value !== first.value)) {
      const character = text.includes(',') ? 'comma' : 'point';
      return words`${oneOfTwo(character)}: which of them, only you can say`;
    }
    const usual = this.decimal === 'point' && first.isDecimal === 'comma';
    if (usual) return words`one with a comma, which ${rowOption('decimal', 'comma')} takes for its fraction`;
    if (this.decimal === 'comma' && first.isDecimal === 'point')
      return words`one with a point, despite ${rowOption('decimal', 'comma')}`;
    const unusual = unusualIn(text);
    const character = unusual === undefined ? 'another character' : `the character ${unusual}`;
    return words`one with ${character} between thousands, which ${rowTerm('readThousands', `${first.flags} reads`, first.thousands)}`;
  }

  #grouped(text: string): number | undefined {
    const thousands = this.#thousands;
    if (thousands === undefined || !GROUPED[thousands].test(text)) return undefined;
    return this.#plain(text.replace(BETWEEN[thousands], ''));
  }
}

/** Formats that are not the usual one, with what asks for them. */
export const OTHER_FORMATS: readonly (Format & { readonly flags: string; readonly isDecimal?: Decimal })[] = [
  { decimal: 'comma', flags: '--decimal comma', isDecimal: 'comma' },
  { decimal: 'point', flags: '--decimal point', isDecimal: 'point' },
  { thousands: 'comma', flags: '--thousands comma' },
  { thousands: 'point', flags: '--thousands point' },
  { thousands: 'space', flags: '--thousands space' },
  { thousands: 'space', decimal: 'comma', flags: '--thousands space with --decimal comma' },
];

/** Words a number with three digits behind one comma or point; the example is no cell. */
function oneOfTwo(character: Decimal): Words {
  const sign = character === 'comma' ? ',' : '.';
  return words`one of three digits behind a ${character}, such as 1${sign}234: that is 1234 by ${rowOption('thousands', character)}, and 1.234 by ${rowOption('decimal', character)}`;
}

const SIGN = { point: '.', comma: ',' } as const;
const THREE_DIGITS = { point: /^[+-]?[1-9]\d{0,2}\.\d{3}$/, comma: /^[+-]?[1-9]\d{0,2},\d{3}$/ } as const;

/**
 * Checks whether every number of a column that has a point (or a comma, where that is the decimal sign) has
 * three digits behind it.
 */
export class ThousandsWatch {
  readonly #sign: string;
  readonly #pattern: RegExp;
  readonly #decimal: Decimal;
  #cells = 0;
  #holds = true;

  constructor(decimal: Decimal) {
    this.#decimal = decimal;
    this.#sign = SIGN[decimal];
    this.#pattern = THREE_DIGITS[decimal];
  }

  /** @returns whether there is more to see */
  add(text: string): boolean {
    if (text.includes(this.#sign)) {
      if (this.#pattern.test(text)) this.#cells += 1;
      else this.#holds = false;
    }
    return this.#holds;
  }

  /** Returns what must be told of the column; undefined where nothing is odd. */
  remark(column: string): Words | undefined {
    if (!this.#holds || this.#cells === 0) return undefined;
    return words`every cell of ${column} that has a ${this.#decimal} (${this.#cells}) is ${oneOfTwo(this.#decimal)}; it was read as the latter`;
  }
}

/** The shortest of them; numbers that are 1 or 0 are mostly shorter. */
const BOOLEAN_LENGTH = 4;

/** Checks whether a column has booleans among its numbers. */
export class BooleanWatch {
  #booleans = 0;
  #hasOthers = false;

  /** @param value the number that the text was read as */
  add(text: string, value: number): void {
    const mayBe = (value === 0 || value === 1) && text.length >= BOOLEAN_LENGTH;
    if (mayBe && booleanOf(text) !== undefined) this.#booleans += 1;
    else this.#hasOthers = true;
  }

  /** Returns what must be told of the column; undefined where all are booleans, or none is. */
  remark(column: string): string | undefined {
    if (this.#booleans === 0 || !this.#hasOthers) return undefined;
    const [cells, are] =
      this.#booleans === 1 ? ['1 cell', 'is a boolean'] : [`${this.#booleans} cells`, 'are booleans'];
    return `${cells} of ${column} ${are} among numbers, read as 1 for true and 0 for false`;
  }
}

const ZERO = 48;
const NINE = 57;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;

/**
 * The number that the text writes in plain decimal notation (sign, point and exponent allowed), or undefined
 * when it is anything else: empty, padded with spaces, hexadecimal, octal, binary, NaN, or beyond the
 * doubles.
 *
 * `Number` is right about all text that starts with a digit, sign or point and ends with a digit or point,
 * except for 0x, 0o and 0b (ECMA-262, StringToNumber), so looking at three characters replaces a pattern
 * match per cell.
 * @example
 * import { parseDecimal } from '@eigenveil/statistics';
 *
 * parseDecimal('-1.5e3'); // → -1500
 * parseDecimal('0x10'); // → undefined
 */
export function parseDecimal(text: string): number | undefined {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  if (!(isDigit(first) || first === MINUS || first === POINT || first === PLUS)) return undefined;
  if (!(isDigit(last) || last === POINT)) return undefined;
  // A letter in second place can only be an exponent's e or the mark of another base.
  if (first === ZERO && text.charCodeAt(1) > NINE && text[1] !== 'e' && text[1] !== 'E') return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Does the same with a decimal comma. A text with a point is no number then: the point could stand between
 * thousands.
 */
export function parseDecimalComma(text: string): number | undefined {
  return text.includes('.') ? undefined : parseDecimal(text.replace(',', '.'));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^[+-]?inf(inity)?$/i, 'an infinite number'],
  [/^[+-]?\d*[.,]?\d*e[+-]?\d+$/i, 'a number beyond those of 64 bits'],
  [/^\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)/, 'a date, which is no number'],
  [/^\d{1,2}:\d{2}/, 'a time of day, which is no number'],
  [/^0[xob][\da-f]+$/i, 'a number to another base than ten'],
  [/^\(\D*\d.*\)$/, 'a number in brackets, as accounts write what is below 0: write a minus sign'],
  [/^[+-]?\d{1,3}(['’]\d{3})+(\D|$)/u, 'one with an apostrophe between thousands: write it without'],
  [/^[+-]?[\d.,]+d[+-]?\d+$/i, 'one with a D before its exponent: write an E'],
  [/^[+-]?\d[\d.,]*\s*[^\s\d]+$/u, 'a number with a sign or a unit behind it: write the number alone'],
  [/^[^\s\d.,+-]+\s*[+-]?\d[\d.,]*$/u, 'a number behind a sign or a word: write the number alone'],
];

/**
 * Says what a cell without blanks around it holds, which is no number by any option; undefined where it is
 * like none.
 */
export function nearNumber(text: string): string | undefined {
  return KINDS.find(([pattern]) => pattern.test(text))?.[1];
}
