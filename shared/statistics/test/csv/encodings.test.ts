/** Text by its bytes: what is decoded, what is refused with its line, and what a file is whatever its name. */
import { gzipSync } from 'node:zlib';
import type { Words } from '@eigenveil/platform';
import { formOf, NoTextError, textOfFile } from '@eigenveil/platform/file-form';
import { describe, expect, it } from 'vitest';
import { type CsvOptions, readRows } from '../../src/index.ts';
import { chunksOf, collect, expected, task } from '../reading.ts';

const text = 'a,b,label\n1.5,0,yes\n-20,1e-3,no\n';
const readBytes = (bytes: Uint8Array, options: CsvOptions = {}, size = 1 << 16) =>
  collect(readRows(chunksOf(bytes, size), task, options));
const accented = { ...task, labellings: [{ column: 'label', classes: ['é', '€'] }] };
const big = (wide: Buffer) => Buffer.from(wide).swap16();

describe('text', () => {
  it.each<[string, Uint8Array, CsvOptions?]>([
    ['in UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['in UTF-16 of the other order', big(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['in UTF-16 without a mark', Buffer.from(text, 'utf16le')],
    ['in UTF-16 of the other order without a mark', big(Buffer.from(text, 'utf16le'))],
    ['in UTF-16, as is said', Buffer.from(`\ufeff${text}`, 'utf16le'), { encoding: 'utf-16' }],
    ['in UTF-8 with a mark, as is said', Buffer.from(`\ufeff${text}`), { encoding: 'utf-8' }],
    ['of letters that all encodings have', Buffer.from(text), { encoding: 'iso-8859-1' }],
  ])('%s is read, in chunks of any size', async (_, bytes, options) => {
    for (const size of [1 << 16, 7, 1]) expect(await readBytes(bytes, options, size)).toEqual(expected);
  });

  it('in another encoding is read where an option says so', async () => {
    const bytes = Buffer.from([
      ...Buffer.from('a,b,label\n1,0,'),
      0xe9,
      0x0a,
      ...Buffer.from('1,0,'),
      0x80,
      0x0a,
    ]);
    const rows = await collect(readRows(chunksOf(bytes, 3), accented, { encoding: 'windows-1252' }));
    expect(rows.map(({ classes }) => classes)).toEqual([[0], [1]]);
  });

  it.each<[string, number[], CsvOptions, RegExp]>([
    ['not UTF-8', [0xe9], {}, /^line 3: bytes that are not UTF-8: give --encoding .*windows-1252/],
    ['cut off', [0xe2, 0x82], {}, /^line 3: bytes that are not UTF-8/],
    [
      'unused by the encoding',
      [0x81],
      { encoding: 'windows-1252' },
      /^line 3: bytes that are not WINDOWS-1252/,
    ],
  ])(
    'with bytes that are %s is refused with their line, in chunks of any size',
    async (_, odd, options, message) => {
      const bytes = Buffer.from([
        ...Buffer.from('a,b,label\r\n1,0,yes\r\n1,0,'),
        ...odd,
        ...Buffer.from('\r\n1,0,no\n'),
      ]);
      for (const size of [1 << 16, 7, 1])
        await expect(readBytes(bytes, options, size)).rejects.toMatchObject({
          code: 'ERR_ENCODING',
          message: expect.stringMatching(message),
        });
    },
  );

  it('is not read by an encoding that its mark contradicts', async () => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    await expect(readBytes(bytes, { encoding: 'windows-1252' })).rejects.toMatchObject({
      code: 'ERR_ENCODING',
      message: expect.stringContaining('got the byte order mark of utf-16le: leave --encoding out'),
    });
  });

  it('that is UTF-8 as well is read as is said, and that is told', async () => {
    const remarks: string[] = [];
    const options = {
      encoding: 'windows-1252',
      ignoredColumns: ['é'.normalize()],
      onRemark: (it: Words | string) => remarks.push(String(it)),
    } as const;
    const header = 'a,b,label,note\n1,0,yes,é\n';
    await readBytes(Buffer.from(header), { ...options, ignoredColumns: ['note'] });
    expect(remarks).toEqual([expect.stringMatching(/UTF-8 as well/)]);
    await readBytes(Buffer.from('a,b,label,note\n1,0,yes,e\n'), { ...options, ignoredColumns: ['note'] });
    expect(remarks).toHaveLength(1);
  });
});

describe('what a file is', () => {
  it.each<[string, Uint8Array, RegExp]>([
    ['a workbook', Buffer.from('PK\x03\x04xxxxxxxxxxxxxxxxxxxx'), /a zip archive or a workbook \(xlsx/],
    ['Parquet, where text is wanted', Buffer.from('PAR1xxxxxxxxxxxxxxxxxxxx'), /a Parquet file/],
    ['packed twice', gzipSync(gzipSync(text)).subarray(0), /a gzip archive/],
    ['no text', Buffer.from('a,b\x00label\n1,1,yes\n1,1,yes\n'), /bytes of zero/],
  ])('is told for %s', async (_, bytes, message) => {
    await expect(readBytes(bytes)).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringMatching(message),
    });
  });

  it('is told of a whole text, too, of which no byte is replaced', () => {
    for (const bytes of [Buffer.from('\ufeff{}'), Buffer.from('\ufeff{}', 'utf16le'), Buffer.from('{}')])
      expect(textOfFile(bytes)).toBe('{}');
    expect(() => textOfFile(Buffer.from([0x7b, 0xe9, 0x7d]))).toThrow(NoTextError);
    expect(() => textOfFile(gzipSync('{}'))).toThrow('a gzip archive');
    expect(formOf(new Uint8Array(0))).toEqual({ kind: 'text', encoding: undefined, mark: 0 });
  });
});
