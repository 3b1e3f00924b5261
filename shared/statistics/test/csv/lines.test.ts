/** Lines without quotes, which are read in a faster way, are read alike. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CsvOptions } from '../../src/index.ts';
import { readRows } from '../../src/index.ts';
import { chunksOf, collect, read, task } from '../reading.ts';

/** Rows, or what refuses them. */
async function outcome(text: string, options: CsvOptions, size: number): Promise<unknown> {
  try {
    return await collect(readRows(chunksOf(Buffer.from(text), size), task, options));
  } catch (error) {
    return error;
  }
}

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('1,0.5,yes\n', '2,1,no\r\n', '-1e3,.5,yes\r', 'x,1,no\n') },
  fc.constantFrom('\n', '\r', '\r\n', ',', ' ', '1', 'é', '☃', '\u2028', '\ufeff', '"no"', '"', '1,2\n', ';'),
);

describe('lines without quotes', () => {
  // A quoted name takes the file to the parser of everything, from its first line on.
  it('are read as the parser of everything reads them, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 30 }),
        fc.constantFrom('', '\r\n', '\n\n', '\ufeff'),
        fc.integer({ min: 1, max: 40 }),
        fc.record<CsvOptions>({ missing: fc.constantFrom('error', 'skip') }, { requiredKeys: [] }),
        async (pieces, first, size, options) => {
          const body = pieces.join('');
          const plain = await outcome(`${first}a,b,label\n${body}`, options, size);
          expect(plain).toEqual(await outcome(`${first}"a",b,label\n${body}`, options, 1 << 16));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('may begin with a mark that is part of them, but for the first', async () => {
    const text = 'a,b,label\n1,0,yes\n\ufeff1,0,"no"\n';
    await expect(read(text)).rejects.toThrow('row 2 (line 3), column "a"');
    expect(await read(`\ufeff${text.replace('\ufeff', '')}`)).toHaveLength(2);
  });

  it('tell the line of an error behind a quote, and in front of it', async () => {
    const late = 'a,b,label\n\n1,0,yes\n1,0,"no"\n\r\n1,0,"maybe"\n';
    for (const size of [1, 7, 1000])
      await expect(read(late, {}, size)).rejects.toThrow('row 3 (line 6), column "label"');
    // A cell has a line end of its own.
    const long = 'a,b,label,note\n1,0,yes,"x\ny\r\nz"\n1,x,no,\n';
    for (const size of [1, 7, 1000])
      await expect(read(long, { ignoredColumns: ['note'] }, size)).rejects.toThrow(
        'row 2 (line 5), column "b"',
      );
    const broken = 'a,b,label\n1,0,yes\n1,0,"no"x\n';
    await expect(read(broken, {}, 5)).rejects.toThrow(/^line 3: not valid CSV/);
    await expect(read('a,b,label\n1,x,yes\n1,0,"no"\n', {}, 1000)).rejects.toThrow(
      'row 1 (line 2), column "b"',
    );
  });

  it('end somewhere', async () => {
    const endless = `a,b,label\n1,${'0'.repeat(1 << 21)}`;
    await expect(read(endless)).rejects.toMatchObject({ code: 'ERR_CSV_SYNTAX' });
  });
});
