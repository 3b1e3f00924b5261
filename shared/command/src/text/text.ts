/** The text of a file that a command line names. */
import { CodedError } from '@eigenveil/platform';
import { NoTextError, textOfFile } from '@eigenveil/platform/file-form';
import { COMMAND_CODES } from '../codes.ts';

/**
 * The text of a file in UTF-8, with or without a byte order mark, or in UTF-16.
 * @param expectation begins the message where it is none
 * @throws ERR_CONFIGURATION
 */
export function textIn(bytes: Uint8Array, expectation: string): string {
  try {
    return textOfFile(bytes);
  } catch (error) {
    if (!(error instanceof NoTextError)) throw error;
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `${expectation}, got ${error.message}`);
  }
}
