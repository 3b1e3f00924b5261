/**
 * The ways in which the owner's key leaves a device: in a backup, once, when the key is made; and together
 * with all data that the owner must not lose when it moves to another device. A device that the owner has
 * left no longer contributes.
 */
import {
  Enrolment,
  LedgerEntry,
  OwnerPolicy,
  type PendingContribution,
  SeriesEntry,
  Withdrawal,
} from '@eigenveil/data-owner/portable';
import { CodedError, fromBase64url, toBase64url } from '@eigenveil/platform';
import { TaskId } from '@eigenveil/task';
import { Title } from '@eigenveil/task/title';
import { generatePrivateJwk, PrivateJwk, PublicJwk } from '@eigenveil/wire';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import { z } from 'zod';
import { DEVICE_CODES } from './codes.ts';
import type { Database, StoredKey, Transaction } from './database.ts';
import { passphraseProblem } from './passphrase.ts';
import { faultAt, seal, unseal } from './sealed-file.ts';

const Pending = z.strictObject({
  record: z.string(),
  bytes: z.base64url(),
  dataDigest: z.string(),
});

/** The data that moves beside the key. */
const Moved = z.strictObject({
  publicJwk: PublicJwk,
  movedAt: z.iso.datetime(),
  isBare: z.boolean(),
  enrolment: Enrolment.nullable(),
  dataKey: z.base64url().length(43).nullable(),
  policy: OwnerPolicy.nullable(),
  pending: z.array(z.tuple([TaskId, Pending])),
  receipts: z.array(z.tuple([TaskId, z.string()])),
  withdrawals: z.array(z.tuple([TaskId, Withdrawal])),
  tasks: z.array(
    z.tuple([
      TaskId,
      z.strictObject({
        dataUser: ServiceUrl,
        title: Title.exactOptional(),
        deadline: z.iso.datetime().exactOptional(),
        releaseToOwners: z.boolean().exactOptional(),
        addedAt: z.iso.datetime(),
      }),
    ]),
  ),
  ledger: z.array(LedgerEntry),
  /** The entries of each series in their order. */
  series: z.array(SeriesEntry),
});

/**
 * Makes the owner's key and keeps it where it cannot be taken out any more.
 * @param passphrase for the backup, null for none: then the key is lost with this browser's data, and can
 *   move nowhere
 * @returns the text of the backup file, which is not kept anywhere
 * @throws ERR_PASSPHRASE_WEAK, ERR_OWNER_EXISTS, ERR_OWNER_HOME
 */
export async function makeKey(database: Database, passphrase: string | null): Promise<string | null> {
  const weak = passphrase === null ? null : passphraseProblem(passphrase);
  if (weak !== null) throw new CodedError(DEVICE_CODES.ERR_PASSPHRASE_WEAK, weak);
  // Only this function can read the key, which is forgotten with it.
  const jwk = await generatePrivateJwk();
  const backup = passphrase === null ? null : await seal(jwk, passphrase);
  const key = await storedKey(jwk);
  await database.write(async (it) => {
    await requireNoOwner(it);
    // Somebody may have the backup of this device's key, which would not open another key.
    if ((await it.objectStore('key').count()) > 0)
      throw new CodedError(
        DEVICE_CODES.ERR_OWNER_EXISTS,
        'this browser has a key already, made in another tab perhaps: load the page again and go on with that one',
      );
    await it.objectStore('key').put(key, 'key');
  });
  return backup;
}

/**
 * Leaves this device: marks it first, durably, and then returns the data that moves beside the backup. A
 * repeated call returns the same data.
 * @param backup text of the file that `makeKey` gave
 * @returns the text of the transfer file
 * @throws ERR_BACKUP_INVALID, ERR_PASSPHRASE: nothing has been marked then; ERR_OWNER_HOME
 */
export async function leave(database: Database, backup: string, passphrase: string): Promise<string> {
  const { x } = await unseal('backup', backup, passphrase, PrivateJwk);
  const moved = await database.write(async (it) => {
    const key = await it.objectStore('key').get('key');
    if (key?.publicJwk.x !== x)
      throw faultAt(
        'backup',
        DEVICE_CODES.ERR_BACKUP_INVALID,
        'the backup file is that of another key than this device has',
      );
    const marks = it.objectStore('marks');
    const movedAt = (await marks.get('moved')) ?? new Date().toISOString();
    await marks.put(movedAt, 'moved');
    return collect(it, key.publicJwk, movedAt);
  });
  return seal(moved, passphrase);
}

/**
 * Brings an owner to this device, which must have none. With only the backup, nobody knows what the key has
 * contributed: the device then takes no tasks under differential privacy (see BrowserState).
 * @param transfer text of the file that `leave` gave; null if the other device is lost
 * @throws ERR_BACKUP_INVALID, ERR_PASSPHRASE, ERR_OWNER_EXISTS, ERR_OWNER_HOME: then nothing has changed
 */
