/**
 * The owner's steps: open the agreed task, contribute, sign the record of the contribution. This entry reaches nothing
 * of the servers, since all that it reaches is packed for owners.
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
  digestBytes,
  digestPublicKey,
  type OwnerId,
  RECORD,
  type SigningKey,
  signStatement,
} from '@eigenveil/wire';
import { type AgreedTask, openAgreed } from './agreed-task.ts';

export { type AgreedTask, openAgreed };

/** Who makes contributions apart from the thread that asks, with randomness of its own: the worker of a page. */
export interface Contributor {
  /** As `contribute`. */
  contribution(agreed: AgreedTask, values: readonly bigint[]): Promise<Uint8Array>;
}

/**
 * The ciphertexts that an owner sends, encoded: its flat statistics with its noise, packed and encrypted. Noise and
 * randomisers are new with every call, so the bytes are to be kept before they are sent, and sent again as they are.
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
  under: {
    readonly task: StatisticsTask & { readonly encryption: EncryptionScheme };
    readonly publicKey: PublicKey;
    readonly packing: Packing;
  },
  values: readonly bigint[],
  by: { readonly paillier: Encrypter; readonly randomness: RandomSource },
): Promise<Uint8Array> {
  const { task, publicKey, packing } = under;
  const noise = drawNoise(task, 'owner', by.randomness);
  const plaintexts = pack(
    publicKey,
    packing,
    values.map((value, i) => value + noise[i]!),
  );
  return encodeCiphertexts(publicKey, await by.paillier.encrypt(publicKey, plaintexts, task.encryption));
}

/**
 * The owner's statement that these bytes are its contribution to this task under this Paillier key.
 * @example
 * import { signRecord } from '@eigenveil/protocol/owner';
 *
 * const record = await signRecord(agreement, bytes, { ownerId, key });
 */
export async function signRecord(
  { taskId, taskDigest, publicKey }: Agreement,
  bytes: Uint8Array,
  owner: { readonly ownerId: OwnerId; readonly key: SigningKey },
): Promise<string> {
  return signStatement(RECORD, owner.key, {
    taskId,
    taskDigest,
    publicKeyDigest: digestPublicKey(publicKey),
    ownerId: owner.ownerId,
    contributionDigest: digestBytes('contribution', bytes),
  });
}
