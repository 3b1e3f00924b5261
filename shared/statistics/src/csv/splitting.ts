/**
 * Splits the text of a CSV file into records: lines at their separators as long as no quote has been seen,
 * and from there on by the rules of quotes.
 */

import { CodedError, type Words, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { lineEnds } from './decoding.ts';
import { SEPARATORS, type Separator } from './reading-options.ts';
import { BLANKS, rowOption, rowTerm, TRIMMED } from './reading-terms.ts';

/** A longer record is taken for a quote that is never closed, so that it does not end in all memory. */
const LONGEST_RECORD = 1 << 20;

interface QuotedSyntax {
  readonly separator: string;
  readonly trim: boolean;
  /** Says whether a backslash stands before a quote inside a quoted cell, instead of another quote. */
  readonly backslash: boolean;
}

type Fault = 'open' | 'closing' | 'blanks';

/** The cells of a record and where the text goes on behind it. */
interface ParsedRecord {
  readonly cells: readonly string[];
  readonly next: number;
}

/**
 * Records of CSV with quotes, in any text that RFC 4180 allows, and with quotes inside cells that do not
 * begin with one. No option of csv-parse says that: its `relax_quotes` takes such cells only together with
 * quotes behind blanks and text behind a closing quote, which are refused here.
 */
export class QuotedLines {
  readonly #syntax: QuotedSyntax;
  readonly #onRecord: (cells: readonly string[], line: number) => void;
  #linesBefore: number;
  #open = '';

  /**
   * @param linesBefore lines of the file before the first text
   * @param onRecord gets the cells of each record, and the number of the line in which it ends, from 1
   */
  constructor(
    syntax: QuotedSyntax,
    linesBefore: number,
    onRecord: (cells: readonly string[], line: number) => void,
  ) {
    this.#syntax = syntax;
    this.#linesBefore = linesBefore;
    this.#onRecord = onRecord;
  }

  /** Lines handed over so far, empty ones included. */
  get lines(): number {
    return this.#linesBefore;
  }

  /** @throws ERR_CSV_SYNTAX, and what `onRecord` throws */
  take(text: string): void {
    this.#open += text;
    this.#parse(false);
    if (this.#open.length > LONGEST_RECORD) throw this.#tooLong();
  }

  /** The last line need not end. */
  end(): void {
    if (this.#open.length > LONGEST_RECORD) throw this.#tooLong();
    this.#parse(true);
  }

  #parse(isLast: boolean): void {
    const text = this.#open;
    let at = 0;
    while (at < text.length) {
      const record = parseRecord(text, at, isLast, this.#syntax);
      if (record === undefined) break;
      if (typeof record === 'string') {
        const error = this.#error(record, text, at, isLast);
        if (error === undefined) break;
        throw error;
      }
      const { cells, next } = record;
      this.#linesBefore += linesIn(text.slice(at, next));
      at = next;
      if (cells.length > 0) this.#onRecord(cells, this.#linesBefore);
    }
    this.#open = text.slice(at);
  }

  /** @returns undefined where the next text tells what would read the record */
  #error(fault: Fault, text: string, at: number, isLast: boolean): CodedError | undefined {
    if (fault === 'blanks') return this.#refused(words`${FAULTS.blanks}${TRIMMED}`);
    const { separator, backslash } = this.#syntax;
    const others = (Object.keys(SEPARATORS) as Separator[]).filter((name) => SEPARATORS[name] !== separator);
    const attempts = [
      ...(backslash
        ? []
        : [{ change: { backslash: true }, hint: rowTerm('escape', '--escape backslash reads it') }]),
      ...others.map((name) => ({
        change: { separator: SEPARATORS[name] },
        hint: words`${rowOption('separator', name)} reads it`,
      })),
    ].map(({ change, hint }) => ({
      hint,
      record: parseRecord(text, at, isLast, { ...this.#syntax, ...change }),
    }));
    const isOpen = attempts.some(({ record }) => record === undefined);
    if (isOpen && text.length - at < LONGEST_RECORD) return undefined;
    const works = attempts.find(({ record }) => typeof record === 'object' && record.cells.length > 1);
    return this.#refused(works === undefined ? FAULTS[fault] : words`${FAULTS[fault]}: ${works.hint}`);
  }

  #tooLong(): CodedError {
    const quote = this.#open.includes('"') ? '; perhaps a quote in it is never closed' : '';
    return this.#refused(`a record is longer than ${LONGEST_RECORD} characters${quote}`);
  }

  #refused(problem: Words | string): CodedError {
    return new CodedError(
      STATISTICS_CODES.ERR_CSV_SYNTAX,
      words`line ${this.#linesBefore + 1}: not valid CSV: ${problem}`,
    );
  }
}

/** Lines of a record with its line end, which need not be there behind the last. */
function linesIn(record: string): number {
  const feed = record.indexOf('\n');
  const last = record.length - 1;
  const returned = record.indexOf('\r');
  if (feed === last && (returned < 0 || returned === last - 1)) return 1;
  return lineEnds(record) + (/[\r\n]$/.test(record) ? 0 : 1);
}

const FAULTS: Readonly<Record<Fault, Words | string>> = {
  open: 'a quote that begins a cell is never closed',
  closing: 'something stands between the closing quote of a cell and the next separator',
  blanks: words`a quote that begins a cell stands behind ${BLANKS}`,
};

const QUOTE = 34;
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;

/**
 * Parses the record that begins at `at`. An empty line is a record without cells.
 * @param isLast whether the file ends with the text
 * @returns undefined where the text may go on; what is wrong, where it is not valid
 */
function parseRecord(
  text: string,
  at: number,
  isLast: boolean,
  { separator, trim, backslash }: QuotedSyntax,
): ParsedRecord | Fault | undefined {
  const between = separator.charCodeAt(0);
  const cells: string[] = [];
  const passBlanks = (from: number) => {
    let i = from;
    for (let code = text.charCodeAt(i); (code === SPACE || code === TAB) && code !== between; ) {
      i += 1;
      code = text.charCodeAt(i);
    }
    return i;
  };
  for (let i = at; ; i += 1) {
    const first = passBlanks(i);
    let end: number;
    if (text.charCodeAt(first) === QUOTE && (first === i || trim)) {
      const quoted = quotedCell(text, first + 1, isLast, backslash);
      if (typeof quoted !== 'object') return quoted;
      cells.push(quoted.value);
      end = trim ? passBlanks(quoted.end) : quoted.end;
      if (end < text.length && !isEnd(text.charCodeAt(end), between)) return 'closing';
    } else {
      if (text.charCodeAt(first) === QUOTE) return 'blanks';
      end = i;
      while (end < text.length && !isEnd(text.charCodeAt(end), between)) end += 1;
      const value = text.slice(i, end);
      cells.push(trim ? withoutBlanks(value) : value);
    }
    if (end >= text.length) return isLast ? { cells, next: end } : undefined;
    const code = text.charCodeAt(end);
    if (code === between) {
      i = end;
      continue;
    }
    // A carriage return at the very end may be half of a line end.
    if (code === CR && end + 1 === text.length && !isLast) return undefined;
    const next = code === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
    return { cells: end === at ? [] : cells, next };
  }
}

/** A character that ends a line for other programs is no blank. */
const withoutBlanks = (text: string) => text.replace(/^[\t\ufeff\p{Zs}]+|[\t\ufeff\p{Zs}]+$/gu, '');

const isEnd = (code: number, between: number) => code === between || code === LF || code === CR;

/**
 * The value of a quoted cell whose text begins at `from`, and where the text goes on behind its closing
 * quote.
 */
function quotedCell(
  text: string,
  from: number,
  isLast: boolean,
  backslash: boolean,
): { readonly value: string; readonly end: number } | Fault | undefined {
  let value = '';
  for (let at = from; ; ) {
    let quote = text.indexOf('"', at);
    const escaped = backslash ? text.indexOf('\\', at) : -1;
    if (escaped >= 0 && (quote < 0 || escaped < quote)) {
      const next = text[escaped + 1];
      if (next === undefined) return isLast ? 'open' : undefined;
      const isEscape = next === '"' || next === '\\';
      value += text.slice(at, isEscape ? escaped : escaped + 1);
      if (isEscape) value += next;
      at = escaped + (isEscape ? 2 : 1);
      continue;
    }
    if (quote < 0) return isLast ? 'open' : undefined;
    value += text.slice(at, quote);
    quote += 1;
    if (quote === text.length && !isLast) return undefined;
    if (backslash || text[quote] !== '"') return { value, end: quote };
    value += '"';
    at = quote + 1;
  }
}

/** A line that is longer is left to the parser, which refuses it. */
const LONGEST_LINE = 1 << 20;

/**
 * Records of CSV as long as no quote has been seen, which lines split at separators are: several times faster
 * than a parser of everything.
 */
export class PlainLines {
  readonly #separator: string;
  readonly #onRecord: (cells: string[], line: number) => void;
  /** The text that has no line end yet. */
  #rest = '';
  #lines: number;

  /**
   * @param linesBefore lines of the file before the first text
   * @param onRecord gets the cells of each line that is not empty, and its number from 1
   */
  constructor(separator: string, linesBefore: number, onRecord: (cells: string[], line: number) => void) {
    this.#separator = separator;
    this.#lines = linesBefore;
    this.#onRecord = onRecord;
  }

  /** Lines handed over so far, empty ones included. */
  get lines(): number {
    return this.#lines;
  }

  /**
   * Hands over the lines that have ended. From the first one with a quote on, none is: the text from there is
   * returned.
   */
  take(more: string): string | undefined {
    const text = this.#rest + more;
    const quote = text.indexOf('"');
    // A carriage return at the very end may be half of a line end.
    const whole = quote >= 0 ? quote : text.endsWith('\r') ? text.length - 1 : text.length;
    const before = text.slice(0, whole);
    const from = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
    this.#split(text.slice(0, from));
    this.#rest = text.slice(from);
    return quote < 0 && this.#rest.length <= LONGEST_LINE ? undefined : this.#rest;
  }

  /** The last line need not end. */
  end(): void {
    this.#split(this.#rest);
  }

  #split(text: string): void {
    const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) {
      this.#lines += 1;
      if (line !== '') this.#onRecord(line.split(this.#separator), this.#lines);
    }
  }
}
