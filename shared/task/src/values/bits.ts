/** Counts the bits that a value takes. */

/** The least b with bound < 2^(b-1). */
export function signedBits(bound: bigint): number {
  return bound.toString(2).length + 1;
}
