/**
 * Says what a start of a service would find (`check-config`): files, keys, database, certificate, port,
 * clock. Nothing is made, changed or locked.
 */
import { X509Certificate } from 'node:crypto';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer, isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { importSigningKey } from '@eigenveil/wire';
import { AdminToken } from '../auth/tokens.ts';
import { adminTokenFile, databaseFile, keyFile, signingKeyFile } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';
import { type DatabaseRules, inspectDatabase } from '../database/inspect.ts';
import { readTlsFiles } from '../http/tls.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import { Sealer } from '../secrets/sealing.ts';
import { readSecretFile } from '../secrets/secret-file.ts';
import { timesOf, validityOf } from './certificate.ts';
import { lockFile, privateJwkOf } from './foundation.ts';
import { requireAddress, type ServiceConfiguration } from './service.ts';

/** `bad`: the service would not start, or peers would not talk to it. */
export interface Finding {
  readonly check: string;
  readonly state: 'good' | 'doubtful' | 'bad';
  readonly detail: string;
}

/** A finding that does not keep a service from its work, but that the operator should see. */
export class Doubt extends Error {}

/**
 * Collects what checks find. Each check returns its finding in words, or throws a Doubt, or the error that a
 * start would throw.
 */
export class Findings {
  readonly all: Finding[] = [];

  /** Runs a check, and returns whether its finding is good. */
  async look(check: string, work: () => string | Promise<string>): Promise<boolean> {
    try {
      this.all.push({ check, state: 'good', detail: await work() });
      return true;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? `${String(error.code)}: ` : '';
      const detail = `${code}${error instanceof Error ? error.message : 'unknown reason'}`;
      this.all.push({ check, state: error instanceof Doubt ? 'doubtful' : 'bad', detail });
      return false;
    }
  }
}

/** Clocks of peers may differ by a minute; files are as old as their machine's clock says. */
const CLOCK_MILLISECONDS = 60_000;

/**
 * Runs the checks that every service has; `rules` are undefined where its database is not in its data
 * directory.
 */
export async function checkService(
  findings: Findings,
  config: ServiceConfiguration,
  rules: DatabaseRules | undefined,
): Promise<void> {
  const { dataDirectory } = config;
  const database = databaseFile(dataDirectory);
  const hasDatabase = rules !== undefined && (await isThere(database));
  await findings.look('data directory', () => lookAtDirectory(dataDirectory));
  const isFree = await findings.look('lock', () => lookAtLock(dataDirectory));
  await findings.look('signing key', () => lookAtSigningKey(dataDirectory, hasDatabase));
  let sealer: Sealer | undefined;
  await findings.look('key-encryption key', async () => {
    const path = keyFile(config);
    if ((await readSecretFile(path)) === undefined) {
      await requireWritable(dirname(path));
      return 'none yet: the first start makes one';
    }
    sealer = new Sealer(...(await readKeyRing(path)));
    return `${sealer.keyIds.length === 1 ? 'key' : 'keys'} ${sealer.keyIds.join(', ')}`;
  });
  await findings.look("operator's token", () => lookAtToken(dataDirectory));
  if (rules !== undefined)
    await findings.look('database', () =>
      hasDatabase ? lookAtDatabase(database, rules, sealer) : 'none yet: the first start makes one',
    );
  await findings.look('disk', () => lookAtDisk(dataDirectory, hasDatabase ? database : undefined));
  await findings.look('certificate', () => lookAtCertificate(config));
  await findings.look('address', async () => {
    await requireAddress(config);
    return lookAtPort(config, isFree);
  });
  await findings.look('clock', () => lookAtClock(hasDatabase ? database : undefined));
}

async function lookAtDirectory(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    await requireWritable(dirname(resolve(path)));
    return `${path} is not there yet: the first start makes it`;
  }
  if (!found.isDirectory())
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `"dataDirectory" expected a folder, got ${path}`);
  await requireWritable(path);
  const mode = found.mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Doubt(`${path} expected mode 0700, got 0${mode.toString(8)}: others can look into it`);
  return path;
}

/** Requires that the folder can be written to, or be made below the nearest folder above it that exists. */
async function requireWritable(path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined && dirname(path) !== path) return requireWritable(dirname(path));
  const isWritable = await access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isFolder !== true || !isWritable)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${path}" expected a folder that this user may write to`,
    );
}

/**
 * Looks at the lock of a data directory by reading under SQLite's shared lock, which a running service's lock
 * refuses. A service that starts at this very moment would find its folder in use, and its supervisor would
 * start it again.
 */
