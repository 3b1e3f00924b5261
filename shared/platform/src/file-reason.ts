/**
 * Says in words why a file cannot be read or written: no code of the system or of a library stands where a
 * user reads.
 */

const WORDS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ERR_FS_FILE_TOO_LARGE: 'the file is too large',
  Z_BUF_ERROR: 'its gzip data end too early, as if the file was cut off',
  Z_DATA_ERROR: 'its data are damaged, or were not compressed by gzip',
};

/** Node.js writes "ENOENT: no such file or directory, open 'x'". */
const SYSTEM_MESSAGE = /^E[A-Z\d]+: ([^,]+)/;

/** Returns words for an error of the file system or of decompression, and undefined for any other error. */
export function knownFileReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (Object.hasOwn(WORDS, error.code)) return WORDS[error.code];
  return 'syscall' in error ? SYSTEM_MESSAGE.exec(error.message)?.[1] : undefined;
}

/** Returns words for what went wrong with a file, whatever the error is. */
export function fileReason(error: unknown): string {
  return knownFileReason(error) ?? 'unknown reason';
}
