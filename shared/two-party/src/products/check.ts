/**
 * The check that ends a product: notices what was changed on the way, by a fault of a network, a memory or a program, or by a
 * correlator that lies.
 *
 * Every digit carries, behind its correlations, a zero of 64 bits that is multiplied by the digit like them. Both parties add up
 * their shares of all these zeros; the sums must cancel modulo 2^64. A row that the transfers or the tree got wrong gives
 * masks that have nothing in common with the peer's, so the sums cancel with probability 2^−64. What is sent under the masks goes
 * through a GMAC under a key that the correlator draws for the product; two transcripts of n blocks that differ have
 * the same tag with probability n / 2^128, less than 2^−100. The correlator sends a digest of tag and sum, and the chooser compares
 * it with its own. So a flipped bit of any message of a product, where it changes the result, goes unnoticed with probability below
 * 2^−63. Additions of the result itself are not repeated.
 *
 * The chooser never sends its digest, not even after the correlator's. For digits δ its sum differs from what the correlator expects by
 * Σ δ·e, where e is whatever a correlator that lies has added to the zeros; with e = 4^n for n digits, whoever had the digest would find all of
 * them by trying. As it is, that correlator learns one bit: whether its digest, a guess at them, passed. A guess that fails must be
 * the last one: see closedByFaults() in rotated/csp.ts. The digest tells an honest chooser nothing: it has seen the
 * transcript, and its own sum is the negative of the correlator's. From what stands for a digit's zero the
 * chooser can tell 64 bits of the hidden leaf's expansion; they mask nothing else and look random beside the rest.
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
   * For the correlator: sends its digest, of which `zero`, its sum of the shares of zero modulo 2^64, is a part. Throws the errors of
   * the stream.
   */
  async tell(stream: MessageStream, zero: bigint): Promise<void> {
    stream.write(PRODUCT_MESSAGE.check, this.#digest(zero));
    await stream.flush();
  }

  /**
   * For the chooser: compares with the correlator's digest; `zero` is what the correlator's sum must be. Nothing is sent. Throws
   * ERR_PRODUCT_CHECK and the errors of the stream.
   */
  async compare(stream: MessageStream, zero: bigint): Promise<void> {
    const theirs = await stream.read(PRODUCT_MESSAGE.check, DIGEST_BYTES);
    if (!timingSafeEqual(this.#digest(zero), theirs)) {
      throw new TwoPartyError('ERR_PRODUCT_CHECK', 'a transfer of the product was changed on the way');
    }
  }

  #digest(zero: bigint): Uint8Array {
    this.#mac.final();
    const sum = new BigUint64Array([zero]);
    return createHash('sha256')
      .update(DOMAIN)
      .update(this.#mac.getAuthTag())
      .update(new Uint8Array(sum.buffer))
      .digest();
  }
}
