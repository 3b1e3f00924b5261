/** The bytes of a file that somebody chose in a browser. */

import { CodedError } from '@eigenveil/platform';
import { FORM_BYTES, formOf } from '@eigenveil/platform/file-form';
import { STATISTICS_CODES } from '../codes.ts';

/**
 * The bytes of a blob in chunks, decompressed if it is a gzip archive by its first bytes. Nothing holds all
 * of them.
 *
 * Other than the command line's gunzip, a browser's takes no second member behind the first (some tools
 * append to .gz files, or cut them into blocks); such a file is refused.
 * @param onRead is told how many bytes of the blob itself have been read so far
 * @throws ERR_FILE_UNREADABLE
 */
export async function* readBlobBytes(
  blob: Blob,
  name: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const start = await blob
    .slice(0, FORM_BYTES)
    .arrayBuffer()
    .catch(() => new ArrayBuffer(0)); // which is told below
  const isPacked = formOf(new Uint8Array(start)).kind === 'gzip';
  let count = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      count += chunk.length;
      onRead(count);
      controller.enqueue(chunk);
    },
  });
  const bytes = blob.stream().pipeThrough(counted);
  const reader = (isPacked ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes).getReader();
  const read = () =>
    reader.read().catch((cause) => {
      const reason = isPacked
        ? 'it is no whole gzip archive of one part: decompress it first'
        : 'it was changed, moved or locked since it was chosen: choose it again';
      const message = `${JSON.stringify(name)} cannot be read: ${reason}`;
      throw new CodedError(STATISTICS_CODES.ERR_FILE_UNREADABLE, message, { cause });
    });
  try {
    for (let part = await read(); !part.done; part = await read()) yield part.value;
  } finally {
    // This drops what is left of a file that is not wanted any more. A stream that has failed says so once
    // more.
    await reader.cancel().catch(() => {});
  }
}
