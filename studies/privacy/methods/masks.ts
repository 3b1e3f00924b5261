/** Masks that cancel: whoever sees all masked integers but one party's learns the sum and nothing else. */

import type { RandomSource } from '@eigenveil/privacy';
import { RandomBits } from '@eigenveil/privacy/parts';

/** Integers are masked modulo 2^64. */
const RING_BITS = 64;

/** For each party as many uniform numbers of the ring, which add up to zero over the parties. */
export function zeroSumMasks(source: RandomSource, parties: number, length: number): bigint[][] {
  const random = new RandomBits(source);
  const masks = Array.from({ length: parties - 1 }, () =>
    Array.from({ length }, () => random.bits(RING_BITS)),
  );
  const last = Array.from({ length }, (_, i) =>
    BigInt.asUintN(RING_BITS, -masks.reduce((sum, mask) => sum + mask[i]!, 0n)),
  );
  return [...masks, last];
}

export function masked(values: readonly bigint[], mask: readonly bigint[]): bigint[] {
  return values.map((value, i) => BigInt.asUintN(RING_BITS, value + mask[i]!));
}

/** The sum of all parties' values, which must lie in [−2^63, 2^63). */
export function sumOfMasked(messages: readonly (readonly bigint[])[]): bigint[] {
  return messages[0]!.map((_, i) => signed(messages.reduce((sum, message) => sum + message[i]!, 0n)));
}

/** The integer in [−2^63, 2^63) of this residue. */
export function signed(residue: bigint): bigint {
  return BigInt.asIntN(RING_BITS, residue);
}
