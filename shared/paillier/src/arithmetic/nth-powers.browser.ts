/**
 * r^n mod n^2 by BigInt, in browsers: WebCrypto has no exponentiation.
 *
 * NOT constant-time. What that means here: the exponent n is public, and the base is an owner's randomiser,
 * drawn once for one ciphertext. Anyone who can time the products in the owner's own browser (a program on
 * its machine, an extension, a page that shares its processor) may learn something about the randomiser, and
 * from all of it that owner's own statistics. No secret key is ever in a browser, and the network sees one
 * contribution, long after it was computed.
 */

import { ResidueRing } from './modular.ts';
import type { nthPowers as inNode } from './nth-powers.ts';

export const nthPowers: typeof inNode = ({ n }) => {
  const ring = new ResidueRing(n);
  const exponent = new FixedExponent(n);
  return (r) => ring.toInteger(exponent.power(ring, ring.from(r)));
};

/** A ring in which elements can be multiplied. */
interface Multiplication<T> {
  multiply(a: T, b: T): T;
  square(a: T): T;
}

/**
 * One step: a number of squarings, then a product with the base to the power `odd`; 0 stands for no product.
 */
interface Step {
  readonly squarings: number;
  readonly odd: number;
}

/** 2,048 bits cost least so: a table of 64 powers, and about 256 products beside the squarings. */
const WIDTH = 7;

/**
 * Raises many bases to one exponent by sliding windows: Menezes, van Oorschot, Vanstone, "Handbook of Applied
 * Cryptography" (1996), algorithm 14.85.
 *
 * NOT constant-time, and not to be used with a secret exponent: the steps are the exponent's bits. Here
 * exponents are public, namely n and n - 1, and bases are randomisers. How long products of BigInts take
 * tells something about the base to who can time them on this machine; a randomiser gives away the one
 * plaintext that it hides.
 */
export class FixedExponent {
  readonly #steps: readonly Step[];

  /** @param exponent at least 1 */
  constructor(exponent: bigint) {
    const bits = exponent.toString(2);
    const steps: Step[] = [];
    let zeros = 0;
    for (let i = 0; i < bits.length; ) {
      if (bits[i] === '0') {
        zeros += 1;
        i += 1;
        continue;
      }
      const end = bits.lastIndexOf('1', Math.min(i + WIDTH, bits.length) - 1) + 1;
      steps.push({ squarings: zeros + end - i, odd: Number.parseInt(bits.slice(i, end), 2) });
      zeros = 0;
      i = end;
    }
    if (zeros > 0) steps.push({ squarings: zeros, odd: 0 });
    this.#steps = steps;
  }

  power<T extends object | bigint>(ring: Multiplication<T>, base: T): T {
    const [first, ...others] = this.#steps;
    const table = oddPowers(ring, base);
    // The first step squares the empty product.
    let result = table[first!.odd >> 1]!;
    for (const { squarings, odd } of others) {
      for (let k = 0; k < squarings; k += 1) result = ring.square(result);
      if (odd !== 0) result = ring.multiply(result, table[odd >> 1]!);
    }
    return result;
  }
}

/** base, base^3, base^5, … up to the widest window. */
function oddPowers<T extends object | bigint>(ring: Multiplication<T>, base: T): T[] {
  const square = ring.square(base);
  const powers = [base];
  while (powers.length < 2 ** (WIDTH - 1)) powers.push(ring.multiply(powers.at(-1)!, square));
  return powers;
}
