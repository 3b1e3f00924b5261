/** The errors of starting and running a service on one machine; over HTTP they are all ERR_INTERNAL. */

export type ServerErrorCode =
  /** A file that must hold a secret is missing, malformed, or readable by others. */
  | 'ERR_KEY_FILE'
  /** The address to listen on is taken, not allowed or not ours. */
  | 'ERR_LISTEN'
  /** Sealed bytes were changed, belong elsewhere, or were sealed under a key that is not in the key file. */
  | 'ERR_SEAL_BROKEN'
  /** Another process runs on the same data directory. */
  | 'ERR_DATA_DIRECTORY_IN_USE'
  /** The database was written by a newer version of the service. */
  | 'ERR_SCHEMA_NEWER'
  /** A backup cannot be made there, or is not what may be restored here. */
  | 'ERR_BACKUP'
  /** The database cannot be opened or does not offer what durability needs. */
  | 'ERR_DATABASE'
  /** The database belongs to processes of another identity or with another key-encryption key. */
  | 'ERR_DATABASE_IDENTITY';

/** After how many seconds a client may ask again when the database is at fault. */
export const DATABASE_RETRY_SECONDS = 1;

export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
