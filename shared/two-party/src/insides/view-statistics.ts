/** Numbers that sum a view up, standard normal or nearly so where it tells nothing. */

/** χ² of bytes against uniform ones, in standard deviations from its mean. */
export function unevenness(payloads: readonly Uint8Array[]): number {
  const counts = new Float64Array(256);
  let total = 0;
  for (const payload of payloads) {
    for (const byte of payload) counts[byte]! += 1;
    total += payload.length;
  }
  const expected = total / 256;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (statistic - 255) / Math.sqrt(2 * 255);
}

/**
 * Returns how often the lowest bits of labels of 16 bytes equal these bits, in standard deviations of fair
 * coins.
 */
export function telling(labels: Uint8Array, bits: Uint8Array): number {
  const equal = bits.reduce((sum, bit, i) => sum + ((labels[16 * i]! & 1) === bit ? 1 : 0), 0);
  return (equal - bits.length / 2) / (Math.sqrt(bits.length) / 2);
}
