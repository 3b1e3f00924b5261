/**
 * Opens what a service keeps in its data directory: identity key, sealing key, operator's token, and the lock
 * that keeps a second service out; and reads how it listens.
 */

import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { AdminToken } from '../auth/tokens.ts';
import { adminTokenFile, databaseFile, keyFile, signingKeyFile } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';
import { loadOrCreateKeyRing } from '../secrets/key-ring.ts';
import { Sealer } from '../secrets/sealing.ts';
import { loadOrCreateSecretFile } from '../secrets/secret-file.ts';

/** The things that a service finds in its data directory, or puts there on its first start. */
export interface Foundation {
  /** The path of the database file. */
  readonly database: string;
  readonly key: SigningKey;
  readonly sealer: Sealer;
  readonly adminToken: AdminToken;
  /**
   * Returns 32 secret bytes for one purpose. They follow from the identity key (HKDF, RFC 5869), so they are
   * the same in every process that has it.
   */
  readonly deriveSecret: (purpose: string) => Uint8Array;
}

/**
 * Opens a service's data directory.
 * @throws ERR_KEY_FILE, ERR_CONFIGURATION
 */
export async function openFoundation(config: {
  readonly dataDirectory: string;
  readonly keyEncryptionKey?: string | undefined;
}): Promise<Foundation> {
  const { dataDirectory } = config;
  const jwk = await openPrivateJwk(dataDirectory);
  return {
    database: databaseFile(dataDirectory),
    key: await importSigningKey(jwk),
    deriveSecret: (purpose) =>
      new Uint8Array(hkdfSync('sha256', jwk.d, '', `eigenveil/1 secret for ${purpose}`, 32)),
    sealer: new Sealer(...(await loadOrCreateKeyRing(keyFile(config)))),
    adminToken: await AdminToken.open(adminTokenFile(dataDirectory)),
  };
}

/**
 * Returns the service's identity, which is made when missing.
 * @throws ERR_KEY_FILE, ERR_CONFIGURATION
 */
export async function openSigningKey(dataDirectory: string): Promise<SigningKey> {
  return importSigningKey(await openPrivateJwk(dataDirectory));
}

async function openPrivateJwk(dataDirectory: string): Promise<PrivateJwk> {
  await makeFolder(dataDirectory);
  const fresh = JSON.stringify(await generatePrivateJwk());
  const text = await loadOrCreateSecretFile(signingKeyFile(dataDirectory), () => fresh);
  return privateJwkOf(signingKeyFile(dataDirectory), text);
}

/**
 * Reads the signing key that a file holds. Nothing of a file without such a key is repeated in the error:
 * JSON.parse quotes the text around the place where it fails.
 * @throws ERR_KEY_FILE
 */
export function privateJwkOf(path: string, text: string): PrivateJwk {
  try {
    return PrivateJwk.parse(JSON.parse(text));
  } catch {
    throw new CodedError(
      SERVER_CODES.ERR_KEY_FILE,
      `"${path}" expected the service's signing key as it was once made: put back the copy that you keep`,
    );
  }
}

/**
 * Keeps a data directory for one service: two services would each decrypt, blind and remember used proofs on
 * their own.
 */
export interface DirectoryLock extends Disposable {
  release(): void;
}

export function lockFile(directory: string): string {
  return join(directory, 'lock.sqlite');
}

/**
 * Locks a data directory for this process. The lock is SQLite's on a file of its own, which the operating
 * system releases when the process dies for any reason.
 * @throws ERR_DATA_DIRECTORY_IN_USE
 */
export function lockDirectory(directory: string): DirectoryLock {
  const db = new DatabaseSync(lockFile(directory), { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new CodedError(
      SERVER_CODES.ERR_DATA_DIRECTORY_IN_USE,
      `"${directory}" is in use by another service: stop it first`,
      { cause },
    );
  }
  const release = () => db.close();
  return { release, [Symbol.dispose]: release };
}
