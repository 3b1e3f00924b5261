/**
 * Compressed copies of files, which lie beside them where web servers look for them: `main.js.br` and
 * `main.js.gz` beside `main.js`. They are made where the files are built, since the smallest ones take seconds.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';

/** The encodings by their names in HTTP, the one with the smallest result first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The ends of the copies' names; nginx looks for these. */
export const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

const COMPRESS: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

const OPEN = { br: promisify(brotliDecompress), gzip: promisify(gunzip) } as const;

/** Returns the smallest copy. Its bytes depend on the version of zlib or brotli, and need not be the same elsewhere. */
export const compressed = (encoding: Encoding, bytes: Uint8Array): Promise<Buffer> =>
  COMPRESS[encoding](bytes);

/**
 * Reads the copies of a file that lie beside it; it may have none. So nobody has to trust a copy more than the
 * file, whose digest SHA256SUMS has.
 * @throws Error when a copy does not open to the bytes of the file
 */
export async function readCopies(
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<Map<Encoding, Buffer>> {
  const copies = new Map<Encoding, Buffer>();
  for (const encoding of ENCODINGS) {
    const copy = await readFile(join(folder, name + SUFFIXES[encoding])).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    });
    if (copy === null) continue;
    const opened = await OPEN[encoding](copy, { maxOutputLength: bytes.length + 1 }).catch(() => null);
    if (opened?.equals(bytes) !== true)
      throw new Error(`"${name}${SUFFIXES[encoding]}" expected a copy of ${name}`);
    copies.set(encoding, copy);
  }
  return copies;
}
