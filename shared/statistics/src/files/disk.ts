/**
 * The bytes of a file on a disk, for Node.js; and those of standard input, which come once, and are kept where
 * they must be read several times.
 */

import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CodedError, fileReason, isOf } from '@eigenveil/platform';
import { type FileForm, FORM_BYTES, formOf } from '@eigenveil/platform/file-form';
import { STATISTICS_CODES } from '../codes.ts';

/** The name of standard input among names of files; `./-` is a file of that name. */
export const STANDARD_INPUT = '-';

/** A copy of the text on standard input, as long as somebody keeps one. */
let copy: FileHandle | undefined;

/**
 * Makes what a name stands for readable several times, until the answer is disposed of. A file needs nothing
 * for that. Standard input is copied to a temporary file, which only this process can read: it has lost its
 * name before the first row is in it, so that it is gone with the process whatever ends that.
 * @throws as `readFileBytes`, and as the file system does
 */
export async function keepRows(path: string): Promise<AsyncDisposable> {
  if (path !== STANDARD_INPUT) return { [Symbol.asyncDispose]: async () => {} };
  const file = await withoutName();
  try {
    await file.writeFile(readFileBytes(path));
  } catch (error) {
    await file.close();
    throw error;
  }
  copy = file;
  return {
    async [Symbol.asyncDispose]() {
      copy = undefined;
      await file.close();
    },
  };
}

async function withoutName(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-rows-'));
  try {
    return await open(join(folder, 'rows'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The bytes of a file of text, decompressed if it is a gzip archive by its first bytes, whatever its name; of
 * `-` those of standard input.
 * @throws ERR_FILE_UNREADABLE, at the first bytes where they are not text
 */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  if (path === STANDARD_INPUT && copy !== undefined) {
    yield* bytesOf(copy);
    return;
  }
  const file = path === STANDARD_INPUT ? process.stdin : createReadStream(path);
  try {
    const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const start = await firstBytes(chunks);
    checkText(path, formOf(start));
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

/** Reads from the beginning, whoever else reads. */
async function* bytesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(READ_BYTES), position });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** The bytes that are read of a copy at a time, as a stream of a file does. */
const READ_BYTES = 2 ** 16;

/**
 * Tells what a file is by its first bytes; undefined for anything that is not a file on a disk, such as a
 * pipe, whose bytes come once.
 * @throws ERR_FILE_UNREADABLE
 */
export async function formOfFile(path: string): Promise<FileForm | undefined> {
  if (path === STANDARD_INPUT) return undefined;
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

/** A pipe is told what it is only once it is read, and Parquet is read from its end. */
function checkText(path: string, form: FileForm): void {
  if (form.kind === 'text' || form.kind === 'gzip') return;
  const got = form.kind === 'other' ? form.title : 'Parquet, which is read from its end: name a file of it';
  throw new CodedError(STATISTICS_CODES.ERR_FILE_UNREADABLE, `${titleOf(path)} expected CSV, got ${got}`);
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

/** Returns what people call a source of rows. */
export const nameOf = (path: string) => (path === STANDARD_INPUT ? 'standard input' : path);

const titleOf = (path: string) => (path === STANDARD_INPUT ? nameOf(path) : JSON.stringify(path));

/** An error of the file system or of zlib in plain words. */
function unreadable(path: string, error: unknown): unknown {
  if (isOf(STATISTICS_CODES, error)) return error;
  const reason = fileReason(error);
  return new CodedError(STATISTICS_CODES.ERR_FILE_UNREADABLE, `${titleOf(path)} cannot be read: ${reason}`, {
    cause: error,
  });
}
