/** Exact non-negative fractions, in which the samplers take their parameters. */

import { bitLength, CodedError } from '@eigenveil/platform';
import { PRIVACY_CODES } from './codes.ts';

/** numerator / denominator with numerator >= 0 and denominator > 0; need not be in lowest terms. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Rational = { numerator: 0n, denominator: 1n };

/** @throws ERR_DP_PARAMETER unless numerator >= 0 and denominator > 0 */
export function checkRational(name: string, value: Rational): void {
  const { numerator, denominator } = value;
  if (
    typeof numerator !== 'bigint' ||
    typeof denominator !== 'bigint' ||
    numerator < 0n ||
    denominator <= 0n
  ) {
    throw new CodedError(
      PRIVACY_CODES.ERR_DP_PARAMETER,
      `"${name}" expected bigints numerator >= 0 and denominator > 0, got ${numerator}/${denominator}`,
    );
  }
}

/**
 * The exact value of a double, in lowest terms.
 * @throws ERR_DP_PARAMETER unless it is finite and >= 0
 */
export function rationalOf(name: string, value: number): Rational {
  if (!(value >= 0 && value < Infinity)) {
    throw new CodedError(
      PRIVACY_CODES.ERR_DP_PARAMETER,
      `"${name}" expected a finite number >= 0, got ${value}`,
    );
  }
  let shift = 0n;
  let scaled = value;
  // Doubling a double is exact, and every double is an integer after at most 1,074 doublings.
  for (; !Number.isInteger(scaled); shift++) scaled *= 2;
  return { numerator: BigInt(scaled), denominator: 1n << shift };
}

/** ⌊√value⌋ for value >= 0, by Newton's iteration from above. */
export function integerSqrt(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
