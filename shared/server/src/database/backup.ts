/**
 * Backups of a service's database, made while it runs, and their restoration. A backup holds no secret: the
 * values that a task has sealed or not yet computed would be of no use, since a task must not continue from a
 * state that it has left behind.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { makeFolder } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import {
  Digest,
  digestJson,
  importSigningKey,
  type SigningKey,
  type Statement,
  signStatement,
  Thumbprint,
  verifyStatement,
} from '@eigenveil/wire';
import { z } from 'zod';
import { databaseFile, keyFile, signingKeyFile } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import { Sealer } from '../secrets/sealing.ts';
import { readSecretFile, syncDirectory } from '../secrets/secret-file.ts';
import { type DirectoryLock, lockDirectory, privateJwkOf } from '../start/foundation.ts';
import { type DatabaseRules, inspectDatabase } from './inspect.ts';

const SQLITE_FULL = 13;
const DATABASE = 'database.sqlite';
const MANIFEST = 'manifest.json';
/**
 * Names of files that the operator may have put into the data directory before a restoration, or that an
 * interrupted restoration leaves there.
 */
const ALLOWED_BEFORE =
  /^(signing-key\.json|key-encryption-key|admin-token|log-key|lock\.sqlite(-journal)?|restored\.sqlite(-wal|-shm|-journal)?)$/;

