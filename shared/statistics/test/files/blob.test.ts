/** Files that were chosen in a browser are read as those on a disk are. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBlobBytes, readRows } from '../../src/index.ts';
import { collect, expected, task } from '../reading.ts';

const text = 'a,b,label\n1.5,0,yes\n-20,1e-3,no\n';
const rowsOf = (blob: Blob, name: string) => collect(readRows(readBlobBytes(blob, name), task));

describe('a blob', () => {
  it('is read as it is, or decompressed where its name ends in .gz', async () => {
    expect(await rowsOf(new Blob([text]), 'rows.csv')).toEqual(expected);
    expect(await rowsOf(new Blob([gzipSync(text)]), 'rows.csv.GZ')).toEqual(expected);
  });

  it('tells how much of itself was read, whatever comes of it', async () => {
    const packed = new Blob([gzipSync('x'.repeat(1 << 20))]);
    const counts: number[] = [];
    await collect(readBlobBytes(packed, 'x.gz', (bytes) => counts.push(bytes)));
    expect(counts.at(-1)).toBe(packed.size);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  });

  it.each([
    ['cut off', gzipSync(text).subarray(0, -9)],
    ['changed', gzipSync(text).with(-5, 1)],
  ])('that is %s is refused by name', async (_, bytes) => {
    await expect(rowsOf(new Blob([new Uint8Array(bytes)]), 'rows.csv.gz')).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringMatching(/^"rows.csv.gz" cannot be read: it is no whole gzip archive/),
    });
  });

  it('that cannot be read any more is refused, too', async () => {
    const gone = Object.assign(new Blob([text]), {
      stream: () => new ReadableStream({ pull: (it) => it.error(new Error('moved')) }),
    });
    await expect(rowsOf(gone, 'rows.csv')).rejects.toMatchObject({
      code: 'ERR_FILE_UNREADABLE',
      message: expect.stringContaining('choose it again'),
    });
  });

  it('is let go when its rows are no longer wanted', async () => {
    let cancelled = false;
    const blob = Object.assign(new Blob([text]), {
      stream: () =>
        new ReadableStream({
          pull: (it) => it.enqueue(Buffer.from('a,b,label\n1,1,yes\n')),
          cancel: () => {
            cancelled = true;
          },
        }),
    });
    for await (const _ of readBlobBytes(blob, 'rows.csv')) break;
    expect(cancelled).toBe(true);
  });
});
