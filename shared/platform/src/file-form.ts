/**
 * Finds the form of a file by its first bytes, whatever its name says; and reads text from bytes, of which
 * none is ever replaced.
 */

/**
 * Encodings of text, as `TextDecoder` names them; utf-16 is in the order of its mark, or little-endian
 * without one.
 */
export const ENCODINGS = [
  ...['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
  ...['iso-8859-2', 'windows-1250', 'windows-1251', 'macintosh', 'shift_jis', 'euc-kr', 'gb18030', 'big5'],
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The encoding of a text, as far as its first bytes tell it. `mark` is the length of a byte order mark. */
interface TextForm {
  readonly kind: 'text';
  /** It is undefined where the bytes do not tell it. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | undefined;
  readonly mark: number;
}

export type FileForm =
  | TextForm
  | { readonly kind: 'gzip' | 'parquet' }
  /** Something else: its name ("a PDF document"); the title also says what the command line does about it. */
  | { readonly kind: 'other'; readonly name: string; readonly title: string };

/** The number of bytes that tell the form of a file; a shorter file is told by all of its bytes. */
export const FORM_BYTES = 16;

const ascii = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** Bytes at the start of files that hold no rows that can be read, with what they are, and what helps. */
const OTHERS: readonly (readonly [bytes: readonly number[], name: string, advice?: string, at?: number])[] = [
  [[0xff, 0xfe, 0, 0], 'text in UTF-32'],
  [[0, 0, 0xfe, 0xff], 'text in UTF-32'],
  [[...ascii('PK'), 3, 4], 'a zip archive or a workbook (xlsx, ods)', 'unpack it, or export it as CSV'],
  [[...ascii('PK'), 5, 6], 'an empty zip archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old workbook (xls)', 'export it as CSV'],
  [ascii('PARE'), 'an encrypted Parquet file'],
  [ascii('ARROW1'), 'an Arrow file', 'write it as Parquet'],
  [ascii('FEA1'), 'a Feather file', 'write it as Parquet'],
  [ascii('ORC'), 'an ORC file', 'write it as Parquet'],
  [[...ascii('Obj'), 1], 'an Avro file', 'write it as Parquet'],
  [ascii('SQLite format 3'), 'a database of SQLite', 'export a table as CSV'],
  [ascii('DUCK'), 'a database of DuckDB', 'give it with --database, and a --query', 8],
  [ascii('%PDF'), 'a PDF document'],
  [ascii('{\\rtf'), 'a document in RTF'],
  [[0x89, ...ascii('HDF')], 'an HDF5 file', 'write it as Parquet'],
  [[0x93, ...ascii('NUMPY')], 'an array of NumPy', 'write it as CSV'],
  [ascii('$FL2'), 'a file of SPSS', 'export it as CSV'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'a zstd archive', 'unpack it'],
  [ascii('BZh'), 'a bzip2 archive', 'unpack it'],
  [[0xfd, ...ascii('7zXZ')], 'an xz archive', 'unpack it'],
  [[...ascii('7z'), 0xbc, 0xaf], 'a 7z archive', 'unpack it'],
  [[0x89, ...ascii('PNG')], 'a picture (PNG)'],
  [[0xff, 0xd8, 0xff], 'a picture (JPEG)'],
];

/**
 * Tells what a file is.
 * @param start its first FORM_BYTES bytes or more, or all of a shorter file
 */
export function formOf(start: Uint8Array): FileForm {
  const begins = (bytes: readonly number[], at = 0) => bytes.every((byte, i) => start[at + i] === byte);
  if (begins([0x1f, 0x8b])) return { kind: 'gzip' };
  if (begins(ascii('PAR1'))) return { kind: 'parquet' };
  for (const [bytes, name, advice, at] of OTHERS)
    if (begins(bytes, at))
      return { kind: 'other', name, title: advice === undefined ? name : `${name}: ${advice}` };
  const text = (encoding: TextForm['encoding'], mark: number) => ({ kind: 'text', encoding, mark }) as const;
  if (begins([0xef, 0xbb, 0xbf])) return text('utf-8', 3);
  if (begins([0xff, 0xfe])) return text('utf-16le', 2);
  if (begins([0xfe, 0xff])) return text('utf-16be', 2);
  // No text in UTF-8 has a byte of zero; Latin letters in UTF-16 have one each.
  const zeros = Array.from(start.subarray(0, 4), (byte) => byte === 0);
  if (zeros.join() === 'false,true,false,true') return text('utf-16le', 0);
  if (zeros.join() === 'true,false,true,false') return text('utf-16be', 0);
  if (start.subarray(0, FORM_BYTES).includes(0))
    return { kind: 'other', name: 'something with bytes of zero', title: 'no text: it has bytes of zero' };
  return text(undefined, 0);
}

/** Names what is not text, for messages: `title` with what the command line can do about it. */
export function wordsOfForm(form: Exclude<FileForm, TextForm>): {
  readonly name: string;
  readonly title: string;
} {
  if (form.kind === 'other') return form;
  const name = form.kind === 'gzip' ? 'a gzip archive' : 'a Parquet file';
  return { name, title: name };
}

/** Says why bytes are no text; the message continues "got …". */
export class NoTextError extends Error {
  override readonly name = 'NoTextError';
}

/**
 * Decodes a whole file in UTF-8, with or without a byte order mark, or in UTF-16.
 * @throws NoTextError for anything else
 */
export function textOfFile(bytes: Uint8Array): string {
  const form = formOf(bytes);
  if (form.kind !== 'text') throw new NoTextError(wordsOfForm(form).title);
  const encoding = form.encoding ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(form.mark));
  } catch {
    throw new NoTextError(`bytes that are not ${encoding.toUpperCase()}: save the file as UTF-8`);
  }
}
