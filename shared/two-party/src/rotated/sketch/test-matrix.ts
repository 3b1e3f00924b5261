/** The test matrix Ω of a sketch, and what it makes of a vector. */

/** Ω: entries in whole numbers, d × l, row by row: see sketchMatrix. */
export type TestMatrix = ArrayLike<number>;

/** Ωᵀ times a vector. */
export function columnSums(values: readonly bigint[], signs: TestMatrix, l: number): bigint[] {
  return Array.from({ length: l }, (_, a) =>
    values.reduce((sum, value, i) => sum + value * BigInt(signs[i * l + a]!), 0n),
  );
}
