/**
 * An owner's memory of how it contributed to a task, beside the receipt: by which policy, and from which
 * file.
 */
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES, type Receipt } from '@eigenveil/wire';
import { OwnerHome } from './home.ts';
import type { OwnerPolicy } from './policy.ts';

/**
 * Keeps the policy by which the owner contributed, and a keyed digest of the file.
 * @param sourceDigest SHA-256 of the file, hexadecimal
 */
export async function keepHow(
  folder: string,
  taskId: TaskId,
  policy: OwnerPolicy,
  sourceDigest: string | undefined,
): Promise<void> {
  const home = new OwnerHome(folder);
  await home.keepContributed(taskId, {
    policy,
    ...(sourceDigest !== undefined && { sourceDigest: await keyed(home, taskId, sourceDigest) }),
  });
}

/**
 * Refuses to use another file for a task with a receipt than the one that was contributed. A file that is
 * gone since, and rows of a query, are not compared.
 * @throws ERR_CONTRIBUTION_CONFLICT
 */
export async function requireSameFile(
  folder: string,
  { taskId, receivedAt }: Receipt,
  title: string,
  digestOf: () => Promise<string | undefined>,
): Promise<void> {
  const home = new OwnerHome(folder);
  const before = (await home.contributed(taskId))?.sourceDigest;
  const now = before === undefined ? undefined : await digestOf().catch(() => undefined);
  if (now === undefined || (await keyed(home, taskId, now)) === before) return;
  throw new CodedError(
    CODES.ERR_CONTRIBUTION_CONFLICT,
    `${title} is another file than the one that was contributed, with the receipt of ${receivedAt}: nothing of it was sent, since a task takes one contribution of an owner`,
  );
}

/**
 * Returns a digest under a key that is a secret of this owner: a file of few rows could be guessed from a
 * plain digest.
 */
function keyed(home: OwnerHome, taskId: TaskId, sha256: string): Promise<string> {
  return home.digestOfData(taskId, [BigInt(`0x${sha256}`)]);
}
