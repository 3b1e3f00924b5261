/**
 * r^n mod n^2 by BigInt, in browsers: WebCrypto has no exponentiation.
 *
 * NOT constant-time. What that means here: the exponent n is public, and the base is an owner's randomiser, drawn once
 * for one ciphertext. Who can time the products in the owner's own browser (a program on its machine, an extension, a page
 * that shares its processor) may learn something of the randomiser, and from all of it that owner's own statistics. No
 * secret key is ever in a browser, and the network sees one contribution, long after it was computed.
 */

import type { nthPowers as inNode } from './nth-powers.ts';
import { ResidueRing } from './residues.ts';
import { FixedExponent } from './sliding-window.ts';

export const nthPowers: typeof inNode = ({ n }) => {
  const ring = new ResidueRing(n);
  const exponent = new FixedExponent(n);
  return (r) => ring.toInteger(exponent.power(ring, ring.from(r)));
};
