/** Records of CSV as long as no quote has been seen, which lines split at separators are: several times faster than a parser of everything. */

/** A line that is longer is left to the parser, which refuses it. */
const LONGEST_LINE = 1 << 20;

export class PlainLines {
  readonly #separator: string;
  readonly #onRecord: (cells: string[], line: number) => void;
  /** What has no line end yet. */
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

  /** Hands over the lines that have ended. From the first one with a quote on, none is: the text from there is returned. */
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
