/** What both services keep in their data directory and how they listen: identity key, sealing key, operator's token. */
import { makeFolder } from '@eigenveil/command';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { AdminToken } from './admin.ts';
import { loadOrCreateKeyRing } from './key-ring.ts';
import { Sealer } from './sealing.ts';
import { loadOrCreateSecretFile } from './secret-file.ts';
import { adminTokenFile, databaseFile, keyFile, signingKeyFile } from './settings.ts';

/** What a service finds in its data directory, or puts there on its first start. */
export interface Foundation {
  /** Path of the database file. */
  readonly database: string;
  readonly key: SigningKey;
  readonly sealer: Sealer;
  readonly adminToken: AdminToken;
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
  const key = await openSigningKey(dataDirectory);
  return {
    database: databaseFile(dataDirectory),
    key,
    sealer: new Sealer(...(await loadOrCreateKeyRing(keyFile(config)))),
    adminToken: await AdminToken.open(adminTokenFile(dataDirectory)),
  };
}

/**
 * The service's identity, made when missing.
 * @throws ERR_KEY_FILE, ERR_CONFIGURATION
 */
export async function openSigningKey(dataDirectory: string): Promise<SigningKey> {
  await makeFolder(dataDirectory);
  const fresh = JSON.stringify(await generatePrivateJwk());
  const text = await loadOrCreateSecretFile(signingKeyFile(dataDirectory), () => fresh);
  return importSigningKey(PrivateJwk.parse(JSON.parse(text)));
}
