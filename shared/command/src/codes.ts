/**
 * The codes of errors of command lines, which their user can correct. Messages never hold what is in a file.
 */
import { CodedError, codes } from '@eigenveil/platform';

export const COMMAND_CODES = codes({
  ERR_CONFIGURATION: {
    exit: 'usage',
    title: 'The command line, the configuration or a file that it names is wrong',
  },
  /** A certificate or its key cannot be used. */
  ERR_TLS_FILE: { exit: 'usage', title: 'A certificate or a key cannot be used' },
  /** A file has a result without its signatures, such as "project --save" writes. */
  ERR_EVIDENCE_UNSIGNED: { exit: 'usage', title: 'The file holds no signatures' },
  ERR_OWNER_HOME: { exit: 'usage', title: "The owner's folder cannot be used" },
  ERR_DEVICE_HOME: { exit: 'usage', title: "The device's folder cannot be used" },
  ERR_RELYING_HOME: { exit: 'usage', title: "The relying application's folder cannot be used" },
});

/** Makes an error of a check, about something that a user has written, one for the user to correct. */
export function asUsage(error: CodedError): CodedError {
  const { code, info, words, parameters } = error;
  return new CodedError({ code, title: info.title, exit: 'usage' }, words, { ...parameters, cause: error });
}
