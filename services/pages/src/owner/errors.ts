/** What goes wrong on the owner's device itself: with what the browser keeps, and with the files of its backup. */

export type DeviceErrorCode =
  /** The browser keeps nothing, or not what it should. */
  | 'ERR_OWNER_HOME'
  | 'ERR_OWNER_BUSY'
  | 'ERR_OWNER_MOVED'
  | 'ERR_OWNER_EXISTS'
  | 'ERR_BACKUP_INVALID'
  | 'ERR_PASSPHRASE'
  | 'ERR_PASSPHRASE_WEAK';

/** Messages never hold what is kept or in a file. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly code: DeviceErrorCode;

  constructor(code: DeviceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
