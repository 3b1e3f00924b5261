/** Encryption at rest: AES-256-GCM (NIST SP 800-38D) under a key that lies outside the database. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { ServerError } from './errors.ts';

const KEY_BYTES = 32;
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const PREFIX_BYTES = HEADER_BYTES + NONCE_BYTES;
const ALGORITHM = 'aes-256-gcm';

/**
 * Seals bytes for one place. A sealed value is
 *
 *   version (1) ‖ key id (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16)
 *
 * and is bound to its place ("table/row/column"), so that a value moved to another row or column does not open. Version
 * and key id are authenticated too; they are there so that a key can be replaced while old values still name theirs.
 * Nonces are random: SP 800-38D allows 2^32 values under one key, far more than a service seals.
 */
export class Sealer {
  readonly #key: KeyObject;
  readonly #header: Uint8Array;

  /** @param key 32 secret bytes, copied. */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) {
      throw new RangeError(`"key" expected ${KEY_BYTES} bytes, got ${key.length}`);
    }
    this.#key = createSecretKey(key);
    // A hash with a domain of its own, so that the id tells nothing about other uses of the key.
    const id = createHash('sha256').update('eigenveil key-encryption key id\0').update(key).digest();
    this.#header = Uint8Array.of(VERSION, ...id.subarray(0, KEY_ID_BYTES));
  }

  seal(place: string, bytes: Uint8Array): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#associatedData(place));
    const ciphertext = cipher.update(bytes);
    cipher.final(); // empty in counter mode, but it completes the tag
    return Buffer.concat([this.#header, nonce, ciphertext, cipher.getAuthTag()]);
  }

  /** Throws ERR_SEAL_BROKEN when the bytes are not exactly what was sealed for this place under this key. */
  open(place: string, sealed: Uint8Array): Uint8Array {
    if (sealed.length < PREFIX_BYTES + TAG_BYTES) throw broken(place, 'is too short');
    if (sealed[0] !== VERSION) throw broken(place, 'has an unknown version');
    if (Buffer.compare(sealed.subarray(0, HEADER_BYTES), this.#header) !== 0) {
      throw broken(place, 'was sealed under another key');
    }
    const nonce = sealed.subarray(HEADER_BYTES, PREFIX_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(this.#associatedData(place));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const bytes = decipher.update(sealed.subarray(PREFIX_BYTES, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      bytes.fill(0); // unauthenticated plaintext must not outlive the check
      throw broken(place, 'was changed or belongs to another place');
    }
    return bytes;
  }

  #associatedData(place: string): Uint8Array {
    return Buffer.concat([this.#header, Buffer.from(place, 'utf8')]);
  }
}

function broken(place: string, reason: string): ServerError {
  return new ServerError('ERR_SEAL_BROKEN', `the sealed value at "${place}" ${reason}`);
}