const Contents = z.strictObject({
  format: z.literal('eigenveil backup 1'),
  service: z.string(),
  /** The thumbprint of the service's signing key, which is not in the backup and has signed it. */
  identity: Thumbprint,
  time: z.iso.datetime(),
  schemaVersion: z.int().min(1),
  files: z.strictObject({
    [DATABASE]: z.strictObject({
      bytes: z.int().min(1),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  }),
});
const Manifest = z.strictObject({ ...Contents.shape, signature: z.string() });
export type Manifest = z.infer<typeof Manifest>;

const BACKUP: Statement<typeof Contents> = {
  type: 'eigenveil-backup+jwt',
  schema: Contents,
  code: 'ERR_INTERNAL', // nobody sees it: a manifest that is not verified is ERR_BACKUP
};

/** The rules that differ between the services. */
export interface BackupRules extends DatabaseRules {
  /** Removes from a copy of the database what must not be in a backup. */
  readonly prepare: (database: string) => Promise<void>;
  /**
   * Changes a database that was put back so that the service can safely continue with it; `backup` is the
   * digest of the backup's database.
   */
  readonly finish: (database: string, backup: Digest) => Promise<void>;
}

/**
 * Makes a backup in a folder that is empty or not there, beside a service that may be running.
 * @throws ERR_BACKUP, ERR_DATABASE, ERR_KEY_FILE
 */
export async function makeBackup(rules: BackupRules, dataDirectory: string, to: string): Promise<Manifest> {
  const source = databaseFile(dataDirectory);
  if (!existsSync(source))
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${source}" expected the database of a service`);
  const key = await readSigningKey(dataDirectory);
  await makeFolder(to);
  if ((await readdir(to)).length > 0) throw refused(`"${to}" expected a folder that is empty or not there`);
  // The copy holds secrets until it is prepared, so it stays on the volume of the original until then.
  const workshop = workshopOf(dataDirectory);
  await makeFolder(workshop);
  using _ = lockDirectory(workshop);
  const draft = join(workshop, DATABASE);
  try {
    await removeDatabase(draft); // of a backup that was killed
    await copyDatabase(source, draft);
    await rules.prepare(draft);
    const schemaVersion = compact(draft);
    await copyFile(draft, join(to, DATABASE));
    await makePrivate(join(to, DATABASE));
    const file = await describeFile(join(to, DATABASE));
    const contents = {
      format: 'eigenveil backup 1',
      service: rules.service,
      identity: key.thumbprint,
      time: new Date().toISOString(),
      schemaVersion,
      files: { [DATABASE]: file },
    } as const;
    const manifest = { ...contents, signature: await signStatement(BACKUP, key, contents) };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(join(to, MANIFEST), text, { mode: 0o600, flush: true }); // last: without it, it is no backup
    await syncDirectory(to);
    return manifest;
  } catch (error) {
    throw withoutRoom(error, `in "${workshop}" and "${to}"`);
  } finally {
    await removeDatabase(draft);
  }
}

/**
 * Removes the copy that an interrupted backup has left: content that is destroyed in the database would
 * remain in it. The copy of a backup that is being made stays.
 */
export async function removeDraft(dataDirectory: string): Promise<void> {
  const workshop = workshopOf(dataDirectory);
  if (!existsSync(workshop)) return;
  using lock = lockOf(workshop);
  if (lock !== null) await removeDatabase(join(workshop, DATABASE));
}

/**
 * Puts a backup into a data directory that holds no more than the service's own keys. The database appears
 * whole and safe to go on with, or not at all.
 * @throws ERR_BACKUP, ERR_KEY_FILE, ERR_SCHEMA_NEWER, ERR_DATA_DIRECTORY_IN_USE, ERR_DATABASE
 */
export async function restoreBackup(
  rules: BackupRules,
  dataDirectory: string,
  from: string,
): Promise<Manifest> {
  const manifest = await ownManifest(rules, dataDirectory, from);
  using _ = lockDirectory(dataDirectory);
  try {
    const others = (await readdir(dataDirectory)).filter((name) => !ALLOWED_BEFORE.test(name));
    if (others.length > 0)
      throw refused(`"${dataDirectory}" expected only the service's keys, got ${others.join(', ')}`);
    const draft = join(dataDirectory, 'restored.sqlite');
    await removeDatabase(draft); // of a restoration that was interrupted
    await copyFile(join(from, DATABASE), draft).catch((cause: unknown) => {
      throw refused(`"${join(from, DATABASE)}" cannot be copied`, cause);
    });
    await makePrivate(draft);
    const sha256 = await requireDescribed(draft, manifest, from);
    await rules.finish(draft, Digest.parse(Buffer.from(sha256, 'hex').toString('base64url')));
    await syncFile(draft);
    await rename(draft, databaseFile(dataDirectory));
    await syncDirectory(dataDirectory);
    return manifest;
  } catch (error) {
    throw withoutRoom(error, `in "${dataDirectory}"`);
  }
}

/**
 * The result of a verification: what the backup is, and how many sealed values it holds, which the service's
 * keys open.
 */
interface VerifiedBackup {
  readonly manifest: Manifest;
  readonly sealedValues: number;
}

/**
 * Checks whether `restoreBackup` would take a backup, and changes nothing: its manifest, as this service has
 * signed it, the digest of its database, that the database is whole and of a schema that this release knows,
 * and that the service's keys open what is sealed in it.
 * @throws ERR_BACKUP, ERR_KEY_FILE, ERR_SCHEMA_NEWER, ERR_DATABASE, ERR_SEAL_BROKEN
 */
export async function verifyBackup(
  rules: BackupRules,
  config: { readonly dataDirectory: string; readonly keyEncryptionKey?: string | undefined },
  from: string,
): Promise<VerifiedBackup> {
  const manifest = await ownManifest(rules, config.dataDirectory, from);
  const database = join(from, DATABASE);
  await requireDescribed(database, manifest, from);
  const sealed = new Set<string>();
  const version = inspectDatabase(database, rules, (place) => sealed.add(place), true);
  if (version !== manifest.schemaVersion)
    throw refused(
      `"${database}" expected schema version ${manifest.schemaVersion}, as the manifest says, got ${version}`,
    );
  // Where nothing is sealed, no key is needed, and none need be there.
  if (sealed.size > 0) {
    const sealer = new Sealer(...(await readKeyRing(keyFile(config))));
    inspectDatabase(database, rules, (place, value) => sealer.open(place, value).fill(0), true);
  }
  return { manifest, sealedValues: sealed.size };
}

/** Returns the manifest of a backup of this service. */
async function ownManifest(rules: BackupRules, dataDirectory: string, from: string): Promise<Manifest> {
  const manifest = await readManifest(from);
  if (manifest.service !== rules.service)
    throw refused(`"${from}" expected a backup of ${rules.service}, got one of ${manifest.service}`);
  await verifyManifest(manifest, await readSigningKey(dataDirectory), from);
  return manifest;
}

/** Returns the SHA-256 of the database in `file`, which must be that of the manifest. */
async function requireDescribed(file: string, manifest: Manifest, from: string): Promise<string> {
  const { bytes, sha256 } = await describeFile(file).catch((cause: unknown) => {
    throw refused(`"${file}" cannot be read`, cause);
  });
  const expected = manifest.files[DATABASE];
  if (bytes !== expected.bytes || sha256 !== expected.sha256)
    throw refused(`"${join(from, DATABASE)}" expected the bytes that the manifest tells of`);
  return sha256;
}

/** Returns null where another process has the lock. */
function lockOf(directory: string): DirectoryLock | null {
  try {
    return lockDirectory(directory);
  } catch {
    return null;
  }
}

/** Returns the folder in which the copy of the database is until it holds no secret. */
function workshopOf(dataDirectory: string): string {
  return join(dataDirectory, 'backup-draft');
}

async function readManifest(from: string): Promise<Manifest> {
  const path = join(from, MANIFEST);
  try {
    return Manifest.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw refused(`"${path}" expected the manifest of a whole backup`, cause);
  }
}

async function verifyManifest(manifest: Manifest, key: SigningKey, from: string): Promise<void> {
  const { signature, ...contents } = manifest;
  if (contents.identity !== key.thumbprint)
    throw refused(
      `"${from}" expected a backup of the identity ${key.thumbprint} in the data directory, got one of ${contents.identity}`,
    );
  const signed = await verifyStatement(BACKUP, signature, key.publicJwk).catch(() => undefined);
  if (signed === undefined || digestJson('backup', signed) !== digestJson('backup', contents))
    throw refused(`"${from}" expected a manifest as the service has signed it`);
}

/** Reads the identity of a service that was there before; another one is never made. */
async function readSigningKey(dataDirectory: string): Promise<SigningKey> {
  const path = signingKeyFile(dataDirectory);
  const text = await readSecretFile(path);
  if (text === undefined)
    throw new CodedError(
      SERVER_CODES.ERR_KEY_FILE,
      `"${path}" expected the service's signing key: put it there`,
    );
  return importSigningKey(privateJwkOf(path, text));
}

async function copyDatabase(source: string, draft: string): Promise<void> {
  await writeFile(draft, '', { mode: 0o600 });
  const db = new DatabaseSync(source, { readOnly: true });
  try {
    // All pages are copied in one step: with several steps, each write of the service in between would
    // restart the copy.
    await backup(db, draft, { rate: 2 ** 31 - 1 });
  } catch (cause) {
    throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${source}" cannot be copied`, { cause });
  } finally {
    db.close();
  }
}

/**
 * Removes the remains of what was deleted and every file beside the database's own; returns its schema
 * version.
 */
function compact(path: string): number {
  const db = new DatabaseSync(path);
  try {
    db.exec('VACUUM; PRAGMA journal_mode = DELETE;');
    return Number(db.prepare('PRAGMA user_version').get()?.user_version);
  } finally {
    db.close();
  }
}

/** Makes a copy private to its holder, and writes it to the disk. */
async function makePrivate(path: string): Promise<void> {
  await chmod(path, 0o600);
  await syncFile(path);
}

async function describeFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
}

/** Returns an error with a plain message when the error, or its cause, is a full disk. */
function withoutRoom(error: unknown, where: string): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isFullDisk(cause)) return refused(`the disk is full: expected room for the database ${where}`, error);
  return error;
}

/** Says whether the error of the file system, or of SQLite, is a full disk. */
function isFullDisk(error: Error): boolean {
  if ('errcode' in error) return error.errcode === SQLITE_FULL;
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function refused(message: string, cause?: unknown): CodedError {
  return new CodedError(SERVER_CODES.ERR_BACKUP, message, { cause });
}
