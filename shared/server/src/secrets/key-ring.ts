/**
 * The file of the key-encryption keys: one per line, 32 bytes as base64url. The first key seals, and all keys
 * open.
 */
import { randomBytes } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { SERVER_CODES } from '../codes.ts';
import { KEY_BYTES, Sealer } from './sealing.ts';
import { loadOrCreateSecretFile, readSecretFile, replaceSecretFile } from './secret-file.ts';

export type KeyRing = readonly [Uint8Array, ...Uint8Array[]];

/**
 * Returns the keys of a file, which is made with one key when it is missing.
 * @throws ERR_KEY_FILE
 */
export async function loadOrCreateKeyRing(path: string): Promise<KeyRing> {
  return parse(path, await loadOrCreateSecretFile(path, () => format([randomBytes(KEY_BYTES)])));
}

/**
 * Returns the keys of a file that must exist.
 * @throws ERR_KEY_FILE
 */
export async function readKeyRing(path: string): Promise<KeyRing> {
  const text = await readSecretFile(path);
  if (text === undefined) {
    throw new CodedError(
      SERVER_CODES.ERR_KEY_FILE,
      `"${path}" expected the key file: name it with --key-encryption-key when it lies elsewhere`,
    );
  }
  return parse(path, text);
}

/**
 * Replaces the keys in a file that exists, durably and all at once.
 * @throws ERR_KEY_FILE
 */
export async function replaceKeyRing(path: string, ring: KeyRing): Promise<void> {
  await replaceSecretFile(path, format(ring));
}

/** Returns a ring with a fresh key before the others. */
export function withFreshKey(ring: KeyRing): KeyRing {
  for (;;) {
    const longer: KeyRing = [randomBytes(KEY_BYTES), ...ring];
    if (hasDistinctIds(longer)) return longer; // ids have 32 bits, so two keys may share one
  }
}

function parse(path: string, text: string): KeyRing {
  const [first, ...others] = text.split('\n').map((line) => parseKey(path, line.trim()));
  const ring: KeyRing = [first!, ...others];
  if (!hasDistinctIds(ring))
    throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" expected each key once`);
  return ring;
}

function parseKey(path: string, line: string): Uint8Array {
  const key = Buffer.from(line, 'base64url');
  // Buffer.from skips what it cannot decode; only encoding the key again shows that nothing was skipped.
  if (key.length !== KEY_BYTES || key.toString('base64url') !== line) {
    throw new CodedError(
      SERVER_CODES.ERR_KEY_FILE,
      `"${path}" expected ${KEY_BYTES} bytes as base64url on each line`,
    );
  }
  return key;
}

function format(ring: KeyRing): string {
  return ring.map((key) => Buffer.from(key).toString('base64url')).join('\n');
}

function hasDistinctIds(ring: KeyRing): boolean {
  return new Set(ring.map((key) => new Sealer(key).keyIds[0])).size === ring.length;
}
