/** Checks an owner's record, as the data user hands it in: its signature, and the task that it is about. */
import { CodedError } from '@eigenveil/platform';
import {
  CODES,
  claimedSigner,
  type OwnerRecord,
  RECORD,
  thumbprintOf,
  verifyStatement,
} from '@eigenveil/wire';
import type { CspStore, VerifiedRecord } from '../store/store.ts';

/**
 * Returns the parts of a record that are kept.
 * @throws ERR_RECORD_INVALID unless the owner whom it names has signed it, ERR_TASK_MISMATCH unless it is
 *   about what was `expected`
 */
export async function verifyRecord(
  store: Pick<CspStore, 'ownerThumbprint'>,
  record: string,
  expected: Pick<OwnerRecord, 'taskId' | 'taskDigest' | 'publicKeyDigest'>,
): Promise<VerifiedRecord> {
  const signer = claimedSigner(RECORD, record);
  const { ownerId, contributionDigest, ...about } = await verifyStatement(RECORD, record, signer);
  const enrolled = await store.ownerThumbprint(ownerId);
  if (enrolled === undefined || enrolled !== (await thumbprintOf(signer))) {
    throw new CodedError(CODES.ERR_RECORD_INVALID, '"records" expected the signature of the enrolled owner');
  }
  if (
    about.taskId !== expected.taskId ||
    about.taskDigest !== expected.taskDigest ||
    about.publicKeyDigest !== expected.publicKeyDigest
  ) {
    throw new CodedError(CODES.ERR_TASK_MISMATCH, '"records" expected records of this task and key');
  }
  return { ownerId, contributionDigest };
}
