/** The bytes of a file on a disk, for Node.js. */

import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CodedError, fileReason, isOf } from '@eigenveil/platform';
import { type FileForm, FORM_BYTES, formOf } from '@eigenveil/platform/file-form';
import { STATISTICS_CODES } from '../codes.ts';

/**
 * The bytes of a file, decompressed if it is a gzip archive by its first bytes, whatever its name.
 * @throws ERR_FILE_UNREADABLE
 */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  try {
    const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const start = await firstBytes(chunks);
    async function* all() {
      if (start.length > 0) yield start;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    }
    if (formOf(start).kind !== 'gzip') {
      yield* all();
      return;
    }
    const gunzip = createGunzip();
    // An error on either side reaches the loop over gunzip.
    pipeline(all, gunzip, () => {});
    yield* gunzip;
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    file.destroy();
  }
}

/**
 * Tells what a file is by its first bytes; undefined for anything that is not a file on a disk, such as a
 * pipe, whose bytes come once.
 * @throws ERR_FILE_UNREADABLE
 */
export async function formOfFile(path: string): Promise<FileForm | undefined> {
  try {
    const kind = await stat(path);
    if (!kind.isFile() && !kind.isDirectory()) return undefined;
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(FORM_BYTES), 0, FORM_BYTES, 0);
      return formOf(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** A stream may begin with a chunk that tells nothing. */
async function firstBytes(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < FORM_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  return start;
}

/** An error of the file system or of zlib in plain words. */
function unreadable(path: string, error: unknown): unknown {
  if (isOf(STATISTICS_CODES, error)) return error;
  const reason = fileReason(error);
  return new CodedError(
    STATISTICS_CODES.ERR_FILE_UNREADABLE,
    `${JSON.stringify(path)} cannot be read: ${reason}`,
    {
      cause: error,
    },
  );
}
