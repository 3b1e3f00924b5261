/**
 * The rotation of the key-encryption key: a new key seals, stored values are sealed again under it, and only
 * then the old keys are forgotten. Whenever it is interrupted, the key file holds every key that a stored
 * value needs.
 */

import { existsSync } from 'node:fs';
import { COMMAND_CODES, closing } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { databaseFile } from '../cli/settings.ts';
import { SERVER_CODES } from '../codes.ts';
import { erasing, named, rowOf, rowsOf, sql, type Work } from '../database/sql.ts';
import { lockDirectory } from '../start/foundation.ts';
import { readKeyRing, replaceKeyRing, withFreshKey } from './key-ring.ts';
import { Sealer, sealingKeyId } from './sealing.ts';

/** A store that keeps sealed values. */
export interface SealedStore {
  /**
   * Replaces every sealed value by what `change` makes from it, unless that is the same bytes or the value
   * was changed or destroyed meanwhile. Each change is durable by itself. Returns the number of changes;
   * throws what `change` throws.
   */
  reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number>;
  close(): void | Promise<void>;
}

/** The place where a service's keys and sealed values are. */
export interface KeyPlace {
  readonly keyFile: string;
  /**
   * The directory of a service that has its database in it; undefined where several processes share a
   * database elsewhere.
   */
  readonly dataDirectory: string | undefined;
  readonly open: () => SealedStore | Promise<SealedStore>;
}

/**
 * Checks at the start that the sealer has every key that a stored value names, so that a task does not fail
 * in the middle.
 * @throws ERR_SEAL_BROKEN when it lacks one
 */
export async function requireKeys(store: SealedStore, sealer: Sealer): Promise<void> {
  await store.reseal((place, sealed) => {
    sealer.requireKey(place, sealed);
    return sealed;
  });
}

/**
 * A key that is in the key file (the first one seals, all open), or that a stored value names and the file
 * lacks.
 */
interface KeyUse {
  readonly id: string;
  readonly use: 'seals' | 'opens' | 'missing';
  /** The number of stored values that it has sealed. */
  readonly values: number;
}

/**
 * Returns the keys of a service, those of its key file first, in their order there.
 * @throws ERR_KEY_FILE, ERR_SEAL_BROKEN, ERR_DATABASE
 */
export async function keysInUse(place: KeyPlace): Promise<KeyUse[]> {
  const { keyIds } = new Sealer(...(await readKeyRing(place.keyFile)));
  await using store = await openExisting(place);
  const values = await countByKey(store);
  const ids = [...keyIds, ...[...values.keys()].filter((id) => !keyIds.includes(id))];
  return ids.map((id) => ({
    id,
    use: keyIds[0] === id ? 'seals' : keyIds.includes(id) ? 'opens' : 'missing',
    values: values.get(id) ?? 0,
  }));
}

/** Counts the stored values that name each key, by key id. */
async function countByKey(store: SealedStore): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await store.reseal((place, sealed) => {
    const id = sealingKeyId(place, sealed);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return sealed;
  });
  return counts;
}

/**
 * Seals every stored value under the first key of the file, beside services that may be running: their keys
 * and their order must be the same. Returns the number of values that were sealed again.
 * @throws ERR_KEY_FILE, ERR_SEAL_BROKEN, ERR_DATABASE
 */
export async function resealAll(place: KeyPlace): Promise<number> {
  await using store = await openExisting(place);
  return await sealAnew(store, new Sealer(...(await readKeyRing(place.keyFile))));
}

/**
 * Replaces the key-encryption key of a service that does not run; a rotation that was interrupted is
 * finished, without another key. Returns the id of the key and the number of values that were sealed again.
 * @throws ERR_CONFIGURATION for a shared database, ERR_DATA_DIRECTORY_IN_USE, ERR_KEY_FILE, ERR_SEAL_BROKEN,
 *   ERR_DATABASE
 */
export async function rotateKey(
  place: KeyPlace,
): Promise<{ readonly keyId: string; readonly resealed: number }> {
  const { keyFile, dataDirectory } = place;
  if (dataDirectory === undefined) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      'processes share the database, and each has a key file: replace the key step by step, see: key reseal --help',
    );
  }
  requireDatabase(dataDirectory);
  using _ = lockDirectory(dataDirectory);
  await using store = await openExisting(place);
  let ring = await readKeyRing(keyFile);
  await requireKeys(store, new Sealer(...ring)); // of another service's file, say: nothing has changed yet
  if (ring.length === 1) {
    ring = withFreshKey(ring);
    await replaceKeyRing(keyFile, ring);
  }
  const resealed = await sealAnew(store, new Sealer(...ring));
  await requireKeys(store, new Sealer(ring[0]));
  await replaceKeyRing(keyFile, [ring[0]]);
  return { keyId: new Sealer(ring[0]).keyIds[0]!, resealed };
}

/**
 * Opens a store that is there already.
 * @throws ERR_DATABASE
 */
async function openExisting({ dataDirectory, open }: KeyPlace): Promise<SealedStore & AsyncDisposable> {
  if (dataDirectory !== undefined) requireDatabase(dataDirectory);
  return closing(await open());
}

async function sealAnew(store: SealedStore, sealer: Sealer): Promise<number> {
  let total = 0;
  for (;;) {
    // This repeats until a round finds nothing: a service beside it may have stored more under an old key
    // meanwhile.
    const changed = await store.reseal((place, sealed) => sealer.reseal(place, sealed));
    if (changed === 0) return total;
    total += changed;
  }
}

/** Checks that the database exists: a mistyped folder must not be filled with an empty service. */
function requireDatabase(dataDirectory: string): void {
  const path = databaseFile(dataDirectory);
  if (existsSync(path)) return;
  throw new CodedError(SERVER_CODES.ERR_DATABASE, `"${path}" expected the database of a service`);
}

/** A column that has sealed values. The names come from the code, never from outside. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** The place for which the value of a row was sealed. */
  readonly place: (key: string) => string;
}

/**
 * Seals the values of all columns again, as SealedStore.reseal does: one value is in memory at a time, and
 * each change is a transaction.
 */
export function* resealColumns(
  columns: readonly SealedColumn[],
  change: (place: string, sealed: Uint8Array) => Uint8Array,
): Work<number> {
  let changes = 0;
  for (const { place, ...names } of columns) {
    const [table, key, column] = [named(names.table), named(names.key), named(names.column)];
    const rows = yield* rowsOf<{ name: string }>(
      sql`SELECT ${key} AS name FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    for (const { name } of rows) {
      const row = yield* rowOf<{ sealed: Uint8Array | null }>(
        sql`SELECT ${column} AS sealed FROM ${table} WHERE ${key} = ${name}`,
      );
      if (row?.sealed == null) continue; // destroyed meanwhile
      const changed = change(place(name), row.sealed);
      if (changed === row.sealed) continue;
      // The log is emptied as well, since nothing may remain that an old key opens.
      const { count } = yield erasing`
        UPDATE ${table} SET ${column} = ${changed} WHERE ${key} = ${name} AND ${column} = ${row.sealed}`;
      changes += count;
    }
  }
  return changes;
}
