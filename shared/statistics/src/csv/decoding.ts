/**
 * The text of a file from its bytes, as they come: what cannot be decoded is refused, and no byte is
 * replaced.
 */
import { CodedError, type Words, words } from '@eigenveil/platform';
import { type Encoding, FORM_BYTES, formOf, wordsOfForm } from '@eigenveil/platform/file-form';
import { STATISTICS_CODES } from '../codes.ts';
import { rowOption, rowTerm } from './reading-terms.ts';

interface DecodingOptions {
  readonly encoding?: Encoding | undefined;
  /** Told of what looks like a mistake and is none for certain. */
  readonly onRemark?: ((remark: Words | string) => void) | undefined;
}

/** The characters that WHATWG's decoders make of a byte that an encoding of one byte does not use. */
const UNUSED = /[\u0080-\u009f]/;
const SINGLE_BYTES: ReadonlySet<string> = new Set(['windows-1252', 'iso-8859-1'] satisfies Encoding[]);

export class Decoding {
  readonly #options: DecodingOptions;
  readonly #linesBefore: () => number;
  /** Bytes until there are enough to tell what they are. */
  #start: Uint8Array | undefined = new Uint8Array(0);
  #encoding: Encoding = 'utf-8';
  #decoder = new TextDecoder();
  /** Decodes the same bytes as UTF-8 where they are said to be something else, as long as they could be. */
  #asUtf8: TextDecoder | undefined;
  #hasLetters = false;
  /** The bytes of a character that the chunk before does not end. */
  #cut: Uint8Array = new Uint8Array(0);

  /** @param linesBefore lines of the text that was handed over, for the place of what cannot be decoded */
  constructor(options: DecodingOptions, linesBefore: () => number) {
    this.#options = options;
    this.#linesBefore = linesBefore;
  }

  /** @throws ERR_ENCODING, ERR_FILE_UNREADABLE for bytes that are not text */
  take(chunk: Uint8Array): string {
    if (this.#start === undefined) return this.#decode(chunk);
    this.#start = joined(this.#start, chunk);
    return this.#start.length < FORM_BYTES ? '' : this.#begin(this.#start);
  }

  /** @throws as `take` */
  end(): string {
    const text = this.#start === undefined ? '' : this.#begin(this.#start);
    const last = this.#decoded(this.#cut, () => this.#decoder.decode());
    if (this.#asUtf8 !== undefined && this.#hasLetters && isWhole(this.#asUtf8))
      this.#options.onRemark?.(
        words`the bytes are UTF-8 as well, in which they may be other letters than by ${rowOption('encoding', this.#encoding)}`,
      );
    return text + last;
  }

  #begin(bytes: Uint8Array): string {
    this.#start = undefined;
    const form = formOf(bytes);
    const { encoding } = this.#options;
    if (form.kind !== 'text') {
      const { name, title } = wordsOfForm(form);
      throw new CodedError(
        STATISTICS_CODES.ERR_FILE_UNREADABLE,
        rowTerm('notText', `expected text, got ${title}`, name),
      );
    }
    if (
      form.mark > 0 &&
      encoding !== undefined &&
      encoding !== form.encoding &&
      !isUtf16(encoding, form.encoding)
    )
      throw new CodedError(
        STATISTICS_CODES.ERR_ENCODING,
        words`${rowTerm('otherMark', `expected text in ${encoding}, got`, encoding)} the byte order mark of ${form.encoding!}: ${rowTerm('noEncoding', 'leave --encoding out')}`,
      );
    const told = encoding === 'utf-16' ? 'utf-16le' : encoding;
    this.#encoding = form.mark > 0 ? form.encoding! : (told ?? form.encoding ?? 'utf-8');
    this.#decoder = new TextDecoder(this.#encoding, { fatal: true, ignoreBOM: true });
    if (!this.#encoding.startsWith('utf-')) this.#asUtf8 = new TextDecoder('utf-8', { fatal: true });
    return this.#decode(bytes.subarray(form.mark));
  }

  #decode(chunk: Uint8Array): string {
    const text = this.#decoded(chunk, () => this.#decoder.decode(chunk, { stream: true }));
    if (this.#encoding === 'utf-8') this.#cut = cutOff(chunk.length < 4 ? joined(this.#cut, chunk) : chunk);
    if (this.#asUtf8 !== undefined) this.#tryUtf8(chunk);
    return text;
  }

  #tryUtf8(chunk: Uint8Array): void {
    this.#hasLetters ||= chunk.some((byte) => byte > 127);
    try {
      this.#asUtf8?.decode(chunk, { stream: true });
    } catch {
      this.#asUtf8 = undefined;
    }
  }

  #decoded(chunk: Uint8Array, decode: () => string): string {
    let text: string;
    try {
      text = decode();
    } catch {
      throw this.#fault(this.#linesBefore() + lineOfFault(joined(this.#cut, chunk), this.#encoding));
    }
    const unused = SINGLE_BYTES.has(this.#encoding) ? text.search(UNUSED) : -1;
    if (unused < 0) return text;
    throw this.#fault(this.#linesBefore() + lineEnds(text.slice(0, unused)));
  }

  #fault(linesBefore: number): CodedError {
    const hint =
      this.#encoding === 'utf-8'
        ? rowTerm(
            'otherEncoding',
            'give --encoding with what wrote the file, such as windows-1252 or iso-8859-1, or save it as UTF-8',
          )
        : rowTerm('otherEncoding', 'give another --encoding, or save the file as UTF-8');
    return new CodedError(
      STATISTICS_CODES.ERR_ENCODING,
      words`line ${linesBefore + 1}: bytes that are not ${this.#encoding.toUpperCase()}: ${hint}`,
    );
  }
}

/** Says whether a mark only tells the order that --encoding utf-16 leaves open. */
const isUtf16 = (encoding: Encoding, marked: string | undefined) =>
  encoding === 'utf-16' && marked?.startsWith('utf-16') === true;

function isWhole(decoder: TextDecoder): boolean {
  try {
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** Bytes at the end that begin a character of UTF-8 and do not end it. */
function cutOff(chunk: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk.at(-back)!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? chunk.slice(-back) : new Uint8Array(0);
  }
  return new Uint8Array(0);
}

/** Line ends before the first line that cannot be decoded; no byte of a longer character is a line end. */
function lineOfFault(bytes: Uint8Array, encoding: Encoding): number {
  if (encoding !== 'utf-8') return 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let from = 0, line = 0; ; line += 1) {
    let end = from;
    while (end < bytes.length && bytes[end] !== 10 && bytes[end] !== 13) end += 1;
    const isLast = end === bytes.length;
    try {
      decoder.decode(bytes.subarray(from, end));
    } catch {
      return line;
    }
    if (isLast) return line;
    from = end + (bytes[end] === 13 && bytes[end + 1] === 10 ? 2 : 1);
  }
}

export const lineEnds = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
