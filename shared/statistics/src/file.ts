/** The bytes of a file on a disk, for Node.js. */

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileReason } from '@eigenveil/platform';
import { StatisticsError } from './errors.ts';

/**
 * The bytes of a file, decompressed if its name ends in .gz.
 * @throws ERR_FILE_UNREADABLE
 */
export async function* readFileBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    const file = createReadStream(path);
    if (!path.toLowerCase().endsWith('.gz')) {
      yield* file;
      return;
    }
    const gunzip = createGunzip();
    // An error on either side reaches the loop over gunzip.
    pipeline(file, gunzip, () => {});
    yield* gunzip;
  } catch (error) {
    const reason = fileReason(error);
    throw new StatisticsError('ERR_FILE_UNREADABLE', `${JSON.stringify(path)} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}
