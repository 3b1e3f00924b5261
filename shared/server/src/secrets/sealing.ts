/** Encryption at rest: AES-256-GCM (NIST SP 800-38D) under keys that are kept outside the database. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type DecipherGCM,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { SERVER_CODES } from '../codes.ts';

/** The length of a key-encryption key. */
export const KEY_BYTES = 32;
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
 * and is bound to its place ("table/row/column"), so that a value moved to another row or column does not
 * open. Version and key id are authenticated too. Of several keys the first seals and all open, each what
 * names it, so that a key can be replaced while values under the old one are still there.
 * Nonces are random: SP 800-38D allows 2^32 values under one key, far more than a service seals.
 * @example
 * import { loadOrCreateKeyRing, Sealer } from '@eigenveil/server';
 *
 * const sealer = new Sealer(...(await loadOrCreateKeyRing('key-encryption-key')));
 * const sealed = sealer.seal('tasks/1/blinding', bytes);
 * const opened = sealer.open('tasks/1/blinding', sealed); // throws for any other place
 */
export class Sealer {
  /** The keys by id; the one that seals comes first. */
  readonly #keys: ReadonlyMap<string, RingKey>;
  readonly #first: RingKey;

  /** @param keys 32 secret bytes each, copied. */
  constructor(...keys: readonly [Uint8Array, ...Uint8Array[]]) {
    const ring = keys.map(importKey);
    this.#keys = new Map(ring.map((key) => [key.id, key]));
    if (this.#keys.size < keys.length) throw new RangeError('"keys" expected keys with ids of their own');
    this.#first = ring[0]!;
  }

  /** The ids of the keys; the one that seals comes first. */
  get keyIds(): string[] {
    return [...this.#keys.keys()];
  }

  /**
   * Seals the content for a place.
   * @param content at once or part by part, so that it need never be in memory as a whole; the sealed value
   *   is the same
   */
  seal(place: string, content: Uint8Array | Iterable<Uint8Array>): Uint8Array {
    const { key, header } = this.#first;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associatedData(header, place));
    const sealed: Uint8Array[] = [header, nonce];
    for (const part of content instanceof Uint8Array ? [content] : content) sealed.push(cipher.update(part));
    cipher.final(); // empty in counter mode, but it completes the tag
    return Buffer.concat([...sealed, cipher.getAuthTag()]);
  }

  /**
   * Opens a sealed value.
   * @throws ERR_SEAL_BROKEN when the bytes are not exactly what was sealed for this place under one of the
   *   keys
   */
  open(place: string, sealed: Uint8Array): Uint8Array {
    const decipher = this.#decipherOf(place, sealed);
    const bytes = decipher.update(sealed.subarray(PREFIX_BYTES, -TAG_BYTES));
    try {
      finish(decipher, place);
    } catch (error) {
      bytes.fill(0); // unauthenticated plaintext must not outlive the check
      throw error;
    }
    return bytes;
  }

  /**
   * Returns the same content under the first key; the value itself when it is that already.
   * @throws ERR_SEAL_BROKEN
   */
  reseal(place: string, sealed: Uint8Array): Uint8Array {
    if (this.#keyOf(place, sealed) === this.#first) return sealed;
    const bytes = this.open(place, sealed);
    try {
      return this.seal(place, bytes);
    } finally {
      bytes.fill(0);
    }
  }

  /**
   * Checks that the key that a sealed value names is among the keys, without opening the value.
   * @throws ERR_SEAL_BROKEN otherwise
   */
  requireKey(place: string, sealed: Uint8Array): void {
    this.#keyOf(place, sealed);
  }

  #decipherOf(place: string, sealed: Uint8Array): DecipherGCM {
    const { key, header } = this.#keyOf(place, sealed);
    const nonce = sealed.subarray(HEADER_BYTES, PREFIX_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(header, place));
    return decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  }

  #keyOf(place: string, sealed: Uint8Array): RingKey {
    const id = sealingKeyId(place, sealed);
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    const known = this.keyIds.join(', ');
    throw broken(place, `was sealed under key ${id}, which the key file does not hold: it holds ${known}`);
  }
}

/**
 * Returns the id of the key that a sealed value names.
 * @throws ERR_SEAL_BROKEN
 */
export function sealingKeyId(place: string, sealed: Uint8Array): string {
  if (sealed.length < PREFIX_BYTES + TAG_BYTES) throw broken(place, 'is too short');
  if (sealed[0] !== VERSION) throw broken(place, 'has an unknown version');
  return Buffer.from(sealed.subarray(1, HEADER_BYTES)).toString('hex');
}

interface RingKey {
  readonly id: string;
  readonly key: KeyObject;
  /** The bytes that begin every value that is sealed under the key. */
  readonly header: Uint8Array;
}

function importKey(key: Uint8Array): RingKey {
  if (key.length !== KEY_BYTES) {
    throw new RangeError(`"key" expected ${KEY_BYTES} bytes, got ${key.length}`);
  }
  // The hash has a domain of its own, so that the id tells nothing about other uses of the key.
  const hash = createHash('sha256').update('eigenveil key-encryption key id\0').update(key).digest();
  const id = hash.subarray(0, KEY_ID_BYTES);
  return { id: id.toString('hex'), key: createSecretKey(key), header: Uint8Array.of(VERSION, ...id) };
}

function associatedData(header: Uint8Array, place: string): Uint8Array {
  return Buffer.concat([header, Buffer.from(place, 'utf8')]);
}

/** Checks the tag of all that was deciphered. */
function finish(decipher: DecipherGCM, place: string): void {
  try {
    decipher.final();
  } catch {
    throw broken(place, 'was changed or belongs to another place');
  }
}

function broken(place: string, reason: string): CodedError {
  return new CodedError(SERVER_CODES.ERR_SEAL_BROKEN, `the sealed value at "${place}" ${reason}`);
}
