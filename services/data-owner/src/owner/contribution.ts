/**
 * Prepares the bytes that an owner sends to a task, and sends them: they are charged, made and kept once, before
 * they leave, in one request or, where they are longer than one may be, piece by piece.
 */
import type { Encrypter } from '@eigenveil/paillier/owner';
import { CodedError, fromBase64url, words } from '@eigenveil/platform';
import { keyedRandomness, systemRandomness } from '@eigenveil/privacy';
import { type Contributor, contribute, contributeInParts, signRecord } from '@eigenveil/protocol/owner';
import { drawOwnNoise } from '@eigenveil/statistics/owner';
import type { Task } from '@eigenveil/task';
import { CODES, type Digest, digestBytes, digestHasher, errorCodeOf, piecesOf } from '@eigenveil/wire';
import { charge, type LedgerCounter } from '../budget/charging.ts';
import { DEFAULT_DATASET } from '../budget/dataset.ts';
import type { DataUser, OwnerConnection, VerifiedTask } from './connection.ts';
import type { OwnFloorPlan, OwnFloorTold } from './own-floor.ts';
import type { OwnerPolicy } from './policy.ts';
import type { Kept, OwnerState, PendingContribution } from './state.ts';
import { ownerTerm } from './terms.ts';

export interface ContributeOptions {
  /**
   * Gives up a pending contribution of other statistics, which is possible only for a task in which owners
   * add no noise. The data user may have taken that contribution all the same: then it refuses this one
   * (ERR_CONTRIBUTION_CONFLICT).
   */
  readonly discardPending?: boolean;
  /**
   * The name of the data set, under which the budget of the rows is kept. Rows that are in two data sets are
   * counted in each alone.
   */
  readonly dataset?: string | undefined;
  /**
   * Told how far apart this owner's values lie compared with what the task says, and what noise is added
   * because of it, before anything is charged or sent.
   */
  readonly onOwnFloor?: (told: OwnFloorTold) => void;
  /**
   * Told when the CSP could not be asked whether the ledger is the newest, and why: a ledger from a backup is
   * not noticed then.
   */
  readonly onUncounted?: (reason: string) => void;
  /**
   * Told, once a contribution is ready, the digest by which contributions to the task are compared: see
   * OwnerState.digestOfData.
   */
  readonly onReady?: (dataDigest: string) => void;
  /** Told from time to time how much of a contribution is done that takes several requests. */
  readonly onProgress?: (progress: ContributionProgress) => void;
}

/** The number of bytes of a contribution that were encrypted, or sent, and the number of all its bytes. */
export interface ContributionProgress {
  readonly step: 'encrypted' | 'sent';
  readonly done: number;
  readonly of: number;
}

/**
 * The number of ciphertexts in one call. A larger table of powers for more of them would not pay (measured:
 * 32,768 take as long in one call).
 */
const ENCRYPTED_AT_ONCE = 2048;

interface Owner {
  readonly state: OwnerState;
  readonly policy: OwnerPolicy;
  readonly paillier: Encrypter | Contributor;
  readonly connection: OwnerConnection;
  readonly counter: LedgerCounter;
}

/** The data that is contributed: the flat statistics, and what the owner adds to them because of its rows. */
interface Contributed {
  readonly values: readonly bigint[];
  readonly own: OwnFloorPlan | undefined;
  /** Ω of a task with `sketch`. */
  readonly signs: Int32Array | undefined;
}

/**
 * Returns the contribution of these values that is kept, and makes it if there is none. It is found again by
 * the values alone, without the noise that was added to them.
 * @throws ERR_CONTRIBUTION_PENDING if a contribution of other values is kept, and as `charge` and the counter
 */
export async function preparedContribution(
  owner: Owner,
  accepted: VerifiedTask,
  contributed: Contributed,
  options: ContributeOptions,
): Promise<PendingContribution<Kept>> {
  const { discardPending, dataset = DEFAULT_DATASET, onUncounted, onReady, onProgress } = options;
  const { state, policy } = owner;
  const { id, differentialPrivacy } = accepted.task;
  const { values, own } = contributed;
  const dataDigest = await state.digestOfData(id, values);
  const drawsNoise = differentialPrivacy?.noise === 'owners';
  let pending = await state.pending(id);
  if (pending !== undefined && pending.dataDigest !== dataDigest && discardPending === true && !drawsNoise) {
    await state.discardPending(id);
    pending = undefined;
  }
  if (pending === undefined || pending.dataDigest === dataDigest) {
    // A task that was charged before costs no more than the rest of its part.
    await charge(state, policy, dataset, accepted.task, own);
    await owner.counter.confirm(onUncounted);
    pending ??= await prepare(owner, accepted, contributed, dataDigest, onProgress);
  }
  if (pending.dataDigest === dataDigest) {
    onReady?.(dataDigest);
    return pending;
  }
  const others = 'a contribution of other rows to this task has no receipt yet, and may have been taken';
  throw new CodedError(
    CODES.ERR_CONTRIBUTION_PENDING,
    drawsNoise
      ? `${others}: give its rows again, or withdraw; it cannot be discarded, since noise is drawn once`
      : words`${others}: give its rows again, withdraw, or give it up with ${ownerTerm('discardPending', '--discard-pending')}`,
  );
}

