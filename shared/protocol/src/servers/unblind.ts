/** The CSP decrypts the blinded aggregate, once per task. */
import {
  type Ciphertext,
  type Packing,
  type PaillierPool,
  type SecretKey,
  unpackBlinded,
} from '@eigenveil/paillier';
import type { Integers } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { type SharedTask, sharesAtCsp } from './shares.ts';

/**
 * Decrypts the blinded aggregate, reads its slots and adds the CSP's noise: its additive shares of every value. The key
 * is an oracle, so whoever calls this has bound the task to these very ciphertexts before; the noise is new with every
 * call, so one draw is kept and nothing of the others may leave.
 * @param ciphertexts validated, as many as the packing has plaintexts
 * @throws ERR_PACKING_OVERFLOW when a sum has left its range: one bit about the plaintexts, to be told
 *   once and never for other ciphertexts, and as `drawNoise`
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { unblind } from '@eigenveil/protocol/servers';
 *
 * const by = { paillier: pool, randomness: systemRandomness };
 * const shares = await unblind({ task, secretKey, packing }, ciphertexts, by);
 */
export async function unblind(
  under: {
    readonly task: SharedTask;
    readonly secretKey: SecretKey;
    readonly packing: Packing;
    /** Ω of a task with `sketch`. */
    readonly signs?: Int32Array | undefined;
  },
  ciphertexts: readonly Ciphertext[],
  by: { readonly paillier: PaillierPool; readonly randomness: RandomSource },
): Promise<Integers> {
  const slots = unpackBlinded(under.packing, await by.paillier.decrypt(under.secretKey, ciphertexts));
  return sharesAtCsp(under.task, slots, by.randomness, under.signs);
}
