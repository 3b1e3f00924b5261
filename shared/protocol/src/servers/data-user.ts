/** The data user's steps: what it draws once, the blinded aggregate, its additive shares, and what it signs in the end. */
import {
  add,
  type Ciphertext,
  drawBlinding,
  encodeCiphertexts,
  type Packing,
  type PaillierPool,
  type PublicKey,
  packBlinding,
} from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import type { Decomposition } from '@eigenveil/projection';
import { drawNoise } from '@eigenveil/statistics';
import { type StatisticsTask, shiftOf, type Task, withoutShift } from '@eigenveil/task';
import { digestTask, type Projection, ServiceError } from '@eigenveil/wire';
import { type SharedTask, toShares } from './shares.ts';

/** What the data user draws once per task: as secret as the key, and persisted before it is used. */
export interface Drawn {
  /** One per value of the flat statistics; see `drawBlinding`. */
  readonly blinding: readonly bigint[];
  /** The data user's noise for differential privacy, one per value; zeros where the task has the servers add none. */
  readonly noise: readonly bigint[];
}

/** @throws PrivacyError ERR_DP_PARAMETER */
export function draw(
  { task, packing }: { readonly task: StatisticsTask; readonly packing: Packing },
  randomness: RandomSource,
): Drawn {
  const noise = drawNoise(task, 'servers', randomness);
  return { blinding: drawBlinding(packing, randomness), noise };
}

/**
 * The aggregate with the blinding added, encoded as the CSP gets it. The blinding is encrypted with full-length
 * randomisers whatever the owners' scheme: the CSP, which can extract randomisers, would otherwise recognise the product
 * of the owners'.
 * @throws PaillierError ERR_VALUE_OUT_OF_RANGE
 */
export async function blind(
  { publicKey, packing }: { readonly publicKey: PublicKey; readonly packing: Packing },
  aggregate: readonly Ciphertext[],
  { blinding }: Pick<Drawn, 'blinding'>,
  paillier: PaillierPool,
): Promise<Uint8Array> {
  const plaintexts = packBlinding(publicKey, packing, blinding);
  const addends = await paillier.encrypt(publicKey, plaintexts, 'standard');
  const blinded = aggregate.map((ciphertext, i) => add(publicKey, ciphertext, addends[i]!));
  return encodeCiphertexts(publicKey, blinded);
}

/**
 * The data user's additive shares: with the CSP's they add up to the statistics, both servers' noise and the public shift.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function sharesAtDataUser(task: SharedTask, { blinding, noise }: Drawn): bigint[] {
  const shift = shiftOf(task);
  return toShares(
    task,
    blinding.map((value, i) => noise[i]! + shift[i]! - value),
  );
}

/**
 * What the data user signs: the decomposition without the shift, and what of the task it belongs to.
 * @throws ServiceError ERR_NOT_FINITE: a peer that deviates can make any numbers come out, and numbers that are none
 *   cannot be signed
 */
export function resultOf(task: Task, shifted: Decomposition): Projection {
  const decomposition = withoutShift(task, shifted);
  const { vectors, eigenvalues } = decomposition;
  if (![eigenvalues, ...vectors].every((numbers) => numbers.every(Number.isFinite)))
    throw new ServiceError('ERR_NOT_FINITE', 'the projection expected finite numbers');
  return {
    taskId: task.id,
    taskDigest: digestTask(task),
    method: task.method,
    twoParty: task.twoParty,
    features: task.features,
    fractionBits: task.fractionBits,
    outputs: task.outputs,
    differentialPrivacy: task.differentialPrivacy,
    ...decomposition,
  };
}