async function lookAtLock(dataDirectory: string): Promise<string> {
  const path = lockFile(dataDirectory);
  if (!(await isThere(path))) return 'free';
  const db = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return 'free';
  } catch {
    throw new Doubt('the service runs: another one on this data directory would not start');
  } finally {
    db.close();
  }
}

async function lookAtSigningKey(dataDirectory: string, hasDatabase: boolean): Promise<string> {
  const path = signingKeyFile(dataDirectory);
  const text = await readSecretFile(path);
  if (text !== undefined) return `identity ${(await importSigningKey(privateJwkOf(path, text))).thumbprint}`;
  if (hasDatabase)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"${path}" expected the key that belongs to the database: a start would make another identity, which nobody knows`,
    );
  return 'none yet: the first start makes one';
}

async function lookAtToken(dataDirectory: string): Promise<string> {
  const token = await readSecretFile(adminTokenFile(dataDirectory));
  if (token === undefined) return 'none yet: a start makes one';
  new AdminToken(token); // looks at its length
  return 'is there';
}

function lookAtDatabase(path: string, rules: DatabaseRules, sealer: Sealer | undefined): string {
  let sealed = 0;
  const version = inspectDatabase(path, rules, (place, value) => {
    sealed += 1;
    if (sealer === undefined)
      throw new CodedError(SERVER_CODES.ERR_SEAL_BROKEN, 'values are sealed in it, and there is no key file');
    sealer.requireKey(place, value);
  });
  const upgrade =
    version < rules.migrations.length ? `, which a start brings to ${rules.migrations.length}` : '';
  return `schema version ${version}${upgrade}; the keys that ${sealed} sealed values name are there`;
}

async function lookAtDisk(dataDirectory: string, database: string | undefined): Promise<string> {
  let folder = resolve(dataDirectory);
  while (!(await isThere(folder))) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const [free, size] = [bavail * bsize, database === undefined ? 0 : (await stat(database)).size];
  const words = `${megabytes(free)} free, ${megabytes(size)} of database`;
  if (free < Math.max(2 * size, 100e6))
    throw new Doubt(`${words}: expected at least twice the database, and 100 MB`);
  return words;
}

async function lookAtCertificate(config: ServiceConfiguration): Promise<string> {
  const identity = await readTlsFiles(config.tlsCertificate, config.tlsKey);
  const certificate = new X509Certificate(identity.cert);
  const times = timesOf(certificate);
  const validity = validityOf(times);
  if (validity === 'has expired' || validity === 'is not yet valid')
    throw new CodedError(COMMAND_CODES.ERR_CONFIGURATION, `it ${validity}: peers refuse it`);
  const { hostname } = config.publicUrl === undefined ? { hostname: config.host } : new URL(config.publicUrl);
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  // An address that stands for all addresses is refused with a finding of its own.
  const isAddress = await requireAddress(config).then(
    () => true,
    () => false,
  );
  const named = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name);
  if (isAddress && named === undefined)
    throw new Doubt(`it does not name ${name}, by which peers reach the service, so they refuse it`);
  const until = `until ${times.expires.toISOString()}`;
  if (validity !== 'valid') throw new Doubt(`it ${validity}: valid ${until}`);
  return `valid ${until}`;
}

async function lookAtPort({ host, port }: ServiceConfiguration, isFree: boolean): Promise<string> {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  const server = createServer().on('error', reject).on('listening', done);
  try {
    server.listen({ host, port });
    await promise;
    return port === 0 ? `any free port of ${host}` : `${host}, port ${port}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    if (code === 'EADDRINUSE' && !isFree)
      throw new Doubt(`port ${port} of ${host} is in use, as it is while the service runs`);
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `cannot listen on port ${port} of ${host} (${code})`,
    );
  } finally {
    server.close();
  }
}

async function lookAtClock(database: string | undefined): Promise<string> {
  const now = new Date();
  const written = database === undefined ? undefined : (await stat(database)).mtime;
  if (written !== undefined && written.getTime() > now.getTime() + CLOCK_MILLISECONDS)
    throw new Doubt(
      `${now.toISOString()}, and the database was written at ${written.toISOString()}: the clock has gone back`,
    );
  return now.toISOString();
}

/** Compares the clock of a peer with one's own, in words. */
export function compareClocks(peer: Date | undefined, now = Date.now()): string {
  if (peer === undefined) throw new Doubt('the peer does not tell its time');
  const seconds = Math.round((now - peer.getTime()) / 1000);
  const words = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the peer's`;
  if (Math.abs(seconds) > CLOCK_MILLISECONDS / 2000)
    throw new Doubt(`${words}: peers refuse each other from 60 s on; run NTP on both machines`);
  return words;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
