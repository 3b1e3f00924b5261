/** The result of a product, in the clear: the reference for tests. */
import type { Part } from './layout.ts';

/**
 * matrix · correlations modulo 2^ringBits, entries in [0, 2^ringBits); those that `part` leaves out are 0.
 */
export function multiplyClear(
  matrix: readonly (readonly bigint[])[],
  correlations: readonly (readonly bigint[])[],
  { ringBits, part = 'whole' }: { readonly ringBits: number; readonly part?: Part },
): bigint[][] {
  return matrix.map((row, i) =>
    correlations[0]!.map((_, j) => {
      if (part === 'upper' && j < i) return 0n;
      return BigInt.asUintN(
        ringBits,
        row.reduce((sum, entry, k) => sum + entry * correlations[k]![j]!, 0n),
      );
    }),
  );
}
