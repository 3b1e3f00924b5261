/** The records of a CSV file from its bytes, in whatever text, behind what stands before its header. */
import { CodedError, type Words, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import { Decoding } from './decoding.ts';
import { type CsvForm, SEPARATORS, type Separator } from './reading-options.ts';
import { rowOption } from './reading-terms.ts';
import { PlainLines, QuotedLines } from './splitting.ts';

export interface IntakeOptions extends CsvForm {
  /** Told of what looks like a mistake and is none for certain. */
  readonly onRemark?: ((remark: Words | string) => void) | undefined;
}

type OnRecord = (cells: readonly string[], line: number) => void;

/** The line by which Excel says what stands between cells. */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i;
const SEPARATOR_START = 'sep=';

/** One file, as it is read. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #onRecord: OnRecord;
  readonly #decoding: Decoding;
  /** Text before it is known where the header begins. */
  #before: string | undefined = '';
  #linesBefore = 0;
  #separator: Separator;
  #plain: PlainLines | undefined;
  #quoted: QuotedLines | undefined;
  #records = 0;

  /**
   * @param onRecord gets the cells of each record, the header first, and the number of the line in which it
   *   ends, from 1
   */
  constructor(options: IntakeOptions, onRecord: OnRecord) {
    this.#options = options;
    this.#onRecord = onRecord;
    this.#separator = options.separator ?? 'comma';
    this.#decoding = new Decoding(options, () => (this.#quoted ?? this.#plain)?.lines ?? this.#linesBefore);
  }

  /** The separator between cells, once there is a record. */
  get separator(): Separator {
    return this.#separator;
  }

  take(chunk: Uint8Array): void {
    this.#takeText(this.#decoding.take(chunk), false);
  }

  end(): void {
    this.#takeText(this.#decoding.end(), true);
    (this.#quoted ?? this.#plain)?.end();
  }

  #takeText(text: string, isLast: boolean): void {
    if (this.#before === undefined) {
      this.#takeLines(text);
      return;
    }
    this.#before += text;
    const start = this.#header(this.#before, isLast);
    if (start === undefined) return;
    this.#before = undefined;
    this.#plain = new PlainLines(SEPARATORS[this.#separator], this.#linesBefore, this.#take);
    this.#takeLines(start);
  }

  /** The text from the header on, once that is certain. */
  #header(text: string, isLast: boolean): string | undefined {
    let rest = text;
    while (this.#linesBefore < (this.#options.skipLines ?? 0)) {
      const end = lineEndOf(rest, isLast);
      if (end === undefined) return this.#wait(rest);
      rest = rest.slice(end);
      this.#linesBefore += 1;
    }
    const start = rest.replace(/^"/, '').slice(0, SEPARATOR_START.length).toLowerCase();
    if (start.length < SEPARATOR_START.length && !isLast) return this.#wait(rest);
    if (start !== SEPARATOR_START) return rest;
    const end = lineEndOf(rest, isLast);
    if (end === undefined) return this.#wait(rest);
    const named = SEPARATOR_LINE.exec(rest.slice(0, end).replace(/[\r\n]+$/, ''));
    if (named === null) return rest;
    this.#name(named[1]!);
    this.#linesBefore += 1;
    return rest.slice(end);
  }

  #wait(rest: string): undefined {
    this.#before = rest;
    return undefined;
  }

  /** Takes the separator from the line that names what stands between cells. */
  #name(character: string): void {
    const found = (Object.keys(SEPARATORS) as Separator[]).find((name) => SEPARATORS[name] === character);
    const { separator } = this.#options;
    const line = `line ${this.#linesBefore + 1} names`;
    if (found === undefined)
      throw new CodedError(
        STATISTICS_CODES.ERR_CSV_SYNTAX,
        `${line} another separator than ${Object.keys(SEPARATORS).join(', ')}: write the file with one of these`,
      );
    if (separator !== undefined && separator !== found)
      throw new CodedError(
        STATISTICS_CODES.ERR_ROW_OPTIONS,
        words`${line} the separator ${found}, and ${rowOption('separator', separator)}: leave one of them out`,
      );
    this.#separator = found;
  }

  #takeLines(text: string): void {
    const { trim = false } = this.#options;
    // Blanks are passed over where quotes are read.
    const rest = this.#quoted === undefined && !trim ? this.#plain!.take(text) : text;
    if (rest === undefined) return;
    this.#quoted ??= new QuotedLines(
      { separator: SEPARATORS[this.#separator], trim, backslash: this.#options.escape === 'backslash' },
      this.#plain!.lines,
      this.#take,
    );
    this.#quoted.take(rest);
  }

  readonly #take: OnRecord = (cells, line) => {
    this.#records += 1;
    const rows = this.#records - 1;
    if (rows > 0 && rows <= (this.#options.skipRows ?? 0)) return;
    this.#onRecord(cells, line);
  };
}

/**
 * Returns the place where the text goes on behind its first line end; its end, where it is the last of the
 * file; undefined before it is known.
 */
function lineEndOf(text: string, isLast: boolean): number | undefined {
  const end = text.search(/[\r\n]/);
  if (end < 0) return isLast ? text.length : undefined;
  if (text[end] === '\n') return end + 1;
  if (end + 1 === text.length && !isLast) return undefined;
  return text[end + 1] === '\n' ? end + 2 : end + 1;
}
