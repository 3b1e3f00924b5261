/** Paillier ciphertexts by definition, for looking at what was sent without the code that sent it. */

/** Integers of `length` big-endian bytes each. */
function integersOf(bytes: Uint8Array, length: number): bigint[] {
  const hex = Buffer.from(bytes).toString('hex');
  return Array.from({ length: bytes.length / length }, (_, i) =>
    BigInt(`0x${hex.slice(2 * i * length, 2 * (i + 1) * length)}`),
  );
}

/** The ciphertexts of a contribution or of an unblinding request under a key of `keyBits` bits. */
export function ciphertextsOf(bytes: Uint8Array, keyBits: number): bigint[] {
  return integersOf(bytes, (2 * keyBits) / 8);
}

/** Position by position, the product mod n²: an encryption of the sum. */
export function productOf(contributions: readonly (readonly bigint[])[], n: bigint): bigint[] {
  return contributions.reduce((product, next) => product.map((c, i) => (c * next[i]!) % (n * n))) as bigint[];
}
