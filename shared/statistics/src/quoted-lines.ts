/** Whatever RFC 4180 allows, in the words of csv-parse, which is handed whole records as they come. */

import { CsvError, type Options, parse } from 'csv-parse/sync';
import { StatisticsError } from './errors.ts';

/** How all CSV files are read. */
const SYNTAX = {
  // The file's has been taken away where it was decoded; one in front of a later line is part of it.
  bom: false,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  // So that an unclosed quote ends in an error and not in all memory.
  max_record_size: 1 << 20,
  // Counting cells is left to the reader, whose errors do not carry the record.
  relax_column_count: true,
};

/** The parser's own bound of a record does not count what stands between cells, of which a file may hold gigabytes packed to nothing. */
const LONGEST_RECORD = 4 * SYNTAX.max_record_size;

/**
 * The parser's other interfaces are streams of Node.js, which browsers lack and which cost a turn of the event loop for each chunk. This one takes a
 * whole text. So records that have ended are handed over together, and what has not ended waits. Where a record ends needs no
 * parser: at a line end with an even number of quotes in front of it, since each quote of a valid file opens a cell, closes it, or is half of an escaped
 * one. In a file that is not valid the parser meets the fault first.
 */
export class QuotedLines {
  readonly #options: Options;
  readonly #onRecord: (cells: readonly string[], line: number) => void;
  #linesBefore: number;
  #open = '';
  /** How much of what is open was searched for an end, and whether a quote is open there. */
  #searched = 0;
  #isQuoted = false;

  /**
   * @param linesBefore lines of the file before the first text
   * @param onRecord gets the cells of each record, and the number of the line in which it ends, from 1
   */
  constructor(
    separator: string,
    trim: boolean,
    linesBefore: number,
    onRecord: (cells: readonly string[], line: number) => void,
  ) {
    this.#linesBefore = linesBefore;
    this.#onRecord = onRecord;
    this.#options = { ...SYNTAX, delimiter: separator, trim };
  }

  /** @throws ERR_CSV_SYNTAX, and what `onRecord` throws */
  take(text: string): void {
    this.#open += text;
    const end = this.#lastEnd();
    if (end > 0) {
      this.#parse(this.#open.slice(0, end));
      this.#open = this.#open.slice(end);
      this.#searched -= end;
    }
    if (this.#open.length <= LONGEST_RECORD) return;
    // What is wrong with it may stand at its beginning; it is no record yet.
    this.#parse(this.#open, () => {}, 'CSV_MAX_RECORD_SIZE');
    throw this.#error('CSV_MAX_RECORD_SIZE', 1);
  }

  /** The last line need not end. */
  end(): void {
    this.#parse(this.#open);
  }

  /** Behind the last record that has ended; 0 where none has. */
  #lastEnd(): number {
    const text = this.#open;
    // A carriage return at the very end may be half of a line end.
    const whole = text.endsWith('\r') ? text.length - 1 : text.length;
    let end = 0;
    while (this.#searched < whole) {
      const quote = text.indexOf('"', this.#searched);
      const to = quote < 0 ? whole : quote;
      if (!this.#isQuoted) {
        const between = text.slice(this.#searched, to);
        const last = Math.max(between.lastIndexOf('\n'), between.lastIndexOf('\r'));
        if (last >= 0) end = this.#searched + last + 1;
      }
      if (quote >= 0) this.#isQuoted = !this.#isQuoted;
      this.#searched = quote < 0 ? whole : quote + 1;
    }
    return end;
  }

  /** @param unclosed what a quote that is never closed is called */
  #parse(text: string, onRecord = this.#onRecord, unclosed = 'CSV_QUOTE_NOT_CLOSED'): void {
    let lines = 0;
    const on_record = (cells: readonly string[], context: { readonly lines: number }) => {
      lines = context.lines - 1;
      onRecord(cells, this.#linesBefore + context.lines);
      return null;
    };
    try {
      parse(text, { ...this.#options, on_record });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      // Its errors quote the record, so only their code and line are kept.
      const code = error.code === 'CSV_QUOTE_NOT_CLOSED' ? unclosed : error.code;
      throw this.#error(code, Number(error.lines));
    }
    this.#linesBefore += lines + lineEndsBehind(text);
  }

  #error(code: string, line: number): StatisticsError {
    const message = `line ${this.#linesBefore + line}: not valid CSV (${code})${SYNTAX_HINTS[code] ?? ''}`;
    return new StatisticsError('ERR_CSV_SYNTAX', message);
  }
}

/** Line ends behind the last character that is none: that of the last record, and empty lines. */
function lineEndsBehind(text: string): number {
  let from = text.length;
  while (text[from - 1] === '\n' || text[from - 1] === '\r') from -= 1;
  return text.slice(from).match(/\r\n|\n|\r/g)?.length ?? 0;
}

const SYNTAX_HINTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: ': a quoted cell ends before a separator, see --separator',
  INVALID_OPENING_QUOTE: ': a quote opens its cell, but for blanks that --trim passes over',
};
