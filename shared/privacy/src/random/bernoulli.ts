/**
 * Coins that fall heads with probability exactly exp(−γ) for a rational γ: Canonne, Kamath and Steinke, "The Discrete
 * Gaussian for Differential Privacy" (2020), algorithm 1.
 *
 * A coin of probability p is "U < p" for a uniform real U whose binary digits are drawn as they are needed. Its first 32
 * digits decide all but one case in 2^31 or so, with machine integers; the others are decided exactly by BigInt. So nothing
 * is rounded, and the result does not depend on how many digits are drawn at once.
 */

import type { RandomBits } from './bits.ts';

const WORD_BITS = 32n;

/** True with probability exp(−numerator/denominator); numerator >= 0, denominator > 0. */
export function bernoulliExp(random: RandomBits, numerator: bigint, denominator: bigint): boolean {
  if (numerator <= denominator) return bernoulliExpFraction(random, numerator, denominator);
  // exp(−γ) = exp(−1)^⌊γ⌋ · exp(−(γ − ⌊γ⌋)); the first tails ends it, so a large γ costs no more than a small one.
  const whole = numerator / denominator;
  for (let i = 0n; i < whole; i++) {
    if (!bernoulliExpFraction(random, 1n, 1n)) return false;
  }
  return bernoulliExpFraction(random, numerator - whole * denominator, denominator);
}

/** For γ = numerator/denominator in [0, 1]: coins of γ/1, γ/2, γ/3, … until one falls tails; true if it was an odd one. */
export function bernoulliExpFraction(random: RandomBits, numerator: bigint, denominator: bigint): boolean {
  const leading = Number((numerator << WORD_BITS) / denominator);
  let k = 1;
  while (bernoulliOver(random, numerator, denominator, leading, k)) k++;
  return k % 2 === 1;
}

/** True with probability γ/k, where γ <= 1 and leading = ⌊γ · 2^32⌋. */
function bernoulliOver(
  random: RandomBits,
  numerator: bigint,
  denominator: bigint,
  leading: number,
  k: number,
): boolean {
  // U lies in [u, u + 1) · 2^−32; k u is exact in a double, as k! trials stand against a k beyond 2^21.
  const u = random.word();
  if (k * (u + 1) <= leading) return true;
  if (k * u > leading) return false;
  const factor = BigInt(k) * denominator;
  let digits = BigInt(u);
  let target = numerator << WORD_BITS;
  for (;;) {
    if ((digits + 1n) * factor <= target) return true;
    if (digits * factor >= target) return false;
    digits = (digits << WORD_BITS) | BigInt(random.word());
    target <<= WORD_BITS;
  }
}