export async function restore(
  database: Database,
  backup: string,
  transfer: string | null,
  passphrase: string,
): Promise<void> {
  const jwk = await unseal('backup', backup, passphrase, PrivateJwk);
  const moved = transfer === null ? null : await unseal('transfer', transfer, passphrase, Moved);
  if (moved !== null && moved.publicJwk.x !== jwk.x)
    throw faultAt(
      'transfer',
      DEVICE_CODES.ERR_BACKUP_INVALID,
      'the backup file and the transfer file are of two owners',
    );
  const key = await storedKey(jwk);
  await database.write(async (it) => {
    await requireNoOwner(it);
    await it.objectStore('key').put(key, 'key');
    if (moved === null || moved.isBare) await it.objectStore('marks').put(new Date().toISOString(), 'bare');
    if (moved !== null) await put(it, moved);
  });
}

/** Refuses if this device has an owner. A key that has never been used is not an owner yet. */
async function requireNoOwner(it: Transaction): Promise<void> {
  for (const store of [
    'enrolment',
    'marks',
    'pending',
    'receipts',
    'withdrawals',
    'ledger',
    'series',
  ] as const)
    if ((await it.objectStore(store).count()) > 0)
      throw new CodedError(
        DEVICE_CODES.ERR_OWNER_EXISTS,
        'this browser has an owner already, or had one that moved away: take another browser or profile, or have this one delete the data of this site first',
      );
}

/** Returns the key in the form that signs but cannot be read. */
async function storedKey({ d, ...publicJwk }: PrivateJwk): Promise<StoredKey> {
  const privateKey = await crypto.subtle
    .importKey('jwk', { ...publicJwk, d }, 'Ed25519', false, ['sign'])
    .catch((cause: unknown) => {
      throw new CodedError(
        DEVICE_CODES.ERR_OWNER_HOME,
        'this browser cannot sign with Ed25519: take a newer one',
        {
          cause,
        },
      );
    });
  return { privateKey, publicJwk };
}

async function collect(
  it: Transaction,
  publicJwk: PublicJwk,
  movedAt: string,
): Promise<z.input<typeof Moved>> {
  const dataKey = await it.objectStore('dataKey').get('dataKey');
  const pending = await pairs(it.objectStore('pending'));
  return {
    publicJwk,
    movedAt,
    isBare: (await it.objectStore('marks').get('bare')) !== undefined,
    enrolment: ((await it.objectStore('enrolment').get('enrolment')) as Enrolment | undefined) ?? null,
    dataKey: dataKey === undefined ? null : toBase64url(dataKey),
    policy: (await it.objectStore('policy').get('policy')) ?? null,
    pending: pending.map(([id, { bytes, ...rest }]) => [id, { ...rest, bytes: toBase64url(bytes) }]),
    receipts: await pairs(it.objectStore('receipts')),
    withdrawals: await pairs(it.objectStore('withdrawals')),
    tasks: await pairs(it.objectStore('tasks')),
    ledger: await it.objectStore('ledger').getAll(),
    series: await it.objectStore('series').getAll(),
  };
}

async function pairs<Value>(store: {
  getAllKeys(): Promise<TaskId[]>;
  getAll(): Promise<Value[]>;
}): Promise<[TaskId, Value][]> {
  const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll()]);
  return keys.map((key, i) => [key, values[i]!]);
}

async function put(it: Transaction, moved: z.output<typeof Moved>): Promise<void> {
  const { enrolment, dataKey, policy, pending, receipts, withdrawals, tasks, ledger, series } = moved;
  const bytesOf = ({ bytes, ...rest }: z.output<typeof Pending>): PendingContribution => ({
    ...rest,
    bytes: fromBase64url(bytes),
  });
  // The writes run one after the other: of several at once, each would report a failure by itself.
  if (enrolment !== null) await it.objectStore('enrolment').put(enrolment, 'enrolment');
  if (dataKey !== null) await it.objectStore('dataKey').put(fromBase64url(dataKey), 'dataKey');
  if (policy !== null) await it.objectStore('policy').put(policy, 'policy');
  for (const [id, contribution] of pending) await it.objectStore('pending').put(bytesOf(contribution), id);
  for (const [id, receipt] of receipts) await it.objectStore('receipts').put(receipt, id);
  for (const [id, how] of withdrawals) await it.objectStore('withdrawals').put(how, id);
  for (const [id, task] of tasks) await it.objectStore('tasks').put(task, id);
  for (const [i, entry] of ledger.entries()) await it.objectStore('ledger').put(entry, i);
  const places = new Map<TaskId, number>();
  for (const entry of series) {
    const place = places.get(entry.seriesId) ?? 0;
    await it.objectStore('series').put(entry, [entry.seriesId, place]);
    places.set(entry.seriesId, place + 1);
  }
}
