/** The CSP's step: from the blinded aggregate to its additive shares. */
import {
  type Ciphertext,
  type Packing,
  type PaillierPool,
  type SecretKey,
  unpackBlinded,
} from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics';
import { type SharedTask, toShares } from './shares.ts';

/**
 * Decrypts the blinded aggregate, reads its slots and adds the CSP's noise: its additive shares of every value. The key
 * is an oracle, so whoever calls this has bound the task to these very ciphertexts before; the noise is new with every
 * call, so one draw is kept and nothing of the others may leave.
 * @param ciphertexts validated, as many as the packing has plaintexts
 * @throws PaillierError ERR_PACKING_OVERFLOW when a sum has left its range: one bit about the plaintexts, to be told
 *   once and never for other ciphertexts; PrivacyError ERR_DP_PARAMETER
 */
export async function unblind(
  under: { readonly task: SharedTask; readonly secretKey: SecretKey; readonly packing: Packing },
  ciphertexts: readonly Ciphertext[],
  by: { readonly paillier: PaillierPool; readonly randomness: RandomSource },
): Promise<bigint[]> {
  const slots = unpackBlinded(under.packing, await by.paillier.decrypt(under.secretKey, ciphertexts));
  return sharesAtCsp(under.task, slots, by.randomness);
}

/**
 * The CSP's additive shares: what it reads from the slots, which are values with their blinding, and its noise.
 * @throws PrivacyError ERR_DP_PARAMETER
 */
export function sharesAtCsp(task: SharedTask, slots: readonly bigint[], randomness: RandomSource): bigint[] {
  const noise = drawNoise(task, 'servers', randomness);
  return toShares(
    task,
    slots.map((slot, i) => slot + noise[i]!),
  );
}
