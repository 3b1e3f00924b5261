/**
 * The owner's steps: open the agreed task, contribute, sign the record of the contribution. The servers open
 * the task in the same way. This file reaches nothing of the servers, since all that it reaches is packed for
 * owners.
 */
import {
  type Encrypter,
  type EncryptionScheme,
  encodeCiphertexts,
  type Packing,
  PublicKey,
  pack,
} from '@eigenveil/paillier/owner';
import { CodedError } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise, layout, sketchMatrix } from '@eigenveil/statistics/owner';
import type { StatisticsTask, Task } from '@eigenveil/task';
import {
  type Agreement,
  CODES,
  type Digest,
  digestBytes,
  digestPublicKey,
  type OwnerId,
  type Projection,
  type PublicJwk,
  RECORD,
  type SignedTask,
  type SigningKey,
  signStatement,
  sketchSeed,
  verifySignedTask,
} from '@eigenveil/wire';

/**
 * A task as the CSP has signed it, opened: every party does this first, for itself, and the steps work with
 * it.
 */
export interface AgreedTask {
  readonly task: Task;
  readonly agreement: Agreement;
  readonly publicKey: PublicKey;
  /** The place of each value of the flat statistics in the plaintexts. */
  readonly packing: Packing;
}

/**
 * Verifies a signed task under the pinned CSP's key and reads its Paillier key.
 * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID, ERR_KEY_TOO_SHORT, and as `layout`
 * @example
 * import { openAgreed } from '@eigenveil/protocol/owner';
 *
 * const { task, agreement, publicKey, packing } = await openAgreed(signedTask, cspKey);
 */
export async function openAgreed(signed: SignedTask, cspKey: PublicJwk): Promise<AgreedTask> {
  const { task } = signed;
  const agreement = await verifySignedTask(signed, cspKey);
  const publicKey = await PublicKey.fromJSONInTurns(agreement.publicKey, task);
  if (publicKey.bits !== task.keyBits) {
    throw new CodedError(
      CODES.ERR_AGREEMENT_INVALID,
      `"publicKey" expected ${task.keyBits} bits, got ${publicKey.bits}`,
    );
  }
  return { task, agreement, publicKey, packing: layout(task) };
}

/**
 * Ω of a task with a sketch, from the nonce in the agreement that the CSP has signed; undefined for other
 * tasks. Each party makes it for itself.
 * @param refined the result that a sketch refines, which the caller has verified (`verifyBasis`)
 * @throws ERR_AGREEMENT_INVALID; RangeError where the result is missing
 */
export function signsOf(
  { task, agreement }: Pick<AgreedTask, 'task' | 'agreement'>,
  refined?: Pick<Projection, 'vectors'>,
): Int32Array | undefined {
  return task.sketch && sketchMatrix(sketchSeed(agreement), task, refined?.vectors);
}

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
