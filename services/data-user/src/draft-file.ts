/** A draft from a file on this machine. */
import { readFileBytes } from '@eigenveil/statistics';
import { checkDraftOptions, type Draft, type DraftOptions, draftOf } from './draft.ts';
import { readSample } from './sample.ts';

/**
 * Reads the file once; decompresses it if its name ends in .gz.
 * @throws as draftOf and readSample, ERR_FILE_UNREADABLE
 */
export async function draftTask(file: string, options: DraftOptions): Promise<Draft> {
  checkDraftOptions(options);
  return draftOf(await readSample(readFileBytes(file)), options);
}
