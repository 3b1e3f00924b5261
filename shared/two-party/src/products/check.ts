/**
 * The check that ends a product: notices what was changed on the way, by a fault of a network, a memory or a program.
 *
 * Every digit carries, behind its correlations, a zero of 64 bits that is multiplied by the digit like them. Both parties add up
 * their shares of all these zeros; the sums must cancel modulo 2^64. A row that the transfers or the tree got wrong gives
 * masks that have nothing in common with the peer's, so the sums cancel with probability 2^−64. What is sent under the masks goes
 * through a GMAC under a key that the correlator draws for the product; two transcripts of n blocks that differ have
 * the same tag with probability n / 2^128, less than 2^−100. Both parties send a digest of tag and sum. So a flipped bit of any
 * message of a product, where it changes the result, goes unnoticed with probability below 2^−63. (A bit of the extension's
 * corrections of a column where Δ has 0 changes nothing.) Additions of the result itself are not repeated.
 *
 * It reveals nothing: the transcript is known to both, and the sum is a function of masks alone, which the peer knows to be
 * the negative of its own. From what stands for a digit's zero the chooser can tell 64 bits of the hidden leaf's expansion;
 * they mask nothing else and look random beside the rest. It is no defence against a party that lies.
 */
import { type CipherGCM, createCipheriv, createHash, timingSafeEqual } from 'node:crypto';
import type { MessageStream } from '../channel/message-stream.ts';
import { TwoPartyError } from '../errors.ts';
import { PRODUCT_MESSAGE } from './messages.ts';

export const CHECK_KEY_BYTES = 16;

const DIGEST_BYTES = 32;
const DOMAIN = 'eigenveil product check v1';

/** What one party has seen of a product. */
export class Transcript {
  readonly #mac: CipherGCM;

  constructor(key: Uint8Array) {
    this.#mac = createCipheriv('aes-128-gcm', key, new Uint8Array(12));
  }

  /** The next bytes that the correlator sends. */
  add(bytes: Uint8Array): void {
    this.#mac.setAAD(bytes);
  }

  /**
   * Compares with the peer. `zero` is what its sum of the shares of zero must be for this end's, modulo 2^64; the same at both
   * ends. Throws ERR_PRODUCT_CHECK and the errors of the stream.
   */
  async compare(stream: MessageStream, zero: bigint): Promise<void> {
    this.#mac.final();
    const sum = new BigUint64Array([zero]);
    const digest = createHash('sha256')
      .update(DOMAIN)
      .update(this.#mac.getAuthTag())
      .update(new Uint8Array(sum.buffer))
      .digest();
    stream.write(PRODUCT_MESSAGE.check, digest);
    await stream.flush();
    if (!timingSafeEqual(digest, await stream.read(PRODUCT_MESSAGE.check, DIGEST_BYTES))) {
      throw new TwoPartyError('ERR_PRODUCT_CHECK', 'a transfer of the product was changed on the way');
    }
  }
}
