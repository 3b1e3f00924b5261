/** Sending a contribution: in one request, or, where it is longer than one may be, piece by piece from where an earlier attempt has come to. */
import {
  type Digest,
  digestBytes,
  digestHasher,
  errorCodeOf,
  piecesOf,
  ReceiptResponse,
  type ServiceClient,
  UploadResponse,
} from '@eigenveil/wire';
import type { VerifiedTask } from './connection.ts';
import type { ContributionProgress } from './preparation.ts';
import type { Kept, PendingContribution } from './state.ts';

/** How often it begins again after the data user has lost pieces, as a backup loses them. */
const MOST_BEGINNINGS = 3;

/**
 * Hands in what is pending and returns the receipt that the data user gives, unverified, and the digest that it has to be of.
 * @throws as the data user refuses
 */
export async function send(
  client: ServiceClient,
  accepted: VerifiedTask,
  { record, bytes }: PendingContribution<Kept>,
  onProgress?: (progress: ContributionProgress) => void,
): Promise<{ readonly receipt: string; readonly digest: Digest }> {
  const { packing, publicKey, task } = accepted;
  const path = `/tasks/${task.id}/contribution`;
  const headers = { 'eigenveil-record': record };
  const finish = async (body: Uint8Array) =>
    client.send({ method: 'PUT', path, bytes: body, headers, response: ReceiptResponse });
  const pieces = piecesOf(packing.plaintexts.length, publicKey.ciphertextBytes);
  const digest = await digestOf(bytes);
  if (pieces.length === 0) {
    const { receipt } = await finish(await bytesOf(bytes, 0, sizeOf(bytes)));
    return { receipt, digest };
  }
  for (let beginning = 1; ; beginning += 1) {
    try {
      const there = await client.send({ method: 'GET', path: `${path}/pieces`, response: UploadResponse });
      const first = there.contributionDigest === digest ? there.pieces : 0;
      for (const { number, from, to } of pieces.slice(first)) {
        const [start, end] = [from * publicKey.ciphertextBytes, to * publicKey.ciphertextBytes];
        await client.send({
          method: 'PUT',
          path: `${path}/pieces/${number}`,
          bytes: await bytesOf(bytes, start, end),
          headers,
          response: UploadResponse,
        });
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

/** So many at a time. */
const HASHED_BYTES = 2 ** 20;

export async function digestOf(bytes: Kept): Promise<Digest> {
  if (!(bytes instanceof Blob)) return digestBytes('contribution', bytes);
  const hasher = digestHasher('contribution');
  for (let start = 0; start < bytes.size; start += HASHED_BYTES)
    hasher.update(await bytesOf(bytes, start, start + HASHED_BYTES));
  return hasher.digest();
}
