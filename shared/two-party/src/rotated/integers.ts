/** Rounded shifts, quotients and roots of big integers. */

/** value / 2^bits, rounded to nearest. */
export function roundShift(value: bigint, bits: number): bigint {
  return (value + (1n << BigInt(bits - 1))) >> BigInt(bits);
}

/** value / divisor for a positive divisor, rounded to nearest. */
export function roundDivide(value: bigint, divisor: bigint): bigint {
  const half = divisor >> 1n;
  return (value < 0n ? value - half : value + half) / divisor;
}

/** ⌊√value⌋ by Newton's iteration from above. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
