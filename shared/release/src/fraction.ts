/** Exact fractions of either sign, which errors come in, and their nearest doubles. */

/** numerator / denominator with denominator > 0; need not be in lowest terms. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** These are more than the 53 digits of a double, so that only the last of them may be off. */
const DIGITS = 64;

/** Divides to the last digit of a double or so, however long both integers are. */
export function toNumber({ numerator, denominator }: Fraction): number {
  const size = numerator < 0n ? -numerator : numerator;
  if (size === 0n) return 0;
  const shift = DIGITS + lengthOf(denominator) - lengthOf(size);
  const quotient =
    shift >= 0 ? (size << BigInt(shift)) / denominator : size / (denominator << BigInt(-shift));
  // In two steps, since 2^-shift alone may be too large or too small for a double.
  const value = Number(quotient) * 2 ** -Math.trunc(shift / 2) * 2 ** -(shift - Math.trunc(shift / 2));
  return numerator < 0n ? -value : value;
}

/** Binary digits, to within three: only the order of magnitude matters. */
function lengthOf(value: bigint): number {
  return value.toString(16).length * 4;
}
