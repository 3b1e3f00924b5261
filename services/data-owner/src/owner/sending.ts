/**
 * Sends a contribution: in one request, or, where it is longer than a request may be, piece by piece from the
 * place that an earlier attempt has reached.
 */
import { type Digest, digestBytes, digestHasher, errorCodeOf, piecesOf } from '@eigenveil/wire';
import type { DataUser, VerifiedTask } from './connection.ts';
import type { ContributionProgress } from './preparation.ts';
import type { Kept, PendingContribution } from './state.ts';

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
