/** Integers from residues, for tests that open additive shares. */

/**
 * Integers of either sign, least in size, of residues modulo m.
 */
export function fromRing(residues: readonly bigint[], modulus: bigint): bigint[] {
  return residues.map((residue) => {
    const value = ((residue % modulus) + modulus) % modulus;
    return 2n * value >= modulus ? value - modulus : value;
  });
}
