/** Shares of whole numbers, for tests that make them. */

/** Reduces integers to ring elements: result[v] = values[v] mod 2^bits[v], in [0, 2^bits[v]). */
export function toRing(bits: readonly number[], values: readonly bigint[]): bigint[] {
  return bits.map((width, v) => BigInt.asUintN(width, values[v]!));
}
