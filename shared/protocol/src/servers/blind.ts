/** The data user draws what it draws once, and blinds the aggregate. */
import {
  add,
  blindingWidths,
  type Ciphertext,
  drawBlinding,
  encodeCiphertexts,
  type Packing,
  type PaillierPool,
  type Plaintext,
  type PublicKey,
  packBlinding,
} from '@eigenveil/paillier';
import { type IntegerList, Integers } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { drawNoise } from '@eigenveil/statistics';
import { drawSumNoise, type SharedTask, shareBits } from './shares.ts';

/**
 * Ciphertexts that are blinded at a time: all threads of a pool have work for seconds, and none has to hold
 * all of a sketch's.
 */
const BLINDED_AT_ONCE = 2048;

/**
 * The values that the data user draws once per task: as secret as the key, and persisted before it is used.
 */
export interface Drawn {
  /** One per value of the flat statistics; see `drawBlinding`. */
  readonly blinding: Integers;
  /**
   * The data user's noise, one per value of `computedValues`; zeros where the task has the data user add
   * none. Of a histogram one per sum, see `drawSumNoise`. As signed integers of the bits of shares, of which
   * it becomes a part: so that its length tells nothing about it.
   */
  readonly noise: Integers;
}

interface DrawnFor {
  readonly task: SharedTask;
  readonly packing: Packing;
}

/**
 * @param signs of a task with `sketch`: Ω
 * @throws as `drawNoise`
 * @example
 * import { systemRandomness } from '@eigenveil/privacy';
 * import { blind, draw } from '@eigenveil/protocol/servers';
 *
 * const drawn = draw({ task, packing }, systemRandomness); // to be kept before it is used
 * const blinded = await blind({ publicKey, packing }, ciphertexts, drawn, pool);
 */
export function draw(
  { task, packing, signs }: DrawnFor & { readonly signs?: Int32Array | undefined },
  randomness: RandomSource,
): Drawn {
  const bits = shareBits(task);
  const noise =
    task.method.kind === 'histogram'
      ? drawSumNoise(task, randomness)
      : drawNoise(task, 'dataUser', randomness, signs);
  const reduced = noise.map((value, i) => BigInt.asIntN(bits[i]!, value));
  return { noise: Integers.of(reduced, bits, 'signed'), blinding: drawBlinding(packing, randomness) };
}

/**
 * Reads what was drawn for a task from the bytes of the blinding with those of the noise behind them, as
 * views of these bytes.
 * @throws ERR_ENCODING_INVALID for what cannot have been drawn for it
 */
export function readDrawn({ task, packing }: DrawnFor, bytes: Uint8Array): Drawn {
  const widths = blindingWidths(packing);
  const end = Integers.lengthOf(widths);
  return {
    blinding: Integers.read(bytes.subarray(0, end), widths),
    noise: Integers.read(bytes.subarray(end), shareBits(task), 'signed'),
  };
}

/**
 * The aggregate with the blinding added, encoded as the CSP gets it. The blinding is encrypted with
 * full-length randomisers whatever the owners' scheme: the CSP, which can extract randomisers, would
 * otherwise recognise the product of the owners'.
 * @throws ERR_VALUE_OUT_OF_RANGE
 */
export async function blind(
  { publicKey, packing }: { readonly publicKey: PublicKey; readonly packing: Packing },
  aggregate: readonly Ciphertext[],
  { blinding }: { readonly blinding: IntegerList },
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