async function prepare(
  { state, paillier, connection }: Owner,
  accepted: VerifiedTask,
  contributed: Contributed,
  dataDigest: string,
  onProgress: ContributeOptions['onProgress'],
): Promise<PendingContribution<Kept>> {
  const { ownerId } = await connection.enrolment();
  const noised = await withOwnNoise(state, accepted.task, contributed);
  // Noise of differential privacy is drawn once per task: it goes into the very bytes that are kept before
  // they are sent for the first time.
  const { bytes, digest } = await encrypted(paillier, accepted, noised, state, onProgress);
  const record = await signRecord(accepted.agreement, digest, { ownerId, key: await state.signingKey() });
  // Encryption is randomised: only stored bytes can be repeated exactly after an answer was lost.
  return state.keepPending(accepted.task.id, { record, bytes, dataDigest });
}

/**
 * Adds the noise of the owner's own floor, where the owner needs one. The noise follows from the statistics,
 * its deviations and the secret that the state has for digests: the mean of several draws for the same rows
 * would be closer to them, and a contribution that was given up may have been taken. Other rows, and other
 * deviations, have noise that tells nothing about it.
 */
async function withOwnNoise(
  state: Pick<OwnerState, 'digestOfData'>,
  task: Task,
  { values, own, signs }: Contributed,
): Promise<readonly bigint[]> {
  const floor = own?.floor;
  if (floor === undefined) return values;
  // The deviations on sums of rows also determine the spacings of a sketch.
  const deviations = new BigUint64Array(Float64Array.from(floor.deviations).buffer);
  // This input is longer than any statistics of the task, so that no digest that is kept is this key.
  const key = fromBase64url(await state.digestOfData(task.id, [...values, ...deviations]));
  const noise = drawOwnNoise(task, floor, keyedRandomness(key), signs);
  return values.map((value, i) => value + noise[i]!);
}

/**
 * Returns the contribution's bytes and their digest. Bytes of a long contribution are kept by the state as
 * they are made, if it has a place for them.
 */
async function encrypted(
  paillier: Encrypter | Contributor,
  accepted: VerifiedTask,
  values: readonly bigint[],
  state: OwnerState,
  onProgress: ContributeOptions['onProgress'],
): Promise<{ readonly bytes: Kept; readonly digest: Digest }> {
  const { packing, publicKey, task } = accepted;
  const ciphertexts = packing.plaintexts.length;
  const isLong = piecesOf(ciphertexts, publicKey.ciphertextBytes).length > 0;
  if ('contribution' in paillier || !isLong || state.keepBytes === undefined) {
    const bytes =
      'contribution' in paillier
        ? await paillier.contribution(accepted, values)
        : await contribute(accepted, values, { paillier, randomness: systemRandomness });
    return { bytes, digest: digestBytes('contribution', bytes) };
  }
  const hasher = digestHasher('contribution');
  const by = { paillier, randomness: systemRandomness };
  async function* parts() {
    let done = 0;
    for await (const part of contributeInParts(accepted, values, by, ENCRYPTED_AT_ONCE)) {
      hasher.update(part);
      yield part;
      done += part.length;
      onProgress?.({ step: 'encrypted', done, of: ciphertexts * publicKey.ciphertextBytes });
    }
  }
  return { bytes: await state.keepBytes(task.id, parts()), digest: hasher.digest() };
}

/**
 * The number of times that sending starts again after the data user has lost pieces, as happens when it is
 * restored from a backup.
 */
const MOST_BEGINNINGS = 3;

/**
 * Hands in what is pending and returns the receipt that the data user gives, unverified, and the digest that
 * the receipt must have.
 * @throws as the data user refuses
 */
export async function send(
  dataUser: DataUser,
  accepted: VerifiedTask,
  { record, bytes }: PendingContribution<Kept>,
  onProgress?: (progress: ContributionProgress) => void,
): Promise<{ readonly receipt: string; readonly digest: Digest }> {
  const { packing, publicKey, task } = accepted;
  const taskId = task.id;
  const headers = { 'eigenveil-record': record };
  const finish = (body: Uint8Array) => dataUser.contribute({ taskId, body, headers });
  const pieces = piecesOf(packing.plaintexts.length, publicKey.ciphertextBytes);
  const digest = await digestOf(bytes);
  if (pieces.length === 0) {
    const { receipt } = await finish(await bytesOf(bytes, 0, sizeOf(bytes)));
    return { receipt, digest };
  }
  for (let beginning = 1; ; beginning += 1) {
    try {
      const there = await dataUser.upload({ taskId });
      const first = there.contributionDigest === digest ? there.pieces : 0;
      for (const { number, from, to } of pieces.slice(first)) {
        const [start, end] = [from * publicKey.ciphertextBytes, to * publicKey.ciphertextBytes];
        const body = await bytesOf(bytes, start, end);
        await dataUser.contributePiece({ taskId, number, body, headers });
        onProgress?.({ step: 'sent', done: end, of: sizeOf(bytes) });
      }
      return { ...(await finish(new Uint8Array())), digest };
    } catch (error) {
      if (errorCodeOf(error) !== 'ERR_CONTRIBUTION_INCOMPLETE' || beginning === MOST_BEGINNINGS) throw error;
    }
  }
}

const sizeOf = (bytes: Kept): number => (bytes instanceof Blob ? bytes.size : bytes.length);

async function bytesOf(bytes: Kept, start: number, end: number): Promise<Uint8Array> {
  if (!(bytes instanceof Blob)) return bytes.subarray(start, end);
  return new Uint8Array(await bytes.slice(start, end).arrayBuffer());
}

/** The number of bytes that are read and hashed at a time. */
const HASHED_BYTES = 2 ** 20;

export async function digestOf(bytes: Kept): Promise<Digest> {
  if (!(bytes instanceof Blob)) return digestBytes('contribution', bytes);
  const hasher = digestHasher('contribution');
  for (let start = 0; start < bytes.size; start += HASHED_BYTES)
    hasher.update(await bytesOf(bytes, start, start + HASHED_BYTES));
  return hasher.digest();
}
