/** The data user draws what it draws once, and blinds the aggregate. */
import {
  add,
  type Ciphertext,
  drawBlinding,
  encodeCiphertexts,
  type Packing,
  type PaillierPool,
  type Plaintext,
  type PublicKey,
  packBlinding,
} from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { drawSumNoise } from './sum-noise.ts';

/** Ciphertexts that are blinded at a time: all threads of a pool have work for seconds, and none has to hold all of a sketch's. */
const BLINDED_AT_ONCE = 2048;

/** What the data user draws once per task: as secret as the key, and persisted before it is used. */
export interface Drawn {
  /** One per value of the flat statistics; see `drawBlinding`. */
  readonly blinding: readonly bigint[];
  /** The data user's noise, one per value of `computedValues`; zeros where the task has the data user add none. Of a histogram one per sum, see `drawSumNoise`. */
  readonly noise: readonly bigint[];
}

/**
 * @throws ERR_DP_PARAMETER
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { blind, draw } from '@eigenveil/protocol/servers';
 *
 * const drawn = draw({ task, packing }, systemRandomness); // to be kept before it is used
 * const blinded = await blind({ publicKey, packing }, ciphertexts, drawn, pool);
 */
export function draw(
  { task, packing }: { readonly task: StatisticsTask; readonly packing: Packing },
  randomness: RandomSource,
): Drawn {
  const noise =
    task.method.kind === 'histogram'
      ? drawSumNoise(task, randomness)
      : drawNoise(task, 'dataUser', randomness);
  return { blinding: drawBlinding(packing, randomness), noise };
}

/**
 * The aggregate with the blinding added, encoded as the CSP gets it. The blinding is encrypted with full-length
 * randomisers whatever the owners' scheme: the CSP, which can extract randomisers, would otherwise recognise the product
 * of the owners'.
 * @throws ERR_VALUE_OUT_OF_RANGE
 */
export async function blind(
  { publicKey, packing }: { readonly publicKey: PublicKey; readonly packing: Packing },
  aggregate: readonly Ciphertext[],
  { blinding }: Pick<Drawn, 'blinding'>,
  paillier: PaillierPool,
): Promise<Uint8Array> {
  return addAll(publicKey, aggregate, packBlinding(publicKey, packing, blinding), paillier);
}

/** Apart, so that nothing holds the blinding values themselves while they are encrypted. */
async function addAll(
  publicKey: PublicKey,
  aggregate: readonly Ciphertext[],
  plaintexts: readonly Plaintext[],
  paillier: PaillierPool,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(plaintexts.length * publicKey.ciphertextBytes);
  for (let from = 0; from < plaintexts.length; from += BLINDED_AT_ONCE) {
    const part = plaintexts.slice(from, from + BLINDED_AT_ONCE);
    const addends = await paillier.encrypt(publicKey, part, 'standard');
    const blinded = addends.map((addend, i) => add(publicKey, aggregate[from + i]!, addend));
    bytes.set(encodeCiphertexts(publicKey, blinded), from * publicKey.ciphertextBytes);
  }
  return bytes;
}
