/**
 * The owner's steps: open the agreed task, contribute, sign the record of the contribution. This entry
 * reaches nothing of the servers, since all that it reaches is packed for owners.
 */
import {
  type Encrypter,
  type EncryptionScheme,
  encodeCiphertexts,
  type Packing,
  type PublicKey,
  pack,
} from '@eigenveil/paillier/owner';
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics/owner';
import type { StatisticsTask } from '@eigenveil/task';
import {
  type Agreement,
  type Digest,
  digestBytes,
  digestPublicKey,
  type OwnerId,
  RECORD,
  type SigningKey,
  signStatement,
} from '@eigenveil/wire';
import { type AgreedTask, openAgreed, signsOf } from './agreed-task.ts';

export { type AgreedTask, openAgreed, signsOf };

/**
 * A maker of contributions apart from the thread that asks, with randomness of its own: the worker of a page.
 */
export interface Contributor {
  /** Does what `contribute` does. */
  contribution(agreed: AgreedTask, values: readonly bigint[]): Promise<Uint8Array>;
}

/**
 * The ciphertexts that an owner sends, encoded: its flat statistics with its noise, packed and encrypted.
 * Noise and randomisers are new with every call, so the bytes must be kept before they are sent, and sent
 * again as they are.
 * @param values as `flatten` gives them
 * @throws ERR_VALUE_OUT_OF_RANGE, ERR_SCHEME_UNAVAILABLE, ERR_DP_PARAMETER
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { contribute } from '@eigenveil/protocol/owner';
 *
 * const by = { paillier: pool, randomness: systemRandomness };
 * const bytes = await contribute({ task, publicKey, packing }, values, by);
 */
export async function contribute(
  under: EncryptionTask,
  values: readonly bigint[],
  by: { readonly paillier: Encrypter; readonly randomness: RandomSource },
): Promise<Uint8Array> {
  const all = under.packing.plaintexts.length;
  const { value } = await contributeInParts(under, values, by, all).next();
  return value!;
}

/** The key and the packing under which values are encrypted. */
interface EncryptionTask {
  readonly task: StatisticsTask & { readonly encryption: EncryptionScheme };
  readonly publicKey: PublicKey;
  readonly packing: Packing;
}

/**
 * Makes a contribution in parts of a given number of ciphertexts, one after the other: no more are in memory.
 */
export async function* contributeInParts(
  { task, publicKey, packing }: EncryptionTask,
  values: readonly bigint[],
  by: { readonly paillier: Encrypter; readonly randomness: RandomSource },
  ciphertexts: number,
): AsyncGenerator<Uint8Array, void> {
  const noise = drawNoise(task, 'owner', by.randomness);
  const plaintexts = pack(
    publicKey,
    packing,
    values.map((value, i) => (noise[i] === 0n ? value : value + noise[i]!)),
  );
  for (let from = 0; from < plaintexts.length; from += ciphertexts) {
    const part = plaintexts.slice(from, from + ciphertexts);
    yield encodeCiphertexts(publicKey, await by.paillier.encrypt(publicKey, part, task.encryption));
  }
}

/**
 * The owner's statement that these bytes, or those with this digest, are its contribution to this task under
 * this Paillier key.
 * @example
 * import { signRecord } from '@eigenveil/protocol/owner';
 *
 * const record = await signRecord(agreement, bytes, { ownerId, key });
 */
export async function signRecord(
  { taskId, taskDigest, publicKey }: Agreement,
  bytes: Uint8Array | Digest,
  owner: { readonly ownerId: OwnerId; readonly key: SigningKey },
): Promise<string> {
  return signStatement(RECORD, owner.key, {
    taskId,
    taskDigest,
    publicKeyDigest: digestPublicKey(publicKey),
    ownerId: owner.ownerId,
    contributionDigest: typeof bytes === 'string' ? bytes : digestBytes('contribution', bytes),
  });
}
